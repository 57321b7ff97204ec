package frontier

import (
	"math"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// MaxDepth is the largest depth that is told from others.
const MaxDepth = math.MaxUint16

// An order that takes important pages first finds many pages by a long way before it
// finds them by a short one. With Options.Depths the depth of a page is that of the
// shortest way over the pages that came: a page that turns out to be nearer brings those
// behind it nearer, over the links that are kept. The result does not depend on the order
// in which they are looked at. Of a page that comes again the links of its first visit
// are kept; those of later ones count at the moment when they come.

// below is the depth of a page that p links to.
func (f *Frontier) below(p graph.Page) uint16 {
	if d := f.depth.At(int(p)); d < MaxDepth {
		return d + 1
	}
	return MaxDepth
}

// reach is told the links of a page that came.
func (f *Frontier) reach(p graph.Page, links []graph.Page) {
	if !f.o.Depths {
		return
	}
	depth := f.below(p)
	for _, q := range links {
		f.bringNearer(q, depth)
	}
}

// bringNearer says that p is at most so many links away from a seed.
func (f *Frontier) bringNearer(p graph.Page, depth uint16) {
	if !f.lowerDepth(p, depth) || !f.o.Depths {
		return
	}
	f.relax = append(f.relax[:0], p)
	for i := 0; i < len(f.relax); i++ { // first come first served: few are looked at twice
		from := f.relax[i]
		depth := f.below(from)
		for _, q := range f.links.of(from) {
			if f.lowerDepth(q, depth) {
				f.relax = append(f.relax, q)
			}
		}
	}
}

// lowerDepth gives a page a smaller depth, and reports whether it is one.
func (f *Frontier) lowerDepth(p graph.Page, depth uint16) bool {
	if f.depth.At(int(p)) <= depth {
		return false
	}
	f.depth.Set(int(p), depth)
	if f.o.Depths && f.Bar(p) == event.BarDepth {
		f.nearer = append(f.nearer, p)
	}
	return true
}

// Nearer hands over the pages that were refused for their depth and whose depth has
// fallen since it was last called: the driver may admit them. A page may be there more
// than once. The slice is used again.
func (f *Frontier) Nearer() []graph.Page {
	list := f.nearer
	f.nearer = f.nearer[:0]
	return list
}
