package frontier

import (
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/queue"
)

// A crawl that ends after a number of pages should have good ones. Under politeness every site
// is requested whenever it may be, and the order matters only within sites: where there are more
// fetchers than sites, the crawl takes whatever each site has. With Options.WaitForBetter only
// pages among the best of all that wait are handed out: those with values at or above a floor.
// Other sites are idle meanwhile, so the crawl takes longer.
//
// The floor is the value of the n-th best page that waits, where n is a share of the pages that
// may still be handed out (Limit). It is estimated from a sample, after every few pages, so its
// cost for each page does not grow with the crawl. It counts pages only of sites that
// answer and may be requested soon, so that the others hold nothing up.
//
// The floor only delays decisions. When a task is handed out, it is the one that would be handed
// out without a floor, so a replay needs none, and nothing of it is saved.
type floor struct {
	parts
	left  int  // pages that may still be handed out; below 0: any number
	all   bool // requisites are held back, too: see NoTask
	value float64
	set   bool          // value holds
	stale bool          // something has happened since value was chosen
	ticks int           // attempts that ended since value was chosen
	last  time.Duration // instant of the last page that was handed out
	list  []float64     // scratch
}

// Numbers of the floor.
const (
	// floorShare is n for each page that may still be handed out, and floorLeast the least n.
	floorShare, floorLeast = 0.5, 4
	// floorSteps is how often the floor is chosen until the number of pages that may still be
	// handed out is zero, if it did not shrink.
	floorSteps = 16
	// floorSample is the number of pages that are looked at for each that may still be handed out,
	// and floorFew the least number.
	floorSample, floorFew = 64, 8192
)

// on reports whether there is a floor: pages are limited, and all of them are in one order.
func (x *floor) on() bool {
	return x.left >= 0 && x.o.WaitForBetter > 0 && x.o.Mode == Continuous && x.orders.sitesBy < 0 && !x.queue().SitesValued()
}

// queue returns the queue whose values have a floor: that of the first board. Other boards of a
// policy explore.
func (x *floor) queue() *queue.Queue { return x.orders.boards[0].active }

// limit sets the number of pages that may still be handed out.
func (x *floor) limit(left int) {
	if x.all = left == NoTask; x.all {
		left = 0
	}
	if x.left < 0 != (left < 0) {
		x.set = false
	}
	x.left = left
}

// note notes that something has happened.
func (x *floor) note(e *event.Event) {
	if x.stale = true; e.Kind == event.Done {
		x.ticks++
	}
}

// took notes that a page was handed out.
func (x *floor) took(now time.Duration) {
	x.last = now
	if x.left > 1 { // the driver decides when it is over
		x.left--
	}
}

// restart begins a session.
func (x *floor) restart(now time.Duration) { x.last, x.set, x.left = now, false, -1 }

// withholds reports whether a task is not handed out, because the page for which it is needed is
// not among the best.
func (x *floor) withholds(now time.Duration, w event.Task, idle bool) bool {
	switch {
	case !x.on():
		return false
	case x.left == 0:
		return w.Board != 0 || x.concerns(w)
	case now-x.last >= x.o.WaitForBetter:
		return false
	}
	if !x.set || x.ticks > x.left/floorSteps {
		x.choose()
	}
	if !x.below(w) {
		return false
	}
	if idle && x.stale { // values may have fallen since, or sites may have failed
		x.choose()
		return x.below(w)
	}
	return true
}

// below reports whether the page for which a task is needed has a value below the floor.
func (x *floor) below(w event.Task) bool {
	if w.Board != 0 || !x.concerns(w) {
		return false
	}
	p, ok := x.queue().First(w.Site)
	return ok && x.queue().Value(p) < x.value
}

// concerns reports whether a task is for a page of its site that is not urgent. The robots.txt of
// another site, or one that is probed, is for no page. A requisite is for one that was fetched.
func (x *floor) concerns(w event.Task) bool {
	if x.sites.requisites.wait(w.Site) {
		return false
	}
	_, urgent := x.orders.urgentOf(w.Site)
	return !urgent && (w.Kind == event.Fetch || x.sites.hops.at(w.Site) == 0)
}

// choose chooses the floor by the pages that wait now.
func (x *floor) choose() {
	x.set, x.stale, x.ticks = true, false, 0
	looked := x.sample()
	n := max(floorLeast, int(float64(floorShare*float64(x.left))))
	n = max(1, n*looked/max(1, x.pages.len()))
	if x.value = math.Inf(-1); len(x.list) <= n {
		return
	}
	slices.Sort(x.list)
	x.value = x.list[len(x.list)-n]
}

// sample lists the values of pages that wait, and returns the number of pages that it looked at.
func (x *floor) sample() (looked int) {
	x.list = x.list[:0]
	all, want, q := x.pages.len(), max(floorFew, floorSample*x.left), x.queue()
	step := max(1, all/want)
	for i := int(policy.Hash(x.o.Random, uint64(all)) % uint64(step)); i < all; i += step {
		looked++
		if p := graph.Page(i); q.Waits(p) && x.soon(q.SiteOf(p)) {
			x.list = append(x.list, q.Value(p))
		}
	}
	return looked
}

// soon reports whether a site answers and may be requested soon.
func (x *floor) soon(s graph.Site) bool {
	c := &x.sites.clocks
	if t := c.twinOf(s); t != graph.NoSite && c.failures(t) > 0 {
		return false
	}
	return c.failures(s) == 0 && c.instant(s)-x.sites.now <= x.o.WaitForBetter
}

// lifted returns the instant at which one page may be handed out, however bad it is.
func (x *floor) lifted() time.Duration { return x.last + x.o.WaitForBetter }

// of returns the floor with so many pages left, for people. It does not change x.
func (x *floor) of(left int) (y floor, ok bool) {
	y = floor{parts: x.parts, left: left}
	if left > 0 && y.on() {
		y.choose()
	}
	return y, y.set
}

// BelowFloor reports whether the pages of a site wait because, with so many pages left, none of them
// is among the best: see Options.WaitForBetter.
func (f *Frontier) BelowFloor(left int, s graph.Site) bool {
	y, ok := f.tasks.floor.of(left)
	return ok && y.below(event.Task{Kind: event.Fetch, Site: s})
}

// SitesBelowFloor returns the number of sites that may be requested now, and of which BelowFloor is true.
func (f *Frontier) SitesBelowFloor(left int) (n int) {
	y, ok := f.tasks.floor.of(left)
	for i := 0; ok && i < f.Sites(); i++ {
		if s := graph.Site(i); y.queue().Offers(s) && y.below(event.Task{Kind: event.Fetch, Site: s}) {
			n++
		}
	}
	return n
}
