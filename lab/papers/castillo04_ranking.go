package papers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A ranking is a group of rows of table 4.1 as one place ranks them.
type ranking struct {
	place string
	how   string // orderOnly or withDelays
	group int
	rows  []rankedRow
}

// A rankedRow is a row of table 4.1 with our numbers.
type rankedRow struct {
	thesisRow
	ours    float64 // average
	onSeeds float64 // average, with OPIC in its other reading
	sample  float64 // tau of a sample
}

// How a crawl was done.
const (
	orderOnly  = "order only"
	withDelays = "w = 15 s, r = 1"
)

// rankingOf ranks a group.
func (c *course) rankingOf(how string, group int) ranking {
	k := ranking{place: c.place.World.Name, how: how, group: group}
	rows, _ := c.group(group)
	for _, row := range rows {
		m := c.run(row.policy).Measures
		r := rankedRow{row, m.Average, m.Average, m.TauSample}
		if row.policy == "opic/cash=all" {
			r.onSeeds = c.average("opic/cash=seeds")
		}
		k.rows = append(k.rows, r)
	}
	return k
}

// kendall returns the correlation of the rows by one of theirs and one of ours.
func kendall(rows []rankedRow, of func(rankedRow) (theirs, ours float64)) float64 {
	var x, y []float64
	for _, r := range rows {
		theirs, ours := of(r)
		x, y = append(x, theirs), append(y, ours)
	}
	v, _ := measure.TauB(x, y) // of equal length
	return v
}

func byAverage(r rankedRow) (theirs, ours float64) { return r.average, r.ours }
func byOnSeeds(r rankedRow) (theirs, ours float64) { return r.average, r.onSeeds }
func bySample(r rankedRow) (theirs, ours float64)  { return r.tau, r.sample }

// A swap is a pair that the thesis has the other way round: a is above b here.
type swap struct{ a, b rankedRow }

// swaps returns the pairs the other way round, the widest apart here first.
func (k *ranking) swaps() (all []swap) {
	for _, a := range k.rows {
		for _, b := range k.rows {
			if a.ours > b.ours && a.average < b.average {
				all = append(all, swap{a, b})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y swap) int { return cmp.Compare(y.a.ours-y.b.ours, x.a.ours-x.b.ours) })
	return all
}

// mostMoved returns the row in most of the swaps, the first in the table among equals.
func (k *ranking) mostMoved(swaps []swap) (row rankedRow, times int) {
	for _, r := range k.rows {
		n := 0
		for _, s := range swaps {
			if s.a == r || s.b == r {
				n++
			}
		}
		if n > times {
			row, times = r, n
		}
	}
	return row, times
}

// explain tells which strategies changed places and by how much.
func (k *ranking) explain() string {
	swaps := k.swaps()
	n := len(k.rows) * (len(k.rows) - 1) / 2
	if len(swaps) == 0 {
		return fmt.Sprintf("%s, %s: no pair of %d is the other way round.", k.place, k.how, n)
	}
	var most []string
	for _, s := range swaps[:min(4, len(swaps))] {
		most = append(most, fmt.Sprintf("%s above %s (%.3f to %.3f, theirs %.3f to %.3f)", s.a.name, s.b.name, s.a.ours, s.b.ours, s.a.average, s.b.average))
	}
	moved, times := k.mostMoved(swaps)
	others := slices.DeleteFunc(slices.Clone(k.rows), func(r rankedRow) bool { return r == moved })
	return fmt.Sprintf("%s, %s: %d of %d pairs are the other way round, widest apart: %s. %s takes part in %d of them; without it the correlation is %.3f.",
		k.place, k.how, len(swaps), n, strings.Join(most, "; "), moved.name, times, kendall(others, byAverage))
}

// addTo adds the ranking to a table. The spread is the distance of the best from the worst
// average without an oracle: where ours lie close together a ranking means little.
func (k *ranking) addTo(t *show.Table) {
	group, seeds := "without history", show.Num(kendall(k.rows, byOnSeeds), 3)
	if k.group == groupHistory {
		group, seeds = "historical", show.None()
	}
	agrees := "no"
	if kendall(k.rows, byAverage) >= enough {
		agrees = "yes"
	}
	var theirs, ours []float64
	for _, r := range k.rows {
		if !strings.HasSuffix(r.policy, "omniscient") {
			theirs, ours = append(theirs, r.average), append(ours, r.ours)
		}
	}
	spread := func(x []float64) show.Cell { return show.Num(slices.Max(x)-slices.Min(x), 3) }
	t.Add(k.place, k.how, group, len(k.rows), show.Num(kendall(k.rows, byAverage), 3), seeds, show.Num(kendall(k.rows, bySample), 3), spread(theirs), spread(ours), agrees)
}

// finding returns that of the order-only ranking, with the number under politeness, unless
// polite is nil, and the strategy that moved most.
func (k *ranking) finding(polite *course) finding {
	f := found(kendall(k.rows, byAverage) >= enough, "%.2f over %d, with the cash of OPIC on seeds %.2f", kendall(k.rows, byAverage), len(k.rows), kendall(k.rows, byOnSeeds))
	if polite != nil {
		f.numbers += fmt.Sprintf(", with w = 15 s %.2f", kendall(polite.rankingOf(withDelays, groupOrders).rows, byAverage))
	}
	if row, n := k.mostMoved(k.swaps()); n > 0 {
		f.numbers += fmt.Sprintf(", %s in %d of %d swapped pairs", row.name, n, len(k.swaps()))
	}
	return f
}

// showRankings compares the rankings, group by group, and finds whether they agree.
func (r *run) showRankings(plain, polite []*course) {
	var all []ranking
	var parts []string // what politeness does to larger-sites-first, whose point it is
	for _, c := range plain {
		all = append(all, c.rankingOf(orderOnly, groupOrders), c.rankingOf(orderOnly, groupHistory))
		var q *course
		if i := slices.IndexFunc(polite, func(q *course) bool { return q.place == c.place }); i >= 0 {
			q = polite[i]
			parts = append(parts, fmt.Sprintf("%s %.3f and %.3f (breadth-first then %.3f)", c.World.Name,
				c.average("larger-sites-first"), q.average("larger-sites-first"), q.average("breadth-first")))
		}
		r.find(c.World.Name, all[len(all)-2].finding(q))
	}
	for _, c := range polite {
		all = append(all, c.rankingOf(withDelays, groupOrders), c.rankingOf(withDelays, groupHistory))
	}
	all = append(all, meanRanking(plain, orderOnly), meanRanking(polite, withDelays))
	t := &show.Table{Columns: head("graph", "crawl", "group", "rows", "Kendall by average", "with OPIC on seeds", "Kendall by tau", "spread of averages (theirs)", "spread of averages", "at least 0.7")}
	var texts []string
	for _, k := range all {
		if len(k.rows) > 1 {
			k.addTo(t)
			texts = append(texts, k.explain())
		}
	}
	if parts != nil {
		texts = append(texts, text("castillo04-table1-delays", strings.Join(parts, "; ")))
	}
	r.show(show.Section{Title: "The rankings compared", Text: strings.Join(texts, "\n\n"), Table: t})
}

// meanRanking ranks the means over the graphs on which all strategies without history
// ran, as the thesis averaged its four collections. It is empty with fewer than two.
func meanRanking(all []*course, how string) (k ranking) {
	some := slices.DeleteFunc(slices.Clone(all), func(c *course) bool {
		_, whole := c.group(groupOrders)
		return !whole
	})
	if len(some) < 2 {
		return k
	}
	w := *some[0].World
	w.Name = fmt.Sprintf("mean of %d graphs", len(some))
	mean := &course{place: &Place{World: &w}}
	for _, row := range thesisRows() {
		if row.group != groupHistory {
			avg, tau := meanOf(some, row)
			mean.runs = append(mean.runs, &lab.Run{Policy: row.policy, Measures: measure.Measures{Average: avg, TauSample: tau}})
		}
	}
	return mean.rankingOf(how, groupOrders)
}
