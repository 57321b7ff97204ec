package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Omniscient: thesis 4.3.3.
//
//	value(p) = true importance of p
//
// It knows the importance of every page in the whole graph, but fetches only pages
// that it has discovered, like all others. Cost per link: none.
//
// Where it fails: it is greedy. An unimportant page that leads to important ones waits
// behind all better pages; horn looks ahead.

func omniscientSpec() *Spec {
	return &Spec{
		Name: "omniscient",
		What: "highest true importance first (needs the oracle)",
		NewOmniscient: func(e *Env, _ Params, o Oracle) (Policy, error) {
			return &fixed{e.Boards[0], o.Importance}, nil
		},
	}
}

// fixed sets the value of each page when it becomes known, and never changes it.
type fixed struct {
	board *Board
	value func(graph.Page) float64
}

func (t *fixed) Known(p, _ graph.Page) { t.board.Set(p, t.value(p)) }

func (t *fixed) Done(time.Duration, graph.Page, *event.Outcome, []graph.Page) {}
func (t *fixed) Columns(func(graph.AnyColumn))                                {}
