package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/focused"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Two-queue: the similarity-based crawlers of Cho, Garcia-Molina, Page 1998, section 7: figure 5,
// and with near=0 figure 4.
//
//	value(p) = order(p), and above all others if p is in the hot queue:
//	  a term of the topic is in the text of a link to p, or in its URL, or
//	  distance(p) < near
//	distance(p) = 0 if p is hot, else 1 + the least distance of a fetched page that links to it
//
// near=3 is "within 3 links", which figure 5 writes as a distance of 0, 1 or 2. order is that of
// discovery, the links from fetched pages, PageRank, which is solved as batch-pagerank with a ramp
// does it, or random (by=). The figures stop when one of the queues is empty; here both are emptied.
// They look at a page when it enters a queue; here a page that waits moves to the hot queue when
// a later link names it, or when a page before it turns out to be hot.
//
// It knows the terms at the links of fetched pages, which of them are hot, and URLs if there are
// any. It keeps the links of fetched pages unless near < 2. Cost per link: one comparison and,
// in all, near more; per page: a search for the terms in its URL.
//
// Where it fails: all pages of the hot queue are alike, whether one term of many is in an anchor
// or a hot page links to them. With near=3 the queue soon holds most of a web whose pages are a
// few links apart, and with near=0 it misses pages whose anchors do not name the topic.

func twoQueueSpec() *Spec {
	return &Spec{
		Name:   "two-queue",
		Source: "Cho 1998",
		What:   "pages that links or URLs name by a term of the topic first, and those near hot pages",
		Params: []Param{
			{Name: "near", Default: "3", What: "pages less than so many links from a hot page go first, too: 0 to 9"},
			{Name: "by", Values: []string{"breadth-first", "backlinks", "pagerank", "random"}, Default: "breadth-first", What: "the order in both queues"},
			{Name: "k", What: "with by=pagerank, recompute it every K pages; without it, the size of a batch"},
		},
		Links: true,
		Topic: true,
		New:   newTwoQueue,
	}
}

// twoQueue lifts the pages of the hot queue above all others.
type twoQueue struct {
	graph.Set
	e     *Env
	board *Board
	// count is what a link adds to the value of a page, and lift what the hot queue does. lift is
	// more than the rest can be.
	count, lift float64
	away        *focused.Distances
	state       *graph.Column[uint8] // by page: see named
	ranks       *ranked              // with by=pagerank
	dice        *random              // with by=random
	text        []byte               // reused
}

// Bits of twoQueue.state.
const (
	named  = 1 << iota // a term is in its URL or in a link to it
	inside             // it is in the hot queue
)

// maxNear is the largest distance that matters.
const maxNear = 9

func newTwoQueue(e *Env, params Params) (Policy, error) {
	near, err := params.Int("near", 3, 0, maxNear)
	if err != nil {
		return nil, err
	}
	t := &twoQueue{e: e, board: e.Boards[0], lift: 1}
	t.away = focused.NewDistances(e, "two-queue distances", near, t.sort)
	graph.AddTo(&t.Set, t.away)
	t.state = graph.NewColumnIn[uint8](&t.Set, "two-queue state", e.MaxPages)
	switch params["by"] {
	case "backlinks":
		t.count, t.lift = 1, 1<<32
	case "random":
		t.dice, t.lift = newDice(e), 1<<33
		t.dice.value = func(p graph.Page, slot float64) float64 { return slot + t.lifted(p) }
		graph.AddTo(&t.Set, t.dice)
	case "pagerank":
		own := Params{"ramp": "true"}
		if k, ok := params["k"]; ok {
			own["k"] = k
		}
		if t.ranks, err = newRanked(e, own, batchBound); err != nil {
			return nil, err
		}
		t.lift = 2 // ranks have a sum of 1
		t.ranks.value = func(p graph.Page, share float64) float64 { return share + t.lifted(p) }
		graph.AddTo(&t.Set, t.ranks)
	}
	return t, nil
}

// KeepsLinks reports whether distances or ranks need the links of fetched pages.
func (t *twoQueue) KeepsLinks(graph.Page) bool { return t.away.Far > 1 || t.ranks != nil }

// Sample returns 1: the links of all pages are kept, or of none.
func (t *twoQueue) Sample() int { return 1 }

// lifted returns what the queue of p adds to its value.
func (t *twoQueue) lifted(p graph.Page) float64 {
	if t.state.At(int(p))&inside != 0 {
		return t.lift
	}
	return 0
}

func (t *twoQueue) Known(p, from graph.Page) {
	t.away.Known()
	t.state.Append(0)
	if t.ranks != nil {
		t.ranks.Known(p, from)
	}
	if t.dice != nil {
		t.dice.Known(p, from)
	}
	if t.e.URL != nil {
		t.text = t.e.URL(t.text[:0], p)
		t.name(p, t.e.Topic.Topic().URL(t.text))
	}
}

// name takes in the terms in the URL of a page, or in a link to it.
func (t *twoQueue) name(p graph.Page, terms uint64) {
	if terms != 0 {
		t.state.Slice()[p] |= named
		t.sort(p)
	}
}

// sort moves p to the hot queue if it belongs there.
func (t *twoQueue) sort(p graph.Page) {
	at := &t.state.Slice()[p]
	if *at&inside == 0 && (*at&named != 0 || t.away.Of(p) < t.away.Far) {
		*at |= inside
		t.board.Add(p, t.lift)
	}
}

// Seeded sets the first solve.
func (t *twoQueue) Seeded(first, end graph.Page) {
	if t.ranks != nil {
		t.ranks.Seeded(first, end)
	}
}

// Taken counts pages for the next solve.
func (t *twoQueue) Taken(now time.Duration, p graph.Page, board int) {
	if t.ranks != nil {
		t.ranks.Taken(now, p, board)
	}
	if t.dice != nil {
		t.dice.Taken(now, p, board)
	}
}

// Dropped takes the number of a page that will not be handed out.
func (t *twoQueue) Dropped(p graph.Page) {
	if t.dice != nil {
		t.dice.Dropped(p)
	}
}

// Admitted gives it a number again.
func (t *twoQueue) Admitted(p graph.Page) {
	if t.dice != nil {
		t.dice.Admitted(p)
	}
}

// Work solves when it is time.
func (t *twoQueue) Work(links int) (more bool) { return t.ranks != nil && t.ranks.Work(links) }

func (t *twoQueue) Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if t.ranks != nil {
		t.ranks.Done(now, p, o, links)
	}
	if t.dice != nil {
		t.dice.Done(now, p, o, links)
	}
	if !order.Brought(o) {
		return
	}
	for _, q := range links {
		if t.count > 0 {
			t.board.Add(q, t.count)
		}
	}
	t.read(p, o, links)
}

// Revisited looks at the links of p as they are now, and at whether it is hot now. A page that
// was hot once counts as hot.
func (t *twoQueue) Revisited(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	if t.ranks != nil {
		t.ranks.Revisited(now, p, o, links)
	}
	if order.Brought(o) {
		t.read(p, o, links)
	}
}

// read takes in what a page says about the pages that it links to.
func (t *twoQueue) read(p graph.Page, o *event.Outcome, links []graph.Page) {
	hits := focused.HitsOf(o)
	for i, q := range links {
		t.name(q, hits.Of(i).Anchor)
		if o.Class == event.Redirect {
			t.name(q, uint64(t.state.At(int(p))&named))
		}
	}
	t.away.Fetched(p, o.Hot, links)
}

// Explain says why p is in its queue.
func (t *twoQueue) Explain(p graph.Page) []Factor {
	at := t.state.At(int(p))
	list := []Factor{
		{Name: "in the hot queue", Value: float64(at & inside / inside)},
		{Name: "a term in its URL or in a link to it", Value: float64(at & named)},
	}
	if d := t.away.Of(p); d < t.away.Far {
		list = append(list, Factor{Name: "links from a hot page", Value: float64(d)})
	}
	if rest := t.board.Value(p) - t.lifted(p); t.count > 0 {
		list = append(list, Factor{Name: "links from fetched pages", Value: rest})
	} else if t.ranks != nil {
		list = append(list, Factor{Name: "PageRank at the last solve, sum 1", Value: rest})
	}
	return list
}
