package castillo04

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
)

// A thesisRow is a row of table 4.1: the strategy, its average cumulative PageRank and
// Kendall's tau on a sample of 5000 pages. The thesis averaged the rows without history
// over four collections and has the historical ones from one pair of collections, so
// they are two groups that are never put into one ranking.
type thesisRow struct {
	name, policy string
	average, tau float64
	group        int
}

const (
	groupOrders = iota // four collections
	groupHistory
	groupOther // OPIC in its other reading: shown, in no ranking of the table
)

// thesisRows returns table 4.1. "All pages start with the same amount of cash" is
// cash=all; the other reading of OPIC is below it.
func thesisRows() []thesisRow {
	return []thesisRow{
		{"backlink-count", "backlink-count", 0.4952, 0.0157, groupOrders},
		{"partial-pagerank", "partial-pagerank", 0.5221, 0.0236, groupOrders},
		{"breadth-first", "breadth-first", 0.6425, 0.1293, groupOrders},
		{"batch-pagerank", "batch-pagerank", 0.6341, 0.1961, groupOrders},
		{"opic, cash on all pages", "opic/cash=all", 0.6709, 0.2229, groupOrders},
		{"opic, cash on seeds", "opic/cash=seeds", 0.6709, 0.2229, groupOther},
		{"larger-sites-first", "larger-sites-first", 0.6749, 0.2498, groupOrders},
		{"historical-pagerank-zero", historical + "/new=zero", 0.6758, 0.3573, groupHistory},
		{"historical-pagerank-random", historical + "/new=random", 0.6977, 0.3689, groupHistory},
		{"historical-pagerank-parent", historical + "/new=parent", 0.7074, 0.3520, groupHistory},
		{"historical-pagerank-omniscient", historical + "/new=omniscient", 0.7731, 0.6385, groupHistory},
		{"omniscient", "omniscient", 0.7427, 0.6504, groupOrders},
	}
}

// enough is the Kendall correlation from which on two rankings agree.
const enough = 0.7

// table1 shows table 4.1, order only and, where there are several sites, with the thesis'
// politeness and times.
func table1(r *experiment.Run) error {
	var policies []string
	for _, row := range thesisRows() {
		policies = append(policies, row.policy)
	}
	var plain, polite []*experiment.Course
	for i, p := range r.Places {
		r.Say(i, len(r.Places), "%s", p.World.Name)
		a, b, err := table1At(r.Bench, p, policies)
		if err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
		if plain = append(plain, a); b != nil {
			polite = append(polite, b)
		}
	}
	r.Show(show.Section{Title: "Order only", Text: tableText(plain), Chart: thesisChart(plain), Table: thesisTable(plain)})
	if len(polite) > 0 {
		r.Show(show.Section{Title: "Under the thesis' restrictions", Text: text("table1-polite"), Chart: thesisChart(polite), Table: thesisTable(polite)})
	}
	showRankings(r, plain, polite)
	showBatches(r, plain)
	for _, p := range r.Places {
		if err := addStarts(r, p, policies); err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
	}
	return nil
}

// table1At crawls one place; polite is nil where there is one site or none is known.
func table1At(b *experiment.Bench, p *experiment.Place, policies []string) (plain, polite *experiment.Course, err error) {
	plain, err = ordered(b, p, slices.Concat(policies, []string{"horn", "random"}, defaultBatches(p)))
	if err != nil || !p.World.HasSites() {
		return plain, nil, err
	}
	s, err := politely(b, p, plain.Truth)
	if err == nil {
		polite, err = order(b, p, s, policies)
	}
	return plain, polite, err
}

// defaultBatches returns batch- and partial-pagerank with the K of the command line,
// where that is another than T/30.
func defaultBatches(p *experiment.Place) []string {
	k := float64(experiment.Batch(p.Reach(p.Seeds)))
	if math.Abs(math.Log(k/policy.DefaultBatch)) < math.Log(1.25) {
		return nil
	}
	return []string{fmt.Sprintf("batch-pagerank/k=%d", policy.DefaultBatch), fmt.Sprintf("partial-pagerank/k=%d", policy.DefaultBatch), "batch-pagerank/ramp=true"}
}

func tableText(all []*experiment.Course) string {
	var k []string
	without, single := false, false
	for _, c := range all {
		k = append(k, fmt.Sprintf("%s %d (K = %d)", c.World.Name, c.Judge.Reachable(), c.Batch))
		without = without || c.World.Sim.SiteOf == nil
		single = single || c.World.Sim.SiteOf != nil && !c.World.HasSites()
	}
	s := text("table1-reach", strings.Join(k, ", "))
	if without {
		s += " larger-sites-first needs sites: it is not shown where they are not known."
	}
	if single {
		s += " On a graph with one site it is breadth-first under another name: shown, but in no mean or ranking."
	}
	return s
}

// thesisTable returns their values, ours on each graph, and the mean by group.
func thesisTable(all []*experiment.Course) *show.Table {
	t := &show.Table{Columns: head("strategy", "average (theirs)", "tau (theirs)")}
	for _, c := range all {
		t.Columns = append(t.Columns, show.Column{Name: c.World.Name + " average"}, show.Column{Name: c.World.Name + " tau"})
	}
	if len(all) > 1 {
		t.Columns = append(t.Columns, head("mean average", "mean tau")...)
	}
	for _, row := range thesisRows() {
		cells := []any{row.name, show.Num(row.average, 4), show.Num(row.tau, 4)}
		for _, c := range all {
			avg, tau := math.NaN(), math.NaN()
			if r := c.Under(row.policy); r != nil {
				avg, tau = r.Measures.Average, r.Measures.TauSample
			}
			cells = append(cells, show.Num(avg, 4), show.Num(tau, 4))
		}
		if len(all) > 1 {
			avg, tau := meanOf(all, row)
			cells = append(cells, show.Num(avg, 4), show.Num(tau, 4))
		}
		t.Add(cells...)
	}
	return t
}

// thesisChart plots our averages over theirs, a cloud for each graph: the same ranking
// ascends from left to right.
func thesisChart(all []*experiment.Course) *plot.Chart {
	chart := &plot.Chart{Title: "Average cumulative PageRank", XLabel: "theirs", YLabel: "ours", Points: true}
	for _, c := range all {
		s := plot.Series{Name: c.World.Name}
		for _, row := range thesisRows() {
			if r := c.Under(row.policy); r != nil {
				s.Add(row.average, r.Measures.Average)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// meanOf returns the means of a row over the graphs where its whole group ran; NaN if
// there is none.
func meanOf(all []*experiment.Course, row thesisRow) (avg, tau float64) {
	if row.group == groupOther {
		row.group = groupOrders
	}
	var a, k []float64
	for _, c := range all {
		if _, whole := rowsOf(c, row.group); whole {
			m := c.Under(row.policy).Measures
			a, k = append(a, m.Average), append(k, m.TauSample)
		}
	}
	n := float64(len(a))
	return measure.Sum(a) / n, measure.Sum(k) / n
}

// rowsOf returns the rows of a group that ran and mean something; whole is false if some
// did not.
func rowsOf(c *experiment.Course, group int) (rows []thesisRow, whole bool) {
	whole = true
	for _, r := range thesisRows() {
		switch {
		case r.group != group:
		case c.Under(r.policy) != nil && (r.policy != "larger-sites-first" || c.Place.World.HasSites()):
			rows = append(rows, r)
		default:
			whole = false
		}
	}
	return rows, whole
}

// showBatches shows batch- and partial-pagerank with another K, where it was run.
func showBatches(r *experiment.Run, all []*experiment.Course) {
	t := &show.Table{Columns: head("graph", "strategy", "average", "tau", "regret")}
	for _, c := range all {
		more := defaultBatches(c.Place)
		for _, policy := range append([]string{"batch-pagerank", "partial-pagerank"}, more...) {
			run := c.Under(policy)
			if run == nil || more == nil {
				continue
			}
			name := policy
			if !strings.Contains(name, "/k=") {
				name += fmt.Sprintf(" (K = %d)", c.Batch)
			}
			t.Add(c.World.Name, name, show.Num(run.Measures.Average, 4), show.Num(run.Measures.TauSample, 4), regret(c, policy))
		}
	}
	if len(t.Rows) > 0 {
		r.Show(show.Section{Title: "What K does", Text: text("table1-batches", policy.DefaultBatch, experiment.Solves), Table: t})
	}
}

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
func rankingOf(c *experiment.Course, how string, group int) ranking {
	k := ranking{place: c.Place.World.Name, how: how, group: group}
	rows, _ := rowsOf(c, group)
	for _, row := range rows {
		m := c.Under(row.policy).Measures
		r := rankedRow{row, m.Average, m.Average, m.TauSample}
		if row.policy == "opic/cash=all" {
			r.onSeeds = average(c, "opic/cash=seeds")
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

func bySample(r rankedRow) (theirs, ours float64) { return r.tau, r.sample }

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

// explain describes which strategies changed places and by how much.
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
func (k *ranking) finding(polite *experiment.Course) experiment.Finding {
	f := experiment.Found(kendall(k.rows, byAverage) >= enough, "%.2f over %d, with the cash of OPIC on seeds %.2f", kendall(k.rows, byAverage), len(k.rows), kendall(k.rows, byOnSeeds))
	if polite != nil {
		f.Numbers += fmt.Sprintf(", with w = 15 s %.2f", kendall(rankingOf(polite, withDelays, groupOrders).rows, byAverage))
	}
	if row, n := k.mostMoved(k.swaps()); n > 0 {
		f.Numbers += fmt.Sprintf(", %s in %d of %d swapped pairs", row.name, n, len(k.swaps()))
	}
	return f
}

// showRankings compares the rankings, group by group, and finds whether they agree.
func showRankings(r *experiment.Run, plain, polite []*experiment.Course) {
	var all []ranking
	var parts []string // what politeness does to larger-sites-first, whose point it is
	for _, c := range plain {
		all = append(all, rankingOf(c, orderOnly, groupOrders), rankingOf(c, orderOnly, groupHistory))
		var q *experiment.Course
		if i := slices.IndexFunc(polite, func(q *experiment.Course) bool { return q.Place == c.Place }); i >= 0 {
			q = polite[i]
			parts = append(parts, fmt.Sprintf("%s %.3f and %.3f (breadth-first then %.3f)", c.World.Name,
				average(c, "larger-sites-first"), average(q, "larger-sites-first"), average(q, "breadth-first")))
		}
		r.Find(c.World.Name, all[len(all)-2].finding(q))
	}
	for _, c := range polite {
		all = append(all, rankingOf(c, withDelays, groupOrders), rankingOf(c, withDelays, groupHistory))
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
		texts = append(texts, text("table1-delays", strings.Join(parts, "; ")))
	}
	r.Show(show.Section{Title: "The rankings compared", Text: strings.Join(texts, "\n\n"), Table: t})
}

// meanRanking ranks the means over the graphs on which all strategies without history
// ran, as the thesis averaged its four collections. It is empty with fewer than two.
func meanRanking(all []*experiment.Course, how string) (k ranking) {
	some := slices.DeleteFunc(slices.Clone(all), func(c *experiment.Course) bool {
		_, whole := rowsOf(c, groupOrders)
		return !whole
	})
	if len(some) < 2 {
		return k
	}
	w := *some[0].World
	w.Name = fmt.Sprintf("mean of %d graphs", len(some))
	mean := &experiment.Course{Place: &experiment.Place{World: &w}}
	for _, row := range thesisRows() {
		if row.group != groupHistory {
			avg, tau := meanOf(some, row)
			mean.Runs = append(mean.Runs, &lab.Run{Policy: row.policy, Measures: measure.Measures{Average: avg, TauSample: tau}})
		}
	}
	return rankingOf(mean, how, groupOrders)
}
