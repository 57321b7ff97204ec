package measure

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// A Tree is the pages that a crawl can reach, E, in some order of discovery, each
// with the page it was discovered on.
type Tree struct {
	Order []graph.Page // E; T = len(Order)
	// Parent is, for each place in Order, the place of the page on which it was seen
	// first, which is an earlier one; NoParent for seeds.
	Parent []uint32
}

// NoParent is the parent of a seed.
const NoParent = math.MaxUint32

// Reach returns the breadth-first tree: the seeds in the order given, then page after
// page in that order, the links of each ascending. Self-links add nothing, so it
// does not matter whether the lists have them. All seeds are pages; one named twice
// counts once.
func Reach(out *graph.Lists, seeds []graph.Page) *Tree {
	t := &Tree{}
	seen := make([]bool, out.Pages())
	add := func(p graph.Page, parent uint32) {
		if !seen[p] {
			seen[p] = true
			t.Order, t.Parent = append(t.Order, p), append(t.Parent, parent)
		}
	}
	for _, p := range seeds {
		add(p, NoParent)
	}
	for i := 0; i < len(t.Order); i++ {
		for _, q := range out.List(t.Order[i]) {
			add(q, uint32(i))
		}
	}
	return t
}

// Depths returns the number of links from a seed to each page along the tree, by place in
// Order: in a breadth-first tree, its distance from the seeds.
func (t *Tree) Depths() []uint32 {
	d := make([]uint32, len(t.Order))
	for i, p := range t.Parent {
		if p != NoParent {
			d[i] = d[p] + 1
		}
	}
	return d
}
