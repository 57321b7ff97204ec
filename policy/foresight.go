package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/mix"
)

// Foresight is winnow's own: it learns in the crawl what pages are worth.
//
//	value(p) = what the model predicts from what is known of p before it is fetched
//
// At checkpoints it looks back at the fetched pages. The label of a page is the index of Horn
// and Sidney along the tree of discovery: what fetching it, and the best of what follows, has
// brought for each fetch, in estimated PageRank. From what was known of these pages when they
// were handed out, boosted trees learn to predict the label. XIM explores beside it. Where URLs
// are not known, its directories are some pages found on one page one after the other, and OPIC
// explores, too. They have turns by the labels of the pages that they chose, and XIM no more than
// half as many as fetched pages bring new ones.
//
// It knows the links of fetched pages, and URLs if there are any. Cost per link: some
// additions and now and then a prediction; at each checkpoint, which come whenever the fetched
// pages have grown by a fortieth, later by an eighth: one sweep over all kept links, later three,
// and a prediction for some of the waiting pages. All of it is done in slices. It keeps the links of
// all fetched pages up to a number of links; beyond it those of one page in two, then in four,
// and so on. The others count as if they linked like those of their group.
//
// Where it fails: at the start of a crawl, before it has learned anything, and where what is
// fetched first is unlike the rest.

func foresightSpec() *Spec {
	return &Spec{
		Name:   "foresight",
		What:   "what pages of this kind have turned out to be worth in this crawl",
		Boards: 2,
		Blind:  3,
		Orders: []string{"learned", "xim", "opic"},
		Links:  true,
		Params: []Param{{Name: "links", Default: "100000000", What: "links that are kept in memory; beyond, those of a sample of the pages"}},
		New:    newForesight,
	}
}

// foresight is a mix of a learner and of policies that explore.
type foresight struct {
	*mix.Mix
	learner *learner
}

func newForesight(e *Env, params Params) (Policy, error) {
	most, err := params.Int("links", 100_000_000, 1, 1<<40)
	if err != nil {
		return nil, err
	}
	x := ximWithout(e.OnBoard(1))
	l := newLearner(e.OnBoard(0), x, len(e.Boards), most)
	x.skips = func(p graph.Page) bool { return x.board.Discounted(p) || l.likeDull(p) }
	members := []Member{
		{Name: "learned", Policy: l, Boards: 1, Weight: 1},
		{Name: "xim", Policy: x, Boards: 1, Weight: firstTurns},
	}
	if len(e.Boards) > 2 {
		o, err := newOpic(e.OnBoard(2), Params{"cash": "seeds"})
		if err != nil {
			return nil, err
		}
		members = append(members, Member{Name: "opic", Policy: o, Boards: 1, Weight: 1})
	}
	return &foresight{mix.New(e, members), l}, nil
}

// Known lets the learner know p first: it numbers the directories of XIM.
func (f *foresight) Known(p, from graph.Page) {
	f.learner.Known(p, from)
	f.learner.xim.knownIn(p, f.learner.dir(p))
	for _, m := range f.Members[2:] {
		m.Policy.Known(p, from)
	}
	f.learner.enter(p, from)
}

// Done lets the learner see the links last, as Known does.
func (f *foresight) Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	f.TakeBack(p, o)
	for _, m := range f.Members[1:] {
		m.Policy.Done(now, p, o, links)
	}
	f.learner.Done(now, p, o, links)
}

// KeepsLinks reports whether the learner wants the links of p.
func (f *foresight) KeepsLinks(p graph.Page) bool { return f.learner.KeepsLinks(p) }

// Sample returns of how many fetched pages the links of one are kept.
func (f *foresight) Sample() int { return int(f.learner.numbers.At(learnEvery)) }

// Work does a part of a checkpoint, and then gives the boards their weights.
func (f *foresight) Work(links int) (more bool) {
	more = f.learner.Work(links)
	if means, ok := f.learner.credits(); ok {
		weigh(f.Weights(), means, foresightEta)
		limitExploring(f.Weights(), f.learner.news())
	}
	return more
}

// foresightEta says how sharply the weights of the boards follow their credit.
const foresightEta = 3
