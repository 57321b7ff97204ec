package count

import "github.com/winnow-crawler/winnow/graph"

// Visits is what visitors did: the record in numbers, with what a web with topics and one that
// changes are about.
type Visits struct {
	Summary
	Topic     *TopicSummary `json:"topic,omitempty"`     // the first, if there are topics
	Freshness *CopySummary  `json:"freshness,omitempty"` // of a changing web
}

// A CopySummary describes how fresh the copies of visitors were, from the start of the web to its
// end, over the pages that can be fetched.
type CopySummary struct {
	Pages    int     `json:"pages"`
	Fresh    float64 `json:"fresh"`
	Age      float64 `json:"age_seconds"`
	Requests int     `json:"requests"`
	New      int     `json:"new"`
	Wasted   int     `json:"wasted"`
}

// Visits returns what visitors did up to now.
func (c *Counter) Visits() Visits {
	v := Visits{Summary: c.Summary()}
	if c.world.Web().Spec().Topics.Number > 0 {
		topic := c.Topic(0)
		v.Topic = &topic
	}
	changes := &c.world.Options().Changes
	if changes.Median == 0 {
		return v
	}
	f := c.Freshness(func(p graph.Page) float64 {
		if e := c.world.Truth(p); e.Fetched() {
			return 1
		}
		return 0
	}, 0, changes.Clock(), 0)
	v.Freshness = &CopySummary{f.Pages, f.Fresh, f.Age.Seconds(), f.Requests, f.New, f.Wasted}
	return v
}
