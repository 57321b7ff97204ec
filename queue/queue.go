// Package queue implements the two-level queue of the thesis (figure 4.1): a heap of
// sites, and in each site a heap of its pages.
//
//	offers:  [ site 7 | site 2 | site 9 ...        ]   sites that may be requested now
//	             |        |        |
//	pages:   [ 31 12 ] [ 5 ]   [ 8 44 9 60 ... ]       known pages of each site
//
// Pages are in descending order of their values. Pages of equal value are in the order of
// their ids, which is the order of discovery. The value of a site is that of its best
// page, or one of its own. The order is total, so it does not depend on the history of the
// heaps: a queue that was saved and rebuilt hands out the same pages.
//
// The heaps are four-ary. Those of pages hold only ids and look values up, because there
// are many pages and most wait for a long time. The heap of offers holds its keys, because
// every hand-out walks through it.
//
// All data is in flat columns: 16 bytes for each known page, and 4 to 8 more for each page
// that waits, in an arena of blocks whose sizes are powers of two.
package queue

import (
	"fmt"
	"io"
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// A Queue is one order of the waiting pages. It has one owner and no lock.
type Queue struct {
	name     string
	maxSites int                    // for which there is room
	values   *graph.Column[float64] // by page
	// wheres holds by page its site (upper half) and its place in the heap of the site,
	// counted from 1 (lower half). The place is 0 if the page does not wait.
	wheres *graph.Column[uint64]
	pages  arena

	// The slices of the columns, to save one load in the innermost loop.
	value []float64
	where []uint64

	own    bool                   // sites have values of their own
	owns   *graph.Column[float64] // by site, if own
	places *graph.Column[uint32]  // by site: withdrawn, idle, or its place among the offers, counted from 1
	offers []offer                // of sites, or of groups if there are any

	groups *groups // nil if sites are not in groups

	saved   graph.Set // the columns that decide the order
	derived graph.Set // the columns that Rebuild makes from them
}

// Values of places that are not a place.
const (
	withdrawn = 0              // the site does not take part
	idle      = math.MaxUint32 // it takes part, but has no pages
)

// New returns an empty queue with room for the given numbers of pages and sites. The names
// of its columns begin with name.
func New(name string, pages, sites int) *Queue {
	q := &Queue{name: name, maxSites: sites, wheres: graph.NewColumn[uint64](name+" places", pages)}
	q.values = graph.NewColumnIn[float64](&q.saved, name+" values", pages)
	graph.AddTo(&q.saved, placeColumn{q.wheres})
	q.owns = graph.NewColumnIn[float64](&q.saved, name+" site values", sites)
	q.pages = newArena(&q.derived, name, pages, sites)
	q.places = graph.NewColumnIn[uint32](&q.derived, name+" site places", sites)
	return q
}

// Page makes p, the next page, known as one of site s. It does not wait yet.
func (q *Queue) Page(p graph.Page, s graph.Site) {
	if int(p) != len(q.value) {
		panic(fmt.Sprintf("queue: page %d becomes known as number %d", p, len(q.value)))
	}
	q.values.Append(0)
	q.wheres.Append(uint64(s) << 32)
	q.value, q.where = q.values.Slice(), q.wheres.Slice()
}

// Site makes s, the next site, known. It is withdrawn, and its own value is -Inf.
func (q *Queue) Site(s graph.Site) {
	if int(s) != q.places.Len() {
		panic(fmt.Sprintf("queue: site %d becomes known as number %d", s, q.places.Len()))
	}
	q.addSite()
	if q.own {
		q.owns.Append(math.Inf(-1))
	}
}

func (q *Queue) addSite() {
	q.pages.addSite()
	q.places.Append(withdrawn)
}

// SitesOwn makes the queue keep values of sites, set by SetSite. It must be called before
// any site is known.
func (q *Queue) SitesOwn() { q.own = true }

// Value returns the value of page p, waiting or not.
func (q *Queue) Value(p graph.Page) float64 { return q.value[p] }

// SiteOf returns the site of page p.
func (q *Queue) SiteOf(p graph.Page) graph.Site { return graph.Site(q.where[p] >> 32) }

// Waits reports whether p waits in the queue.
func (q *Queue) Waits(p graph.Page) bool { return uint32(q.where[p]) != 0 }

// Len returns the number of pages of site s that wait.
func (q *Queue) Len(s graph.Site) int { return q.pages.len(s) }

// Add adds d, which must not be negative, to the value of p. It is a faster Set for the
// innermost loops of policies.
func (q *Queue) Add(p graph.Page, d float64) {
	v := q.value[p] + d
	q.value[p] = v
	if w := q.where[p]; uint32(w) != 0 {
		q.rise(p, v, w)
	}
}

// Set sets the value of p.
func (q *Queue) Set(p graph.Page, v float64) {
	if v != v {
		panic(fmt.Sprintf("queue: the value of page %d is not a number", p))
	}
	old := q.value[p]
	q.value[p] = v
	if w := q.where[p]; uint32(w) != 0 && v != old {
		if v > old {
			q.rise(p, v, w)
		} else {
			q.fall(p, v, w)
		}
	}
}

// rise moves p up after its value grew to v.
func (q *Queue) rise(p graph.Page, v float64, w uint64) {
	s := graph.Site(w >> 32)
	i := int(uint32(w)) - 1
	if i > 0 {
		if i = q.pageUp(q.pages.of(s), i, p, v); i > 0 {
			return
		}
	}
	at := q.places.Slice()[s]
	switch {
	case at == withdrawn || q.own:
	case q.groups == nil:
		up(q.offers, q.places.Slice(), int(at)-1, offer{v, uint32(p), s})
	default:
		q.propose(at, offer{v, uint32(p), s})
	}
}

// fall moves p down after its value shrank to v.
func (q *Queue) fall(p graph.Page, v float64, w uint64) {
	s := graph.Site(w >> 32)
	i := int(uint32(w)) - 1
	q.pageDown(q.pages.of(s), i, p, v)
	if i == 0 {
		q.renew(s)
	}
}

// Push puts p into the queue.
func (q *Queue) Push(p graph.Page) {
	w := q.where[p]
	if uint32(w) != 0 {
		panic(fmt.Sprintf("queue: page %d waits already", p))
	}
	s := graph.Site(w >> 32)
	heap := q.pages.extend(s)
	if i := q.pageUp(heap, len(heap)-1, p, q.value[p]); i == 0 {
		q.renew(s)
	}
}

// Remove takes p out of the queue.
func (q *Queue) Remove(p graph.Page) {
	w := q.where[p]
	if uint32(w) == 0 {
		panic(fmt.Sprintf("queue: page %d does not wait", p))
	}
	s := graph.Site(w >> 32)
	i := int(uint32(w)) - 1
	q.where[p] = w &^ math.MaxUint32
	heap := q.pages.of(s)
	n := len(heap) - 1
	if last := heap[n]; i < n {
		v := q.value[last]
		if q.pageUp(heap[:n], i, last, v) == i {
			q.pageDown(heap[:n], i, last, v)
		}
	}
	q.pages.shorten(s)
	if i == 0 {
		q.renew(s)
	}
}

// First returns the best page of site s.
func (q *Queue) First(s graph.Site) (p graph.Page, ok bool) {
	if q.pages.len(s) == 0 {
		return 0, false
	}
	return q.pages.of(s)[0], true
}

// Top appends the best n pages of site s, in their order. It looks at four pages for each of them.
func (q *Queue) Top(to []graph.Page, s graph.Site, n int) []graph.Page {
	heap := q.pages.of(s)
	open := append(make([]int, 0, 32), 0) // places in the heap whose parents are among the best
	for k := 0; k < min(n, len(heap)); k++ {
		best := 0
		for i, at := range open {
			p, o := heap[at], heap[open[best]]
			if v, ov := q.value[p], q.value[o]; v > ov || v == ov && p < o {
				best = i
			}
		}
		at := open[best]
		to = append(to, heap[at])
		open[best] = open[len(open)-1]
		open = open[:len(open)-1]
		for j := 4*at + 1; j < min(4*at+5, len(heap)); j++ {
			open = append(open, j)
		}
	}
	return to
}

// Of returns the pages of site s that wait. They are valid until the queue changes.
func (q *Queue) Of(s graph.Site) []graph.Page { return q.pages.of(s) }

// pageUp moves p with value v from place i of a heap towards its top, and returns its
// new place.
func (q *Queue) pageUp(heap []graph.Page, i int, p graph.Page, v float64) int {
	for i > 0 {
		j := (i - 1) / 4
		o := heap[j]
		if ov := q.value[o]; ov > v || ov == v && o < p {
			break
		}
		heap[i] = o
		q.place(o, i)
		i = j
	}
	heap[i] = p
	q.place(p, i)
	return i
}

// pageDown moves p with value v from place i of a heap towards its end.
func (q *Queue) pageDown(heap []graph.Page, i int, p graph.Page, v float64) {
	for {
		first := 4*i + 1
		if first >= len(heap) {
			break
		}
		at, best := first, heap[first]
		bestValue := q.value[best]
		for j := first + 1; j < min(first+4, len(heap)); j++ {
			o := heap[j]
			if ov := q.value[o]; ov > bestValue || ov == bestValue && o < best {
				at, best, bestValue = j, o, ov
			}
		}
		if v > bestValue || v == bestValue && p < best {
			break
		}
		heap[i] = best
		q.place(best, i)
		i = at
	}
	heap[i] = p
	q.place(p, i)
}

func (q *Queue) place(p graph.Page, i int) {
	q.where[p] = q.where[p]&^math.MaxUint32 | uint64(i+1)
}

// Rescore sets the value of every waiting page to what f returns for it, and restores the
// order in one pass over the pages and one over the heaps.
func (q *Queue) Rescore(f func(graph.Page) float64) {
	for p, w := range q.where {
		if uint32(w) != 0 {
			v := f(graph.Page(p))
			if v != v {
				panic(fmt.Sprintf("queue: the value of page %d is not a number", p))
			}
			q.value[p] = v
		}
	}
	for s := range graph.Site(q.places.Len()) {
		q.order(q.pages.of(s))
	}
	if q.groups != nil {
		q.reorder()
	}
	for s := range graph.Site(q.places.Len()) {
		if q.pages.len(s) > 0 {
			q.renew(s)
		}
	}
}

// Columns calls each for the columns that decide the order. Rebuild makes everything else
// from them. Queues of the same pages and values are saved as the same bytes. The history
// of their heaps does not matter.
func (q *Queue) Columns(each func(graph.AnyColumn)) { q.saved.Columns(each) }

// Save writes the columns that decide the order.
func (q *Queue) Save(w io.Writer) error { return q.saved.Save(w) }

// Load reads what Save wrote. Rebuild must follow.
func (q *Queue) Load(r io.Reader) error { return q.saved.Load(r) }

// placeColumn saves only whether a page has a place: all places are saved as 1.
type placeColumn struct{ *graph.Column[uint64] }

// Columns calls each for c, and not for the column in it.
func (c placeColumn) Columns(each func(graph.AnyColumn)) { each(c) }

// Save writes 1 for every place.
func (c placeColumn) Save(w io.Writer) error {
	return c.SaveAs(w, func(where uint64) uint64 { return where&^math.MaxUint32 | uint64(min(1, uint32(where))) })
}

// Rebuild makes the heaps after the columns were loaded. All sites are withdrawn and all
// groups open; sites must be put into their groups again. sites is the number of sites,
// which must not be smaller than before.
func (q *Queue) Rebuild(sites int) {
	q.value, q.where = q.values.Slice(), q.wheres.Slice()
	q.offers = q.offers[:0]
	if q.groups != nil {
		q.groups.clear()
	}
	for s := q.places.Len(); s < sites; s++ {
		q.addSite()
	}
	for s := range sites {
		q.places.Set(s, withdrawn)
		q.pages.clear(graph.Site(s))
	}
	q.fill(sites)
}

// fill makes the heaps of pages, all of which are empty. Each gets a block with room for
// all its pages, and is ordered from the bottom up. The time is proportional to the pages.
func (q *Queue) fill(sites int) {
	n := make([]uint32, sites)
	for _, w := range q.where {
		n[w>>32] += min(1, uint32(w))
	}
	for s, k := range n {
		q.pages.room(graph.Site(s), int(k))
	}
	for p, w := range q.where {
		if uint32(w) != 0 {
			heap := q.pages.extend(graph.Site(w >> 32))
			heap[len(heap)-1] = graph.Page(p)
			q.place(graph.Page(p), len(heap)-1)
		}
	}
	for s := range n {
		q.order(q.pages.of(graph.Site(s)))
	}
}

// order makes a heap of the pages of a site, which are in any order.
func (q *Queue) order(heap []graph.Page) {
	for i := (len(heap)+2)/4 - 1; i >= 0; i-- {
		q.pageDown(heap, i, heap[i], q.value[heap[i]])
	}
}

// Memory calls each with the name and the size of every column, and of the heaps of
// sites.
func (q *Queue) Memory(each func(name string, bytes int64)) {
	q.saved.Memory(each)
	q.derived.Memory(each)
	each(q.name+" site heaps", q.HeapBytes())
}

// HeapBytes returns the part of the memory that is on the Go heap: the heaps of sites.
func (q *Queue) HeapBytes() int64 { return q.groups.bytes() + 16*int64(cap(q.offers)) }

// Bytes returns the memory in use.
func (q *Queue) Bytes() (n int64) {
	q.Memory(func(_ string, bytes int64) { n += bytes })
	return n
}

// Free releases the memory.
func (q *Queue) Free() {
	q.saved.Free()
	q.derived.Free()
}
