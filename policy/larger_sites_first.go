package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Larger-sites-first: thesis 4.3.1.
//
//	value(site) = number of its known pages that were not handed out yet
//	within a site: the order of discovery
//
// It knows which site a page belongs to, and no links. Its reason is politeness: large
// sites take longest, since they are requested for one page at a time, so it begins with
// them. Cost per link: none; per page: one move in the heap of sites.
//
// Where it fails: a site that generates endless pages is large.

func largerSitesFirstSpec() *Spec {
	return &Spec{
		Name:   "larger-sites-first",
		Source: "Castillo 2004",
		What:   "the site with the most known pages left first",
		New:    newLargerSitesFirst,
	}
}

type largerSitesFirst struct {
	graph.Set
	board *Board
	facts Facts
	left  *graph.Column[uint32] // by site: pages that are known and not handed out
}

func newLargerSitesFirst(e *Env, _ Params) (Policy, error) {
	e.Boards[0].SitesOwn()
	l := &largerSitesFirst{board: e.Boards[0], facts: e.Facts}
	l.left = graph.NewColumnIn[uint32](&l.Set, "sites left", e.MaxSites)
	return l, nil
}

func (l *largerSitesFirst) Known(p, _ graph.Page) { l.count(p, 1) }

func (l *largerSitesFirst) Taken(_ time.Duration, p graph.Page, _ int) { l.count(p, -1) }

func (l *largerSitesFirst) Dropped(p graph.Page) { l.count(p, -1) }

func (l *largerSitesFirst) Admitted(p graph.Page) { l.count(p, 1) }

func (l *largerSitesFirst) Done(_ time.Duration, p graph.Page, o *event.Outcome, _ []graph.Page) {
	if o.Again {
		l.count(p, 1)
	}
}

// count adds d to the pages left of the site of p.
func (l *largerSitesFirst) count(p graph.Page, d int32) {
	s := l.facts.Site(p)
	l.left.Grow(int(s) + 1)
	n := l.left.At(int(s)) + uint32(d)
	l.left.Set(int(s), n)
	l.board.Site(s, float64(n))
}

// Explain returns the value of the site of p.
func (l *largerSitesFirst) Explain(p graph.Page) []Factor {
	return order.Sole("pages of its site that are not handed out", float64(l.left.At(int(l.facts.Site(p)))))
}
