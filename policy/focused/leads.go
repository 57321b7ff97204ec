package focused

import (
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Leads keeps what speaks for pages before they are fetched, in numbers from 0 to 1, by what was
// known of the terms when the link, or the page, became known:
//
//	URL     share of the topic in its URL
//	Anchor  the largest share in the text of a link to it
//	Around  the largest share in the words around a link to it
//	Parent  the largest similarity of a fetched page that links to it
//
// It takes 16 bytes for each known page.
type Leads struct {
	graph.Set
	env                         *order.Env
	URL, Anchor, Around, Parent *graph.Column[float32]
	text                        []byte // reused
}

// NewLeads returns leads for no page yet. The names of their columns begin with name.
func NewLeads(e *order.Env, name string) *Leads {
	l := &Leads{env: e}
	l.URL = graph.NewColumnIn[float32](&l.Set, name+" topic in URL", e.MaxPages)
	l.Anchor = graph.NewColumnIn[float32](&l.Set, name+" topic in anchors", e.MaxPages)
	l.Around = graph.NewColumnIn[float32](&l.Set, name+" topic around links", e.MaxPages)
	l.Parent = graph.NewColumnIn[float32](&l.Set, name+" topic in parents", e.MaxPages)
	return l
}

// Known makes room for p, the next page.
func (l *Leads) Known(p graph.Page) {
	mask := uint64(0)
	if l.env.URL != nil {
		l.text = l.env.URL(l.text[:0], p)
		mask = l.env.Topic.Topic().URL(l.text)
	}
	l.URL.Append(float32(l.env.Topic.Share(mask)))
	l.Anchor.Append(0)
	l.Around.Append(0)
	l.Parent.Append(0)
}

// Link takes in a link to q from a page that is so near to the topic, and reports whether it
// speaks more for q than was known.
func (l *Leads) Link(q graph.Page, h event.Hit, near float64) (more bool) {
	more = raise(l.Parent, q, float32(near))
	if h.Anchor != 0 {
		more = raise(l.Anchor, q, float32(l.env.Topic.Share(h.Anchor))) || more
	}
	if h.Around != 0 {
		more = raise(l.Around, q, float32(l.env.Topic.Share(h.Around))) || more
	}
	return more
}

// Inherit lets q have what speaks for p, which redirects to it.
func (l *Leads) Inherit(p, q graph.Page) {
	for _, c := range []*graph.Column[float32]{l.URL, l.Anchor, l.Around, l.Parent} {
		raise(c, q, c.At(int(p)))
	}
}

// raise sets an element if it is less, and reports whether it was.
func raise(c *graph.Column[float32], p graph.Page, to float32) bool {
	at := &c.Slice()[p]
	if *at >= to {
		return false
	}
	*at = to
	return true
}

// Estimate returns how similar to the topic a page is likely to be that was not fetched: the
// largest of what its URL, anchors and the words around links have of it, and half of the
// similarity of the best page that links to it.
func (l *Leads) Estimate(p graph.Page) float64 {
	i := int(p)
	return float64(max(l.URL.At(i), l.Anchor.At(i), l.Around.At(i), l.Parent.At(i)/2))
}

// Nearness returns the similarity of a page that was fetched now, 1 at most.
func Nearness(o *event.Outcome) float64 { return min(1, o.Similarity) }

// Hits walks along links with the terms that stand at them.
type Hits struct{ left []event.Hit }

// HitsOf returns the hits of the links of a page.
func HitsOf(o *event.Outcome) Hits {
	if o.Read == nil {
		return Hits{}
	}
	return Hits{o.Read.Hits}
}

// Of returns the hit of link i, an empty one if it has none. It must be called in the order of
// the links.
func (h *Hits) Of(i int) event.Hit {
	for len(h.left) > 0 && int(h.left[0].Link) < i {
		h.left = h.left[1:]
	}
	if len(h.left) > 0 && int(h.left[0].Link) == i {
		return h.left[0]
	}
	return event.Hit{}
}
