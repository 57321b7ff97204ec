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
type Board struct{ first, second *queue.Queue }

// NewBoard makes a board over a queue and, unless nil, a second one.
func NewBoard(first, second *queue.Queue) *Board { return &Board{first, second} }

// Set gives p a value. It may be any page that is known, also one that was fetched.
func (b *Board) Set(p graph.Page, v float64) {
	b.first.Set(p, v)
	if b.second != nil {
		b.second.Set(p, v)
	}
}

// Add adds d, which must not be negative, to the value of p.
func (b *Board) Add(p graph.Page, d float64) {
	b.first.Add(p, d)
	if b.second != nil {
		b.second.Add(p, d)
	}
}

// Value is the value of p. It is kept when the page has been handed out.
func (b *Board) Value(p graph.Page) float64 {
	if b.second != nil && b.second.Waits(p) {
		return b.second.Value(p) // Rescore changes the value where the page waits
	}
	return b.first.Value(p)
}

// Waits tells whether p waits to be handed out.
func (b *Board) Waits(p graph.Page) bool {
	return b.first.Waits(p) || b.second != nil && b.second.Waits(p)
}

// Rescore gives every waiting page a new value at once, which is cheaper than as many
// calls of Set.
func (b *Board) Rescore(f func(graph.Page) float64) {
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
