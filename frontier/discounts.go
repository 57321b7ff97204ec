package frontier

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/queue"
)

// discounts are the pages that go later than their values say: those that only near
// duplicates link to (W20), and all pages of sites that mirror others (W21). While such
// a page waits, its value in the queues is that of policy.Lower; elsewhere it is the
// value that the policies gave it, and they never see another.
//
//	in a queue:  value = Lower(v) if it is discounted, v otherwise
//	else:        value = v
//
// Both are sets of bits that take no memory before the first of them, and until then
// nothing is done for a link.
type discounts struct {
	nears   *graph.Column[uint64] // bit by page
	mirrors *graph.Column[uint64] // bit by site
	near    int                   // bits in nears
	any     bool                  // there was one, of either
}

func newDiscounts(set *graph.Set, o *Options) discounts {
	return discounts{
		nears:   graph.NewColumnIn[uint64](set, "page discounts", (o.MaxPages+63)/64),
		mirrors: graph.NewColumnIn[uint64](set, "site discounts", (o.MaxSites+63)/64),
	}
}

// bit reports whether i is in a set, setBit puts it there.
func bit(set *graph.Column[uint64], i uint32) bool {
	return int(i/64) < set.Len() && set.At(int(i/64))>>(i%64)&1 != 0
}

func setBit(set *graph.Column[uint64], i uint32) {
	set.Grow(int(i/64) + 1)
	set.Slice()[i/64] |= 1 << (i % 64)
}

// Discounted reports whether p goes later than its value says.
func (f *Frontier) Discounted(p graph.Page) bool {
	return f.discounts.any && (bit(f.nears, uint32(p)) || bit(f.mirrors, uint32(f.Site(p))))
}

// discounting lets the boards ask which pages are discounted, from the first one on.
func (f *Frontier) discounting() {
	if f.discounts.any {
		return
	}
	f.discounts.any = true
	for _, b := range f.boards {
		b.face.Discount(f.Discounted)
	}
}

// reviseDiscounts makes what depends on the columns after they were loaded.
func (f *Frontier) reviseDiscounts() {
	f.near = 0
	for _, w := range f.nears.Slice() {
		f.near += bits.OnesCount64(w)
	}
	f.discounts.any = false
	for _, b := range f.boards {
		b.face.Discount(nil)
	}
	if f.nears.Len() > 0 || f.mirrors.Len() > 0 {
		f.discounting()
	}
}

// discountNew discounts the next n pages, before they become known.
func (f *Frontier) discountNew(n int) {
	if n == 0 {
		return
	}
	f.discounting()
	f.near += n
	for i := range n {
		setBit(f.nears, uint32(f.Pages()+i))
	}
}

// liftNear ends the discount of pages to which one links that is no near duplicate. The
// pages of a mirror stay discounted.
func (f *Frontier) liftNear(links []graph.Page) {
	for _, p := range links {
		if !bit(f.nears, uint32(p)) {
			continue
		}
		f.nears.Slice()[p/64] &^= 1 << (p % 64)
		f.near--
		if !f.Discounted(p) {
			f.revalue(p, policy.Raise)
		}
	}
}

// DiscountSite discounts all pages of s from now on, for ever, and those that become
// known later: the site mirrors another (W21). It costs as much as pages of s wait. As
// the driver decides it, it has to do so again on replay, after the same event.
func (f *Frontier) DiscountSite(s graph.Site) {
	if bit(f.mirrors, uint32(s)) {
		return
	}
	f.discounting()
	if int(s) < f.Sites() {
		for _, p := range f.waitingPages(s) {
			if !f.Discounted(p) {
				f.revalue(p, policy.Lower)
			}
		}
	}
	setBit(f.mirrors, uint32(s))
}

// SiteDiscounted reports whether DiscountSite was called for s.
func (f *Frontier) SiteDiscounted(s graph.Site) bool { return bit(f.mirrors, uint32(s)) }

// waitingPages are the pages of s that wait, of the batch or not: they are taken out of
// the first board and put back, which changes no order.
func (f *Frontier) waitingPages(s graph.Site) (list []graph.Page) {
	b := f.boards[0]
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
func (f *Frontier) revalue(p graph.Page, to func(float64) float64) {
	for _, b := range f.boards {
		for _, q := range []*queue.Queue{b.active, b.pool} {
			if q != nil && q.Waits(p) {
				q.Set(p, to(q.Value(p)))
			}
		}
	}
}

// lower is called before a page waits in q, raise when it does no longer.
func (f *Frontier) lower(q *queue.Queue, p graph.Page) {
	if f.discounts.any && f.Discounted(p) {
		q.Set(p, policy.Lower(q.Value(p)))
	}
}

func (f *Frontier) raise(q *queue.Queue, p graph.Page) {
	if f.discounts.any && f.Discounted(p) {
		q.Set(p, policy.Raise(q.Value(p)))
	}
}
