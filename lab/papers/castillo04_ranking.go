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
	c     *course
	how   string // orderOnly or withDelays
	group int
	rows  []thesisRow
}

// How a crawl was done.
const (
	orderOnly  = "order only"
	withDelays = "w = 15 s, r = 1"
)

// rankingOf ranks a group.
func (c *course) rankingOf(how string, group int) ranking {
	rows, _ := c.group(group)
	return ranking{c, how, group, rows}
}

func byAverage(m *measure.Measures) float64   { return m.Average }
func byTauSample(m *measure.Measures) float64 { return m.TauSample }

// ours returns a measure of each row; with OPIC in its other reading if asked.
func (k *ranking) ours(of func(*measure.Measures) float64, onSeeds bool) []float64 {
	var all []float64
	for _, r := range k.rows {
		policy := r.policy
		if onSeeds && policy == "opic/cash=all" {
			policy = "opic/cash=seeds"
		}
		all = append(all, of(&k.c.run(policy).Measures))
	}
	return all
}

// theirs returns the averages of the thesis.
func (k *ranking) theirs() []float64 {
	var all []float64
	for _, r := range k.rows {
		all = append(all, r.average)
	}
	return all
}

// kendall returns the correlation with the thesis' ranking by averages.
func (k *ranking) kendall() float64 { return kendall(k.theirs(), k.ours(byAverage, false)) }

// kendallSeeds is kendall with OPIC in its other reading.
func (k *ranking) kendallSeeds() float64 { return kendall(k.theirs(), k.ours(byAverage, true)) }

// kendallTau is kendall by the other column, Kendall's tau of the orders.
func (k *ranking) kendallTau() float64 {
	var theirs []float64
	for _, r := range k.rows {
		theirs = append(theirs, r.tau)
	}
	return kendall(theirs, k.ours(byTauSample, false))
}

// kendall is measure.TauB of values of equal number.
func kendall(x, y []float64) float64 {
	v, _ := measure.TauB(x, y)
	return v
}

// without returns the ranking with one row left out.
func (k ranking) without(row thesisRow) *ranking {
	k.rows = slices.DeleteFunc(slices.Clone(k.rows), func(r thesisRow) bool { return r == row })
	return &k
}

// spread returns the distance of the best from the worst average without an oracle,
// theirs and ours: where ours lie close together a ranking means little.
func (k ranking) spread() (theirs, ours float64) {
	k.rows = slices.DeleteFunc(slices.Clone(k.rows), func(r thesisRow) bool { return strings.HasSuffix(r.policy, "omniscient") })
	t, o := k.theirs(), k.ours(byAverage, false)
	return slices.Max(t) - slices.Min(t), slices.Max(o) - slices.Min(o)
}

// A swap is a pair that the thesis has the other way round: a is above b here.
type swap struct {
	a, b         thesisRow
	oursA, oursB float64
}

// swaps returns the pairs the other way round, the widest apart here first.
func (k *ranking) swaps() []swap {
	var all []swap
	ours := k.ours(byAverage, false)
	for i, a := range k.rows {
		for j, b := range k.rows {
			if ours[i] > ours[j] && a.average < b.average {
				all = append(all, swap{a, b, ours[i], ours[j]})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y swap) int { return cmp.Compare(y.oursA-y.oursB, x.oursA-x.oursB) })
	return all
}

// explain tells which strategies changed places and by how much.
func (k *ranking) explain() string {
	swaps := k.swaps()
	n := len(k.rows) * (len(k.rows) - 1) / 2
	where := fmt.Sprintf("%s, %s", k.c.place.World.Name, k.how)
	if len(swaps) == 0 {
		return fmt.Sprintf("%s: no pair of %d is the other way round.", where, n)
	}
	var most []string
	for _, s := range swaps[:min(4, len(swaps))] {
		most = append(most, fmt.Sprintf("%s above %s (%.3f to %.3f, theirs %.3f to %.3f)", s.a.name, s.b.name, s.oursA, s.oursB, s.a.average, s.b.average))
	}
	moved, times := k.mostMoved(swaps)
	return fmt.Sprintf("%s: %d of %d pairs are the other way round, widest apart: %s. %s takes part in %d of them; without it the correlation is %.3f.",
		where, len(swaps), n, strings.Join(most, "; "), moved.name, times, k.without(moved).kendall())
}

// mostMoved returns the row in most of the swaps, the first in the table among equals.
func (k *ranking) mostMoved(swaps []swap) (row thesisRow, times int) {
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

// showRankings compares the rankings, group by group, and finds whether they agree.
func (r *run) showRankings(plain, polite []*course) {
	var all []ranking
	for _, c := range plain {
		all = append(all, c.rankingOf(orderOnly, groupOrders), c.rankingOf(orderOnly, groupHistory))
		r.find(c.World.Name, all[len(all)-2].finding(polite))
	}
	for _, c := range polite {
		all = append(all, c.rankingOf(withDelays, groupOrders), c.rankingOf(withDelays, groupHistory))
	}
	if c := meanCourse(plain); c != nil {
		all = append(all, c.rankingOf(orderOnly, groupOrders))
	}
	if c := meanCourse(polite); c != nil {
		all = append(all, c.rankingOf(withDelays, groupOrders))
	}
	t := &show.Table{Columns: head("graph", "crawl", "group", "rows", "Kendall by average", "with OPIC on seeds", "Kendall by tau", "spread of averages (theirs)", "spread of averages", "at least 0.7")}
	var texts []string
	for _, k := range all {
		if len(k.rows) > 1 {
			k.addTo(t)
			texts = append(texts, k.explain())
		}
	}
	if len(polite) > 0 {
		texts = append(texts, delaysText(plain, polite))
	}
	r.show(show.Section{Title: "The rankings compared", Text: strings.Join(texts, "\n\n"), Table: t})
}

// meanCourse returns the means over the graphs on which all strategies without history
// ran, as the thesis averaged its four collections; nil with fewer than two.
func meanCourse(all []*course) *course {
	var some []*course
	for _, c := range all {
		if _, whole := c.group(groupOrders); whole {
			some = append(some, c)
		}
	}
	if len(some) < 2 {
		return nil
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
	return mean
}

func (k *ranking) addTo(t *show.Table) {
	group, seeds := "without history", show.Num(k.kendallSeeds(), 3)
	if k.group == groupHistory {
		group, seeds = "historical", show.None()
	}
	theirs, ours := k.spread()
	agrees := "no"
	if k.kendall() >= enough {
		agrees = "yes"
	}
	t.Add(k.c.place.World.Name, k.how, group, len(k.rows), show.Num(k.kendall(), 3), seeds, show.Num(k.kendallTau(), 3), show.Num(theirs, 3), show.Num(ours, 3), agrees)
}

// finding is that of the order-only ranking; it also has the number under politeness
// and the strategy that moved most.
func (k *ranking) finding(polite []*course) finding {
	f := found(k.kendall() >= enough, "%.2f over %d, with the cash of OPIC on seeds %.2f", k.kendall(), len(k.rows), k.kendallSeeds())
	for _, c := range polite {
		if c.place == k.c.place {
			p := c.rankingOf(withDelays, groupOrders)
			f.numbers += fmt.Sprintf(", with w = 15 s %.2f", p.kendall())
		}
	}
	if row, n := k.mostMoved(k.swaps()); n > 0 {
		f.numbers += fmt.Sprintf(", %s in %d of %d swapped pairs", row.name, n, len(k.swaps()))
	}
	return f
}

// delaysText tells what politeness does to larger-sites-first, whose point it is.
func delaysText(plain, polite []*course) string {
	var parts []string
	for _, q := range polite {
		c := plain[slices.IndexFunc(plain, func(c *course) bool { return c.place == q.place })]
		parts = append(parts, fmt.Sprintf("%s %.3f and %.3f (breadth-first then %.3f)", c.World.Name,
			c.average("larger-sites-first"), q.average("larger-sites-first"), q.average("breadth-first")))
	}
	return text("castillo04-table1-delays", strings.Join(parts, "; "))
}
