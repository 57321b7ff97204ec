package frontier

import (
	"math"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// MaxDepth is the largest depth. Pages that are further away have it too.
const MaxDepth = math.MaxUint16

// depths holds how far pages are from the seeds, and the links to compute that.
//
// A policy that takes important pages first finds many pages by a long path before it
// finds a short one. With Options.Depths the depth of a page is that of the shortest path
// over fetched pages: a page that turns out to be nearer brings the pages behind it
// nearer. The result does not depend on the order in which they are visited. Of a page
// that is fetched again, the links of the first visit are kept; those of later visits
// count at the moment of the visit.
type depths struct {
	depth  *graph.Column[uint16]
	links  *links       // nil if neither a policy nor Options.Depths needs them
	nearer []graph.Page // see Nearer
	relax  []graph.Page // scratch: pages whose links are to be followed
}

// below returns the depth of a page that p links to.
func (x *pages) below(p graph.Page) uint16 {
	if d := x.depth.At(int(p)); d < MaxDepth {
		return d + 1
	}
	return MaxDepth
}

// reach lowers the depths of the pages that a fetched page links to.
func (x *pages) reach(p graph.Page, links []graph.Page) {
	if !x.o.Depths {
		return
	}
	depth := x.below(p)
	for _, q := range links {
		x.bringNearer(q, depth)
	}
}

// bringNearer notes that p is at most depth links away from a seed.
func (x *pages) bringNearer(p graph.Page, depth uint16) {
	if !x.lowerDepth(p, depth) || !x.o.Depths {
		return
	}
	x.relax = append(x.relax[:0], p)
	for i := 0; i < len(x.relax); i++ { // breadth first, so that few are visited twice
		from := x.relax[i]
		depth := x.below(from)
		for _, q := range x.links.of(from) {
			if x.lowerDepth(q, depth) {
				x.relax = append(x.relax, q)
			}
		}
	}
}

// lowerDepth sets the depth of a page if that makes it smaller, and reports whether it did.
func (x *pages) lowerDepth(p graph.Page, depth uint16) bool {
	if x.depth.At(int(p)) <= depth {
		return false
	}
	x.depth.Set(int(p), depth)
	if x.o.Depths && x.bar(p) == event.BarDepth {
		x.nearer = append(x.nearer, p)
	}
	if x.o.Depths {
		x.note(p, 0)
	}
	return true
}

// links holds the out-links of fetched pages. It takes 8 bytes for each known page and 4
// for each link.
type links struct {
	at *graph.Column[uint64]     // by page: where its list begins, plus 1; 0 if it has none
	to *graph.Column[graph.Page] // for each page the number of its links, then the links
}

// linksEach is the number of links a page for which address space is reserved if
// Options.MaxLinks is 0.
const linksEach = 256

func newLinks(set *graph.Set, o *Options) *links {
	most := o.MaxLinks
	if most == 0 {
		most = linksEach * o.MaxPages
	}
	return &links{
		at: graph.NewColumnIn[uint64](set, "link lists", o.MaxPages),
		to: graph.NewColumnIn[graph.Page](set, "links", o.MaxPages+most),
	}
}

// known makes room for the list of p. It is done before p is fetched, since the first list far
// behind the others would need much memory in one turn.
func (l *links) known(p graph.Page) {
	if l != nil {
		l.at.Prepare(int(p) + 1)
	}
}

// add keeps the links of p. A nil l keeps nothing.
func (l *links) add(p graph.Page, list []graph.Page) {
	if l == nil || len(list) == 0 {
		return
	}
	l.at.Grow(int(p) + 1)
	n := l.to.Len()
	l.at.Set(int(p), uint64(n)+1)
	l.to.Grow(n + 1 + len(list))
	l.to.Set(n, graph.Page(len(list)))
	copy(l.to.Slice()[n+1:], list)
}

// of returns the links of p, or nil if they are not kept.
func (l *links) of(p graph.Page) []graph.Page {
	if l == nil || int(p) >= l.at.Len() || l.at.At(int(p)) == 0 {
		return nil
	}
	n := l.at.At(int(p)) - 1
	to := l.to.Slice()
	return to[n+1 : n+1+uint64(to[n])]
}
