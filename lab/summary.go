package lab

import (
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/lab/revisit"
)

// A Summary holds the numbers of one run. The names of the measures are those of
// measure.Measures, which are left out without an oracle. winnow sim prints its JSON form.
type Summary struct {
	Policy    string `json:"policy"`
	Pages     int    `json:"pages"`
	Reachable int    `json:"reachable"`
	*measure.Measures
	Regret  *float64         `json:"regret,omitempty"`
	Starts  *SummaryOfStarts `json:"starts,omitempty"`
	Known   int              `json:"known"`    // pages known at the end
	Sites   int              `json:"sites"`    // sites known at the end
	Request int              `json:"requests"` // DNS, robots.txt and pages
	Memory  int64            `json:"memory"`   // bytes of frontier and policy

	Seconds        float64  `json:"seconds"`         // of the crawl, by the clock on the wall
	VirtualSeconds float64  `json:"virtual_seconds"` // that it took in its world
	Active         *float64 `json:"active_fetchers,omitempty"`
	// Tail is the end of the crawl, with a model of time; Timeouts and Lost are those of sim.Result.
	Tail     []measure.Tail `json:"tail,omitempty"`
	Timeouts int            `json:"timeouts,omitempty"`
	Lost     int            `json:"lost,omitempty"`
	// Copies is how up to date the copies were, in a world that changes.
	Copies *revisit.Course `json:"copies,omitempty"`
	Kept   *KeptPages      `json:"kept,omitempty"` // with room for some pages only
}

// SummaryOfStarts is a policy over the start sets.
type SummaryOfStarts struct {
	Sets    int              `json:"sets"`
	Seeds   int              `json:"seed_pages"`
	Average measure.Interval `json:"avg_cumulative_pagerank"`
	Regret  measure.Interval `json:"regret"`
	Lead    measure.Interval `json:"ahead_of_first"` // by the average, set by set
	// Top is Measures.TopTenth over the sets that got so far.
	Top []measure.Interval `json:"pages_for_top_10"`
}

// Summary returns the numbers of run i. b and sets may be nil.
func (c *Comparison) Summary(runs []*Run, i int, b *Baselines, sets *StartSets) *Summary {
	run := runs[i]
	res := run.Result
	s := &Summary{
		Policy: run.Policy, Pages: len(res.Order), Reachable: len(c.Tree.Order),
		Known: res.Known, Sites: res.Sites, Request: res.Requests, Memory: res.Memory,
		Seconds: run.Seconds, VirtualSeconds: res.Took.Seconds(), Copies: run.Kept, Kept: c.Kept(run),
	}
	if res.Trace != nil {
		active := res.Trace.Mean().Active
		s.Active = &active
		s.Tail, s.Timeouts, s.Lost = c.Tails(run), res.Timeouts, res.Lost
	}
	if c.Judge == nil {
		return s
	}
	s.Measures = &run.Measures
	if v, ok := b.Regret(run.Measures.Average); ok {
		s.Regret = &v
	}
	if sets != nil {
		s.Starts = &SummaryOfStarts{Sets: sets.Sets(), Seeds: sets.Seeds, Average: sets.Mean(i), Regret: sets.MeanRegret(i), Lead: sets.Lead(i), Top: sets.MeanTop(i)}
	}
	return s
}

// Hot returns the thresholds of hot pages.
func (c *Comparison) Hot() (g []float64) {
	for _, h := range c.Judge.Hot() {
		g = append(g, h.G)
	}
	return g
}
