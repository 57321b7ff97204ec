package frontier

import (
	"math"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/topic"
)

// Topical knows what fetched pages have to do with the topic of the crawl.
type Topical struct {
	seen *topic.Collection
	near *graph.Column[float32] // by page: similarity at its last visit, below 0 if it is not hot
	hot  *graph.Column[uint64]  // two numbers: hot pages, and pages read when the last one was
}

// newTopical returns nil if there is no topic.
func newTopical(set *graph.Set, o *Options) *Topical {
	if o.Topic == nil {
		return nil
	}
	x := &Topical{seen: topic.NewCollection(o.Topic)}
	graph.AddTo(set, x.seen)
	x.near = graph.NewColumnIn[float32](set, "page similarity", o.MaxPages)
	x.hot = graph.NewColumnIn[uint64](set, "hot pages", 2)
	x.hot.Grow(2)
	return x
}

// prepare lets policies know the topic.
func (x *Topical) prepare(env *policy.Env) {
	if x != nil {
		env.Topic, env.Similarity = x.seen, x.Similarity
	}
}

// Similarity returns how near a fetched page is to the topic of the crawl, from 0 to 1, and
// whether it is about the topic.
func (x *Topical) Similarity(p graph.Page) (near float64, hot bool) {
	if x == nil || int(p) >= x.near.Len() {
		return 0, false
	}
	v := x.near.At(int(p))
	return float64(max(v, -v)), v > 0
}

// read adds to the outcome of an attempt what the page has to do with the topic. Copies of pages
// are not hot, and count in nothing. Examples of the topic are hot whatever their words are.
func (x *Topical) read(e *event.Event, o *event.Outcome, first bool) {
	if x == nil {
		return
	}
	o.Read = &e.Read
	if e.Read.Words == 0 || e.Class != event.OK || e.Again {
		return
	}
	if first {
		x.seen.Add(&e.Read)
	}
	o.Similarity = x.seen.Similarity(&e.Read)
	o.Hot = x.seen.Hot(&e.Read, o.Similarity) || e.Kind == event.Judged
	v := -float32(o.Similarity)
	if o.Hot {
		v = max(-v, tiny)
	}
	x.near.Grow(int(e.Page) + 1)
	hot := x.hot.At(0)
	if x.near.At(int(e.Page)) > 0 {
		hot--
	}
	if v > 0 {
		hot++
		x.hot.Set(1, uint64(x.seen.Pages()))
	}
	x.hot.Set(0, hot)
	x.near.Set(int(e.Page), v)
}

// tiny is the similarity of a hot page that has none by the numbers.
const tiny = 1e-9

// Topical returns what is known about the topic of the crawl. It is nil, and knows nothing, if
// there is none.
func (f *Frontier) Topical() *Topical { return f.topical }

// Counts returns the number of pages that were read for the topic of the crawl, and of those that
// are about it. ok is false if there is no topic.
func (x *Topical) Counts() (read, hot int64, ok bool) {
	if x == nil {
		return 0, 0, false
	}
	return int64(x.seen.Pages()), int64(x.hot.At(0)), true
}

// SinceHot returns the number of pages that were read since the last one that is about the topic,
// NaN if there is no topic.
func (x *Topical) SinceHot() float64 {
	if x == nil {
		return math.NaN()
	}
	return float64(uint64(x.seen.Pages()) - x.hot.At(1))
}

// Collection returns how frequent the terms of the topic are, nil if there is no topic.
func (x *Topical) Collection() *topic.Collection {
	if x == nil {
		return nil
	}
	return x.seen
}
