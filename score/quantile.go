package score

import (
	"cmp"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// Quantiles knows how the values of terms are spread over the known pages. The quantile of a
// value v is
//
//	(pages with less + half of the pages with as much) / pages
//
// for values that occur. Between two of them it is on the straight line. Beyond the least and the
// largest one it is less than half a page away from 0 and 1, which it does not reach. So it is strictly
// increasing: it keeps the order of pages, and weights of terms keep their meaning while the
// crawl grows. Pages whose value is missing do not count.
//
// It reads the values of a sample of the pages at each Fit: of all while there are few, and then
// of those whose hash begins with some zeros, about half of the room or more. With Sample, the
// standard error of a quantile is about 0.011 at most. A sketch of a stream would not do, because
// the values of pages change.
type Quantiles struct {
	graph.Set
	sample int
	slot   [Terms]int             // place of a term in the tables, -1 if it has none
	pages  *graph.Column[uint32]  // the sample, ascending
	zeros  *graph.Column[uint64]  // one number: zeros with which hashes of the sample begin
	values *graph.Column[float64] // by slot, as many each as the sample may have: distinct values, ascending
	places *graph.Column[float64] // and their quantiles
	sizes  *graph.Column[uint32]  // by slot: how many
	counts *graph.Column[uint32]  // by slot: pages of the sample that have a value
}

// Sample is the size of samples in crawls.
const Sample = 4096

// NewQuantiles returns those quantiles that are needed, over a sample of fewer pages than sample.
func NewQuantiles(of Needs, sample int) *Quantiles {
	q, slots := &Quantiles{sample: sample}, 0
	for t := range Terms {
		q.slot[t] = -1
		if of.UsesQuantile(t) {
			q.slot[t] = slots
			slots++
		}
	}
	q.pages = graph.NewColumnIn[uint32](&q.Set, "score sample", sample)
	q.zeros = graph.NewColumnIn[uint64](&q.Set, "score sample zeros", 1)
	q.zeros.Grow(1)
	q.values = graph.NewColumnIn[float64](&q.Set, "score quantile values", slots*sample)
	q.places = graph.NewColumnIn[float64](&q.Set, "score quantiles", slots*sample)
	q.sizes = graph.NewColumnIn[uint32](&q.Set, "score quantile sizes", slots)
	q.values.Grow(slots * sample)
	q.places.Grow(slots * sample)
	q.counts = graph.NewColumnIn[uint32](&q.Set, "score quantile counts", slots)
	q.sizes.Grow(slots)
	q.counts.Grow(slots)
	return q
}

// Known makes a page known, after those with lower numbers. hash returns a hash of a page.
func (q *Quantiles) Known(p graph.Page, hash func(graph.Page) uint64) {
	if q.sizes.Len() == 0 || hash(p)>>(64-q.zeros.At(0)) != 0 {
		return
	}
	if q.pages.Append(uint32(p)); q.pages.Len() < q.sample {
		return
	}
	q.zeros.Slice()[0]++
	kept := slices.DeleteFunc(q.pages.Slice(), func(p uint32) bool { return hash(graph.Page(p))>>(64-q.zeros.At(0)) != 0 })
	q.pages.Truncate(len(kept))
}

// Fit reads the values of a term for the sample, NaN where one is missing. It does nothing if
// quantiles of the term are not used.
func (q *Quantiles) Fit(t Term, value func(graph.Page) float64) {
	slot := q.slot[t]
	if slot < 0 {
		return
	}
	values, places := q.tables(slot)
	n := 0
	for _, p := range q.pages.Slice() {
		if v := value(graph.Page(p)); !math.IsNaN(v) {
			values[n] = v
			n++
		}
	}
	slices.Sort(values[:n])
	distinct := 0
	for i, j := 0, 0; i < n; i = j {
		for j = i; j < n && values[j] == values[i]; j++ {
		}
		values[distinct], places[distinct] = values[i], float64(i+j)/float64(2*n)
		distinct++
	}
	q.sizes.Set(slot, uint32(distinct))
	q.counts.Set(slot, uint32(n))
}

// tables returns the values and quantiles of a slot, with those that are not used.
func (q *Quantiles) tables(slot int) (values, places []float64) {
	at, end := slot*q.sample, (slot+1)*q.sample
	return q.values.Slice()[at:end], q.places.Slice()[at:end]
}

// Of returns the quantile of a value of a term. It is 1/2 before the first Fit that found a
// value.
func (q *Quantiles) Of(t Term, v float64) float64 {
	slot := q.slot[t]
	n := int(q.sizes.At(slot))
	if n == 0 {
		return 0.5
	}
	values, places := q.tables(slot)
	values, places = values[:n], places[:n]
	least, most := values[0], values[n-1]
	if v < least || v > most {
		spread := cmp.Or(most-least, 1)
		edge := 1 / float64(2*q.counts.At(slot)) / (1 + max(least-v, v-most)/spread)
		if v < least {
			return edge
		}
		return 1 - edge
	}
	i := last(values, v)
	if values[i] == v {
		return places[i]
	}
	part := (v - values[i]) / (values[i+1] - values[i])
	return places[i] + float64(part*(places[i+1]-places[i]))
}

// last returns the index of the last value that is at most v, if the first one is.
func last(values []float64, v float64) (i int) {
	for n := len(values); n > 1; {
		half := n / 2
		if values[i+half] <= v {
			i += half
		}
		n -= half
	}
	return i
}
