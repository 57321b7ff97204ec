package policy

import "github.com/winnow-crawler/winnow/graph"

// Horn: Horn 1972, Sidney 1975, on the breadth-first tree of the graph.
//
//	value(p) = -(place of p in the Horn order)
//
// The Horn order is the best order of a tree in which a page can be fetched only after its
// parent: it weighs a page together with the pages behind it. On the tree that
// breadth-first finds, it is the ceiling that regret is measured against, as is omniscient.
// It knows that order, which the laboratory computes from the whole graph. Cost per link:
// none.
//
// Where it fails: there may be a better path to a page than that of the tree. So the
// ceiling is no proven bound of the graph, and omniscient may pass it.

func hornSpec() *Spec {
	return &Spec{
		Name: "horn",
		What: "the Horn order of the breadth-first tree (needs the oracle)",
		NewOmniscient: func(e *Env, _ Params, o Oracle) (Policy, error) {
			return &fixed{e.Boards[0], func(p graph.Page) float64 { return -float64(o.Place(p)) }}, nil
		},
	}
}
