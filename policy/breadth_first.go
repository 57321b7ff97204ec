package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Breadth-first: Cho, Garcia-Molina, Page 1998, figure 2(1); Najork, Wiener 2001,
// section 3; thesis 4.3.1.
//
//	value(p) = 0: the order of discovery
//
// It knows only that order. Cost per link: none.
//
// Where it fails: it goes wherever the first pages lead, at the same pace in all
// directions. It does well because pages that are linked from everywhere are found early.
// Under politeness the order is kept among the sites that may be requested, which is
// Mercator's breadth-first.

func breadthFirstSpec() *Spec {
	return &Spec{
		Name:   "breadth-first",
		Source: "Cho 1998, Najork 2001",
		What:   "in the order of discovery",
		New:    func(*Env, Params) (Policy, error) { return breadthFirst{}, nil },
	}
}

type breadthFirst struct{}

func (breadthFirst) Known(p, from graph.Page)                                     {}
func (breadthFirst) Done(time.Duration, graph.Page, *event.Outcome, []graph.Page) {}
func (breadthFirst) Columns(func(graph.AnyColumn))                                {}

// Explain returns the place of p in the order of discovery, from 1.
func (breadthFirst) Explain(p graph.Page) []Factor {
	return order.Sole("place in the order of discovery", float64(p)+1)
}
