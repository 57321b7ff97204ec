package frontier

import (
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
}

type naivePage struct {
	site  graph.Site
	state State
	value float64
	due   time.Duration
}

type naiveSite struct {
	acquired, kept, asked bool
	needs                 Kind
	addr                  uint32
	next, delay, expiry   time.Duration
	held, fails           int
}

type naiveAddress struct {
	active int
	free   time.Duration
}

func (n *naive) know(sites []graph.Site) {
	for _, s := range sites {
		if int(s) == len(n.sites) {
			n.sites = append(n.sites, naiveSite{needs: Resolve})
		}
		n.pages = append(n.pages, naivePage{site: s})
	}
}

// may tells whether site s may be asked at now.
func (n *naive) may(now time.Duration, s *naiveSite) bool {
	a := n.addrs[s.addr]
	return !s.acquired && s.next <= now && (s.addr == 0 || a.free <= now && (n.o.AddressCap == 0 || a.active < n.o.AddressCap))
}

// best is the best page that could be handed out at now; only those of site s if that
// is not negative.
func (n *naive) best(now time.Duration, s int) (best int) {
	best = -1
	for i := range n.pages {
		p := &n.pages[i]
		ok := s == int(p.site) || s < 0 && n.may(now, &n.sites[p.site])
		if p.state == Known && p.due <= now && ok && (best < 0 || p.value > n.pages[best].value) {
			best = i
		}
	}
	return best
}

// hand hands out the best page, or what its site needs first; a forbidden page is
// refused.
func (n *naive) hand(now time.Duration, only int) (w Work, ok bool) {
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
		if s.addr != 0 && !s.acquired && w.Kind != Resolve {
			n.addrs[s.addr].active++
		}
		s.acquired, s.kept = true, false
		s.asked = s.asked || w.Kind != Resolve
		return w, true
	}
	return w, false
}

// first is the first instant after now at which something could be handed out.
func (n *naive) first(now time.Duration) time.Duration {
	at := Never
	try := func(t time.Duration) {
		if t > now && t < at && n.best(t, -1) >= 0 {
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
	s := &n.sites[i]
	if e.Kind == Ruled && !e.Again {
		s.needs, s.delay, s.expiry = Fetch, e.Delay, e.Expiry
	}
	if e.Kind == Resolved {
		s.acquired = false
		if s.next = max(s.next, e.Due); !e.Again {
			s.needs, s.addr = Robots, e.Address
		}
		return
	}
	if s.fails++; e.Class < policy.ServerError || e.Class > policy.Timeout {
		s.fails = 0
	}
	d := max(n.o.Delay, s.delay, e.Retry, min(n.o.FactorMax, time.Duration(n.o.Factor*float64(e.End-e.Start))))
	if s.next = e.End + d; e.Kind == Ruled && e.Again {
		s.next = max(s.next, e.Due)
	}
	s.held++
	expired := s.expiry > 0 && s.expiry <= now
	s.kept = e.Kind == Done && e.Keep && s.held < n.o.PerConnection && s.delay == 0 && e.Retry == 0 && s.fails == 0 &&
		!expired && n.best(now, int(i)) >= 0
	if !s.kept {
		n.release(s, e.End)
	}
}

func (n *naive) release(s *naiveSite, end time.Duration) {
	s.acquired, s.kept, s.held = false, false, 0
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
		if s.acquired || s.asked || s.next > 0 {
			s.next = max(s.next, now+max(n.o.Delay, s.delay))
		}
		s.acquired, s.kept, s.held = false, false, 0
	}
	for _, a := range n.addrs {
		if a.active > 0 || a.free > 0 {
			a.active, a.free = 0, max(a.free, now+n.o.AddressDelay)
		}
	}
}
