// Command policy registers an order of its own and compares it with others, on a graph file or
// on a synthetic web.
//
//	go run ./examples/policy [web.wg]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
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

// shortLists prefers the links of short lists.
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

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if err := compare(name); err != nil {
		log.Fatal(err)
	}
}

// compare crawls a graph under four orders, and prints how fast each gathers PageRank.
func compare(name string) error {
	if name == "" {
		dir, err := os.MkdirTemp("", "policy")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		name = filepath.Join(dir, "web.wg")
		if err := writeWeb(name); err != nil {
			return err
		}
	}
	g, err := graph.Open(name)
	if err != nil {
		return err
	}
	defer g.Close()
	world := lab.NewWorld("web", g, false, 0)
	defer world.Free()
	truth, err := measure.PageRankTruth(world.Web(), measure.TruthOptions{})
	if err != nil {
		return err
	}
	c, err := lab.Setting{World: world, Truth: truth, Setup: sim.Setup{Seeds: []graph.Page{0}, Random: 1, Batch: 1000}}.Prepare()
	if err != nil {
		return err
	}
	runs, base, err := c.Versus([]string{"short-lists", "breadth-first", "opic", policy.Default}, 2, nil)
	if err != nil {
		return err
	}
	for _, r := range runs {
		regret, _ := base.Regret(r.Measures.Average)
		fmt.Printf("%-14s average share of PageRank %.3f, regret %.2f\n", r.Policy, r.Measures.Average, regret)
	}
	return nil
}

// writeWeb writes the graph of a synthetic web.
func writeWeb(name string) error {
	web, err := fakeweb.New(fakeweb.Spec{Pages: 2000, Sites: 40, Links: 16000, Seed: 1})
	if err != nil {
		return err
	}
	return graph.Write(context.Background(), graph.Source{Pages: 2000, Lists: web.Each, URLs: web.EachURL}, graph.WriteOptions{Path: name})
}
