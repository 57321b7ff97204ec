package live

import (
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A Summary has the main numbers of a Report.
type Summary struct {
	Report   string   `json:"report"` // where the report was written
	Known    int64    `json:"known"`
	Fetched  int64    `json:"fetched"`
	Failed   int64    `json:"failed"`
	Refused  int64    `json:"refused"`
	Sites    int      `json:"sites"`
	Bytes    int64    `json:"bytes"`
	Seconds  float64  `json:"seconds"` // of running
	HalfRank *float64 `json:"importance_of_half"`
	Orders   []Order  `json:"orders"`
	Indexes  int      `json:"indexes_written"`
}

// An Order has the main numbers of one order of the pages.
type Order struct {
	Policy  string   `json:"policy"`
	Average float64  `json:"avg_cumulative_pagerank"`
	Tenths  []any    `json:"importance_by_tenth"` // null where it stopped before
	Seconds *float64 `json:"seconds,omitempty"`
}

// Summary returns the main numbers. The caller sets Report and Indexes.
func (r *Report) Summary() Summary {
	of := r.status
	s := Summary{
		Known: of.Known, Fetched: of.Fetched, Failed: of.Failed,
		Refused: of.Refused, Sites: len(r.w.Trail.Sites), Bytes: of.Bytes,
		Seconds: r.Real.Result.Took.Seconds(), HalfRank: halfRank(r.Real.Trial.Cumulative()),
	}
	for _, run := range r.all() {
		x := Order{Policy: run.Policy, Average: run.Measures.Average}
		for _, v := range run.Tenths() {
			if math.IsNaN(v) {
				x.Tenths = append(x.Tenths, nil)
			} else {
				x.Tenths = append(x.Tenths, v)
			}
		}
		if r.c.Times != nil {
			seconds := run.Result.Took.Seconds()
			x.Seconds = &seconds
		}
		s.Orders = append(s.Orders, x)
	}
	return s
}

// halfRank returns the importance of the first half of the pages, nil if it is unknown.
func halfRank(c measure.Curve) *float64 {
	v, ok := c.At(0.5)
	if !ok {
		return nil
	}
	return &v
}

// A Course describes how soon a crawl gathered the importance. Numbers are nil if it never did.
type Course struct {
	Policy   string   `json:"policy"`
	HalfRank *float64 `json:"importance_of_half"` // of the first half of the pages
	For50    *float64 `json:"seconds_for_50"`
	For90    *float64 `json:"seconds_for_90"`
	Seconds  float64  `json:"seconds"`
}

func courseOf(run *lab.Run, policy string) *Course {
	c := run.Trial.Cumulative()
	return &Course{Policy: policy, HalfRank: halfRank(c), For50: secondsFor(run, c, 0.5), For90: secondsFor(run, c, 0.9), Seconds: run.Result.Took.Seconds()}
}

// secondsFor returns when a run had a share of the importance, nil if never.
func secondsFor(run *lab.Run, c measure.Curve, share float64) *float64 {
	i, _ := slices.BinarySearch(c.Y, share)
	if i >= len(run.Result.End) {
		return nil
	}
	s := run.Result.End[i].Seconds()
	return &s
}

// Course returns the course of the crawl.
func (r *Report) Course() *Course { return courseOf(r.Real, r.config.Policy) }

// Simulated returns the course of a policy in the world and with the times of the crawl,
// nil if it was not simulated. Two policies in one such world differ by nothing else, while
// two crawls also differ by the state of the machine.
func (r *Report) Simulated(policy string) *Course {
	name := policy
	if policy == r.config.Policy {
		name += simulated
	}
	for _, run := range r.Runs {
		if run.Policy == name {
			return courseOf(run, policy)
		}
	}
	return nil
}

// Compare returns a table with a row for each crawl, and below it the policies of all
// crawls, simulated in the world of that crawl. violations has a number for each crawl.
func Compare(reports []*Report, violations []int) show.Section {
	t := &show.Table{Columns: []show.Column{
		{Name: "crawl"}, {Name: "at 50 %", Unit: "%", Key: "importance_at_50"},
		{Name: "half of it", Unit: "s", Key: "seconds_for_50"}, {Name: "90 % of it", Unit: "s", Key: "seconds_for_90"},
		{Name: "all", Unit: "s", Key: "seconds"}, {Name: "pages"}, {Name: "violations"},
	}}
	for i, r := range reports {
		row := r.Course().row(r.config.Policy)
		t.Rows = append(t.Rows, append(row, show.Count(len(r.Real.Result.Order)), show.Count(violations[i])))
		for _, other := range reports {
			if s := r.Simulated(other.config.Policy); s != nil {
				t.Rows = append(t.Rows, append(s.row("  simulated: "+s.Policy), show.None(), show.None()))
			}
		}
	}
	return show.Section{
		Table: t,
		Text: "Importance is the PageRank of the fetched pages. at 50 %: importance of the first half of the pages. half of it, 90 % of it: when this much of the importance was gathered. " +
			"simulated: the policy in the world that the crawl above recorded, with the times that it recorded.",
	}
}

func (c *Course) row(name string) []show.Cell {
	return []show.Cell{show.Words(name), show.NumOf(c.HalfRank, 100, 1), show.NumOf(c.For50, 1, 2), show.NumOf(c.For90, 1, 2), show.Num(c.Seconds, 1)}
}
