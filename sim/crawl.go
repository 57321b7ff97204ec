package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
)

// A Setup holds the options of a crawl that do not depend on its policy. Pages are ids of
// the world.
type Setup struct {
	Seeds  []graph.Page
	Random uint64
	// Batch is K for policies that solve every K pages.
	Batch int
	// Frontier holds politeness and batches. Its MaxPages, MaxSites, MaxLinks and Random
	// are set here, and its Batch too if it is 0.
	Frontier frontier.Options
	Fetchers int // r; 0 means 1
	// KeepMost is the largest number of connections that stay open without a request, at
	// least 1: see Frontier.KeepAlive.
	KeepMost int
	// InStep reports that all of this is as it was in the crawl of World.Recorded. As long as
	// the virtual crawl hands out the same tasks, it does so at the same instants: a real
	// crawler is late by some microseconds, or more where its machine is busy. From the first
	// other task on it has a clock of its own.
	InStep bool
	// Patience is how long fetchers wait for answers of a model of time; without limits they
	// wait for all. It has no effect on recorded answers and with Revisits.
	Patience Patience
	// Processors is what pages cost the machine of the crawler; the zero value is nothing. It
	// has no effect without a model of time and on recorded answers.
	Processors Processors
	// MinUse ends a batch of mode Thesis, as Frontier.MinActive does, when less than this part
	// of Bandwidth is used; 0: never.
	MinUse float64
	// Bandwidth is B, the crawler's own line in bytes per second; 0 has no limit.
	Bandwidth int64
	MaxPages  int // fetches after which the crawl ends; 0 means all
	// Remember is the largest number of waiting pages that the crawler remembers; 0: all. See
	// forgetful.
	Remember int
	// Stop ends the crawl when it holds, as --stop-when does it; nil: it never does.
	Stop *score.Condition
	// KeepPages is B, the number of pages that are kept of those that are fetched; 0 means all.
	// The order does not depend on it.
	KeepPages int
	// Duration is the instant at which the crawl ends; 0: when nothing is left to fetch.
	Duration time.Duration
	// Revisits says which pages are fetched again, and needs a Duration; nil: none are.
	Revisits *Revisits
	// Score is what the policy score orders by; nil means its default. Visits are weighed by it,
	// whatever the policy.
	Score *score.Function
	// Partitions is the number of partitions of the crawl, each of which has a frontier and a policy
	// of its own: see parts. 0 means that it is not cut.
	Partitions int
}

// A Patience holds the limits after which a fetcher gives an attempt up, 0 for none. They do not
// hold for bodies, which share the crawler's line. The page is requested again, after the
// others of its site and with new luck, up to Retries times, and is lost then.
type Patience struct {
	Connect   time.Duration
	FirstByte time.Duration
	Retries   int
}

// String returns the limits for headers.
func (p Patience) String() string {
	return fmt.Sprintf("gives up after %v to connect or %v without an answer, retries %d", p.Connect, p.FirstByte, p.Retries)
}

// Options configure how a world is crawled.
type Options struct {
	Setup
	// Known are pages that are known from the start, in addition to the seeds.
	Known []graph.Page
	// Policy orders the pages, and the sites too unless SitePolicy is another.
	Policy, SitePolicy *policy.Choice
	Prior              *policy.Prior
	// Oracle is handed to policies that were declared omniscient, to no other.
	Oracle policy.Oracle

	// Record, if not nil, is called with every event, as for a journal. The event is reused.
	Record func(now time.Duration, e *event.Event)
	// Witness, if not nil, is told of every page that is fetched.
	Witness Witness
	// Progress, if not nil, is called now and then with the number of fetches; an error
	// stops the crawl.
	Progress func(fetched int) error
}

// A Result describes what a virtual crawl did. Pages are ids of the world, in the order in
// which they were fetched.
type Result struct {
	Order []graph.Page
	// Start and End are the instants of each fetch, Bytes its size; nil without a model
	// of time.
	Start, End []time.Duration
	Bytes      []int64

	Kept []graph.Page // pages kept at the end, ascending; nil if all are

	Known    int // pages known at the end
	Sites    int // sites known at the end
	Requests int // tasks handed out, of all kinds
	// Forgotten is how often a waiting page was forgotten. Then Known counts pages that were
	// forgotten and found again several times.
	Forgotten int
	// Timeouts is how often a fetcher gave an attempt up, and Lost the number of pages that
	// were not fetched because of it: see Patience.
	Timeouts, Lost int
	Took           time.Duration
	Worked         time.Duration // of all processors, where they are modelled
	Memory         int64         // bytes of frontier and policy at the end
	Trace          *Trace        // fetchers over time; nil without a model of time
	Notes          []string      // what policies have to tell the user
	// Foreign counts the pages that partitions know of others, Messages what they sent to each
	// other, and Told the pages that these were about. Said is their size in bytes, without URLs.
	Foreign, Messages, Told int
	Said                    int64
}

// Run crawls a world.
func Run(w *World, o Options) (*Result, error) {
	if o.Revisits != nil && o.Revisits.Every > 0 && o.Duration == 0 {
		return nil, errEndless
	}
	if o.Remember > 0 && (o.Revisits != nil || w.Recorded != nil && w.Times != nil) {
		return nil, errRemember
	}
	if o.Partitions > 0 {
		return runParts(w, &o)
	}
	c, err := newCrawl(w, &o, &pool{}, nil)
	if err != nil {
		return nil, err
	}
	defer c.free()
	c.seed()
	if err := c.loop(); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// numbering assigns crawl ids to what a crawl discovers of a world. It replaces the URL
// table of the live crawler.
type numbering struct {
	known []uint32 // by id of the world: id of the crawl plus 1, 0 unknown
	world []uint32 // by id of the crawl
}

func newNumbering(n int) numbering {
	return numbering{known: make([]uint32, n), world: make([]uint32, 0, n)}
}

// id returns the crawl's id of a thing of the world, and whether it is new.
func (n *numbering) id(w uint32) (id uint32, fresh bool) {
	if id = n.known[w]; id != 0 {
		return id - 1, false
	}
	id = uint32(len(n.world))
	n.known[w] = id + 1
	n.world = append(n.world, w)
	return id, true
}

// crawl is a virtual crawl under way.
type crawl struct {
	w            *World
	o            *Options
	f            *frontier.Frontier
	pages, sites numbering
	*pool
	part      *part           // nil if the crawl is not cut
	lines     *frontier.Lines // nil when a connection is closed after each acquisition
	inStep    bool            // see Setup.InStep
	turn      uint32          // turns so far: see Answer.Turn
	player    *player         // nil unless the answers are recorded
	event     event.Event
	visits    *visits // nil unless pages are fetched again
	forgetful forgetful
	store     *store        // nil unless only some pages are kept
	watch     *advise.Watch // nil without Stop
	bytes     int64         // of the pages fetched so far, with Stop
}

// A pool is what the partitions of a crawl have in common: the time, the fetchers, the order.
type pool struct {
	now      time.Duration
	stopped  time.Duration // of it, in which a recorded crawler did not run
	fetchers []fetcher
	idle     []uint32 // fetchers without a task, the next one last
	ends     schedule
	line     *Line                 // nil when it has no limit
	cpu      *Line                 // the processors, shared like a line; nil when they are not modelled
	left     int                   // pages that may still be handed out
	tries    map[graph.Page]uint32 // attempts that were given up, by page of the world
	rhythm   int                   // turns of the loop from one call of Progress to the next
	res      Result
}

// A fetcher is one of the r that fetch at a time.
type fetcher struct {
	task     event.Task
	crawl    *crawl // whose task it is
	start    time.Duration
	bytes    int64
	requests uint32        // in this acquisition of the site
	open     bool          // its connection was open before
	version  uint32        // of the page, with Revisits
	same     bool          // the server says that the page did not change
	answer   *Answer       // nil unless it is recorded
	number   uint32        // of the answer in the recording; 0: it is not in it
	after    time.Duration // from the end of the body to the end of the task
	arrived  time.Duration // when the body was there; 0: at the end of the task
	gaveUp   bool          // see Patience
}

// newCrawl returns a crawl, or a part of one that has others, over a pool.
func newCrawl(w *World, o *Options, all *pool, cut *part) (*crawl, error) {
	c := &crawl{w: w, o: o, pages: newNumbering(w.pages()), sites: newNumbering(w.sites()), pool: all, part: cut}
	fo := o.Frontier
	cut.options(c, &fo)
	fo.MaxPages, fo.MaxSites, fo.MaxLinks, fo.Random = w.room(o.Remember), w.sites(), w.Out.To.Len(), o.Random
	c.forgetful.limit = o.Remember
	if o.MinUse > 0 {
		fo.Quiet = c.quiet
	}
	fo.Batch = cmp.Or(fo.Batch, o.Batch)
	fo.Scores = fo.Scores || (o.Revisits != nil || o.KeepPages > 0) && o.Score != nil
	switch {
	case w.Recorded != nil && w.Times != nil:
		c.replay(&fo)
	case w.Content != nil:
		fo.Barred = c.empty
		fo.Spare = c.empty
	}
	var err error
	if c.f, err = frontier.New(fo, c.env(), o.Policy, o.SitePolicy, c.oracle()); err != nil {
		return nil, err
	}
	if c.fetchers == nil {
		c.hireAll()
	}
	if o.Stop != nil {
		if c.watch, err = advise.NewWatch(o.Stop, w.pages()); err != nil {
			return nil, err
		}
	}
	c.connect()
	c.revisit()
	c.store = newStore(c)
	return c, nil
}

// hireAll makes the fetchers and what else the parts of a crawl share.
func (c *crawl) hireAll() {
	if c.left == 0 { // a replay may have set it
		c.left = cmp.Or(c.o.MaxPages, c.w.pages())
	}
	c.rhythm = 1024
	if c.o.Policy.Spec.MaxPages > 0 {
		c.rhythm = 16 // such a policy takes its time for each page
	}
	c.fetchers = make([]fetcher, max(1, c.o.Fetchers))
	for i := len(c.fetchers) - 1; i >= 0; i-- {
		c.idle = append(c.idle, uint32(i))
	}
	c.tries = map[graph.Page]uint32{}
	if c.w.Times != nil {
		c.res.Trace = NewTrace(len(c.fetchers))
	}
}

// empty returns why a page cannot be fetched, NoBar if it can.
func (c *crawl) empty(p graph.Page) event.Bar {
	if c.w.Content(c.page(p)) {
		return event.NoBar
	}
	return event.BarScope
}

// connect sets the line and the connections to those of a crawler that has just begun.
func (c *crawl) connect() {
	if c.w.Times == nil {
		return
	}
	if c.o.Frontier.KeepAlive > 0 {
		c.lines = frontier.NewLines(c.f, c.o.KeepMost)
	}
	if c.o.Bandwidth > 0 && (c.part == nil || c.line == nil) {
		c.line = NewLine(float64(c.o.Bandwidth))
	}
	if c.o.Processors.Count > 0 && c.w.Recorded == nil && (c.part == nil || c.cpu == nil) {
		c.cpu = newProcessors(c.o.Processors)
	}
}

// env returns what the world lets a policy know, by ids of the crawl.
func (c *crawl) env() policy.Env {
	env := policy.Env{Random: c.o.Random, Batch: c.o.Batch, Score: c.o.Score}
	if r := c.w.Recorded; r != nil && r.Score == c.o.Score {
		env.Terms = r.Terms
	}
	if c.w.URL != nil {
		env.URL = func(b []byte, p graph.Page) []byte { return c.w.URL(b, c.page(p)) }
	}
	if c.w.SiteName != nil {
		env.SiteName = func(s graph.Site) string { return c.w.SiteName(c.site(s)) }
	}
	if prior := c.o.Prior; prior != nil {
		env.Prior = &policy.Prior{
			Value: func(p graph.Page) (float64, bool) { return prior.Value(c.page(p)) },
			All:   prior.All,
		}
	}
	return env
}

// page returns the id in the world of a page of the crawl.
func (c *crawl) page(p graph.Page) graph.Page { return graph.Page(c.pages.world[p]) }

// site returns the id in the world of a site of the crawl.
func (c *crawl) site(s graph.Site) graph.Site { return graph.Site(c.sites.world[s]) }

// seer is the oracle by ids of the crawl.
type seer struct {
	c *crawl
	o policy.Oracle
}

func (s seer) Importance(p graph.Page) float64 { return s.o.Importance(s.c.page(p)) }
func (s seer) Place(p graph.Page) int          { return s.o.Place(s.c.page(p)) }

func (c *crawl) oracle() policy.Oracle {
	if c.o.Oracle == nil {
		return nil
	}
	return seer{c, c.o.Oracle}
}

func (c *crawl) free() {
	c.f.Free()
	c.watch.Free()
	c.store.free()
	if c.visits != nil {
		c.visits.plan.Free()
	}
}

// seed makes the seeds known, then what else is known from the start.
func (c *crawl) seed() {
	for _, pages := range [][]graph.Page{c.o.Seeds, c.o.Known} {
		c.event = event.Event{Kind: event.Seed, New: c.event.New[:0], Bars: c.event.Bars[:0], Links: c.event.Links[:0]}
		for _, p := range pages {
			c.discover(p)
		}
		if len(c.event.New) > 0 {
			c.apply()
		}
	}
	for _, p := range c.o.Seeds {
		if c.watch != nil {
			c.watch.Seed(graph.Page(c.pages.known[p] - 1))
		}
	}
	if c.player != nil {
		c.player.schedule(c.now, 0)
		c.act()
		c.pass(true)
	}
}

// discover returns the crawl's id of page p of the world; a new page is added to the event.
func (c *crawl) discover(p graph.Page) graph.Page {
	id, fresh := c.pages.id(uint32(p))
	if fresh {
		s, _ := c.sites.id(uint32(c.w.site(p)))
		c.event.New = append(c.event.New, graph.Site(s))
		c.remembers(graph.Page(id))
		if c.player != nil {
			c.event.Bars = append(c.event.Bars, c.player.bars[p])
		}
		if c.part != nil {
			c.event.Bars = append(c.event.Bars, c.part.bar(c.w.site(p)))
		}
	}
	return graph.Page(id)
}

// apply applies the event and records it.
func (c *crawl) apply() {
	if c.o.Record != nil {
		c.o.Record(c.now, &c.event)
	}
	c.f.Apply(c.now, &c.event)
	c.store.note(&c.event)
	if c.watch != nil && c.event.Kind == event.Done && !c.event.Class.Failed() {
		c.observe()
	}
}

// observe ends the crawl if Stop holds after the page at hand.
func (c *crawl) observe() {
	c.bytes += c.event.Bytes
	c.watch.Fetched(c.event.Page, c.event.Links, c.event.Class == event.Duplicate)
	n := advise.Counts{Pages: int64(len(c.res.Order)), Known: int64(c.f.Pages()), Bytes: c.bytes, Hours: (c.now - c.stopped).Hours(), SinceHot: c.f.Topical().SinceHot()}
	if c.watch.Holds(&n) {
		c.left = 0
	}
}

func (c *crawl) result() *Result {
	c.res.Known, c.res.Sites, c.res.Took = c.f.Pages(), c.f.Sites(), c.now-c.stopped
	c.res.Memory, c.res.Notes = c.f.Bytes(), c.f.Notes()
	c.res.Kept = c.store.pages()
	c.note()
	return &c.res
}

// A World holds what a virtual crawl can find, and how long that takes.
type World struct {
	Out *graph.Lists // links, each list ascending
	// SiteOf is the site of each page, Sites their number. With SiteOf nil every page
	// is a site of its own.
	SiteOf []graph.Site
	Sites  int
	// SelfLinks lets pages find their links to themselves; otherwise those do not
	// exist.
	SelfLinks bool
	// URL and SiteName return the names of pages and sites. URL is nil when it is not
	// known; policies that go by names need SiteName.
	URL      func(b []byte, p graph.Page) []byte
	SiteName func(graph.Site) string
	// Partition returns the one of so many partitions to which a site belongs; if nil, it is by a hash
	// of the number of the site.
	Partition func(s graph.Site, of int) int
	// Times is the model of time; if nil, nothing takes any time.
	Times *Times
	// Content reports which pages can be fetched, in a world that a real crawl recorded. The
	// others are known and wait in their queues until they would be handed out; nothing is
	// requested for them. Nil means all pages.
	Content func(graph.Page) bool
	// Recorded, if not nil, has the answers of a real crawl of this world. With Times it
	// counts instead of Out and Content.
	Recorded *Recording
	// SiteDelay and Twin are, with Recorded, as in frontier.Options, by sites of the world.
	// InRow, if not nil, is the number of pages of a site over one connection, if that is
	// less than Frontier.PerConnection.
	SiteDelay func(graph.Site) (time.Duration, bool)
	Twin      func(graph.Site) graph.Site
	InRow     func(graph.Site) int
	// Version returns a number that is another one after each change of a page. If it is nil,
	// pages never change.
	Version func(p graph.Page, at time.Duration) uint32
	// Read sets what a page has to do with the topic of the crawl (Frontier.Topic), with its hits
	// by place in Event.Links. It is nil if the text of pages is not known.
	Read func(p graph.Page, to *event.Reading)
	// Anchors appends the anchors of the links of a page, by place in Event.Links. It is nil if
	// they are not known.
	Anchors func(to []event.Anchor, p graph.Page) []event.Anchor
	// Size returns the bytes of a page, 0 if that is not known and the model of time draws them.
	// It is nil if it knows no size. Recorded has sizes of its own.
	Size func(graph.Page) int64
	// Near reports whether a page is a near duplicate of another one. It is nil if no page is.
	Near func(graph.Page) bool
}

func (w *World) pages() int { return w.Out.Pages() }

func (w *World) sites() int {
	if w.SiteOf == nil {
		return w.pages()
	}
	return w.Sites
}

func (w *World) site(p graph.Page) graph.Site {
	if w.SiteOf == nil {
		return graph.Site(p)
	}
	return w.SiteOf[p]
}
