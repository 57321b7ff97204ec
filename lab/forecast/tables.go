package forecast

import (
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/internal/show"
)

// Sections shows what was found. The texts explain the forecasts and the shares.
func Sections(worlds []*World, forecasts, shares string) []show.Section {
	return []show.Section{
		{Title: "Forecasts of a tenth more", Table: totals(worlds), Text: forecasts},
		{Title: "Forecasts by graph", Table: byWorld(worlds)},
		{Title: "Shares", Table: sharesTable(worlds), Text: shares},
	}
}

// pooled returns the cases of a budget at all places.
func pooled(worlds []*World, b advise.Budget) (all []Case) {
	for _, w := range worlds {
		all = append(all, w.cases[b]...)
	}
	return all
}

// covered returns the share of the cases whose interval holds the truth.
func covered(cases []Case) float64 {
	n := 0
	for i := range cases {
		if cases[i].holds() {
			n++
		}
	}
	return float64(n) / float64(len(cases))
}

// tenths returns by which factor intervals around what the last tenth brought, times the trend
// or not, are wide, if they all have the same width and position, chosen in hindsight so that
// as many hold the truth.
func tenths(cases []Case, share float64, trend bool) float64 {
	var errors []float64
	for _, c := range cases {
		e := math.Log(c.truth / c.Last)
		if trend {
			e -= math.Log(c.Last / c.Before)
		}
		errors = append(errors, e)
	}
	slices.Sort(errors)
	n := len(errors)
	out := (1 - share) / 2
	low, high := int(out*float64(n)), int((1-out)*float64(n))
	return math.Exp(errors[min(high, n-1)] - errors[min(low, n-1)])
}

// A Summary is about the forecasts of a budget on all graphs.
type Summary struct {
	Cases   int
	Covered float64 // share of them whose interval holds the truth
	Width   float64 // mean width of the intervals
	Last    float64 // width of as good ones around what the last tenth brought
	Trend   float64 // the same, times the trend
}

// Sum returns the summary of a budget, which is zero without a case.
func Sum(worlds []*World, b advise.Budget) (s Summary) {
	cases := pooled(worlds, b)
	if s.Cases = len(cases); s.Cases > 0 {
		s.Covered, s.Width = covered(cases), width(cases)
		s.Last, s.Trend = tenths(cases, s.Covered, false), tenths(cases, s.Covered, true)
	}
	return s
}

// Certain returns the least certain share at a stop, and the number of those above the truth.
func (w *World) Certain() (least float64, above int) {
	least = 1
	for _, x := range w.shares {
		if least = min(least, x.certain); x.certain > x.personal {
			above++
		}
	}
	return least, above
}

func totals(worlds []*World) *show.Table {
	t := &show.Table{Columns: []show.Column{
		{Name: "a tenth more"}, {Name: "cases"}, {Name: "in the interval", Unit: "%"}, {Name: "width"},
		{Name: "last tenth", Key: "last"}, {Name: "and its trend", Key: "trend"},
	}}
	for b := range advise.Budgets {
		s := Sum(worlds, b)
		if s.Cases == 0 {
			t.Add(b.String(), show.Count(0))
			continue
		}
		t.Add(b.String(), show.Count(s.Cases), show.Num(100*s.Covered, 1), show.Num(s.Width, 2), show.Num(s.Last, 2), show.Num(s.Trend, 2))
	}
	return t
}

func byWorld(worlds []*World) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "graph"}, {Name: "crawls"}, {Name: "stops"}}}
	for b := range advise.Budgets {
		t.Columns = append(t.Columns, show.Column{Name: b.String(), Unit: "%"}, show.Column{Name: "width", Key: b.String() + "_width"})
	}
	for _, w := range worlds {
		row := []any{w.Name, show.Count(w.crawls), show.Count(len(w.shares))}
		for b := range advise.Budgets {
			if cases := w.cases[b]; len(cases) > 0 {
				row = append(row, show.Num(100*covered(cases), 1), show.Num(width(cases), 2))
			} else {
				row = append(row, show.None(), show.None())
			}
		}
		t.Add(row...)
	}
	return t
}

func sharesTable(worlds []*World) *show.Table {
	t := &show.Table{Columns: []show.Column{
		{Name: "graph"}, {Name: "certain", Unit: "%"}, {Name: "personalised PageRank", Unit: "%", Key: "personal"}, {Name: "certain above it", Key: "above"},
		{Name: "importance", Unit: "%"}, {Name: "of the whole graph", Unit: "%", Key: "whole"},
	}}
	for _, w := range worlds {
		var sum share
		above := 0
		for _, x := range w.shares {
			sum.certain, sum.personal, sum.importance, sum.whole = sum.certain+x.certain, sum.personal+x.personal, sum.importance+x.importance, sum.whole+x.whole
			if x.certain > x.personal {
				above++
			}
		}
		n := float64(max(1, len(w.shares))) / 100
		t.Add(w.Name, show.Num(sum.certain/n, 1), show.Num(sum.personal/n, 1), show.Count(above), show.Num(sum.importance/n, 1), show.Num(sum.whole/n, 1))
	}
	return t
}

// The range in which the share of the cases must be that an interval of 80 % holds.
const (
	least = 0.74
	most  = 0.86
)

// Verdict says whether the intervals are honest and useful.
func Verdict(worlds []*World) string {
	crawls, s := 0, ""
	for _, w := range worlds {
		crawls += w.crawls
	}
	for b := range advise.Budgets {
		x, word, narrow := Sum(worlds, b), "honest", "narrower"
		if x.Cases == 0 {
			continue
		}
		if x.Covered < least || x.Covered > most {
			word = "not honest"
		}
		if x.Width >= min(x.Last, x.Trend) {
			narrow = "not narrower"
		}
		s += fmt.Sprintf("; %s: %s (%.1f %%), %s than extrapolating the last tenth", b, word, 100*x.Covered, narrow)
	}
	return fmt.Sprintf("Intervals of 80 %% over %d crawls of %s%s.", crawls, show.Counted(len(worlds), "graph"), s)
}
