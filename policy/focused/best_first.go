package focused

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Best-first: Menczer, Pant, Srinivasan 2001, and with anchors and URLs the three hints of Cho,
// Garcia-Molina, Page 1998, section 8.
//
//	value(p) = parent(p) + anchor(p) + url(p), or with by=parent the first of these
//
// parent is the largest similarity of a fetched page that links to p, anchor the largest share of
// the topic in the text of a link to p, and url that in its URL; each is from 0 to 1.
//
// It knows the terms at the links of fetched pages, their similarities, and URLs if there are
// any. Cost per link: three comparisons and one move up in the heap of a site; per page: a search
// for the terms in its URL, and 16 bytes.
//
// Where it fails: it is greedy. A topic behind pages that do not have its words is found last, and
// all links of a good page are alike unless their anchors name the topic.

// BestFirstSpec returns the entry of best-first in the table of policies.
func BestFirstSpec() *order.Spec {
	return &order.Spec{
		Name:   "best-first",
		Source: "Menczer 2001",
		What:   "pages that similar pages link to first, and those that links or URLs name by terms of the topic",
		Params: []order.Param{{Name: "by", Values: []string{"all", "parent"}, Default: "all", What: "what counts: the page that links to it, the link and the URL; or the first of these"}},
		Topic:  true,
		New: func(e *order.Env, params order.Params) (order.Policy, error) {
			b := &bestFirst{Leads: NewLeads(e, "best-first"), board: e.Boards[0], parents: params["by"] == "parent"}
			return b, nil
		},
	}
}

type bestFirst struct {
	*Leads
	board   *order.Board
	parents bool // nothing but parents counts
}

func (b *bestFirst) Known(p, _ graph.Page) {
	b.Leads.Known(p)
	b.board.Set(p, b.value(p))
}

// value returns the value of p.
func (b *bestFirst) value(p graph.Page) float64 {
	i := int(p)
	if b.parents {
		return float64(b.Parent.At(i))
	}
	return float64(b.Parent.At(i)) + float64(b.Anchor.At(i)) + float64(b.URL.At(i))
}

func (b *bestFirst) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if !order.Brought(o) {
		return
	}
	hits := HitsOf(o)
	for i, q := range links {
		if o.Class == event.Redirect {
			b.Inherit(p, q)
		}
		b.Link(q, hits.Of(i), Nearness(o))
		b.board.Set(q, b.value(q))
	}
}

// Revisited takes in the links of p as they are now.
func (b *bestFirst) Revisited(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	b.Done(now, p, o, links)
}

// Explain returns the summands of the value.
func (b *bestFirst) Explain(p graph.Page) []order.Factor {
	i := int(p)
	list := []order.Factor{{Name: "similarity of the best page that links to it", Value: float64(b.Parent.At(i))}}
	if !b.parents {
		list = append(list, order.Factor{Name: "share of the topic in a link to it", Value: float64(b.Anchor.At(i))},
			order.Factor{Name: "share of the topic in its URL", Value: float64(b.URL.At(i))})
	}
	whole := b.value(p)
	for j := range list {
		if whole > 0 {
			list[j].Share = list[j].Value / whole
		}
	}
	return list
}
