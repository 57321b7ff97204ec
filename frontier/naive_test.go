package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// naive is a frontier in mode Continuous that looks at every page whenever it is asked:
// breadth-first or opic, delays, c, addresses, twins, retries, robots.txt and its hops,
// sitemaps, bars, revisits, slow sites, holds, sessions.
type naive struct {
	o     *Options
	opic  bool
	pages []naivePage
	sites []naiveSite
	addrs map[uint32]*naiveAddress
	hops  []naiveHop // in order
	twin  func(graph.Site) graph.Site
	// patience is how many pages of a kept site are refused before it is released.
	patience int
}

// naiveHop is a robots.txt that is to be requested at another site.
type naiveHop struct{ of, to graph.Site }

type naivePage struct {
	site  graph.Site
	state State
	bar   event.Bar
	depth int
	value float64
	due   time.Duration
	again bool // it is fetched, and to be fetched again
	near  bool // only near duplicates link to it
}

// waits reports whether the page may be handed out at now.
func (p *naivePage) waits(now time.Duration) bool {
	return (p.state == Known || p.state == Fetched && p.again) && p.due <= now
}

type naiveSite struct {
	acquired, kept           bool
	moved, closed            bool
	needs                    event.TaskKind
	addr                     uint32
	next, delay, expiry      time.Duration
	served, fails, unsettled int
	asks                     bool // its last failure had a Retry-After
	twin                     graph.Site
	median                   time.Duration
	slow, files              int
	sitemap                  bool          // it was the last request
	names                    time.Duration // when its address expires
	mirror                   bool
}

type naiveAddress struct {
	active int
	free   time.Duration
}

// know makes the pages of an event known, depth links away from a seed.
func (n *naive) know(e *event.Event, depth int) {
	for i, s := range e.New {
		n.knowSite(s)
		p := naivePage{site: s, depth: depth, near: e.Near}
		if len(e.Bars) > 0 && e.Bars[i] != event.NoBar {
			p.state, p.bar = RefusedPage, e.Bars[i]
		} else if n.sites[s].closed {
			p.state = Failed
		}
		n.pages = append(n.pages, p)
	}
	for _, q := range e.Admit {
		p := &n.pages[q]
		p.depth = min(p.depth, depth)
		if p.state != RefusedPage {
			continue
		}
		p.state, p.bar, p.due = Known, event.NoBar, 0
		if n.sites[p.site].closed {
			p.state = Failed
		}
	}
}

func (n *naive) knowSite(s graph.Site) {
	if int(s) == len(n.sites) {
		n.sites = append(n.sites, naiveSite{needs: event.Resolve, twin: n.twin(s)})
		if t := n.sites[s].twin; t < s {
			n.sites[t].twin = s
			n.sites[s].next = n.sites[t].next
		}
	}
}

// may reports whether site s may be requested at now.
func (n *naive) may(now time.Duration, s *naiveSite) bool {
	a := n.addrs[s.addr]
	if int(s.twin) < len(n.sites) && n.sites[s.twin].acquired {
		return false
	}
	return !s.acquired && s.unsettled == 0 && s.next <= now && (s.addr == 0 || a.free <= now && (n.o.AddressCap == 0 || a.active < n.o.AddressCap))
}

// rank returns what counts of the value of a page: none of the two policies has negative ones.
func (n *naive) rank(p *naivePage) float64 {
	if p.near || n.sites[p.site].mirror {
		return p.value / 4
	}
	return p.value
}

// best returns the best page that could be handed out at now; only those of site s if that
// is not negative.
func (n *naive) best(now time.Duration, s int) (best int) {
	best = -1
	for i := range n.pages {
		p := &n.pages[i]
		ok := s == int(p.site) || s < 0 && !n.sites[p.site].moved && n.may(now, &n.sites[p.site])
		if ok && p.waits(now) && !n.sites[p.site].closed && (best < 0 || n.rank(p) > n.rank(&n.pages[best])) {
			best = i
		}
	}
	return best
}

// hop returns the first robots.txt that can be requested elsewhere, or the address that is
// needed for it.
func (n *naive) hop(now time.Duration) (w event.Task, ok bool) {
	for _, h := range n.hops {
		if s := &n.sites[h.to]; n.may(now, s) {
			if s.nameless(now) {
				return event.Task{Kind: event.Resolve, Site: h.to}, true
			}
			return event.Task{Kind: event.Robots, Site: h.to, For: h.of}, true
		}
	}
	return w, false
}

func (s *naiveSite) nameless(now time.Duration) bool {
	return s.needs == event.Resolve || s.names > 0 && s.names <= now
}

// need returns the kind of task that site i needs next.
func (n *naive) need(now time.Duration, i graph.Site) event.TaskKind {
	s, left := &n.sites[i], 0
	for j := range n.pages {
		if p := &n.pages[j]; p.site == i && p.waits(now) {
			left++
		}
	}
	switch {
	case s.nameless(now):
		return event.Resolve
	case s.needs == event.Robots || s.expiry > 0 && s.expiry <= now:
		return event.Robots
	case s.files > 0 && (!s.sitemap || left == 1):
		return event.Sitemap
	}
	return event.Fetch
}

// hand hands out the first hop or the best page, or what its site needs first; a
// forbidden page is refused.
func (n *naive) hand(now time.Duration, only int) (w event.Task, ok bool) {
	if w, ok := n.hop(now); ok && only < 0 {
		n.take(w)
		return w, true
	}
	refused := 0
	for p := n.best(now, only); p >= 0 && (only < 0 || refused < n.patience); p = n.best(now, only) {
		q := &n.pages[p]
		w = event.Task{Kind: n.need(now, q.site), Site: q.site}
		if w.Kind == event.Fetch && !n.o.Allowed(graph.Page(p)) {
			n.drop(q, RefusedPage)
			refused++
			continue
		}
		if w.Kind == event.Fetch {
			w.Page = graph.Page(p)
			if q.state++; q.again { // Known, or Fetched
				q.state, q.again = Reacquired, false
			}
		}
		if w.Kind == event.Robots {
			w.For = w.Site
		}
		n.take(w)
		return w, true
	}
	return event.Task{}, false
}

// wake fails pages that are due and whose site is closed.
func (n *naive) wake(now time.Duration) {
	for i := range n.pages {
		if p := &n.pages[i]; p.waits(now) && n.sites[p.site].closed {
			n.drop(p, Failed)
		}
	}
}

// drop takes out a page that waits.
func (n *naive) drop(p *naivePage, as State) {
	if p.again {
		p.again = false
		return
	}
	if p.state = as; as == RefusedPage {
		p.bar = event.BarRobots
	}
}

func (n *naive) take(w event.Task) {
	s := &n.sites[w.Site]
	if w.Kind != event.Resolve {
		s.sitemap = w.Kind == event.Sitemap
	}
	if s.addr != 0 && !s.acquired && w.Kind != event.Resolve {
		n.addrs[s.addr].active++
	}
	s.acquired, s.kept = true, false
}

// first returns the first instant after now at which something could be handed out.
func (n *naive) first(now time.Duration) time.Duration {
	at := event.Never
	try := func(t time.Duration) {
		if t <= now || t >= at {
			return
		}
		if _, hop := n.hop(t); hop || n.best(t, -1) >= 0 {
			at = t
		}
	}
	for _, p := range n.pages {
		try(p.due)
	}
	for _, s := range n.sites {
		try(s.next)
	}
	for _, a := range n.addrs {
		try(a.free)
	}
	return at
}

// end ends a task at site i.
func (n *naive) end(now time.Duration, i graph.Site, e *event.Event) {
	n.wake(now)
	switch e.Kind {
	case event.Done:
		n.came(e)
	case event.Ruled:
		n.rule(now, e)
	case event.Listed:
		n.know(e, 0)
		n.sites[i].files += int(e.Files) - 1
	}
	s := &n.sites[i]
	if n.o.Hold && e.Kind != event.Resolved {
		s.unsettled++
	}
	if e.Kind == event.Resolved {
		s.acquired = false
		switch s.next = max(s.next, e.Due); {
		case e.Again:
			if e.Class.Failed() {
				s.fails++
			}
		case e.Class.Failed():
			n.close(now, i, Failed)
		default:
			if s.addr, s.names = e.Address, whole(e.Expiry, time.Second); s.needs == event.Resolve {
				s.needs = event.Robots
			}
		}
		return
	}
	failed := e.Class >= event.ServerError && e.Class <= event.Timeout
	switch s.asks = e.Retry > 0; {
	case failed:
		s.fails++
	case e.Kind == event.Ruled:
		s.fails = min(s.fails, 2)
	default:
		s.fails = 0
	}
	other := &naiveSite{}
	if int(s.twin) < len(n.sites) {
		other = &n.sites[s.twin]
	}
	t := e.End - e.Start
	if e.Class.Failed() {
		t = max(t, s.median)
	} else if e.Kind == event.Done {
		s.median = whole(nearer(s.median, t), time.Microsecond)
	}
	d := max(n.o.Delay, s.delay, other.delay, e.Retry, min(n.o.FactorMax, time.Duration(n.o.Factor*float64(t))), n.slowness(s, e))
	if s.needs == event.Robots {
		d = max(d, e.Delay)
	}
	s.next = max(s.next, e.End+d)
	other.next = max(other.next, e.End+d)
	s.served++
	s.kept = e.Kind == event.Done && e.Keep && s.served < n.o.PerConnection && max(s.delay, other.delay) == 0 && e.Retry == 0 && s.fails == 0 && (n.o.Slow == 0 || s.slow < n.o.SlowTimes) &&
		n.best(now, int(i)) >= 0 && n.need(now, i) == event.Fetch
	if !s.kept {
		n.release(s, e.End)
	}
}

// slowness returns the delay because of slow answers in a row.
func (n *naive) slowness(s *naiveSite, e *event.Event) time.Duration {
	if n.o.Slow == 0 {
		return 0
	}
	if e.End-e.Start > n.o.Slow {
		s.slow++
	} else if !e.Class.Failed() {
		s.slow = 0
	}
	d := time.Duration(0)
	for i := n.o.SlowTimes; i <= s.slow && d < n.o.SlowMax; i++ {
		d = min(n.o.SlowMax, max(2*d, n.o.SlowDelay))
	}
	return d
}

// rule applies an answer about robots.txt to the site that requested it.
func (n *naive) rule(now time.Duration, e *event.Event) {
	s := &n.sites[e.For]
	if n.o.Hold && e.For != e.Site && !e.Hop {
		s.unsettled++
	}
	n.hops = slices.DeleteFunc(n.hops, func(h naiveHop) bool { return h.of == e.For })
	s.moved = false
	switch {
	case e.Hop:
		n.knowSite(e.To)
		s = &n.sites[e.For]
		if s.moved = !s.closed; s.closed {
			return
		}
		n.hops = append(n.hops, naiveHop{e.For, e.To})
		if n.sites[e.To].closed {
			n.giveBack(now, e.To)
		}
	case s.closed:
	case e.Again:
		s.unruled(e.Due)
	case e.Class.Failed():
		n.close(now, e.For, RefusedPage)
	default:
		s.needs, s.delay, s.expiry = event.Fetch, e.Delay, whole(e.Expiry, time.Second)
		s.files += int(e.Files)
		if e.For != e.Site {
			s.next = max(s.next, e.End+e.Delay)
		}
	}
}

// unruled lets the robots.txt of a site be requested again at an instant: a site with rules
// continues with them until then.
func (s *naiveSite) unruled(at time.Duration) {
	if s.needs == event.Fetch {
		s.expiry = whole(max(1, at), time.Second)
		return
	}
	s.next = max(s.next, at)
}

// close ends a site for good.
func (n *naive) close(now time.Duration, s graph.Site, as State) {
	n.hops = slices.DeleteFunc(n.hops, func(h naiveHop) bool { return h.of == s })
	n.sites[s].closed, n.sites[s].moved, n.sites[s].files = true, false, 0
	for i := range n.pages {
		if p := &n.pages[i]; p.site == s && p.waits(now) {
			n.drop(p, as)
		}
	}
	n.giveBack(now, s)
}

// giveBack ends the hops to a site that is closed.
func (n *naive) giveBack(now time.Duration, t graph.Site) {
	for _, h := range n.hops {
		if s := &n.sites[h.of]; h.to == t {
			s.moved = false
			s.fails++
			s.unruled(now + n.o.Delay)
		}
	}
	n.hops = slices.DeleteFunc(n.hops, func(h naiveHop) bool { return h.to == t })
}

func (n *naive) release(s *naiveSite, end time.Duration) {
	s.acquired, s.kept, s.served = false, false, 0
	if a := n.addrs[s.addr]; s.addr != 0 {
		a.active--
		a.free = max(a.free, end+n.o.AddressDelay)
	}
}

// came applies the end of an attempt to a page and, with opic, to its links.
func (n *naive) came(e *event.Event) {
	p := &n.pages[e.Page]
	before := p.state == Reacquired
	p.state, p.due = Fetched, e.Due
	switch {
	case e.Again && !before:
		p.state = Known
	case e.Again:
		p.again = true
	case e.Class.Failed():
		p.state = Failed
	default:
		p.again = e.Due > 0
	}
	n.know(e, p.depth+1)
	for _, q := range e.Links {
		n.pages[q].near = n.pages[q].near && e.Near
	}
	if p = &n.pages[e.Page]; !n.opic || e.Again || p.state != Fetched || len(e.Links) == 0 {
		return
	}
	part := p.value / float64(len(e.Links))
	p.value = 0
	for _, q := range e.Links {
		n.pages[q].value += part
	}
}

func (n *naive) session(now time.Duration) {
	n.wake(now)
	for i := range n.pages {
		switch p := &n.pages[i]; p.state {
		case Acquired:
			p.state = Known
		case Known:
			p.due = min(p.due, now)
		case Reacquired:
			p.state, p.again, p.due = Fetched, true, now
		}
	}
	for i := range n.sites {
		s := &n.sites[i]
		d := max(n.o.Delay, s.delay)
		if int(s.twin) < len(n.sites) {
			d = max(d, n.sites[s.twin].delay)
		}
		if s.fails > 0 && !s.asks {
			wait := d
			if n.o.Factor > 0 {
				wait = max(d, n.o.FactorMax)
			}
			s.next = min(s.next, now+wait)
		}
		s.fails = 0
		s.next = max(s.next, now+d)
		s.unsettled = 0
		s.acquired, s.kept, s.served = false, false, 0
	}
	for _, a := range n.addrs {
		a.active, a.free = 0, max(a.free, now+n.o.AddressDelay)
	}
}

// whole returns a time in whole units: rounded down, but not to none.
func whole(d, unit time.Duration) time.Duration {
	if d > 0 && d < unit {
		return unit
	}
	return d.Truncate(unit)
}
