package rank

import (
	"fmt"
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank/kernel"
)

// A Web holds the data that ranks are computed from. It is not changed.
type Web struct {
	// In and Out are the in-lists and the out-lists. One of them is enough; where the
	// other is needed it is made, which takes as much memory again: PageRank needs
	// In, the reverse one Out, HITS and harmonic centrality both.
	In, Out *graph.Lists
	// Sites is the site of each page; nil when every page is its own.
	Sites []graph.Site
	// Fetched has a bit for each crawled page; nil means all were. Links of pages that were
	// not crawled do not count.
	Fetched func(graph.Page) bool
}

// Pages returns the number of pages.
func (w *Web) Pages() int {
	switch {
	case w.In != nil:
		return w.In.Pages()
	case w.Out != nil:
		return w.Out.Pages()
	}
	return 0
}

// check returns an error if the web is invalid: an id that is no page, for instance. Its
// result saves the solvers a second pass over all links.
func (w *Web) check() ([]gathered, error) {
	n := w.Pages()
	switch {
	case w.In == nil && w.Out == nil:
		return nil, fmt.Errorf("a web without in-lists and out-lists")
	case w.In != nil && w.Out != nil && (w.Out.Pages() != n || w.In.Links() != w.Out.Links()):
		return nil, fmt.Errorf("in-lists of %d pages and %d links, out-lists of %d and %d",
			n, w.In.Links(), w.Out.Pages(), w.Out.Links())
	case w.Sites != nil && len(w.Sites) != n:
		return nil, fmt.Errorf("sites of %d pages for a graph of %d", len(w.Sites), n)
	}
	var seen []gathered
	for _, l := range []*graph.Lists{w.In, w.Out} {
		if l == nil {
			continue
		}
		g, err := kernel.NewGather(l)
		if err != nil {
			return nil, err
		}
		if g.Span() > n {
			return nil, fmt.Errorf("lists of %d pages name page %d", n, g.Span()-1)
		}
		seen = append(seen, gathered{l, g})
	}
	return seen, nil
}

// gathered holds lists and the Gather over them.
type gathered struct {
	lists  *graph.Lists
	gather *kernel.Gather
}

// local reports whether p and q are on one site.
func (w *Web) local(p, q graph.Page) bool {
	if w.Sites == nil {
		return p == q
	}
	return w.Sites[p] == w.Sites[q]
}

// A world is a web as the options see it: pages that take part and links that
// count. Its lists may be those of the web itself, so self-links may still be in
// them.
type world struct {
	Web
	present bitset // pages that take part; nil when all do
	pages   int    // how many
	threads int
	made    []*graph.Lists // to be freed
	seen    []gathered     // lists of the web that were looked through
}

// view returns the world of w. Lists are copied only if they have links that do not count:
// those of pages that were not crawled, or to pages that are absent.
func (w *Web) view(o *Options) (*world, error) {
	seen, err := w.check()
	if err != nil {
		return nil, err
	}
	v := &world{Web: *w, pages: w.Pages(), threads: o.Threads, seen: seen}
	if w.Fetched == nil {
		return v, nil
	}
	fetched := newBitset(v.pages)
	for p := range v.pages {
		if w.Fetched(graph.Page(p)) {
			fetched.set(graph.Page(p))
		}
	}
	absent := o.Uncrawled == Absent
	if absent {
		v.present, v.pages = fetched, fetched.count()
	}
	v.keep(func(from, to graph.Page) bool { return fetched.has(from) && (!absent || fetched.has(to)) })
	return v, nil
}

// keep leaves only the links for which fn holds.
func (v *world) keep(fn func(from, to graph.Page) bool) {
	if v.In != nil {
		v.In = v.filtered(v.In, func(p, q graph.Page) bool { return fn(q, p) })
	}
	if v.Out != nil {
		v.Out = v.filtered(v.Out, fn)
	}
}

// filtered returns l with only those ids for which keep(page, id) holds: l itself if that
// is all of them.
func (v *world) filtered(l *graph.Lists, keep func(page, id graph.Page) bool) *graph.Lists {
	if f := Filter(l, v.threads, keep); f != nil {
		return v.own(f)
	}
	return l
}

// in returns the in-lists, made where there are none; out is the out-lists.
func (v *world) in() *graph.Lists {
	if v.In == nil {
		v.In = v.own(Transpose(v.Out))
	}
	return v.In
}

func (v *world) out() *graph.Lists {
	if v.Out == nil {
		v.Out = v.own(Transpose(v.In))
	}
	return v.Out
}

func (v *world) own(l *graph.Lists) *graph.Lists {
	v.made = append(v.made, l)
	return l
}

// gather returns the Gather over l: the one that check made, or a new one where l was
// copied since.
func (v *world) gather(l *graph.Lists) (*kernel.Gather, error) {
	for _, s := range v.seen {
		if s.lists == l {
			return s.gather, nil
		}
	}
	return kernel.NewGather(l)
}

// has reports whether page p takes part.
func (v *world) has(p graph.Page) bool { return v.present == nil || v.present.has(p) }

// withoutSelf drops self-links. Only the ranks that cannot leave them out in passing
// need it.
func (v *world) withoutSelf() {
	v.keep(func(from, to graph.Page) bool { return from != to })
}

func (v *world) free() {
	for _, l := range v.made {
		l.Free()
	}
}

// parts is the number of pieces into which concurrent work is divided. It must not depend
// on the number of threads, because sums are kept per part.
const parts = 64

// bounds divides the lists into parts of about equal work and returns where they
// begin and, last, where they end. A page counts as much as four links: its own
// part of a sweep.
func bounds(l *graph.Lists) []int {
	off := l.Off.Slice()
	n := len(off) - 1
	work := off[n] + 4*uint64(n)
	at := make([]int, 0, parts+1)
	for p := range n {
		for uint64(len(at))*work/parts <= off[p]+4*uint64(p) && len(at) < parts {
			at = append(at, p)
		}
	}
	for len(at) <= parts {
		at = append(at, n)
	}
	return at
}

// Filter copies the lists with only those ids for which keep(page, id) holds. It
// returns nil if that is all of them.
func Filter(l *graph.Lists, threads int, keep func(page, id graph.Page) bool) *graph.Lists {
	n := l.Pages()
	at := bounds(l)
	count := graph.NewColumn[uint64]("offsets", n+1)
	count.Grow(n + 1)
	off := count.Slice()
	graph.Parallel(threads, parts, func(part int) {
		for p := at[part]; p < at[part+1]; p++ {
			for _, q := range l.List(graph.Page(p)) {
				if keep(graph.Page(p), q) {
					off[p+1]++
				}
			}
		}
	})
	for p := range n {
		off[p+1] += off[p]
	}
	if off[n] == uint64(l.Links()) {
		count.Free()
		return nil
	}
	out := &graph.Lists{Off: count, To: graph.NewColumn[graph.Page]("links", int(off[n]))}
	out.To.Grow(int(off[n]))
	to := out.To.Slice()
	graph.Parallel(threads, parts, func(part int) {
		i := off[at[part]]
		for p := at[part]; p < at[part+1]; p++ {
			for _, q := range l.List(graph.Page(p)) {
				if keep(graph.Page(p), q) {
					to[i] = q
					i++
				}
			}
		}
	})
	return out
}

// Transpose turns out-lists into in-lists and the other way round. The lists it
// makes ascend, and belong to the caller.
func Transpose(l *graph.Lists) *graph.Lists {
	n := l.Pages()
	t := graph.NewLists(n, l.Links())
	off, to := t.Off.Slice(), t.To.Slice()
	for _, q := range l.To.Slice() {
		off[q+1]++
	}
	for q := range n {
		off[q+1] += off[q]
	}
	// off[q] is where list q begins; filling moves it to where the list ends, which is
	// where the next one begins.
	for p := range n {
		for _, q := range l.List(graph.Page(p)) {
			to[off[q]] = graph.Page(p)
			off[q]++
		}
	}
	copy(off[1:], off[:n])
	off[0] = 0
	return t
}

// A bitset has one bit for each page.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(p graph.Page) bool { return b[p/64]>>(p%64)&1 != 0 }
func (b bitset) set(p graph.Page)      { b[p/64] |= 1 << (p % 64) }

func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}
