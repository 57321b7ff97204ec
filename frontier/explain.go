package frontier

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// What follows answers questions of people about single pages. It changes nothing, and most
// of it looks at all pages.

// A Position is the place of a waiting page in the order of one board, by the present values.
// Pages that became known earlier go first among equals.
type Position struct {
	Score   float64 // what the page is worth on the board: see policy.Scorer
	InSite  int     // waiting pages of its site that go before it
	OfSite  int     // waiting pages of its site
	Overall int     // waiting pages of all sites that go before it; -1 if sites are chosen first, Uncounted if they were not counted
	Of      int     // waiting pages of all sites
	Sites   int     // sites that go before its own; -1 unless sites are chosen first
}

// Uncounted is the place of a page among all, if only those of its site were looked at.
const Uncounted = -2

// Ranks tells the places of waiting pages in the order of the frontier, and the reasons.
type Ranks struct{ f *Frontier }

// Ranks returns what there is to know about the order of the pages.
func (f *Frontier) Ranks() Ranks { return Ranks{f} }

// Positions returns the place of p on each board that can choose a page, or nil if p does
// not wait in the queues. Politeness, which lets others go first, does not count.
func (r Ranks) Positions(p graph.Page) []Position {
	return r.positions(p, func(yield func(graph.Page) bool) {
		for q := range graph.Page(r.f.Pages()) {
			if r.f.orders.waits(q) && !yield(q) {
				return
			}
		}
	})
}

// PositionsInSite does what Positions does, but looks only at the pages of the site. It leaves
// the place among all pages uncounted, unless sites are chosen first.
func (r Ranks) PositionsInSite(p graph.Page) []Position {
	list := r.positions(p, func(yield func(graph.Page) bool) {
		b, s := r.f.orders.boards[0], r.f.Site(p)
		pages := b.active.Of(s)
		if b.pool != nil {
			pages = append(slices.Clone(pages), b.pool.Of(s)...)
		}
		for _, q := range pages {
			if !yield(q) {
				return
			}
		}
	})
	for i := range list {
		if list[i].Of = 0; list[i].Overall >= 0 {
			list[i].Overall = Uncounted
		}
	}
	return list
}

// positions returns the place of p among waiting pages.
func (r Ranks) positions(p graph.Page, waiting iter.Seq[graph.Page]) []Position {
	if !r.f.orders.waits(p) {
		return nil
	}
	list := make([]Position, r.f.orders.pageBoards())
	for i := range list {
		list[i] = r.position(p, i, waiting)
	}
	return list
}

// position returns the place of p among waiting pages on a board.
func (r Ranks) position(p graph.Page, board int, waiting iter.Seq[graph.Page]) Position {
	x, own := r.f.orders, r.ranking(p, board)
	pos := Position{Score: r.Score(p, board), Sites: -1}
	for q := range waiting {
		before := r.ranking(q, board).before(own)
		if pos.Of++; before {
			pos.Overall++
		}
		if x.site(q) == x.site(p) {
			if pos.OfSite++; before {
				pos.InSite++
			}
		}
	}
	by := board
	if x.sitesBy >= 0 {
		by = x.sitesBy
	}
	if q := x.boards[by].active; x.sitesBy >= 0 || q.SitesValued() {
		pos.Overall, pos.Sites = -1, r.f.orders.sitesBefore(x.site(p), by, r.f.Sites())
	}
	return pos
}

// A ranking is what decides between two waiting pages.
type ranking struct {
	pooled bool // it waits for the next batch
	value  float64
	page   graph.Page
}

func (a ranking) before(b ranking) bool {
	switch {
	case a.pooled != b.pooled:
		return b.pooled
	case a.value != b.value:
		return a.value > b.value
	}
	return a.page < b.page
}

// ranking returns the ranking of a waiting page on a board.
func (r Ranks) ranking(p graph.Page, board int) ranking {
	v := r.Score(p, board)
	if r.f.orders.discounted(p) {
		v = policy.Lower(v)
	}
	return ranking{!r.f.orders.boards[board].active.Waits(p), v, p}
}

// sitesBefore returns the number of the sites with waiting pages that a board puts before s. A
// site that the board keeps closed goes after all others.
func (o *orders) sitesBefore(s graph.Site, board, sites int) (n int) {
	q := o.boards[board].active
	tie := func(t graph.Site) uint32 {
		if p, ok := q.First(t); ok && !q.SitesValued() {
			return uint32(p)
		}
		return uint32(t)
	}
	for i := range sites {
		t := graph.Site(i)
		if t == s || q.Len(t) == 0 {
			continue
		}
		if a, b := q.SiteValue(t), q.SiteValue(s); a > b || a == b && tie(t) < tie(s) {
			n++
		}
	}
	return n
}

// Boards returns the number of boards that can choose a page.
func (r Ranks) Boards() int { return r.f.orders.pageBoards() }

// Notes returns what the policies have to tell the user about the crawl so far.
func (f *Frontier) Notes() (notes []string) {
	for _, p := range f.policies.all {
		if n, ok := p.(policy.Noter); ok && n.Note() != "" {
			notes = append(notes, n.Note())
		}
	}
	return notes
}

// Score returns what a page is worth on a board of the policy of the pages. It is the value
// of the board unless the policy is a policy.Scorer.
func (r Ranks) Score(p graph.Page, board int) float64 {
	if s, ok := r.f.policies.all[0].(policy.Scorer); ok {
		return s.Score(p, board)
	}
	return r.f.orders.boards[board].face.Value(p)
}

// Explain returns what the value of p is made of, according to the policy of the pages, or
// nil if the policy does not tell.
func (r Ranks) Explain(p graph.Page) []policy.Factor {
	if x, ok := r.f.policies.all[0].(policy.Explainer); ok {
		return x.Explain(p)
	}
	return nil
}

// Appraise explains the score of p, nil if pages are not scored.
func (r Ranks) Appraise(p graph.Page) *policy.Appraisal {
	if v := r.f.policies.valuer(); v != nil {
		return v.Appraise(p)
	}
	return nil
}

// Waits reports whether a page waits to be handed out: in the queues, or for an instant of its
// own.
func (f *Frontier) Waits(p graph.Page) bool { return f.pages.orders.waits(p) }

// Due returns the instant at which a page that failed, or is to be visited again, may be
// tried again. yields reports whether the instant has come, and the page lets the other
// pages of its site go first, because the site fails.
func (f *Frontier) Due(p graph.Page) (at time.Duration, yields, ok bool) {
	same := func(d instant) bool { return d.id == uint32(p) }
	if i := slices.IndexFunc(f.pages.due, same); i >= 0 {
		return f.pages.due[i].at, false, true
	}
	behind := f.pages.yielding.behind[f.Site(p)]
	if i := slices.IndexFunc(behind, same); i >= 0 {
		return behind[i].at, true, true
	}
	return 0, false, false
}

// A Clock tells when a site may be requested next, and what that depends on.
type Clock struct {
	// Place is "ready", "waiting" (for its instant), "acquired" (a task is under way),
	// "blocked" (a task of its other scheme is under way), "held" (its last answer is not on
	// disk yet), "closed" (it cannot be reached and is not tried again) or "moved" (its
	// robots.txt is elsewhere and was not fetched yet).
	Place string
	At    time.Duration  // instant before which the site is not requested
	Needs event.TaskKind // what is requested next

	Between    time.Duration // roughly, between two requests at present
	Delay      time.Duration // of the options
	CrawlDelay time.Duration // of its robots.txt
	Learned    time.Duration // from answers that said "too often"
	Slow       time.Duration // because it is slow
	Failures   int           // in a row
	Demanded   bool          // the server demanded the present pause (Retry-After)
	Batch      int           // pages that may be requested one after the other over a connection

	AddressAt   time.Duration // instant before which its IP address is not requested; 0: any time
	AddressFull bool          // its IP address has as many requests under way as it may
}

// Clock returns the clock of a site at an instant.
func (f *Frontier) Clock(now time.Duration, s graph.Site) Clock {
	c, a := &f.sites.clocks, &f.sites.addresses
	k := Clock{
		Place: f.sites.placeName(s), At: c.instant(s), Needs: f.sites.needs(now, s).Kind, Between: c.between(s),
		Delay: c.baseDelay(s), CrawlDelay: c.robotsDelay(s), Learned: c.paces[s].Delay, Slow: c.slowDelay(s),
		Failures: c.failures(s), Demanded: c.fails.At(int(s))&asksTime != 0, Batch: f.o.PerConnection,
	}
	if k.CrawlDelay > 0 || k.Failures > 0 || k.Slow > 0 {
		k.Batch = 1
	}
	if n := a.address.At(int(s)); a.limited && n != 0 {
		if at := a.free.At(int(n)); at > int64(now) {
			k.AddressAt = time.Duration(at)
		}
		k.AddressFull = f.o.AddressCap > 0 && int(a.active.At(int(n))) >= f.o.AddressCap
	}
	return k
}

// placeName returns where a site is, as Clock has it.
func (x *sites) placeName(s graph.Site) string {
	switch {
	case x.in(s, closed):
		return "closed"
	case x.in(s, moved):
		return "moved"
	}
	return [places]string{"ready", "waiting", "acquired", "acquired", "blocked", "held"}[x.place.At(int(s))]
}

// Least returns the least number of pages of its site that go before a page, whichever board
// chooses: the smallest number of all positions.
func Least(list []Position) int {
	n := math.MaxInt
	for _, pos := range list {
		n = min(n, pos.InSite)
	}
	return n
}
