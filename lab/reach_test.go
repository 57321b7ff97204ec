package lab

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

func TestReach(t *testing.T) {
	out := webOf(t, [][]graph.Page{0: {0, 3}, 1: {2, 3, 5}, 2: {6}, 3: {2, 4}, 4: {0}, 5: {}, 6: {}, 7: {1}})
	tree := Reach(out, []graph.Page{3, 1, 3})
	if want := []graph.Page{3, 1, 2, 4, 5, 6, 0}; !slices.Equal(tree.Order, want) {
		t.Errorf("order %v, want %v", tree.Order, want)
	}
	if want := []uint32{NoParent, NoParent, 0, 0, 1, 2, 3}; !slices.Equal(tree.Parent, want) {
		t.Errorf("parents %v, want %v", tree.Parent, want)
	}
	if want := []uint32{0, 0, 1, 1, 1, 2, 2}; !slices.Equal(tree.Depths(), want) {
		t.Errorf("depths %v, want %v", tree.Depths(), want)
	}
}

// The tree of the breadth-first order, read as a crawl, is the breadth-first tree.
func TestOrderTreeOfReach(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 50 {
		n := 2 + r.IntN(40)
		out := webOf(t, randomLinks(r, n, 2))
		seeds := shuffled(r, allPages(n))[:1+r.IntN(2)]
		want := Reach(out, seeds)
		got, err := OrderTree(out, seeds, want.Order)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Parent, want.Parent) {
			t.Fatalf("parents %v, want %v", got.Parent, want.Parent)
		}
	}
}

func TestOrderTreeRefuses(t *testing.T) {
	out := webOf(t, [][]graph.Page{{1}, {2}, {0}})
	for name, order := range map[string][]graph.Page{
		"before it is known": {0, 2, 1},
		"twice":              {0, 1, 0},
		"from nowhere":       {0, 3},
	} {
		if _, err := OrderTree(out, []graph.Page{0}, order); err == nil {
			t.Errorf("a page may be fetched %s", name)
		}
	}
}
