package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
)

// randomGraph is a sparse graph, so that pages reach different parts of it.
func randomGraph(t *testing.T, seed uint64, pages, links int) *graph.Graph {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	for range links {
		fmt.Fprintln(&b, rnd.IntN(pages)*rnd.IntN(pages)/pages, rnd.IntN(pages))
	}
	dir := t.TempDir()
	edges, file := filepath.Join(dir, "edges"), filepath.Join(dir, "g.wg")
	if err := os.WriteFile(edges, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	must(t, "graph", "import", "--edges", edges, "-o", file)
	g, err := graph.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// TestBest: the definition in a straight loop gives the same page.
func TestBest(t *testing.T) {
	for seed := range uint64(20) {
		g := randomGraph(t, seed, 300, 330)
		got, err := best(t.Context(), g)
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		if want := naiveBest(g); got[0] != want {
			t.Errorf("seed %d: page %d, want %d", seed, got[0], want)
		}
	}
}

func naiveBest(g *graph.Graph) (page graph.Page) {
	r := g.Forward().Reader()
	degree := func(p graph.Page) int {
		n := r.Degree(p)
		if slices.Contains(r.List(p), p) {
			n--
		}
		return n
	}
	pages := make([]graph.Page, g.Pages())
	for p := range pages {
		pages[p] = graph.Page(p)
	}
	slices.SortStableFunc(pages, func(p, q graph.Page) int { return degree(q) - degree(p) })
	most := int64(-1)
	top := slices.Sorted(slices.Values(pages[:64]))
	for _, p := range top {
		n := int64(0)
		for _, k := range stats.Reach(g.Pages(), r, []graph.Page{p}) {
			n += k
		}
		if n > most {
			most, page = n, p
		}
	}
	return page
}

// TestHomes: the shortest URL of each site, the smallest id among equals.
func TestHomes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	urls := write("urls", "http://b.example/long\nhttp://a.example/22\nhttp://b.example/x\nhttp://a.example/1\nhttp://a.example/0\nhttp://b.example/y\n")
	file := filepath.Join(dir, "g.wg")
	must(t, "graph", "import", "--edges", write("edges", "0 1\n"), "--urls", urls, "-o", file)
	g, err := graph.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if got, err := homes(t.Context(), g); err != nil || !slices.Equal(got, []graph.Page{2, 3}) {
		t.Errorf("%v, %v", got, err)
	}
}
