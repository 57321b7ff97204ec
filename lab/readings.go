package lab

import (
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/topic"
)

// Readings holds what the pages of a world have to do with a topic, so that virtual crawls know
// of the text of pages what real ones do. It is written once, page after page, and may then be
// used by several goroutines.
type Readings struct {
	Topic   *topic.Topic
	words   []uint32 // by page
	norm    []float32
	match   []uint32 // by page: the end of its matches
	hit     []uint32 // by page: the end of its hits
	matches []event.Match
	hits    []event.Hit
}

// Add adds the reading of the next page. Its hits are by place in the list of links of the page,
// without a link to itself unless crawls find those.
func (r *Readings) Add(one *event.Reading) {
	r.words, r.norm = append(r.words, one.Words), append(r.norm, one.Norm)
	r.matches, r.hits = append(r.matches, one.Matches...), append(r.hits, one.Hits...)
	r.match, r.hit = append(r.match, uint32(len(r.matches))), append(r.hit, uint32(len(r.hits)))
}

// Pages returns the number of pages.
func (r *Readings) Pages() int { return len(r.words) }

// Read returns the reading of page p in to, whose buffers it uses.
func (r *Readings) Read(p graph.Page, to *event.Reading) {
	to.Reset()
	to.Words, to.Norm = r.words[p], r.norm[p]
	to.Matches = append(to.Matches, r.matches[from(r.match, p):r.match[p]]...)
	to.Hits = append(to.Hits, r.hits[from(r.hit, p):r.hit[p]]...)
}

// from returns where the part of page p begins.
func from(ends []uint32, p graph.Page) uint32 {
	if p == 0 {
		return 0
	}
	return ends[p-1]
}

// Similarities returns how near each page is to the topic, IS of Cho, Garcia-Molina and Page: by
// the frequencies of words in all pages. hot reports which pages are about it by the rule of the
// topic.
func (r *Readings) Similarities() (near []float64, hot []bool) {
	all := topic.NewCollection(r.Topic)
	defer all.Free()
	var one event.Reading
	for p := range graph.Page(r.Pages()) {
		if r.Read(p, &one); one.Words > 0 {
			all.Add(&one)
		}
	}
	near, hot = make([]float64, r.Pages()), make([]bool, r.Pages())
	for p := range graph.Page(r.Pages()) {
		if r.Read(p, &one); one.Words > 0 {
			near[p] = all.Similarity(&one)
			hot[p] = all.Hot(&one, near[p])
		}
	}
	return near, hot
}

// Importance of pages by a topic, beside those of package measure.
const (
	SimilarityMetric = "similarity" // IS
	LinkedMetric     = "hot-linked" // hot, with at least hotLinks backlinks
)

// hotLinks is the number of backlinks of the combined importance of Cho, Garcia-Molina and Page.
const hotLinks = 5

// TopicMetrics returns the names of the importance by a topic.
func TopicMetrics() []string { return []string{SimilarityMetric, measure.HotMetric, LinkedMetric} }

// Truth returns the importance of the pages by the topic, under one of the names of TopicMetrics,
// with what a crawler knows of it. It needs the links in both directions.
func (r *Readings) Truth(metric string, in, out *graph.Lists) *measure.Truth {
	near, hot := r.Similarities()
	t := &measure.Truth{Metric: metric, Value: near, Pages: len(near)}
	t.Estimate = func() measure.Estimate { return measure.KnownValues(t.Value) }
	switch metric {
	case measure.HotMetric:
		t.Value = measure.HotTruth(hot).Value
	case LinkedMetric:
		t.Value = measure.HotTruth(measure.HotAndLinked(hot, in, hotLinks)).Value
		t.Estimate = func() measure.Estimate { return measure.KnownBoth(hot, out) }
	default:
		t.MeanScale = true
	}
	return t
}

// SetReadings lets crawls of the world read pages.
func (w *World) SetReadings(r *Readings) {
	w.Readings = r
	w.Sim.Read = nil
	if r != nil {
		w.Sim.Read = r.Read
	}
}
