package sim

import (
	"cmp"
	"errors"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// Revisits says which fetched pages a crawl visits again, as the configuration of a real crawl
// does: freshness.Pacer divides the hand-outs. Pages change as World.Version says.
type Revisits struct {
	Allocation freshness.Allocation
	Every      time.Duration // between two visits of a page, on the average
	Division   freshness.Division
	Place      []int // by page of the world: its directory; nil: all pages are in one
	Above      []int // by directory: the one above it, which has a smaller number; -1 for none
}

// A Witness is told what a crawl fetches, to measure how up to date its copies are.
type Witness interface {
	// Fetched reports that a page was fetched as it was at an instant. saved is the size of a
	// page that was not transferred, because the server said that it did not change; -1: it
	// was transferred.
	Fetched(at time.Duration, p graph.Page, saved int64)
	// Next returns the instant of the next call of Pass.
	Next() time.Duration
	// Pass reports that an instant has come. fresh returns the probability that the copy of a
	// page is up to date, as the crawl estimates it; without a copy it is 0.
	Pass(fresh func(graph.Page) float64)
}

// visits calls the pages of a crawl back.
type visits struct {
	plan  *freshness.Plan
	pacer freshness.Pacer
	o     *Revisits
	pages []visited // by page of the crawl
	taken int64     // pages that were handed out
}

// A visited is what is known of a page.
type visited struct {
	links   uint32 // to it
	version uint32 // of the copy
}

// errEndless reports a crawl that would never end.
var errEndless = errors.New("sim: pages are visited again, but there is no Duration")

// revisit lets the crawl visit pages again. The plan also estimates how fresh the copies are if
// none are visited.
func (c *crawl) revisit() {
	o := c.o.Revisits
	if o == nil {
		return
	}
	v := &visits{o: o}
	v.plan = freshness.New(freshness.Options{Allocation: o.Allocation, Every: cmp.Or(o.Every, c.o.Duration), MaxPages: max(c.w.pages(), len(o.Above)), Waits: c.waits})
	for _, above := range o.Above {
		v.plan.AddPlace(above)
	}
	if len(o.Above) == 0 {
		v.plan.AddPlace(-1)
	}
	v.pacer = freshness.NewPacer(v.plan, o.Division, 0)
	c.visits = v
	if c.o.MaxPages == 0 {
		c.left = endless
	}
}

// waits reports whether a page cannot be called back now.
func (c *crawl) waits(p graph.Page) bool {
	return c.f.State(p) != frontier.Fetched || c.f.Waits(p) || c.f.Closed(c.f.Site(p))
}

// look calls pages back whose visits are due. It returns the instant of the next look.
func (c *crawl) look() time.Duration {
	v := c.visits
	if v == nil || v.o.Every == 0 || c.left == 0 {
		return event.Never
	}
	n := c.f.Counts()
	list, again := v.pacer.Look(c.now, freshness.Traffic{Taken: v.taken, New: n.Queued - n.Revisits, Again: n.Revisits})
	if len(list) > 0 {
		c.event = event.Event{Kind: event.Revisit, Urgent: true, Admit: append(c.event.Admit[:0], list...),
			New: c.event.New[:0], Bars: c.event.Bars[:0], Links: c.event.Links[:0]}
		c.apply()
	}
	return again
}

// over reports whether the crawl ends before an instant. It tells the witness what passes until
// then.
func (c *crawl) over(next time.Duration) bool {
	end := c.o.Duration > 0 && next > c.o.Duration
	if end {
		next = c.o.Duration
	}
	for w := c.o.Witness; w != nil && w.Next() <= next; {
		c.now = max(c.now, w.Next())
		w.Pass(c.fresh)
	}
	if end {
		c.now = c.o.Duration
	}
	return end
}

// fresh returns the probability that the copy of a page of the world is up to date now.
func (c *crawl) fresh(p graph.Page) float64 {
	id := c.pages.known[p]
	if id == 0 || !c.visits.plan.Knows(graph.Page(id-1)) {
		return 0
	}
	return c.visits.plan.Freshness(c.now, graph.Page(id-1))
}

// plainEvery is the number of visits of which one asks for the whole page, as a real crawl does.
const plainEvery = 8

// ask begins the visit of a page. Servers say truly whether it has changed.
func (c *crawl) ask(f *fetcher) {
	v := c.visits
	if v == nil || f.task.Kind != event.Fetch {
		return
	}
	v.taken++
	p := f.task.Page
	if c.w.Version != nil {
		f.version = c.w.Version(c.page(p), c.now)
	}
	if v.plan.Knows(p) && v.pages[p].version == f.version {
		f.same = policy.Hash(uint64(p), uint64(v.plan.Seen(p)))%plainEvery != 0
	}
}

// come counts a page that has been fetched, and reports whether it was fetched before.
func (c *crawl) come(f *fetcher, p graph.Page) (again bool) {
	v, id := c.visits, f.task.Page
	if v == nil {
		return false
	}
	v.grow(len(c.pages.world))
	v.pages[id].version = f.version
	if again = v.plan.Knows(id); again {
		v.plan.SetWeight(id, c.weight(id))
		v.plan.Visited(c.now, id, freshness.Visit{Digest: uint64(f.version), Same: f.same})
	} else {
		v.plan.Fetched(c.now, id, v.place(p), c.weight(id), uint64(f.version))
	}
	if w := c.o.Witness; w != nil {
		saved := int64(-1)
		if f.same {
			saved = 0
			if c.w.Times != nil {
				saved = c.w.Times.Size(p)
			}
		}
		w.Fetched(f.start, p, saved)
	}
	return again
}

// linked counts the links of the event.
func (c *crawl) linked() {
	if v := c.visits; v != nil {
		v.grow(len(c.pages.world))
		for _, p := range c.event.Links {
			v.pages[p].links++
		}
	}
}

func (v *visits) grow(pages int) {
	for len(v.pages) < pages {
		v.pages = append(v.pages, visited{})
	}
}

// weight returns what a page is worth, as a real crawl has it.
func (c *crawl) weight(p graph.Page) float64 {
	score, ok := c.f.Worth(p)
	return freshness.Weight(score, ok, int64(c.visits.pages[p].links))
}

func (v *visits) place(p graph.Page) int {
	if v.o.Place == nil {
		return 0
	}
	return v.o.Place[p]
}
