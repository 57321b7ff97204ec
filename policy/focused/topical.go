package focused

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/mix"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Topical is winnow's own: it learns in the crawl which links lead to pages about the topic.
//
//	value(p) = 1/(1 + e^-(w x)), the probability that p is hot
//
// x is what is known of p before it is fetched: hashed words and pairs of words of links to it,
// hashed words of its URL, how much of the topic is in links, around them and in the URL, the
// similarity of the pages that link to it, whether they are hot, and how many pages were hot so
// far of its site, of its directory, and of the pages found on the same page. w begins with
// weights that fit any topic, so that the query alone gives an order, and changes with each
// fetched page by one step of logistic regression (AdaGrad, Duchi, Hazan, Singer 2011): x as it
// was when the page was fetched, and whether it is hot. Values of pages that wait are computed
// again when a link to them is found, and those of all at checkpoints, which come whenever the
// fetched pages have grown by a twentieth, later by a quarter, in slices.
//
// One page in twenty (explore=) is not the best one but the first that waits of the site of which
// fewest were known before it. So a topic behind pages that do not look like it is found, and the
// model sees what it would not choose.
//
// What it says about a page (Explain, Probability) is that probability, corrected by what pages
// with about the same turned out to be: see package linear. The order needs no correction.
//
// It knows the terms and words at the links of fetched pages, which of them are hot, and URLs if
// there are any. Cost per link: a prediction, of about 25 products; per known page: about six
// predictions in all, a search for the terms in its URL, 40 bytes and those of a second board; for
// each directory 24 bytes, and 1 MB for the weights.
//
// Where it fails: where neither words nor places tell hot pages from others, and in the first
// pages of a topic whose terms are in no link. A weight that is learned on one part of the web is
// used on all others.

// TopicalSpec returns the entry of topical in the table of policies.
func TopicalSpec() *order.Spec {
	return &order.Spec{
		Name:   "topical",
		What:   "pages that are probably about the topic first, by what links have led to in this crawl",
		Params: []order.Param{{Name: "explore", Default: "0.05", What: "share of the pages that are taken from all sites in turn, 0 to 1"}},
		Boards: 2,
		Orders: []string{"learned", "explored"},
		Topic:  true,
		New:    newTopical,
	}
}

// topical is a mix of a classifier and of a policy that explores.
type topical struct {
	*mix.Mix
	learned *classifier
}

func newTopical(e *order.Env, params order.Params) (order.Policy, error) {
	share, err := params.Share("explore", 0.05)
	if err != nil {
		return nil, err
	}
	c := newClassifier(e.OnBoard(0))
	s := &spread{board: e.Boards[1]}
	s.known = graph.NewColumnIn[uint32](&s.Set, "topical site pages", e.MaxSites)
	s.facts = e.Facts
	members := []order.Member{
		{Name: "learned", Policy: c, Boards: 1, Weight: 1 - share},
		{Name: "explored", Policy: s, Boards: 1, Weight: share},
	}
	return &topical{mix.New(e, members), c}, nil
}

// Probability returns how probable it is that p, which waits, is hot.
func (t *topical) Probability(p graph.Page) float64 { return t.learned.probability(p) }

// spread takes pages of all sites in turn: those first of whose site fewest were known before.
type spread struct {
	graph.Set
	board *order.Board
	facts order.Facts
	known *graph.Column[uint32] // by site
}

func (s *spread) Known(p, _ graph.Page) {
	site := int(s.facts.Site(p))
	s.known.Grow(site + 1)
	s.board.Set(p, -float64(s.known.At(site)))
	s.known.Slice()[site]++
}

func (s *spread) Done(time.Duration, graph.Page, *event.Outcome, []graph.Page) {}

// Explain returns the number of pages of its site that were known before p.
func (s *spread) Explain(p graph.Page) []order.Factor {
	return order.Sole("pages of its site known before it", -s.board.Value(p))
}
