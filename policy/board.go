package policy

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// A Board is one order of the known pages, kept by a policy: it sets values, the
// frontier reads the order. A page with a higher value goes first, equal pages in the
// order of discovery. A new page has the value 0.
//
// A board writes to one queue, or to two when the frontier works in batches: pages of
// the batch wait in one, all others in the second.
type Board struct {
	first, second *queue.Queue
	low           func(graph.Page) bool // nil: no page is discounted
}

// NewBoard makes a board over a queue and, unless nil, a second one.
func NewBoard(first, second *queue.Queue) *Board { return &Board{first: first, second: second} }

// Discount says which pages are discounted from now on; nil: none. That is mechanism
// and nothing that a policy sees: a discounted page waits in a queue with Lower of its
// value, and the board tells the value. Who changes what low tells of a page that waits
// must change its value in the queue.
func (b *Board) Discount(low func(graph.Page) bool) { b.low = low }

// Lower is the value with which a discounted page waits: a quarter of its value, four
// times a negative one, so that it is worse in both cases. It is exact, and Raise gives
// the value back, unless the value is within a factor of 4 of the limits of float64.
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

// lowered reports whether p waits in q with a lower value than it has.
func (b *Board) lowered(q *queue.Queue, p graph.Page) bool { return q.Waits(p) && b.low(p) }

// Set gives p a value. It may be any page that is known, also one that was fetched.
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

// change is Set and Add where pages are discounted.
func (b *Board) change(p graph.Page, to func(float64) float64) {
	for _, q := range []*queue.Queue{b.first, b.second} {
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

// Value is the value of p. It is kept when the page has been handed out.
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

// Rescore gives every waiting page a new value at once, which is cheaper than as many
// calls of Set.
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

// SitesOwn says that sites have values of their own on this board. Otherwise a site
// counts as its best page. It must be called when the policy is made.
func (b *Board) SitesOwn() {
	b.first.SitesOwn()
	if b.second != nil {
		b.second.SitesOwn()
	}
}

// Site gives a site its own value; equal sites go in the order in which they became
// known. -Inf, which new sites have, withholds a site.
func (b *Board) Site(s graph.Site, v float64) {
	b.first.SetSite(s, v)
	if b.second != nil {
		b.second.SetSite(s, v)
	}
}
