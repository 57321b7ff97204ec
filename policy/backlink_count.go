package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Backlink-count: Cho, Garcia-Molina, Page 1998, figure 2(2), IB'; thesis 4.3.1.
//
//	value(p) = number of fetched pages that link to p
//
// It knows the links of fetched pages. Cost per link: one addition and one move up in the
// heap of a site.
//
// Where it fails: a cluster of pages that link to each other raises its own counts,
// and the crawl stays inside until the cluster is done (figure 3 of Cho et al.). In
// the thesis it does worse than random.

func backlinkCountSpec() *Spec {
	return &Spec{
		Name:   "backlink-count",
		Source: "Cho 1998",
		What:   "most links from fetched pages first",
		New:    func(e *Env, _ Params) (Policy, error) { return &backlinkCount{e.Boards[0]}, nil },
	}
}

type backlinkCount struct{ board *Board }

func (b *backlinkCount) Known(p, from graph.Page) {}

func (b *backlinkCount) Done(_ time.Duration, _ graph.Page, o *event.Outcome, links []graph.Page) {
	if !order.Brought(o) {
		return
	}
	for _, q := range links {
		b.board.Add(q, 1)
	}
}

func (b *backlinkCount) Columns(func(graph.AnyColumn)) {}

// Explain returns the number of links to p.
func (b *backlinkCount) Explain(p graph.Page) []Factor {
	return order.Sole("links from fetched pages", b.board.Value(p))
}
