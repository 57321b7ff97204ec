package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/focused"
	"github.com/winnow-crawler/winnow/score"
)

// topicTerms keeps what the terms about the topic need. A part is nil if no term needs it.
type topicTerms struct {
	graph.Set
	e     *Env
	leads *focused.Leads
	away  *focused.Distances
	read  *graph.Column[uint8] // by page: 1 if it was fetched and has words
}

// hotFar is the distance from which on hot_distance is missing.
const hotFar = 4

// newTopicTerms returns the terms, nil if none of them is kept. moved is called when a page comes
// nearer to a hot page.
func newTopicTerms(e *Env, keeps score.Needs, moved func(graph.Page)) *topicTerms {
	if !keeps.Topic() {
		return nil
	}
	x := &topicTerms{e: e}
	if keeps.Uses(score.HotDistance) {
		x.away = focused.NewDistances(e, "score hot distances", hotFar, moved)
		graph.AddTo(&x.Set, x.away)
	}
	for _, t := range []score.Term{score.Similarity, score.AnchorSimilarity, score.AroundSimilarity, score.URLSimilarity, score.ParentSimilarity} {
		if keeps.Uses(t) && x.leads == nil {
			x.leads = focused.NewLeads(e, "score")
			graph.AddTo(&x.Set, x.leads)
		}
	}
	if keeps.Uses(score.Similarity) {
		x.read = graph.NewColumnIn[uint8](&x.Set, "score read", e.MaxPages)
	}
	return x
}

// known makes room for p, the next page.
func (x *topicTerms) known(p graph.Page) {
	if x.leads != nil {
		x.leads.Known(p)
	}
	if x.away != nil {
		x.away.Known()
	}
	if x.read != nil {
		x.read.Append(0)
	}
}

// follow takes in a page that was fetched, and its links.
func (x *topicTerms) follow(p graph.Page, o *event.Outcome, links []graph.Page) {
	if x.read != nil && o.Class == event.OK && o.Read != nil && o.Read.Words > 0 {
		x.read.Set(int(p), 1)
	}
	if x.leads != nil {
		hits := focused.HitsOf(o)
		for i, q := range links {
			x.leads.Link(q, hits.Of(i), focused.Nearness(o))
			if o.Class == event.Redirect {
				x.leads.Inherit(p, q)
			}
		}
	}
	if x.away != nil {
		x.away.Fetched(p, o.Hot, links)
	}
}

// value returns a term of a page, NaN if it is missing.
func (x *topicTerms) value(t score.Term, p graph.Page) float64 {
	i := int(p)
	switch t {
	case score.Similarity:
		if x.read.At(i) != 0 {
			near, _ := x.e.Similarity(p)
			return min(1, near)
		}
		return x.leads.Estimate(p)
	case score.AnchorSimilarity:
		return float64(x.leads.Anchor.At(i))
	case score.AroundSimilarity:
		return float64(x.leads.Around.At(i))
	case score.URLSimilarity:
		return float64(x.leads.URL.At(i))
	case score.ParentSimilarity:
		return float64(x.leads.Parent.At(i))
	case score.HotDistance:
		if d := x.away.Of(p); d < hotFar {
			return float64(d)
		}
	}
	return math.NaN()
}
