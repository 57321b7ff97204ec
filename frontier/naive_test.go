package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// naive is a frontier in mode Continuous that looks at every page whenever it is asked:
// breadth-first or opic, delays, c, addresses, retries, robots.txt, sessions.
type naive struct {
	o     *Options
	opic  bool
	pages []naivePage
	sites []naiveSite
	addrs map[uint32]*naiveAddress
	hops  []naiveHop // in order
	twin  func(graph.Site) graph.Site
}

// naiveHop is that the robots.txt of a site is to be asked for at another.
type naiveHop struct{ of, to graph.Site }

type naivePage struct {
	site  graph.Site
	state State
	value float64
	due   time.Duration
}

type naiveSite struct {
	acquired, kept           bool
	moved, closed            bool
	needs                    Kind
	addr                     uint32
	next, delay, expiry      time.Duration
	served, fails, unsettled int
	twin                     graph.Site
	median                   time.Duration
	slow                     int
}

type naiveAddress struct {
	active int
	free   time.Duration
}

func (n *naive) know(sites []graph.Site) {
	for _, s := range sites {
		n.knowSite(s)
		n.pages = append(n.pages, naivePage{site: s})
		if n.sites[s].closed {
			n.pages[len(n.pages)-1].state = Failed
		}
	}
}

func (n *naive) knowSite(s graph.Site) {
	if int(s) == len(n.sites) {
		n.sites = append(n.sites, naiveSite{needs: Resolve, twin: n.twin(s)})
		if t := n.sites[s].twin; t < s {
			n.sites[t].twin = s
			n.sites[s].next = n.sites[t].next
		}
	}
}

// may tells whether site s may be asked at now.
func (n *naive) may(now time.Duration, s *naiveSite) bool {
	a := n.addrs[s.addr]
	if int(s.twin) < len(n.sites) && n.sites[s.twin].acquired {
		return false
	}
	return !s.acquired && s.unsettled == 0 && s.next <= now && (s.addr == 0 || a.free <= now && (n.o.AddressCap == 0 || a.active < n.o.AddressCap))
}

// best is the best page that could be handed out at now; only those of site s if that
// is not negative.
func (n *naive) best(now time.Duration, s int) (best int) {
	best = -1
	for i := range n.pages {
		p := &n.pages[i]
		ok := s == int(p.site) || s < 0 && !n.sites[p.site].moved && n.may(now, &n.sites[p.site])
		if p.state == Known && p.due <= now && ok && (best < 0 || p.value > n.pages[best].value) {
			best = i
		}
	}
	return best
}

// hop is the first robots.txt that can be asked for elsewhere, or the address that is
// needed for it.
func (n *naive) hop(now time.Duration) (w Work, ok bool) {
	for _, h := range n.hops {
		if s := &n.sites[h.to]; n.may(now, s) {
			if s.needs == Resolve {
				return Work{Kind: Resolve, Site: h.to}, true
			}
			return Work{Kind: Robots, Site: h.to, For: h.of}, true
		}
	}
	return w, false
}

// hand hands out the first hop or the best page, or what its site needs first; a
// forbidden page is refused.
func (n *naive) hand(now time.Duration, only int) (w Work, ok bool) {
	if w, ok := n.hop(now); ok && only < 0 {
		n.take(w)
		return w, true
	}
	for p := n.best(now, only); p >= 0; p = n.best(now, only) {
		s := &n.sites[n.pages[p].site]
		if s.expiry > 0 && s.expiry <= now {
			s.needs = Robots
		}
		if s.needs == Fetch && !n.o.Allowed(graph.Page(p)) {
			n.pages[p].state = RefusedPage
			continue
		}
		if w = (Work{Kind: s.needs, Site: n.pages[p].site}); w.Kind == Fetch {
			w.Page = graph.Page(p)
			n.pages[p].state = Acquired
		}
		if w.Kind == Robots {
			w.For = w.Site
		}
		n.take(w)
		return w, true
	}
	return w, false
}

func (n *naive) take(w Work) {
	s := &n.sites[w.Site]
	if s.addr != 0 && !s.acquired && w.Kind != Resolve {
		n.addrs[s.addr].active++
	}
	s.acquired, s.kept = true, false
}

// first is the first instant after now at which something could be handed out.
func (n *naive) first(now time.Duration) time.Duration {
	at := Never
	try := func(t time.Duration) {
		_, hop := n.hop(t)
		if t > now && t < at && (hop || n.best(t, -1) >= 0) {
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

// end is the end of a work at site i.
func (n *naive) end(now time.Duration, i graph.Site, e *Event) {
	if e.Kind == Done {
		n.came(e)
	}
	if e.Kind == Ruled {
		n.rule(now, e)
	}
	s := &n.sites[i]
	if n.o.Hold && e.Kind != Resolved {
		s.unsettled++
	}
	if e.Kind == Resolved {
		s.acquired = false
		switch s.next = max(s.next, e.Due); {
		case e.Again:
		case e.Class.Failed():
			n.close(now, i, Failed)
		default:
			s.needs, s.addr = Robots, e.Address
		}
		return
	}
	if s.fails++; e.Class < policy.ServerError || e.Class > policy.Timeout {
		s.fails = 0
	}
	other := &naiveSite{}
	if int(s.twin) < len(n.sites) {
		other = &n.sites[s.twin]
	}
	t := e.End - e.Start
	if e.Class.Failed() {
		t = max(t, s.median)
	} else if e.Kind == Done {
		s.median = nearer(s.median, t)
	}
	d := max(n.o.Delay, s.delay, other.delay, e.Retry, min(n.o.FactorMax, time.Duration(n.o.Factor*float64(t))), n.slowness(s, e))
	s.next = max(s.next, e.End+d)
	other.next = max(other.next, e.End+d)
	s.served++
	expired := s.expiry > 0 && s.expiry <= now
	s.kept = e.Kind == Done && e.Keep && s.served < n.o.PerConnection && max(s.delay, other.delay) == 0 && e.Retry == 0 && s.fails == 0 && (n.o.Slow == 0 || s.slow < n.o.SlowTimes) &&
		!expired && n.best(now, int(i)) >= 0
	if !s.kept {
		n.release(s, e.End)
	}
}

// slowness is the delay because of slow answers in a row.
func (n *naive) slowness(s *naiveSite, e *Event) time.Duration {
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

// rule is what an answer about robots.txt makes of the site that asked for it.
func (n *naive) rule(now time.Duration, e *Event) {
	s := &n.sites[e.For]
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
		s.needs = Robots
		s.next = max(s.next, e.Due)
	case e.Class.Failed():
		n.close(now, e.For, RefusedPage)
	default:
		s.needs, s.delay, s.expiry = Fetch, e.Delay, e.Expiry
		if e.For != e.Site {
			s.next = max(s.next, e.End+e.Delay)
		}
	}
}

// close ends a site for good.
func (n *naive) close(now time.Duration, s graph.Site, as State) {
	n.hops = slices.DeleteFunc(n.hops, func(h naiveHop) bool { return h.of == s })
	n.sites[s].closed, n.sites[s].moved = true, false
	for i := range n.pages {
		if p := &n.pages[i]; p.site == s && p.state == Known && p.due <= now {
			p.state = as
		} else if p.site == s && p.state == Known {
			p.state = Failed
		}
	}
	n.giveBack(now, s)
}

// giveBack ends the hops to a site that is closed.
func (n *naive) giveBack(now time.Duration, t graph.Site) {
	for _, h := range n.hops {
		if s := &n.sites[h.of]; h.to == t {
			s.moved, s.needs = false, Robots
			s.fails++
			s.next = max(s.next, now+n.o.Delay)
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

// came is what an attempt at a page makes of it and, with opic, of its links.
func (n *naive) came(e *Event) {
	p := &n.pages[e.Page]
	p.state, p.due = Fetched, e.Due
	if e.Again {
		p.state = Known
	} else if e.Class.Failed() {
		p.state = Failed
	}
	n.know(e.New)
	if p = &n.pages[e.Page]; !n.opic || p.state != Fetched || len(e.Links) == 0 {
		return
	}
	part := p.value / float64(len(e.Links))
	p.value = 0
	for _, q := range e.Links {
		n.pages[q].value += part
	}
}

func (n *naive) session(now time.Duration) {
	for i := range n.pages {
		if n.pages[i].state == Acquired {
			n.pages[i].state = Known
		}
	}
	for i := range n.sites {
		s := &n.sites[i]
		d := max(n.o.Delay, s.delay)
		if int(s.twin) < len(n.sites) {
			d = max(d, n.sites[s.twin].delay)
		}
		s.next = max(s.next, now+d)
		s.unsettled = 0
		s.acquired, s.kept, s.served = false, false, 0
	}
	for _, a := range n.addrs {
		a.active, a.free = 0, max(a.free, now+n.o.AddressDelay)
	}
}
