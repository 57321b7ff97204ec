package lab

import (
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// Applies returns an error if a policy cannot run on a graph in this setting: something that
// it needs is missing, or a parameter is wrong. Unlike Comparison.Check it needs no World.
// oracle reports whether there will be a truth.
func (s *Setting) Applies(name string, g *graph.Graph, oracle bool) error {
	choice, err := policy.Choose(name)
	if err != nil {
		return err
	}
	env := policy.Env{Batch: s.Batch, MaxPages: g.Pages()}
	if g.HasURLs() {
		env.URL = g.AppendURL
	}
	if s.History != nil {
		env.Prior = &s.History.Prior
	}
	if err := choice.Check(&env, oracle); err != nil {
		return err
	}
	var knows policy.Oracle
	if oracle {
		knows = blind{}
	}
	f, err := frontier.New(frontier.Options{MaxPages: 1, MaxSites: 1}, env, choice, nil, knows)
	if err == nil {
		f.Free()
	}
	return err
}

// A blind is an oracle that is never called.
type blind struct{}

func (blind) Importance(graph.Page) float64 { return 0 }
func (blind) Place(graph.Page) int          { return 0 }
