package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
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
// cash=all; the other reading of OPIC stands below it.
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
func table1(r *run) error {
	var policies []string
	for _, row := range thesisRows() {
		policies = append(policies, row.policy)
	}
	var plain, polite []*course
	for i, p := range r.Places {
		r.say(i, len(r.Places), "%s", p.World.Name)
		a, b, err := r.table1At(p, policies)
		if err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
		if plain = append(plain, a); b != nil {
			polite = append(polite, b)
		}
	}
	r.show(show.Section{Title: "Order only", Text: tableText(plain), Chart: thesisChart(plain), Table: thesisTable(plain)})
	if len(polite) > 0 {
		r.show(show.Section{Title: "Under the thesis' restrictions", Text: text("castillo04-table1-polite"), Chart: thesisChart(polite), Table: thesisTable(polite)})
	}
	r.showRankings(plain, polite)
	r.showBatches(plain)
	for _, p := range r.Places {
		if err := r.addStarts(p, policies); err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
	}
	return nil
}

// table1At crawls one place; polite is nil where there is one site or none is known.
func (b *Bench) table1At(p *Place, policies []string) (plain, polite *course, err error) {
	plain, err = b.ordered(p, slices.Concat(policies, []string{"horn", "random"}, p.defaultBatches()))
	if err != nil || !p.World.HasSites() {
		return plain, nil, err
	}
	s, err := b.polite(p, plain.Truth)
	if err == nil {
		polite, err = b.order(p, s, policies)
	}
	return plain, polite, err
}

// defaultBatches returns batch- and partial-pagerank with the K of the command line,
// where that is another than T/30.
func (p *Place) defaultBatches() []string {
	k := float64(thesisBatch(p.reach(p.Seeds)))
	if math.Abs(math.Log(k/lab.DefaultBatch)) < math.Log(1.25) {
		return nil
	}
	return []string{fmt.Sprintf("batch-pagerank/k=%d", lab.DefaultBatch), fmt.Sprintf("partial-pagerank/k=%d", lab.DefaultBatch), "batch-pagerank/ramp=true"}
}

func tableText(all []*course) string {
	var k []string
	without, single := false, false
	for _, c := range all {
		k = append(k, fmt.Sprintf("%s %d (K = %d)", c.World.Name, c.Judge.Reachable(), c.Batch))
		without = without || c.World.Sim.SiteOf == nil
		single = single || c.World.Sim.SiteOf != nil && !c.World.HasSites()
	}
	s := text("castillo04-table1-reach", strings.Join(k, ", "))
	if without {
		s += " larger-sites-first needs sites: it is not shown where they are not known."
	}
	if single {
		s += " On a graph with one site it is breadth-first under another name: shown, but in no mean or ranking."
	}
	return s
}

// thesisTable has theirs, ours on each graph, and the mean by group.
func thesisTable(all []*course) *show.Table {
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
			if r := c.run(row.policy); r != nil {
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

// thesisChart has our averages over theirs, a cloud for each graph: the same ranking
// ascends from left to right.
func thesisChart(all []*course) *plot.Chart {
	chart := &plot.Chart{Title: "Average cumulative PageRank", XLabel: "theirs", YLabel: "ours", Points: true}
	for _, c := range all {
		s := plot.Series{Name: c.World.Name}
		for _, row := range thesisRows() {
			if r := c.run(row.policy); r != nil {
				s.Add(row.average, r.Measures.Average)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// meanOf returns the means of a row over the graphs where its whole group ran; NaN if
// there is none.
func meanOf(all []*course, row thesisRow) (avg, tau float64) {
	if row.group == groupOther {
		row.group = groupOrders
	}
	var a, k []float64
	for _, c := range all {
		if _, whole := c.group(row.group); whole {
			m := c.run(row.policy).Measures
			a, k = append(a, m.Average), append(k, m.TauSample)
		}
	}
	n := float64(len(a))
	return measure.Sum(a) / n, measure.Sum(k) / n
}

// group returns the rows of a group that ran and mean something; whole is false if some
// did not.
func (c *course) group(group int) (rows []thesisRow, whole bool) {
	whole = true
	for _, r := range thesisRows() {
		switch {
		case r.group != group:
		case c.run(r.policy) != nil && (r.policy != "larger-sites-first" || c.place.World.HasSites()):
			rows = append(rows, r)
		default:
			whole = false
		}
	}
	return rows, whole
}

// showBatches shows batch- and partial-pagerank with another K, where it was run.
func (r *run) showBatches(all []*course) {
	t := &show.Table{Columns: head("graph", "strategy", "average", "tau", "regret")}
	for _, c := range all {
		more := c.place.defaultBatches()
		for _, policy := range append([]string{"batch-pagerank", "partial-pagerank"}, more...) {
			run := c.run(policy)
			if run == nil || more == nil {
				continue
			}
			name := policy
			if !strings.Contains(name, "/k=") {
				name += fmt.Sprintf(" (K = %d)", c.Batch)
			}
			t.Add(c.World.Name, name, show.Num(run.Measures.Average, 4), show.Num(run.Measures.TauSample, 4), c.regret(policy))
		}
	}
	if len(t.Rows) > 0 {
		r.show(show.Section{Title: "What K does", Text: text("castillo04-table1-batches", lab.DefaultBatch, thesisBatches), Table: t})
	}
}
