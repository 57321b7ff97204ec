package revisit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
)

// A Growth is how a collection grew in batches, with a number for each batch: its state just
// before the next one.
type Growth struct {
	Days     []float64
	Volume   []float64 // share of the pages that were fetched
	Fresh    []float64 // weighted share of them whose copies are up to date
	Value    []float64 // sum of the values as the crawler estimates them, just after the batch
	Before   []float64 // the same, just before it
	Revisits float64   // share of all visits that went to pages fetched before
}

// Grow lets a collection grow from nothing as the manager of WIRE does: each batch has the
// pages that raise the value of the collection most. A page that was never fetched has the
// freshness 0, so fetching it gains its whole score. rate is in visits a day; the score of a
// page is its weight by that of the heaviest.
func (c *Collection) Grow(ctx context.Context, alpha, rate float64, batches int) (*Growth, error) {
	g := &Growth{}
	w := newManager(c, alpha)
	size := max(1, int(rate*c.Log.Length.Hours()/24/float64(batches)))
	visits, again := 0, 0
	for b := range batches {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		now := c.Log.part(b, batches)
		before := w.value(now)
		for _, p := range w.batch(now, size) {
			visits++
			if w.visit(now, p) {
				again++
			}
		}
		g.Before, g.Value = append(g.Before, before), append(g.Value, w.value(now))
		end := c.Log.part(b+1, batches)
		g.Days = append(g.Days, end.Hours()/24)
		volume, fresh := w.measure(end)
		g.Volume, g.Fresh = append(g.Volume, volume), append(g.Fresh, fresh)
	}
	g.Revisits = float64(again) / float64(max(1, visits))
	return g, nil
}

// A manager chooses batches by equation 1 of the paper.
type manager struct {
	*Collection
	alpha float64
	most  float64         // the largest weight
	last  []time.Duration // by page: the last visit; -1: none
	lacks []int           // by page: the first change that its copy lacks
	seen  []freshness.Evidence
	rate  []float64 // changes a second
}

func newManager(c *Collection, alpha float64) *manager {
	n := c.Log.Pages()
	w := &manager{Collection: c, alpha: alpha, most: slices.Max(c.Weight), last: make([]time.Duration, n), lacks: make([]int, n), seen: make([]freshness.Evidence, n), rate: make([]float64, n)}
	for p := range n {
		w.last[p], w.rate[p] = -1, w.expected()
	}
	return w
}

// expected is the rate of a page of which nothing is known: a change in the whole time.
func (w *manager) expected() float64 { return 1 / max(1, w.Log.Length.Seconds()) }

func (w *manager) score(p graph.Page) float64 { return w.Weight[p] / w.most }

// worth returns the value of the copy of a page, 0 without one.
func (w *manager) worth(now time.Duration, p graph.Page) float64 {
	if w.last[p] < 0 {
		return 0
	}
	return freshness.Value(w.score(p), freshness.Fresh(w.rate[p], (now-w.last[p]).Seconds()), w.alpha)
}

// value returns the value of the collection.
func (w *manager) value(now time.Duration) (sum float64) {
	for p := range w.last {
		sum += w.worth(now, graph.Page(p))
	}
	return sum
}

// batch returns the pages that gain most.
func (w *manager) batch(now time.Duration, size int) []graph.Page {
	pages := make([]graph.Page, len(w.last))
	gain := make([]float64, len(w.last))
	for p := range pages {
		pages[p] = graph.Page(p)
		gain[p] = w.score(graph.Page(p)) - w.worth(now, graph.Page(p))
	}
	slices.SortFunc(pages, func(a, b graph.Page) int { return cmp.Or(cmp.Compare(gain[b], gain[a]), cmp.Compare(a, b)) })
	return pages[:min(size, len(pages))]
}

// visit fetches a page, and reports whether it was fetched before.
func (w *manager) visit(now time.Duration, p graph.Page) (again bool) {
	again = w.last[p] >= 0
	list, n := w.Log.Changes[p], w.lacks[p]
	for n < len(list) && list[n] <= now {
		n++
	}
	if again {
		age := max(1, (now - w.last[p]).Seconds())
		if e := &w.seen[p]; n > w.lacks[p] {
			e.Changes++
			e.Changed += age
		} else {
			e.Unchanged += age
		}
		w.rate[p] = freshness.Rate(w.seen[p], w.expected())
	}
	w.last[p], w.lacks[p] = now, n
	return again
}

// measure returns the share of the pages that were fetched, and the weighted share of them
// whose copies are up to date.
func (w *manager) measure(now time.Duration) (volume, fresh float64) {
	n, weight, good := 0, 0.0, 0.0
	for p, last := range w.last {
		if last < 0 {
			continue
		}
		n++
		weight += w.Weight[p]
		if list := w.Log.Changes[p]; w.lacks[p] == len(list) || list[w.lacks[p]] > now {
			good += w.Weight[p]
		}
	}
	if n == 0 {
		return 0, 0
	}
	return float64(n) / float64(len(w.last)), good / weight
}
