package forecast

import (
	"cmp"
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

// HotSections shows what was found about pages on a topic.
func HotSections(worlds []*World, text string) []show.Section {
	return []show.Section{{Title: "Forecasts of pages about a topic", Table: hotTable(worlds), Text: text}}
}

func hotTable(worlds []*World) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "world"}, {Name: "crawls"}, {Name: "cases"}}}
	for b := range advise.Budgets {
		t.Columns = append(t.Columns, show.Column{Name: b.String(), Unit: "%"},
			show.Column{Name: "width", Key: b.String() + "_width"}, show.Column{Name: "last tenth", Key: b.String() + "_last"})
	}
	for _, w := range append(worlds, together(worlds)) {
		row := []any{w.Name, show.Count(w.crawls), show.Count(len(w.hot[advise.Pages]))}
		for b := range advise.Budgets {
			if s := SumHot([]*World{w}, b); s.Cases > 0 {
				row = append(row, show.Num(100*s.Covered, 1), show.Num(s.Width, 2), show.Num(s.Last, 2))
			} else {
				row = append(row, show.None(), show.None(), show.None())
			}
		}
		t.Add(row...)
	}
	return t
}

// together returns what was found at all places.
func together(worlds []*World) *World {
	all := &World{Name: "all"}
	for _, w := range worlds {
		crawls := all.crawls + w.crawls
		all.Add(w)
		all.crawls = crawls
	}
	return all
}

// SumHot returns the summary of the forecasts of pages about a topic. A width is the quotient of
// the ends, each plus a half, because the lower one may be 0.
func SumHot(worlds []*World, b advise.Budget) (s Summary) {
	var errors []float64
	widths, held := 0.0, 0
	for _, w := range worlds {
		for _, c := range w.hot[b] {
			widths += math.Log((c.High + 0.5) / (c.Low + 0.5))
			errors = append(errors, math.Log((float64(c.truth)+0.5)/(float64(c.Last)+0.5)))
			if c.holds() {
				held++
			}
		}
	}
	if s.Cases = len(errors); s.Cases > 0 {
		n := float64(s.Cases)
		s.Covered, s.Width = float64(held)/n, math.Exp(widths/n)
		s.Last = around(errors, s.Covered)
	}
	return s
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

// around returns the errors' distance that holds a share of them, chosen in hindsight, as a factor.
func around(errors []float64, share float64) float64 {
	slices.Sort(errors)
	n, out := len(errors), (1-share)/2
	low, high := int(out*float64(n)), int((1-out)*float64(n))
	return math.Exp(errors[min(high, n-1)] - errors[min(low, n-1)])
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
	return around(errors, share)
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

// Verdict says whether the intervals are honest and useful, on graphs and on worlds with a topic.
func Verdict(worlds, topics []*World) string {
	s := judged("", worlds, "graph", Sum)
	if len(topics) > 0 {
		s += " " + judged("Pages about a topic: i", topics, "world", SumHot)
	}
	return s
}

func judged(prefix string, worlds []*World, what string, sum func([]*World, advise.Budget) Summary) string {
	crawls, s := 0, ""
	for _, w := range worlds {
		crawls += w.crawls
	}
	for b := range advise.Budgets {
		x, word, narrow := sum(worlds, b), "honest", "narrower"
		if x.Cases == 0 {
			continue
		}
		if x.Covered < least || x.Covered > most {
			word = "not honest"
		}
		if x.Width >= x.Last || x.Trend > 0 && x.Width >= x.Trend {
			narrow = "not narrower"
		}
		s += fmt.Sprintf("; %s: %s (%.1f %%), %s than extrapolating the last tenth", b, word, 100*x.Covered, narrow)
	}
	return fmt.Sprintf("%sntervals of 80 %% over %d crawls of %s%s.", cmp.Or(prefix, "I"), crawls, show.Counted(len(worlds), what), s)
}
