package papers

import (
	"fmt"
	"math"
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

// thesisRows is table 4.1 (X24). "All pages start with the same amount of cash" is
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

func rowPolicies() []string {
	var all []string
	for _, r := range thesisRows() {
		all = append(all, r.policy)
	}
	return all
}

// enough is the Kendall correlation from which on two rankings agree (X24).
const enough = 0.7

// castilloTable1 is table 4.1 (X24).
func castilloTable1(b *Bench) (*show.Report, error) {
	rep := &show.Report{Header: castilloHeader(b, b.Places, orderField())}
	rep.Intro = []string{
		"Theirs: rows without history are means over four collections (.cl and .gr, two crawls each), historical rows come from one pair of crawls. Averages of different collections are not put into one ranking: the seven strategies without history are ranked among themselves, the four historical ones too.",
		"Ours: PageRank of the full graph with follow 0.9 is the truth; tau is of the same kind of sample as theirs, 5000 pages.",
	}
	var plain, polite []*ordering
	for i, p := range b.Places {
		b.say(i, len(b.Places), "%s", p.World.Name)
		o, err := b.table1At(p, false)
		if err != nil {
			return nil, err
		}
		plain = append(plain, o)
		if p.World.HasSites() {
			if o, err = b.table1At(p, true); err != nil {
				return nil, err
			}
			polite = append(polite, o)
		}
	}
	rep.Sections = append(rep.Sections, show.Section{Title: "Order only", Text: tableText(plain), Chart: thesisChart(plain), Table: thesisTable(plain)})
	if len(polite) > 0 {
		rep.Sections = append(rep.Sections, show.Section{Title: "Under the thesis' restrictions", Text: politeText(), Chart: thesisChart(polite), Table: thesisTable(polite)})
	}
	rankings, found := rankingSection(plain, polite)
	rep.Sections = append(rep.Sections, rankings)
	if s := batchSection(plain); s != nil {
		rep.Sections = append(rep.Sections, *s)
	}
	for i, p := range b.Places {
		if err := b.addStarts(rep, p, plain[i].c.Truth, rowPolicies()); err != nil {
			return nil, err
		}
	}
	rep.Verdict = verdict(fmt.Sprintf("the ranking of the seven strategies without history has a Kendall correlation of at least %.1f with that of the thesis", enough), found)
	return rep, nil
}

// table1At crawls one place, order only or with the thesis' politeness and times.
func (b *Bench) table1At(p *Place, delays bool) (*ordering, error) {
	t, err := p.PageRank(b)
	if err != nil {
		return nil, err
	}
	s, policies := p.Setting(b, t), rowPolicies()
	if delays {
		if s, err = polite(s, 1); err != nil {
			return nil, err
		}
	} else {
		policies = append(policies, "horn", "random")
		policies = append(policies, defaultBatches(p)...)
	}
	return b.order(p, s, policies)
}

// defaultBatches is batch- and partial-pagerank with the K of the command line, where
// that is another than T/30.
func defaultBatches(p *Place) []string {
	k := float64(thesisBatch(len(measure.Reach(p.World.Sim.Out, p.Seeds).Order)))
	if math.Abs(math.Log(k/lab.DefaultBatch)) < math.Log(1.25) {
		return nil
	}
	return []string{fmt.Sprintf("batch-pagerank/k=%d", lab.DefaultBatch), fmt.Sprintf("partial-pagerank/k=%d", lab.DefaultBatch), "batch-pagerank/ramp=true"}
}

func tableText(all []*ordering) string {
	var k []string
	without, single := false, false
	for _, o := range all {
		k = append(k, fmt.Sprintf("%s %d (K = %d)", o.place.World.Name, o.reachable(), o.c.Batch))
		without = without || o.place.World.Sim.SiteOf == nil
		single = single || o.place.World.Sim.SiteOf != nil && !o.place.World.HasSites()
	}
	text := "One page after the other, no delays. Pages that can be reached: " + strings.Join(k, ", ") +
		". A dash: not run there (historical strategies without an earlier crawl). Means are over the graphs on which all strategies of a group ran."
	if without {
		text += " larger-sites-first needs sites: it is not shown where they are not known."
	}
	if single {
		text += " On a graph with one site it is breadth-first under another name: shown, but in no mean or ranking."
	}
	return text
}

func politeText() string {
	return fmt.Sprintf("All of the thesis' strategies are bound to w = 15 s and one connection to a site (4.3), also with r = 1: the fetcher turns to another site while one waits. The same strategies with w = %v, r = 1 and the times of %s, on the graphs with several sites.", thesisDelay, thesisTimes)
}

// thesisTable has theirs, ours on each graph, and the mean by group.
func thesisTable(all []*ordering) *show.Table {
	t := &show.Table{Columns: head("strategy", "average (theirs)", "tau (theirs)")}
	for _, o := range all {
		t.Columns = append(t.Columns, show.Column{Name: o.place.World.Name + " average"}, show.Column{Name: o.place.World.Name + " tau"})
	}
	if len(all) > 1 {
		t.Columns = append(t.Columns, head("mean average", "mean tau")...)
	}
	for _, row := range thesisRows() {
		cells := []show.Cell{show.Words(row.name), show.Num(row.average, 4), show.Num(row.tau, 4)}
		for _, o := range all {
			avg, tau := o.cells(row.policy)
			cells = append(cells, avg, tau)
		}
		if len(all) > 1 {
			avg, tau := meanOf(all, row)
			cells = append(cells, avg, tau)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// thesisChart has our averages over theirs, a cloud for each graph: the same ranking
// ascends from left to right.
func thesisChart(all []*ordering) *plot.Chart {
	c := &plot.Chart{Title: "Average cumulative PageRank", XLabel: "theirs", YLabel: "ours", Points: true}
	for _, o := range all {
		s := plot.Series{Name: o.place.World.Name}
		for _, r := range thesisRows() {
			if avg, ok := o.average(r.policy); ok {
				s.X, s.Y = append(s.X, r.average), append(s.Y, avg)
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// cells is the average and tau of a policy, dashes where it did not run.
func (o *ordering) cells(policy string) (avg, tau show.Cell) {
	r := o.run(policy)
	if r == nil {
		return show.None(), show.None()
	}
	return show.Num(r.Measures.Average, 4), show.Num(r.Measures.TauSample, 4)
}

// meanOf is the mean of a row over the graphs where its whole group ran.
func meanOf(all []*ordering, row thesisRow) (avg, tau show.Cell) {
	var a, k []float64
	for _, o := range all {
		group := row.group
		if group == groupOther {
			group = groupOrders
		}
		if _, ok := o.group(group); ok {
			m := o.run(row.policy).Measures
			a, k = append(a, m.Average), append(k, m.TauSample)
		}
	}
	if len(a) == 0 {
		return show.None(), show.None()
	}
	n := float64(len(a))
	return show.Num(measure.Sum(a)/n, 4), show.Num(measure.Sum(k)/n, 4)
}

// group is the rows of a group that ran and mean something; whole is false if some did
// not.
func (o *ordering) group(group int) (rows []thesisRow, whole bool) {
	whole = true
	for _, r := range thesisRows() {
		switch {
		case r.group != group:
		case o.run(r.policy) != nil && (r.policy != "larger-sites-first" || o.place.World.HasSites()):
			rows = append(rows, r)
		default:
			whole = false
		}
	}
	return rows, whole
}
