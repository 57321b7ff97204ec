package lab

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// TestForwardWorld: a world without links backward has the same truth as one with them, and so
// has one that released them; a crawl needs none (L9).
func TestForwardWorld(t *testing.T) {
	g := writtenGraph(t, randomLinks(rand.New(rand.NewPCG(1, 2)), 300, 4))
	w := NewForwardWorld("w", g, false, 1)
	defer w.Free()
	if w.In != nil {
		t.Fatal("links backward are unpacked")
	}
	before := truthOf(t, w)
	w.UnpackIn(1)
	with := truthOf(t, w)
	if w.FreeIn(); w.In != nil {
		t.Fatal("links backward are still there")
	}
	for i, other := range [][]float64{before, truthOf(t, w)} {
		for p, v := range with {
			if math.Abs(other[p]-v) > 1e-15 {
				t.Fatalf("world %d: page %d has %v, want %v", i, p, other[p], v)
			}
		}
	}
	set := Setting{World: w, Truth: &measure.Truth{Metric: "m", Value: with, Pages: len(with), MeanScale: true}}
	set.Seeds = []graph.Page{0}
	c, err := set.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.Crawl("opic", nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := run.Measures; m.Pages != m.Reachable || m.Pages < 200 {
		t.Errorf("%d of %d pages fetched", m.Pages, m.Reachable)
	}
}

func truthOf(t *testing.T, w *World) []float64 {
	t.Helper()
	truth, err := measure.PageRankTruth(w.Web(), measure.TruthOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return truth.Value
}

// writtenGraph returns a graph file with the given out-links, opened.
func writtenGraph(t *testing.T, out [][]graph.Page) *graph.Graph {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.wg")
	lists := func(emit func(graph.Page, []graph.Page) error) error {
		for p, list := range out {
			if err := emit(graph.Page(p), list); err != nil {
				return err
			}
		}
		return nil
	}
	if err := graph.Write(context.Background(), graph.Source{Pages: len(out), Lists: lists}, graph.WriteOptions{Path: path}); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}
