package policy

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Site-at-a-time: the Internet Archive's crawler of 1997 (Burner), as described by Najork,
// Wiener 2001, section 5.
//
//	up to 64 sites (hosts=) are open and give one page each in turn; a site that has
//	none left closes, and the next one of the line opens
//
// The line holds the sites that have pages but are not open, in the order in which
// they became known or got pages again, or (next=random) in a random order of all sites, of
// which Najork and Wiener say that the quality of the crawl is even. Within a site: the order
// of discovery.
//
// It knows which site a page belongs to, and no links. A site has no page left when its
// last request has ended and all its known pages were handed out. Cost per link: none.
//
// Where it fails: it crawls whole sites whether they are important or not, and an endless
// site stays open for ever.

func siteAtATimeSpec() *Spec {
	return &Spec{
		Name:   "site-at-a-time",
		Source: "Burner 1997",
		What:   "a number of sites at a time, each to its end",
		Params: []Param{{Name: "hosts", Default: "64", What: "sites that are open at a time"},
			{Name: "next", Values: []string{"known", "random"}, Default: "known", What: "which site opens next: the one that is known longest, or by a random order of all sites"}},
		New: newSiteAtATime,
	}
}

type siteAtATime struct {
	graph.Set
	board *Board
	facts Facts
	hosts uint64
	left  *graph.Column[uint32] // by site: pages that are known and not handed out
	state *graph.Column[uint8]  // by site: closed, inLine or open
	next  *graph.Column[uint32] // by site in the line: 1 + the one behind it, 0 for the last
	// bag is the line in random order, a heap; nil if the line has an order.
	bag    *graph.Column[uint32]
	random uint64

	numbers *graph.Column[uint64] // see turnsGiven
}

// The states of a site. A closed site has no pages left. A site in the line has some,
// unless another policy for sites has taken them.
const (
	closed = iota
	inLine
	open
)

// The indexes of siteAtATime.numbers.
const (
	turnsGiven = iota // turns given so far
	sitesOpen         // open sites
	lineFirst         // first site of the line, counted from 1
	lineLast          // last site of the line, counted from 1
	siteNumbers
)

func newSiteAtATime(e *Env, params Params) (Policy, error) {
	hosts, err := params.Int("hosts", 64, 1, maxQueues)
	if err != nil {
		return nil, err
	}
	e.Boards[0].SitesOwn()
	s := &siteAtATime{board: e.Boards[0], facts: e.Facts, hosts: uint64(hosts)}
	s.left = graph.NewColumnIn[uint32](&s.Set, "sites left", e.MaxSites)
	s.state = graph.NewColumnIn[uint8](&s.Set, "sites open", e.MaxSites)
	s.next = graph.NewColumnIn[uint32](&s.Set, "sites line", e.MaxSites)
	s.numbers = graph.NewColumnIn[uint64](&s.Set, "sites numbers", siteNumbers)
	s.numbers.Grow(siteNumbers)
	if params["next"] == "random" {
		s.random = e.Random
		s.bag = graph.NewColumnIn[uint32](&s.Set, "sites bag", e.MaxSites)
	}
	return s, nil
}

func (s *siteAtATime) Known(p, _ graph.Page) { s.gain(s.facts.Site(p)) }

func (s *siteAtATime) Seeded(_, _ graph.Page) { s.fill() }

func (s *siteAtATime) Taken(_ time.Duration, p graph.Page, _ int) {
	s.left.Slice()[s.facts.Site(p)]--
}

// Admitted counts p among the pages that are left.
func (s *siteAtATime) Admitted(p graph.Page) {
	s.gain(s.facts.Site(p))
	s.fill()
}

// Done ends the turn of the site of p.
func (s *siteAtATime) Done(_ time.Duration, p graph.Page, o *event.Outcome, _ []graph.Page) {
	if o.Again {
		s.gain(s.facts.Site(p))
	}
	s.went(s.facts.Site(p))
}

// Revisited does the same for a page that was fetched before. If the page is to be tried
// again, Admitted is called for it.
func (s *siteAtATime) Revisited(_ time.Duration, p graph.Page, _ *event.Outcome, _ []graph.Page) {
	s.went(s.facts.Site(p))
}

// went ends the turn of a site.
func (s *siteAtATime) went(site graph.Site) {
	if s.state.At(int(site)) == open {
		if s.left.At(int(site)) > 0 {
			s.turn(site)
		} else {
			s.close(site)
		}
	}
	s.fill()
}

// Dropped closes the site of p if that was its last page.
func (s *siteAtATime) Dropped(p graph.Page) {
	site := s.facts.Site(p)
	s.left.Slice()[site]--
	if s.left.At(int(site)) == 0 && s.state.At(int(site)) == open {
		s.close(site)
		s.fill()
	}
}

func (s *siteAtATime) close(site graph.Site) {
	s.state.Set(int(site), closed)
	s.board.Site(site, math.Inf(-1))
	s.numbers.Slice()[sitesOpen]--
}

// gain counts one more page of a site. A closed site joins the line.
func (s *siteAtATime) gain(site graph.Site) {
	n := int(site) + 1
	s.left.Grow(n)
	s.state.Grow(n)
	s.next.Grow(n)
	s.left.Slice()[site]++
	if s.state.At(int(site)) != closed {
		return
	}
	num := s.numbers.Slice()
	s.state.Set(int(site), inLine)
	if s.bag != nil {
		s.put(site)
		return
	}
	s.next.Set(int(site), 0)
	if num[lineFirst] == 0 {
		num[lineFirst] = uint64(n)
	} else {
		s.next.Set(int(num[lineLast]-1), uint32(n))
	}
	num[lineLast] = uint64(n)
}

// fill opens sites of the line while there is room.
func (s *siteAtATime) fill() {
	num := s.numbers.Slice()
	for num[sitesOpen] < s.hosts {
		site, ok := s.first()
		if !ok {
			return
		}
		if s.left.At(int(site)) == 0 {
			s.state.Set(int(site), closed)
			continue
		}
		s.state.Set(int(site), open)
		num[sitesOpen]++
		s.turn(site)
	}
}

// first takes the first site out of the line.
func (s *siteAtATime) first() (site graph.Site, ok bool) {
	num := s.numbers.Slice()
	switch {
	case s.bag != nil && s.bag.Len() > 0:
		return s.draw(), true
	case s.bag != nil || num[lineFirst] == 0:
		return 0, false
	}
	site = graph.Site(num[lineFirst] - 1)
	num[lineFirst] = uint64(s.next.At(int(site)))
	return site, true
}

// before reports whether site a opens before site b, in the random order.
func (s *siteAtATime) before(a, b uint32) bool {
	x, y := order.Hash(s.random, uint64(a)), order.Hash(s.random, uint64(b))
	return x < y || x == y && a < b
}

// put adds a site to the bag.
func (s *siteAtATime) put(site graph.Site) {
	s.bag.Append(uint32(site))
	h := s.bag.Slice()
	for i := len(h) - 1; i > 0 && s.before(h[i], h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

// draw takes the first site out of the bag.
func (s *siteAtATime) draw() graph.Site {
	h := s.bag.Slice()
	first, n := h[0], len(h)-1
	h[0] = h[n]
	for i := 0; 2*i+1 < n; {
		k := 2*i + 1
		if k+1 < n && s.before(h[k+1], h[k]) {
			k++
		}
		if !s.before(h[k], h[i]) {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	s.bag.Truncate(n)
	return graph.Site(first)
}

// turn puts an open site behind all other open ones.
func (s *siteAtATime) turn(site graph.Site) {
	num := s.numbers.Slice()
	num[turnsGiven]++
	s.board.Site(site, -float64(num[turnsGiven]))
}

// Explain returns what is known of the site of p.
func (s *siteAtATime) Explain(p graph.Page) []Factor {
	site := int(s.facts.Site(p))
	isOpen := 0.0
	if s.state.At(site) == open {
		isOpen = 1
	}
	return []Factor{
		{Name: "its site is open", Value: isOpen},
		{Name: "pages of its site that are not handed out", Value: float64(s.left.At(site))},
	}
}
