package lab

import (
	"fmt"
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

// Reach is the breadth-first tree: the seeds in the order given, then page after
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

// OrderTree is the tree of a crawl: Order is the order of the fetches, and the
// parent of a page the first fetched page that links to it. It is an error if a page
// is fetched twice or before anything fetched links to it, so it also checks that an
// order is a possible crawl (L7).
func OrderTree(out *graph.Lists, seeds, order []graph.Page) (*Tree, error) {
	const unknown = NoParent - 1
	parent := make([]uint32, out.Pages()) // by page
	for p := range parent {
		parent[p] = unknown
	}
	for _, p := range seeds {
		parent[p] = NoParent
	}
	t := &Tree{Order: order, Parent: make([]uint32, len(order))}
	fetched := make([]bool, out.Pages())
	for i, p := range order {
		switch {
		case int(p) >= len(parent) || parent[p] == unknown:
			return nil, fmt.Errorf("fetch %d: page %d is not known yet", i+1, p)
		case fetched[p]:
			return nil, fmt.Errorf("fetch %d: page %d was fetched before", i+1, p)
		}
		fetched[p], t.Parent[i] = true, parent[p]
		for _, q := range out.List(p) {
			if parent[q] == unknown {
				parent[q] = uint32(i)
			}
		}
	}
	return t, nil
}

// Depths is the number of links from a seed to each page along the tree, by place in
// Order (X33): in a breadth-first tree, its distance from the seeds.
func (t *Tree) Depths() []uint32 {
	d := make([]uint32, len(t.Order))
	for i, p := range t.Parent {
		if p != NoParent {
			d[i] = d[p] + 1
		}
	}
	return d
}
