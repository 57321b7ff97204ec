package lab

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// graphOf writes a graph and opens it. Without urls it has none.
func graphOf(t *testing.T, links [][]graph.Page, urls []string) *graph.Graph {
	t.Helper()
	s := graph.Source{Pages: len(links), Lists: func(emit func(graph.Page, []graph.Page) error) error {
		for p, list := range links {
			if err := emit(graph.Page(p), list); err != nil {
				return err
			}
		}
		return nil
	}}
	if urls != nil {
		s.URLs = func(emit func([]byte) error) error {
			for _, u := range urls {
				if err := emit([]byte(u)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	path := filepath.Join(t.TempDir(), "g.wg")
	if err := graph.Write(t.Context(), s, graph.WriteOptions{Path: path}); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// TestBest: the definition in a straight loop gives the same page, on sparse graphs, in
// which pages reach different parts.
func TestBest(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		links := make([][]graph.Page, 300)
		for range 330 {
			p := r.IntN(300) * r.IntN(300) / 300
			links[p] = append(links[p], graph.Page(r.IntN(300)))
		}
		for p := range links {
			slices.Sort(links[p])
			links[p] = slices.Compact(links[p])
		}
		got, err := Best(t.Context(), graphOf(t, links, nil))
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		if want := naiveBest(t, links); got[0] != want {
			t.Errorf("seed %d: page %d, want %d", seed, got[0], want)
		}
	}
}

func naiveBest(t *testing.T, links [][]graph.Page) (page graph.Page) {
	out := webOf(t, links)
	degree := func(p graph.Page) int {
		n := len(links[p])
		if slices.Contains(links[p], p) {
			n--
		}
		return n
	}
	pages := make([]graph.Page, len(links))
	for p := range pages {
		pages[p] = graph.Page(p)
	}
	slices.SortStableFunc(pages, func(p, q graph.Page) int { return degree(q) - degree(p) })
	most := 0
	for _, p := range slices.Sorted(slices.Values(pages[:64])) {
		if n := len(measure.Reach(out, []graph.Page{p}).Order); n > most {
			most, page = n, p
		}
	}
	return page
}

// TestHomes: the shortest URL of each site, the smallest id among equals.
func TestHomes(t *testing.T) {
	g := graphOf(t, [][]graph.Page{{1}, {}, {}, {}, {}, {}}, []string{
		"http://b.example/long", "http://a.example/22", "http://b.example/x", "http://a.example/1", "http://a.example/0", "http://b.example/y"})
	if got, err := Homes(t.Context(), g); err != nil || !slices.Equal(got, []graph.Page{2, 3}) {
		t.Errorf("%v, %v", got, err)
	}
}
