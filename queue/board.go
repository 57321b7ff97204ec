package queue

import "github.com/winnow-crawler/winnow/graph"

// A Board is one order of the known pages. A policy sets the values, and the frontier reads
// the order. A page with a higher value goes first; pages of equal value go in the order of
// discovery. A new page has the value 0.
//
// A board writes to one queue, or to two if the frontier works in batches: pages of the
// batch wait in the first, all others in the second.
type Board struct {
	first, second *Queue
	low           func(graph.Page) bool // nil: no page is discounted
}

// NewBoard returns a board over a queue and, unless nil, a second one.
func NewBoard(first, second *Queue) *Board { return &Board{first: first, second: second} }

// Discount sets the function that reports whether a page is discounted; nil means that no
// page is. A discounted page waits in a queue with Lower of its value. A policy does not
// see that: the board returns the value. If the result of low changes for a waiting page,
// the caller must change its value in the queue.
func (b *Board) Discount(low func(graph.Page) bool) { b.low = low }

// Discounted reports whether p is discounted.
func (b *Board) Discounted(p graph.Page) bool { return b.low != nil && b.low(p) }

// Lower returns the value with which a discounted page waits: a quarter of its value, or
// four times a negative one, so that it is lower in both cases. It is exact, and Raise
// undoes it, unless the value is within a factor of 4 of the limits of float64.
func Lower(v float64) float64 {
	if v > 0 {
		return v / 4
	}
	return v * 4
}

// Raise undoes Lower.
func Raise(v float64) float64 {
	if v > 0 {
		return v * 4
	}
	return v / 4
}

// lowered reports whether p waits in q with a discounted value.
func (b *Board) lowered(q *Queue, p graph.Page) bool { return q.Waits(p) && b.low(p) }

// Set sets the value of p, which may be any known page, also one that was fetched.
func (b *Board) Set(p graph.Page, v float64) {
	if b.low != nil {
		b.change(p, func(float64) float64 { return v })
		return
	}
	b.first.Set(p, v)
	if b.second != nil {
		b.second.Set(p, v)
	}
}

// change does the work of Set and Add if pages are discounted.
func (b *Board) change(p graph.Page, to func(float64) float64) {
	for _, q := range []*Queue{b.first, b.second} {
		switch {
		case q == nil:
		case b.lowered(q, p):
			q.Set(p, Lower(to(Raise(q.Value(p)))))
		default:
			q.Set(p, to(q.Value(p)))
		}
	}
}

// Add adds d, which must not be negative, to the value of p.
func (b *Board) Add(p graph.Page, d float64) {
	if b.low != nil {
		b.change(p, func(v float64) float64 { return v + d })
		return
	}
	b.first.Add(p, d)
	if b.second != nil {
		b.second.Add(p, d)
	}
}

// Value returns the value of p, which is kept after the page was handed out.
func (b *Board) Value(p graph.Page) float64 {
	q := b.first
	if b.second != nil && b.second.Waits(p) {
		q = b.second // Rescore changes the value where the page waits
	}
	if b.low != nil && b.lowered(q, p) {
		return Raise(q.Value(p))
	}
	return q.Value(p)
}

// Waits reports whether p waits to be handed out.
func (b *Board) Waits(p graph.Page) bool {
	return b.first.Waits(p) || b.second != nil && b.second.Waits(p)
}

// waiting returns the value of p if it waits.
func (b *Board) waiting(p graph.Page) (v float64, ok bool) {
	if q := b.first; b.second == nil && b.low == nil {
		return q.value[p], uint32(q.where[p]) != 0
	}
	return b.Value(p), b.Waits(p)
}

// Top appends the best n of the waiting pages of a site. Where there are two queues it is those of
// the first that has some.
func (b *Board) Top(to []graph.Page, s graph.Site, n int) []graph.Page {
	q := b.first
	if q.Len(s) == 0 && b.second != nil {
		q = b.second
	}
	return q.Top(to, s, n)
}

// Rescore sets the values of all waiting pages at once, which is cheaper than many calls of
// Set.
func (b *Board) Rescore(f func(graph.Page) float64) {
	if value := f; b.low != nil {
		f = func(p graph.Page) float64 {
			if b.low(p) {
				return Lower(value(p))
			}
			return value(p)
		}
	}
	b.first.Rescore(f)
	if b.second != nil {
		b.second.Rescore(f)
	}
}

// SitesOwn makes the board keep values of sites, set by Site. Otherwise the value of a site
// is that of its best page. It must be called when the policy is made.
func (b *Board) SitesOwn() {
	b.first.SitesOwn()
	if b.second != nil {
		b.second.SitesOwn()
	}
}

// Site sets the value of a site. Sites of equal value go in the order in which they became
// known. A site with -Inf, the value of a new site, is never chosen.
func (b *Board) Site(s graph.Site, v float64) {
	b.first.SetSite(s, v)
	if b.second != nil {
		b.second.SetSite(s, v)
	}
}
