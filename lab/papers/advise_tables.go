package papers

import (
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/internal/show"
)

// adviseSections shows what was found.
func adviseSections(worlds []*adviseWorld) []show.Section {
	return []show.Section{
		{Title: "Forecasts of a tenth more", Table: adviseTotals(worlds), Text: text("advise-totals")},
		{Title: "Forecasts by graph", Table: adviseByWorld(worlds)},
		{Title: "Shares", Table: adviseShares(worlds), Text: text("advise-shares")},
	}
}

// pooled returns the cases of a budget at all places.
func pooled(worlds []*adviseWorld, b advise.Budget) (all []forecastCase) {
	for _, w := range worlds {
		all = append(all, w.cases[b]...)
	}
	return all
}

// covered returns the share of the cases whose interval holds the truth.
func covered(cases []forecastCase) float64 {
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
func tenths(cases []forecastCase, share float64, trend bool) float64 {
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

func adviseTotals(worlds []*adviseWorld) *show.Table {
	t := &show.Table{Columns: []show.Column{
		{Name: "a tenth more"}, {Name: "cases"}, {Name: "in the interval", Unit: "%"}, {Name: "width"},
		{Name: "last tenth", Key: "last"}, {Name: "and its trend", Key: "trend"},
	}}
	for b := range advise.Budgets {
		cases := pooled(worlds, b)
		if len(cases) == 0 {
			t.Add(b.String(), show.Count(0))
			continue
		}
		share := covered(cases)
		t.Add(b.String(), show.Count(len(cases)), show.Num(100*share, 1), show.Num(width(cases), 2),
			show.Num(tenths(cases, share, false), 2), show.Num(tenths(cases, share, true), 2))
	}
	return t
}

func adviseByWorld(worlds []*adviseWorld) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "graph"}, {Name: "crawls"}, {Name: "stops"}}}
	for b := range advise.Budgets {
		t.Columns = append(t.Columns, show.Column{Name: b.String(), Unit: "%"}, show.Column{Name: "width", Key: b.String() + "_width"})
	}
	for _, w := range worlds {
		row := []any{w.name, show.Count(w.crawls), show.Count(len(w.shares))}
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

func adviseShares(worlds []*adviseWorld) *show.Table {
	t := &show.Table{Columns: []show.Column{
		{Name: "graph"}, {Name: "certain", Unit: "%"}, {Name: "personalised PageRank", Unit: "%", Key: "personal"}, {Name: "certain above it", Key: "above"},
		{Name: "importance", Unit: "%"}, {Name: "of the whole graph", Unit: "%", Key: "whole"},
	}}
	for _, w := range worlds {
		var sum shareCase
		above := 0
		for _, x := range w.shares {
			sum.certain, sum.personal, sum.importance, sum.whole = sum.certain+x.certain, sum.personal+x.personal, sum.importance+x.importance, sum.whole+x.whole
			if x.certain > x.personal {
				above++
			}
		}
		n := float64(max(1, len(w.shares))) / 100
		t.Add(w.name, show.Num(sum.certain/n, 1), show.Num(sum.personal/n, 1), show.Count(above), show.Num(sum.importance/n, 1), show.Num(sum.whole/n, 1))
	}
	return t
}

// The range in which the share of the cases must be that an interval of 80 % holds.
const (
	adviseLeast = 0.74
	adviseMost  = 0.86
)

// adviseVerdict says whether the intervals are honest and useful.
func adviseVerdict(worlds []*adviseWorld) string {
	crawls, s := 0, ""
	for _, w := range worlds {
		crawls += w.crawls
	}
	for b := range advise.Budgets {
		cases := pooled(worlds, b)
		if len(cases) == 0 {
			continue
		}
		share, word, narrow := covered(cases), "honest", "narrower"
		if share < adviseLeast || share > adviseMost {
			word = "not honest"
		}
		if width(cases) >= min(tenths(cases, share, true), tenths(cases, share, false)) {
			narrow = "not narrower"
		}
		s += fmt.Sprintf("; %s: %s (%.1f %%), %s than extrapolating the last tenth", b, word, 100*share, narrow)
	}
	return fmt.Sprintf("Intervals of 80 %% over %d crawls of %s%s.", crawls, show.Counted(len(worlds), "graph"), s)
}
