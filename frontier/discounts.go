package frontier

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// discounts holds the pages that are handed out later than their values say: those that
// only near duplicates link to, or pages that seem to be in a trap, and all pages of sites
// that mirror others. While such a page waits, its value in the queues is that of
// queue.Lower. The policies see only the values that they set.
//
//	in a queue:  value = Lower(v) if it is discounted, v otherwise
//	else:        value = v
//
// Both sets take no memory and no time before the first discount.
type discounts struct {
	nears   *graph.Column[uint64] // bit by page
	mirrors *graph.Column[uint64] // bit by site
	near    int                   // bits in nears
	used    bool                  // there was a discount of either kind
}

func newDiscounts(set *graph.Set, o *Options) discounts {
	return discounts{
		nears:   graph.NewColumnIn[uint64](set, "page discounts", (o.MaxPages+63)/64),
		mirrors: graph.NewColumnIn[uint64](set, "site discounts", (o.MaxSites+63)/64),
	}
}

// bit reports whether i is in a set.
func bit(set *graph.Column[uint64], i uint32) bool {
	return int(i/64) < set.Len() && set.At(int(i/64))>>(i%64)&1 != 0
}

// setBit puts i into a set.
func setBit(set *graph.Column[uint64], i uint32) {
	set.Grow(int(i/64) + 1)
	set.Slice()[i/64] |= 1 << (i % 64)
}

// discounted reports whether p is handed out later than its value says.
func (x *orders) discounted(p graph.Page) bool {
	return x.used && (bit(x.nears, uint32(p)) || bit(x.mirrors, uint32(x.site(p))))
}

// useDiscounts makes the boards take discounts into account from now on.
func (x *orders) useDiscounts() {
	if x.used {
		return
	}
	x.used = true
	for _, b := range x.boards {
		b.face.Discount(x.discounted)
	}
}

// rebuildDiscounts makes what depends on the columns after they were loaded.
func (x *orders) rebuildDiscounts() {
	x.near = 0
	for _, w := range x.nears.Slice() {
		x.near += bits.OnesCount64(w)
	}
	x.used = false
	for _, b := range x.boards {
		b.face.Discount(nil)
	}
	if x.nears.Len() > 0 || x.mirrors.Len() > 0 {
		x.useDiscounts()
	}
}

// discountNew discounts n pages from first on, before they become known.
func (x *orders) discountNew(first, n int) {
	if n == 0 {
		return
	}
	x.useDiscounts()
	x.near += n
	for i := range n {
		setBit(x.nears, uint32(first+i))
	}
}

// liftNear ends the discount of pages that are linked from a page that is no near duplicate
// and in no trap. The pages of a mirror stay discounted.
func (x *orders) liftNear(links []graph.Page) {
	if x.near == 0 {
		return
	}
	for _, p := range links {
		if !bit(x.nears, uint32(p)) {
			continue
		}
		x.nears.Slice()[p/64] &^= 1 << (p % 64)
		x.near--
		if !x.discounted(p) {
			x.revalue(p, queue.Raise)
		}
	}
}

// discountSite discounts all pages of s for ever, also those that become known later.
// known is the number of known sites.
func (x *orders) discountSite(s graph.Site, known int) {
	if bit(x.mirrors, uint32(s)) {
		return
	}
	x.useDiscounts()
	if int(s) < known {
		for _, p := range x.waiting(s) {
			if !x.discounted(p) {
				x.revalue(p, queue.Lower)
			}
		}
	}
	setBit(x.mirrors, uint32(s))
}

// waiting returns the pages of s that wait, of the batch or not. It takes them out of the
// first board and puts them back, which changes no order.
func (x *orders) waiting(s graph.Site) (list []graph.Page) {
	b := x.boards[0]
	for _, q := range []*queue.Queue{b.active, b.pool} {
		if q == nil {
			continue
		}
		first := len(list)
		for p, ok := q.First(s); ok; p, ok = q.First(s) {
			q.Remove(p)
			list = append(list, p)
		}
		for _, p := range list[first:] {
			q.Push(p)
		}
	}
	return list
}

// revalue changes the value of p where it waits.
func (x *orders) revalue(p graph.Page, to func(float64) float64) {
	for _, q := range x.queues {
		if q.Waits(p) {
			q.Set(p, to(q.Value(p)))
		}
	}
}

// lower applies the discount of a page before it waits in q.
func (x *orders) lower(q *queue.Queue, p graph.Page) {
	if x.discounted(p) {
		q.Set(p, queue.Lower(q.Value(p)))
	}
}

// raise removes the discount of a page that no longer waits in q.
func (x *orders) raise(q *queue.Queue, p graph.Page) {
	if x.discounted(p) {
		q.Set(p, queue.Raise(q.Value(p)))
	}
}
