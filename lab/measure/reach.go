package measure

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// A Tree holds the pages that a crawl can reach, E, in the order of discovery, each with
// the page it was discovered on.
type Tree struct {
	Order []graph.Page // E; T = len(Order)
	// Parent is, for each place in Order, the place of the page on which it was seen
	// first, which is an earlier one; NoParent for seeds.
	Parent []uint32
	out    *graph.Lists
	seen   []bool // by page
}

// NoParent is the parent of a seed.
const NoParent = math.MaxUint32

// Reach returns the breadth-first tree: the seeds in the order given, then page after
// page in that order, the links of each ascending. Self-links add nothing, so it
// does not matter whether the lists have them. All seeds are pages; one named twice
// counts once.
func Reach(out *graph.Lists, seeds []graph.Page) *Tree {
	t := &Tree{out: out, seen: make([]bool, out.Pages())}
	t.Grow(seeds...)
	return t
}

// Grow adds further seeds and what they reach. It reports whether there was anything to
// add.
func (t *Tree) Grow(seeds ...graph.Page) bool {
	at := len(t.Order)
	for _, p := range seeds {
		t.add(p, NoParent)
	}
	grown := len(t.Order) > at
	for ; at < len(t.Order); at++ {
		for _, q := range t.out.List(t.Order[at]) {
			t.add(q, uint32(at))
		}
	}
	return grown
}

func (t *Tree) add(p graph.Page, parent uint32) {
	if !t.seen[p] {
		t.seen[p] = true
		t.Order, t.Parent = append(t.Order, p), append(t.Parent, parent)
	}
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
