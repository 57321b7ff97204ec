package focused

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Shark-search: Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim, Ur 1998.
//
//	value(p) = the largest score of a link q -> p
//	score = 0.8 inherited + 0.2 neighbourhood
//	inherited = 0.5 similarity(q), or 0.5 inherited(q) if q is not similar at all
//	neighbourhood = 0.8 anchor + 0.2 context
//	anchor = share of the topic in the text of the link
//	context = 1 if anchor > 0, else the share in the words around the link
//
// inherited(q) is the largest that a link to q gave it.
//
// It knows the terms at the links of fetched pages, and their similarities. Cost per link: a few
// operations and one move up in the heap of a site; per page: 8 bytes.
//
// Where it fails: its constants are those of another time and of small crawls. What a page
// inherits weighs four times as much as what its links say, so all links of a similar page are
// nearly alike.

// SharkSearchSpec returns the entry of shark-search in the table of policies.
func SharkSearchSpec() *order.Spec {
	return &order.Spec{
		Name:   "shark-search",
		Source: "Hersovici 1998",
		What:   "pages that inherit similarity from pages before them first, and those that links name",
		Topic:  true,
		New:    newSharkSearch,
	}
}

type sharkSearch struct {
	graph.Set
	e         *order.Env
	board     *order.Board
	inherited *graph.Column[float64] // by page
}

// The constants of shark-search.
const (
	sharkDelta = 0.5 // what is inherited of the similarity of a page
	sharkBeta  = 0.8 // weight of the anchor in the neighbourhood
	sharkGamma = 0.8 // weight of what is inherited
)

func newSharkSearch(e *order.Env, _ order.Params) (order.Policy, error) {
	s := &sharkSearch{e: e, board: e.Boards[0]}
	s.inherited = graph.NewColumnIn[float64](&s.Set, "shark-search inherited", e.MaxPages)
	return s, nil
}

func (s *sharkSearch) Known(graph.Page, graph.Page) { s.inherited.Append(0) }

func (s *sharkSearch) Done(_ time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if !order.Brought(o) {
		return
	}
	all := s.inherited.Slice()
	hands := sharkDelta * Nearness(o)
	if hands == 0 {
		hands = sharkDelta * all[p]
	}
	if o.Class == event.Redirect {
		hands = all[p]
	}
	hits := HitsOf(o)
	for i, q := range links {
		all[q] = max(all[q], hands)
		v := s.score(hands, hits.Of(i))
		if o.Class == event.Redirect {
			v = s.board.Value(p)
		}
		s.board.Set(q, max(s.board.Value(q), v))
	}
}

// score returns the score of a link.
func (s *sharkSearch) score(inherited float64, h event.Hit) float64 {
	anchor, context := s.e.Topic.Share(h.Anchor), 1.0
	if anchor == 0 {
		context = s.e.Topic.Share(h.Around)
	}
	near := float64(sharkBeta*anchor) + float64((1-sharkBeta)*context)
	return float64(sharkGamma*inherited) + float64((1-sharkGamma)*near)
}

// Revisited takes in the links of p as they are now.
func (s *sharkSearch) Revisited(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	s.Done(now, p, o, links)
}

// Explain returns what p inherits and what its neighbourhood adds to that. If the best link to p
// is not the one by which it inherits most, the neighbourhood gets the rest.
func (s *sharkSearch) Explain(p graph.Page) []order.Factor {
	whole := s.board.Value(p)
	from := min(whole, sharkGamma*s.inherited.At(int(p)))
	list := []order.Factor{{Name: "inherited from the pages before it", Value: from}, {Name: "terms in a link to it and around it", Value: whole - from}}
	for i := range list {
		if whole > 0 {
			list[i].Share = list[i].Value / whole
		}
	}
	return list
}
