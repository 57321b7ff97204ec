package policy

import (
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// leads keeps what speaks for pages before they are fetched, in numbers from 0 to 1, by what was
// known of the terms when the link, or the page, became known:
//
//	url     share of the topic in its URL
//	anchor  the largest share in the text of a link to it
//	around  the largest share in the words around a link to it
//	parent  the largest similarity of a fetched page that links to it
//
// It takes 16 bytes for each known page.
type leads struct {
	graph.Set
	env                         *Env
	url, anchor, around, parent *graph.Column[float32]
	text                        []byte // reused
}

func newLeads(e *Env, name string) *leads {
	l := &leads{env: e}
	l.url = graph.NewColumnIn[float32](&l.Set, name+" topic in URL", e.MaxPages)
	l.anchor = graph.NewColumnIn[float32](&l.Set, name+" topic in anchors", e.MaxPages)
	l.around = graph.NewColumnIn[float32](&l.Set, name+" topic around links", e.MaxPages)
	l.parent = graph.NewColumnIn[float32](&l.Set, name+" topic in parents", e.MaxPages)
	return l
}

// known makes room for p, the next page.
func (l *leads) known(p graph.Page) {
	mask := uint64(0)
	if l.env.URL != nil {
		l.text = l.env.URL(l.text[:0], p)
		mask = l.env.Topic.Topic().URL(l.text)
	}
	l.url.Append(float32(l.env.Topic.Share(mask)))
	l.anchor.Append(0)
	l.around.Append(0)
	l.parent.Append(0)
}

// link takes in a link to q from a page that is so near to the topic, and reports whether it
// speaks more for q than was known.
func (l *leads) link(q graph.Page, h event.Hit, near float64) (more bool) {
	more = raise(l.parent, q, float32(near))
	if h.Anchor != 0 {
		more = raise(l.anchor, q, float32(l.env.Topic.Share(h.Anchor))) || more
	}
	if h.Around != 0 {
		more = raise(l.around, q, float32(l.env.Topic.Share(h.Around))) || more
	}
	return more
}

// inherit lets q have what speaks for p, which redirects to it.
func (l *leads) inherit(p, q graph.Page) {
	for _, c := range []*graph.Column[float32]{l.url, l.anchor, l.around, l.parent} {
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

// estimate returns how similar to the topic a page is likely to be that was not fetched: the
// largest of what its URL, anchors and the words around links have of it, and half of the
// similarity of the best page that links to it.
func (l *leads) estimate(p graph.Page) float64 {
	i := int(p)
	return float64(max(l.url.At(i), l.anchor.At(i), l.around.At(i), l.parent.At(i)/2))
}

// nearness returns the similarity of a page that was fetched now, 1 at most.
func nearness(o *event.Outcome) float64 { return min(1, o.Similarity) }

// hits walks along links with the terms that stand at them.
type hits struct{ left []event.Hit }

// hitsOf returns the hits of the links of a page.
func hitsOf(o *event.Outcome) hits {
	if o.Read == nil {
		return hits{}
	}
	return hits{o.Read.Hits}
}

// of returns the hit of link i, an empty one if it has none. It must be called in the order of
// the links.
func (h *hits) of(i int) event.Hit {
	for len(h.left) > 0 && int(h.left[0].Link) < i {
		h.left = h.left[1:]
	}
	if len(h.left) > 0 && int(h.left[0].Link) == i {
		return h.left[0]
	}
	return event.Hit{}
}
