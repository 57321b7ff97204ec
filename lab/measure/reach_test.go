package measure

import (
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

// A tree grows by what further seeds reach, and not by a page that it has.
func TestGrow(t *testing.T) {
	tree := Reach(webOf(t, [][]graph.Page{{1}, {}, {3, 1}, {2}}), []graph.Page{0})
	if tree.Grow(1) || !tree.Grow(3) {
		t.Error("page 1 is new, or page 3 is not")
	}
	if want := []graph.Page{0, 1, 3, 2}; !slices.Equal(tree.Order, want) {
		t.Errorf("order %v, want %v", tree.Order, want)
	}
}
