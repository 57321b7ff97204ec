package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Partial-PageRank: thesis 4.3.1.
//
//	value(p) = PageRank of p at the last solve, for pages known then; for pages
//	discovered since, the sum over links q -> p found since of
//	value(q) when it was handed out / out(q)
//
// It solves when batch-pagerank does. It knows the links of fetched pages. Cost per link:
// that of batch-pagerank, and for links to pages discovered since the last solve one
// addition and one move up in the heap of a site.
//
// Where it fails: the sum has no damping and starts from values that are whole ranks. So a
// chain of new pages with one link each keeps the rank of its first page and goes before
// everything else. The thesis found it second to last; the result depends on details that
// the thesis does not give.

func partialPagerankSpec() *Spec {
	return &Spec{
		Name:   "partial-pagerank",
		Source: "Castillo 2004",
		What:   "as batch-pagerank, with a makeshift rank for new pages",
		Params: batchParams(),
		Links:  true,
		New: func(e *Env, params Params) (Policy, error) {
			r, err := newRanked(e, params, batchBound)
			return &partial{r}, err
		},
	}
}

type partial struct{ *ranked }

// Done hands on the value of p. A page that was handed out keeps the value that it
// had then: nothing is added to pages that do not wait.
func (r *partial) Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	r.ranked.Done(now, p, o, links)
	if !order.Brought(o) || len(links) == 0 {
		return
	}
	since := graph.Page(r.numbers.At(knownAtSolve))
	part := r.board.Value(p) / float64(len(links))
	for _, q := range links {
		if q >= since && r.board.Waits(q) {
			r.board.Add(q, part)
		}
	}
}
