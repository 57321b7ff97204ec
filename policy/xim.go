package policy

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/queue"
)

// XIM, "explore by in-mass", is winnow's own: little-tried directories first, and in each the
// page that fetched pages give most to.
//
//	value(p) = (c(p) + 0.1) sqrt(S + 1)/(K + 1)
//	c(p) = sum over links q -> p of (0.15 + 0.85 c(q))/out(q), c(q) when q was fetched
//
// S is the number of known pages of the directory of p, and K the number of those that were
// handed out. A directory is the site and the first three segments of the path; without URLs
// it is the pages that were found on the same page. Pages that may not be fetched do not
// count. A second visit counts neither in c nor in K.
//
// S and K change the values of a whole directory at once. So the policy keeps the pages of
// each directory in order of c, and only the first one has its value on the board. The
// others have 0, which is less than any value. They go only if the first one may not go, as
// in a batch, or if another policy chooses the site. A page that is tried again later has its
// value of then, beside the first of its directory.
//
// It knows the links of fetched pages, and URLs if there are any. Cost per link: one addition
// and one move up in the heap of a directory, and one on the board if the page is the first
// of it; per page: one scan of its URL.
//
// Where it fails: in sites whose directories mean nothing, and where there are no URLs.

func ximSpec() *Spec {
	return &Spec{
		Name: "xim",
		What: "little-tried directories first, by the links of fetched pages",
		New:  newXim,
	}
}

type xim struct {
	graph.Set
	board *Board
	dirs  *group.Directories // nil if another policy numbers them
	pages *queue.Queue       // those that wait, by directory, in order of c, which is their value
	// skips, if not nil, reports whether a page is not worth exploring. When such a page would
	// be shown as the first of its directory, it leaves the directory and has 0 on the board.
	skips func(graph.Page) bool

	known  *graph.Column[uint32] // by directory: S
	handed *graph.Column[uint32] // by directory: K
	state  *graph.Column[uint8]  // by page: see counted
}

// Bits of xim.state.
const (
	counted = 1 << iota // in K
	barred              // not in S, because it was dropped
	beside              // to be tried again later: not in the heap of its directory
)

func newXim(e *Env, _ Params) (Policy, error) {
	x := ximWithout(e)
	x.dirs = group.NewDirectories(e, "xim")
	graph.AddTo(&x.Set, x.dirs)
	return x, nil
}

// ximWithout returns XIM without a table of directories.
func ximWithout(e *Env) *xim {
	x := &xim{board: e.Boards[0]}
	x.pages = queue.New("xim", e.MaxPages, e.MaxPages)
	graph.AddTo(&x.Set, x.pages)
	x.known = graph.NewColumnIn[uint32](&x.Set, "xim known", e.MaxPages)
	x.handed = graph.NewColumnIn[uint32](&x.Set, "xim handed out", e.MaxPages)
	x.state = graph.NewColumnIn[uint8](&x.Set, "xim state", e.MaxPages)
	return x
}

// Loaded makes the heaps of the directories.
func (x *xim) Loaded() { x.pages.Rebuild(x.known.Len()) }

func (x *xim) Known(p, from graph.Page) { x.knownIn(p, x.dirs.Of(p, from)) }

// knownIn lets p, the next page, be known as one of directory d, which may be the next one.
func (x *xim) knownIn(p graph.Page, d int) {
	if d == x.known.Len() {
		x.known.Append(0)
		x.handed.Append(0)
		x.pages.Site(graph.Site(d))
	}
	x.pages.Page(p, graph.Site(d))
	x.state.Append(0)
	x.known.Slice()[d]++
	x.enter(p)
}

// value returns the value of p.
func (x *xim) value(p graph.Page) float64 {
	d := int(x.pages.SiteOf(p))
	return (x.pages.Value(p) + 0.1) * math.Sqrt(float64(x.known.At(d))+1) / (float64(x.handed.At(d)) + 1)
}

// enter lets p wait in its directory.
func (x *xim) enter(p graph.Page) {
	if x.pages.Waits(p) {
		return
	}
	d := x.pages.SiteOf(p)
	before, some := x.pages.First(d)
	x.pages.Push(p)
	first, _ := x.pages.First(d)
	if some && first != before {
		x.board.Set(before, 0)
	}
	if first != p && x.board.Value(p) != 0 {
		x.board.Set(p, 0)
	}
	x.show(d)
}

// leave takes p from its directory, unless it is beside it.
func (x *xim) leave(p graph.Page) {
	x.state.Slice()[p] &^= beside
	if x.pages.Waits(p) {
		x.pages.Remove(p)
	}
	x.show(x.pages.SiteOf(p))
}

// show sets the value of the first page of a directory that is worth exploring.
func (x *xim) show(d graph.Site) {
	first, ok := x.pages.First(d)
	for ; ok && x.skips != nil && x.skips(first); first, ok = x.pages.First(d) {
		x.pages.Remove(first)
		x.board.Set(first, 0)
	}
	if ok {
		x.board.Set(first, x.value(first))
	}
}

func (x *xim) Taken(_ time.Duration, p graph.Page, _ int) {
	if at := &x.state.Slice()[p]; *at&counted == 0 {
		*at |= counted
		x.handed.Slice()[x.pages.SiteOf(p)]++
	}
	x.leave(p)
}

// Dropped takes p out of S, unless it was handed out before.
func (x *xim) Dropped(p graph.Page) {
	if at := &x.state.Slice()[p]; *at == 0 {
		*at |= barred
		x.known.Slice()[x.pages.SiteOf(p)]--
	}
	x.leave(p)
}

// Admitted counts p in S again if it was dropped.
func (x *xim) Admitted(p graph.Page) {
	at := &x.state.Slice()[p]
	if *at&barred != 0 {
		x.known.Slice()[x.pages.SiteOf(p)]++
	}
	*at &^= barred | beside
	x.enter(p)
}

func (x *xim) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	switch {
	case o.Again:
		if at := &x.state.Slice()[p]; order.Void(o) && *at&counted != 0 {
			*at &^= counted
			x.handed.Slice()[x.pages.SiteOf(p)]--
		}
		x.again(p)
	case order.Brought(o) && len(links) > 0:
		x.hand((0.15+float64(0.85*x.pages.Value(p)))/float64(len(links)), links)
	}
}

// again lets p wait in its directory if it waits already, and beside it if it will later. A
// first page that does not wait would hide the others.
func (x *xim) again(p graph.Page) {
	if x.board.Waits(p) {
		x.enter(p)
		return
	}
	x.state.Slice()[p] |= beside
	x.board.Set(p, x.value(p))
}

// hand adds a part to c of each link.
func (x *xim) hand(part float64, links []graph.Page) {
	for _, q := range links {
		if !x.pages.Waits(q) {
			x.pages.Add(q, part)
			if x.state.At(int(q))&beside != 0 {
				x.board.Set(q, x.value(q))
			}
			continue
		}
		d := x.pages.SiteOf(q)
		before, _ := x.pages.First(d)
		x.pages.Add(q, part)
		first, _ := x.pages.First(d)
		if first != q {
			continue
		}
		if before != q {
			x.board.Set(before, 0)
		}
		x.board.Set(q, x.value(q))
	}
}

// Score returns the value of p, also if it is not the first of its directory.
func (x *xim) Score(p graph.Page, _ int) float64 { return x.value(p) }

// Explain returns c, S and K.
func (x *xim) Explain(p graph.Page) []Factor {
	d := int(x.pages.SiteOf(p))
	return []Factor{
		{Name: "received by links", Value: x.pages.Value(p)},
		{Name: "known pages of its directory", Value: float64(x.known.At(d))},
		{Name: "pages of its directory that were handed out", Value: float64(x.handed.At(d))},
	}
}
