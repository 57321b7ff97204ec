package crawl

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/visit"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A task describes what a harvester has to do, and holds the result. Tasks are reused.
type task struct {
	work  event.Task
	who   *member             // the harvester
	url   string              // of the page, the robots.txt or the sitemap file
	host  string              // of Resolve
	addrs []netip.Addr        // to connect to
	conn  connection          // to use; afterwards the one that is open
	last  bool                // close the connection afterwards
	mark  visit.Mark          // Fetch: where the last visit is in the journal
	whole bool                // Fetch: without conditions, so that it is fetched even if unchanged
	extra map[string][]string // headers of this site
	times fetch.Times         // time-outs of this site, where they differ

	htmlOnly bool  // Fetch: only HTML is wanted
	maxBody  int64 // Fetch, Requisite

	// The result.
	past       visit.Past // of a Fetch: the last visit
	start, end time.Duration
	shift      time.Duration // how far the clock of the machine had jumped; 0 for Resolve
	answer     *fetch.Answer // nil for Resolve
	found      gather.Found
	names      fetch.Names // Resolve
	class      event.Class // Resolve
	again      bool        // Resolve: it may help to try later
	note       string
	cause      event.Cause
	rules      robots.Rules // Robots
	sitemaps   []string     // Robots: as written
	hop        string       // Robots: normal form of the redirect's target, "" if it has none
	void       bool         // it was cancelled and has no result
	stack      string       // where the parser panicked; "": it did not
	shown      bool         // OnPage is to see it
	duplicate  bool         // it is a copy of another page
}

// before orders the tasks that have ended by end, site and page.
func (t *task) before(u *task) int {
	return cmp.Or(cmp.Compare(t.end, u.end), cmp.Compare(t.work.Site, u.work.Site), cmp.Compare(t.work.Page, u.work.Page))
}

// A harvest holds what all harvesters share. It does not change while they run.
type harvest struct {
	ctx     context.Context // ends when requests under way are to be given up
	cancel  context.CancelFunc
	clock   func() time.Duration
	wall    func() time.Time // of the machine, which may be changed while the crawl runs
	began   time.Time        // wall clock of instant 0, as it was when the session began
	resolve func(ctx context.Context, host string) (fetch.Names, error)
	names   *fetch.Resolver // that resolve uses; nil: it belongs to the Machine
	fetch   *fetch.Options
	gather  *gather.Options
	reading func(url string) // see Machine.Read
	pasts   *visit.Pasts     // nil: pages are not visited again
	builder *archive.Builder // for the ids of originals; nil: pages are stored whole
	// nameless crawls name no contact: only private addresses are allowed.
	nameless  bool
	port      *port.Port
	results   chan *task
	running   sync.WaitGroup
	gatherers *gather.Pool
}

// A harvester does one task at a time, over a connection that comes with the task or that it
// makes.
type harvester struct {
	*harvest
	client   *fetch.Client
	resolver page.Resolver
}

// start starts a harvester and returns the channel for its tasks.
func (h *harvest) start() chan<- *task {
	tasks := make(chan *task, 1)
	w := &harvester{harvest: h}
	h.running.Go(func() { w.run(tasks) })
	return tasks
}

func (w *harvester) run(tasks <-chan *task) {
	for t := range tasks {
		w.do(t)
		w.results <- t
	}
}

// do does a task. Clients and gatherers are made when they are first needed: 10,000 idle
// harvesters cost little.
func (w *harvester) do(t *task) {
	t.start = w.clock()
	if t.work.Kind == event.Resolve {
		w.lookUp(t)
		t.end = w.clock()
		return
	}
	if w.client == nil {
		w.client = fetch.NewClient(w.fetch)
	}
	q := &fetch.Request{URL: t.url, Addrs: t.addrs, Last: t.last, Header: t.extra, Times: t.times}
	switch {
	case t.work.Kind == event.Robots:
		q.MaxBody, q.Prefix = robots.MaxSize+1, true // one more shows that it is longer
	case t.work.Kind == event.Sitemap:
		q.MaxBody, q.Prefix = w.gather.MaxSitemap, true
	case t.work.Kind == event.Requisite:
		q.MaxBody = t.maxBody
	case t.work.Kind == event.Fetch:
		q.MaxBody = t.maxBody
		if t.past = w.pasts.Of(t.work.Page, t.mark); !t.whole {
			q.ETag, q.Modified = t.past.ETag, t.past.Modified
		}
		if t.htmlOnly {
			q.Wants = gather.MayBePage
		}
	}
	if !w.port.Enter(w.ctx, t.addrs) {
		t.start, t.end, t.void = w.clock(), w.clock(), true
		t.answer = nil
		return
	}
	defer w.port.Leave(t.addrs)
	t.shift = w.shift()
	w.client.Attach(t.conn.line)
	a := w.client.Do(w.ctx, q)
	t.answer, t.conn.line = a, w.client.Detach()
	t.start, t.end, t.void = a.Start, a.End, a.Aborted
	w.read(t)
	w.fetch.Buffers.Give(a.Body)
	a.Body = nil // what is kept of it is in the records
}

// shift returns how far the clock of the machine has jumped since the session began. Less
// than smallShift counts as 0, since the two clocks are not read at once.
func (w *harvest) shift() time.Duration {
	d := w.wall().Round(0).Sub(w.began.Add(w.clock()))
	if d.Abs() < smallShift {
		return 0
	}
	return d
}

// smallShift is the time that a busy machine may take from one line to the next. The system
// corrects a smaller error by running the clock faster or slower for a while, and that of
// the crawl with it.
const smallShift = 100 * time.Millisecond

// read parses an answer.
func (w *harvester) read(t *task) {
	g := w.gatherers.Get()
	defer func() { w.gatherers.Put(g) }()
	defer func() {
		if x := recover(); x != nil {
			g = nil // it may be in any state
			t.crashed(x)
		}
	}()
	if w.reading != nil {
		w.reading(t.url)
	}
	a, at := t.answer, w.began.Add(t.start+t.shift)
	t.stack = ""
	t.found.Reset()
	switch t.work.Kind {
	case event.Robots:
		g.Robots(t.url, a, at, &t.found)
		w.rule(t)
	case event.Sitemap:
		g.Sitemap(t.url, a, at, &t.found)
	case event.Requisite:
		g.Requisite(t.url, a, at, &t.found)
	case event.Fetch:
		g.PageAgain(t.url, a, at, w.original(t), &t.found)
	}
}

// original returns the response in the archive that holds the payload of the last visit, zero if
// there is none.
func (w *harvester) original(t *task) *archive.Original {
	o := &t.past.Original
	if w.builder == nil || o.Payload.IsZero() {
		return new(archive.Original)
	}
	x := &archive.Original{Payload: o.Payload, Time: o.Time}
	if o.Named {
		x.Record = w.builder.ResponseID(t.url, o.Time)
	}
	return x
}

// lookUp finds the addresses of a site that may be used.
func (w *harvester) lookUp(t *task) {
	names, err := w.resolve(w.ctx, t.host)
	t.names, t.class, t.again, t.note, t.cause = names, event.OK, false, "", event.NoCause
	if err != nil {
		t.void = w.ctx.Err() != nil
		t.class, t.again, t.note, t.cause = event.DNSError, !errors.Is(err, fetch.ErrNoName), err.Error(), event.CauseNoLookup
		if !t.again {
			t.cause = event.CauseNoName
		}
		return
	}
	t.names.Addrs = nil
	for _, a := range names.Addrs {
		if private := fetch.Private(a); !fetch.Never(a) && (private && w.fetch.AllowPrivate || !private && !w.nameless) {
			t.names.Addrs = append(t.names.Addrs, a)
		}
	}
	if len(t.names.Addrs) == 0 {
		t.class = event.DNSError
		t.note, t.cause = unwelcome(names.Addrs)
	}
}

// unwelcome returns the reason why none of the addresses of a site may be used.
func unwelcome(addrs []netip.Addr) (note string, cause event.Cause) {
	switch {
	case len(addrs) == 0:
		return "it has no address", event.CauseNoName
	case fetch.Never(addrs[0]):
		return fmt.Sprintf("its address %s is link-local or one of a metadata service; winnow never uses those", addrs[0]), event.CauseNever
	case fetch.Private(addrs[0]):
		return fmt.Sprintf("its address %s is private; add --allow-private", addrs[0]), event.CausePrivate
	}
	return fmt.Sprintf("its address %s is public; public sites need --contact", addrs[0]), event.CausePublic
}

// rule parses a robots.txt, or the URL to which it has moved.
func (w *harvester) rule(t *task) {
	t.rules, t.sitemaps, t.hop = robots.Rules{}, nil, ""
	switch a := t.answer; {
	case a.Class == event.OK || a.Class == event.TooLarge:
		f := robots.Parse(t.found.Body)
		t.rules, t.sitemaps = f.For(w.gather.Product), w.sitemapsOf(t.url, f)
	case a.Class == event.Redirect:
		t.hop = gather.RedirectTarget(&w.resolver, t.url, t.answer)
	}
}

// maxSitemaps is the largest number of sitemap files that are read from a robots.txt.
const maxSitemaps = 100

// sitemapsOf returns the sitemap files of its own name that a robots.txt names.
func (w *harvester) sitemapsOf(url string, f *robots.File) (files []string) {
	home, _ := page.Site([]byte(url))
	if !w.resolver.Document([]byte(url)).Usable() {
		return nil
	}
	for _, text := range f.Sitemaps {
		to, v := w.resolver.Resolve(nil, []byte(text))
		if !v.Usable() || len(files) == maxSitemaps {
			continue
		}
		if site, _ := page.Site(to); gather.SameName(site, home) {
			files = append(files, string(to))
		}
	}
	return files
}

// crashed turns an answer on which the parser panicked into a failed one. Nothing of it is
// stored, since whether its author allows that is unknown. The deferred function that
// recovered calls it.
func (t *task) crashed(x any) {
	note := fmt.Sprintf("parser crashed: %.200v", x)
	t.found = gather.Found{Class: event.Crashed, Status: t.answer.Status, Note: note}
	t.answer.Class, t.answer.Note = event.Crashed, note
	t.rules, t.sitemaps, t.hop = robots.Rules{}, nil, ""
	t.stack = panicked()
}

// stackLines is the number of calls that are logged of a panic.
const stackLines = 6

// panicked returns where a panic occurred, the innermost call first.
func panicked() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	var calls []string
	inside := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			inside = true
		case inside && !strings.HasPrefix(f.Function, "runtime."):
			calls = append(calls, fmt.Sprintf("%s:%d", path.Base(f.Function), f.Line))
		}
		if !more || len(calls) == stackLines {
			return strings.Join(calls, " < ")
		}
	}
}

// newHarvest returns what the harvesters of a session need.
func newHarvest(s *session) (*harvest, error) {
	c, machine, builder := s.config, &s.options.Machine, s.builder
	if names := s.overrides.Headers.Exposed(); len(names) > 0 {
		s.log.Warn("a header that looks like a secret is sent to every site because of --header-scope any", "headers", names)
	}
	if seeds := s.overrides.Headers.Unsent(); len(seeds) > 0 {
		s.log.Warn("the secrets of a [[site]] table are not sent over http; give https seeds, or set secrets_over_http = true in the table", "seeds", seeds)
	}
	if !c.KeepsPages() {
		builder = nil
	}
	requisites := 0
	if c.Requisites {
		requisites = c.MaxRequisites
	}
	// The protocol allows sitemap files of 50 MiB. With little memory less is read of them,
	// but not less than of a page.
	maxSitemap := max(min(50<<20, s.memory/32), s.overrides.LargestBody())
	h := &harvest{
		clock: s.now, wall: machine.Wall, began: s.epoch.Round(0).Add(-s.base), resolve: machine.Resolve,
		reading: machine.Read, nameless: c.Contact == "",
		port: s.port, results: make(chan *task, c.Fetchers),
		gather: &gather.Options{
			Key: s.state.Key, Product: c.Product(), Scope: s.scope, Builder: builder,
			KeepNoArchive: c.KeepNoArchive, Anchors: c.Anchors, Bodies: s.visitor.onPage != nil, Topic: s.state.Setup.Frontier.Topic, Signals: s.state.Revisits != nil && c.ReadsSitemaps() && !c.SitemapOnly, HTMLOnly: c.Types == config.TypesHTML, MaxBody: s.overrides.LargestBody(),
			MaxSitemap: maxSitemap, Withheld: s.overrides.Headers.Withheld, MaxLinks: c.MaxLinks, Requisites: requisites,
		},
	}
	h.pasts = s.state.Visits.Pasts(journal.NewFinder(s.dir.Journal, s.port.Header(s.id)))
	if s.keeper == nil { // otherwise originals may be dropped
		h.builder = builder
	}
	if len(c.Site) > 0 {
		h.gather.Sites = func(site []byte) (bool, int64) { return s.overrides.HTMLOnly(site), s.overrides.MaxBody(site) }
	}
	if h.wall == nil {
		h.wall = time.Now
	}
	places := s.port.Places(func() *gather.Places { return newPlaces(s.memory) })
	s.builder.Share(&places.Desks)
	h.gatherers = gather.NewPool(h.gather, places)
	var err error
	if h.fetch, err = fetchOptions(s, &places.Buffers); err != nil {
		return nil, err
	}
	if h.resolve == nil {
		if h.names, err = newResolver(s); err != nil {
			return nil, err
		}
		h.resolve = h.names.Lookup
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

// newPlaces returns places for pages that are parsed at a time: two for each processor, but fewer
// with little memory, since each may need several times the size of the largest page.
func newPlaces(memory int64) *gather.Places { return gather.NewPlaces(placesFor(memory)) }

func placesFor(memory int64) int { return max(1, min(2*runtime.GOMAXPROCS(0), int(memory>>27))) }

// bodyBudget returns how many bytes of bodies may be in memory.
func bodyBudget(memory int64) int64 { return max(16<<20, memory/8) }

// fetchOptions returns the options of all HTTP clients.
func fetchOptions(s *session, b *fetch.Buffers) (*fetch.Options, error) {
	c := s.config
	proxy, err := c.ProxyURL()
	if err != nil {
		return nil, err
	}
	trust := s.options.Machine.TLS
	if trust == nil {
		if trust, err = trusted(c.CAFile); err != nil {
			return nil, err
		}
	}
	return &fetch.Options{
		Dial: s.options.Machine.Dial, TLS: trust, Proxy: proxy, Buffers: b,
		UserAgent: c.Agent(s.options.Version), Header: s.overrides.Headers.All(), HTTP2: true, AllowPrivate: c.AllowPrivate,
		MaxBody: int64(c.MaxBody), Connect: c.Connect.Duration, FirstByte: c.FirstByte.Duration,
		Stall: c.Stall.Duration, Total: c.Timeout.Duration,
		Clock: s.now, Budget: s.tasks.budget, Conns: new(atomic.Uint32), Gate: s.port.Gate(),
	}, nil
}

// sessionsKept is the number of TLS sessions that are kept. They save most of a handshake
// with a site that is requested again within hours.
const sessionsKept = 10_000

// trusted returns a TLS configuration with the authorities of the system and those of a
// PEM file, if it is named.
func trusted(file string) (*tls.Config, error) {
	t := &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(sessionsKept)}
	if file == "" {
		return t, nil
	}
	pool, err := fetch.TrustFile(file)
	if err != nil {
		return nil, &hint.Error{Text: "--ca-file", Hint: "give a PEM file, which has lines BEGIN CERTIFICATE", Err: err}
	}
	t.RootCAs = pool
	return t, nil
}

// newResolver returns a resolver that remembers the addresses of the journal.
func newResolver(s *session) (*fetch.Resolver, error) {
	server, err := s.config.ResolverAddress()
	if err != nil {
		return nil, err
	}
	r, err := fetch.NewResolver(fetch.ResolverOptions{Server: server})
	if err == nil {
		remember(r, s.state, s.base)
	}
	return r, err
}

// remember adds the addresses of the state to the cache of a resolver. They are valid for
// other sites of the same hosts, too.
func remember(r *fetch.Resolver, s *state.State, now time.Duration) {
	for i := range s.Frontier.Sites() {
		id := graph.Site(i)
		left := s.Frontier.AddressHolds(id) - now
		if a := s.AddressOf(id); a.IsValid() && left > 0 {
			r.Remember(string(page.Host(s.Table.Name(id))), fetch.Names{Addrs: []netip.Addr{a}, TTL: left})
		}
	}
}
