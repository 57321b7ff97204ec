package focused

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Distances knows how many links known pages are away from the nearest hot page, along links of
// fetched pages: 0 for a hot page itself. It is exact up to a limit, also if a page turns out to
// be hot after the pages behind it became known. In all, each link is followed as often as the
// limit at most; one page more is followed only as far as distances become less.
//
// It takes a byte for each known page, and needs the links of fetched pages.
type Distances struct {
	graph.Set
	out   func(graph.Page) []graph.Page
	Far   uint8                // so far, or further, or nobody knows
	of    *graph.Column[uint8] // by page
	moved func(graph.Page)     // called when a page is nearer than it was
	line  []graph.Page         // scratch: pages whose links are to be followed
}

// NewDistances returns distances in a column of that name, exact below far. moved is called when a
// page is nearer than it was.
func NewDistances(e *order.Env, name string, far int, moved func(graph.Page)) *Distances {
	d := &Distances{out: e.Out, Far: uint8(far), moved: moved}
	d.of = graph.NewColumnIn[uint8](&d.Set, name, e.MaxPages)
	return d
}

// Of returns the distance of p, Far if it is at least that.
func (d *Distances) Of(p graph.Page) uint8 { return d.of.At(int(p)) }

// Known makes room for the next page.
func (d *Distances) Known() { d.of.Append(d.Far) }

// Fetched takes in the links of a page.
func (d *Distances) Fetched(p graph.Page, hot bool, links []graph.Page) {
	if hot {
		d.of.Set(int(p), 0)
	}
	d.line = d.line[:0]
	d.follow(p, links)
	for i := 0; i < len(d.line); i++ {
		d.follow(d.line[i], nil)
	}
}

// follow lowers the distances of the pages that p links to, and lets those wait in line whose
// links are to be followed. Links of nil are those that are kept.
func (d *Distances) follow(p graph.Page, links []graph.Page) {
	of := d.of.Slice()
	to := of[p] + 1
	if to >= d.Far {
		return
	}
	if links == nil {
		links = d.out(p)
	}
	for _, q := range links {
		if of[q] > to {
			of[q] = to
			d.line = append(d.line, q)
			d.moved(q)
		}
	}
}
