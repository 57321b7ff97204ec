package policy_test

import (
	"fmt"
	"log"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

func init() {
	policy.Register(&policy.Spec{
		Name: "short-lists",
		What: "pages found on pages with few links first",
		New: func(e *policy.Env, _ policy.Params) (policy.Policy, error) {
			return &shortLists{board: e.Boards[0]}, nil
		},
	})
}

// shortLists prefers links of short lists: their authors chose them with care.
type shortLists struct{ board *policy.Board }

// Known is called for each new page. Its value is 0 until it is set.
func (s *shortLists) Known(p, from graph.Page) {}

// Done is called when a page was fetched. Pages from o.First on were discovered on it.
func (s *shortLists) Done(_ time.Duration, _ graph.Page, o *event.Outcome, links []graph.Page) {
	for _, q := range links {
		if q >= o.First {
			s.board.Set(q, -float64(len(links)))
		}
	}
}

// Columns lists the state of the policy apart from its board: there is none.
func (s *shortLists) Columns(func(graph.AnyColumn)) {}

// A policy of one's own crawls a small web in the simulator. In a live crawl it is
// chosen in the same way, by its name: config.Config.Policy.
func ExampleRegister() {
	web := graph.ListsOf([][]graph.Page{
		0: {1, 2},       // the seed links to two pages,
		1: {3, 4, 5, 6}, // one with a long list
		2: {7},          // and one with a short list
		7: {8},
		8: {},
	})
	defer web.Free()
	for _, name := range []string{"breadth-first", "short-lists"} {
		choice, err := policy.Choose(name)
		if err != nil {
			log.Fatal(err)
		}
		res, err := sim.Run(&sim.World{Out: web}, sim.Options{Policy: choice, Setup: sim.Setup{Seeds: []graph.Page{0}}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, res.Order)
	}
	// Output:
	// breadth-first [0 1 2 3 4 5 6 7 8]
	// short-lists [0 1 2 7 8 3 4 5 6]
}
