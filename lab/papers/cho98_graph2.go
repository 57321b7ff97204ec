package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Graphs 2, 3 and 4 compare the same orders by three measures.

// How often PageRank order solves where it cannot do so before each page, alone and
// when many start sets are crawled; and up to which number of pages times links it
// does so before each page.
const (
	solvesPerCrawl = 300
	solvesForBands = 100
	eachStepWork   = 500_000_000
)

// rankedOrder is the policy that stands for the paper's PageRank order, which sorts by
// the PageRank of what is known after every fetch: that itself on small webs crawled
// once, else with a solve every 300th of the web. On cs.stanford.edu the average of
// cumulative PageRank is 0.5395 with a solve at each step and 0.5395 with one every
// 100 pages.
func (b *Bench) rankedOrder(p *Place) string {
	pages := p.World.Pages()
	if pages <= 10_000 && int64(pages)*p.World.Sim.Out.Links() <= eachStepWork && b.Starts == 0 {
		return "pagerank"
	}
	solves := solvesPerCrawl
	if b.Starts > 0 {
		solves = solvesForBands
	}
	return fmt.Sprintf("batch-pagerank/k=%d", max(1, pages/solves))
}

// Places of the paper's orders in choOrders.
const (
	breadthFirst = iota
	backlinkCount
	pagerankOrder
	randomOrder
)

// choOrders is the orders of graph 2, and two later ones.
func (b *Bench) choOrders(p *Place) []string {
	names := []string{"breadth-first", "backlink-count", b.rankedOrder(p), "random", "opic"}
	if p.World.HasSites() {
		names = append(names, "larger-sites-first")
	}
	return names
}

// choPolicies is choOrders in words, for the header.
func choPolicies() []string {
	return []string{"breadth-first", "backlink-count", "pagerank (or batch-pagerank, see the tables)", "random", "opic", "larger-sites-first where sites are known"}
}

// An orderRow is one policy at one place by one measure.
type orderRow struct {
	name   string
	curves []measure.Curve // by start set
	means  []float64       // of the curves
}

// orderRows measures all crawls of a place.
func orderRows(courses []course, names []string, of func(c *course, t *measure.Trial) measure.Curve) []orderRow {
	rows := make([]orderRow, len(names))
	for i := range rows {
		rows[i].name = names[i]
		for k := range courses {
			c := of(&courses[k], courses[k].runs[i].Trial)
			rows[i].curves, rows[i].means = append(rows[i].curves, c), append(rows[i].means, c.Mean())
		}
	}
	return rows
}

// bySeeds is the mean of each row from the seeds of the place.
func bySeeds(rows []orderRow) []float64 {
	m := make([]float64, len(rows))
	for i, r := range rows {
		m[i] = r.means[0]
	}
	return m
}

// choGraph2 is P_ST of four orders, hot by backlinks (X2).
func choGraph2(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "cho98-graph2", Header: b.paperHeader(choPolicies(), "I = backlinks"),
		Intro: []string{"P_ST of several orders where hot are pages with 100 or more backlinks (0.8 % of their pages). The paper: PageRank order finds them before backlink order does, although it is backlinks that make a page hot, and all are better than random. Its PageRank order solves anew after every page. Ours does on small webs (up to 10,000 pages, pages times links up to 500 million) crawled once; elsewhere it is batch-pagerank with 300 solves in a crawl, or 100 when many start sets are crawled. Its random crawler is the diagonal; ours, random among the known pages, is listed besides."}}
	var before, better []finding
	for _, p := range b.Places {
		t, err := p.Backlinks(b)
		if err != nil {
			return nil, err
		}
		names := b.choOrders(p)
		c, err := b.courses(p, t, names)
		if err != nil {
			return nil, err
		}
		rule := scaled(c[0].Judge, 100, 0.008)
		rows := orderRows(c, names, func(c *course, t *measure.Trial) measure.Curve { return t.Found(rule.of(c.Judge)) })
		text := ruleText(c[0].Judge, rule, 100)
		r.Sections = append(r.Sections, b.orderSection(p, "P_ST", text, rows, idealFor(c[0].Judge, rule)))
		x, y := orderFindings(p.World.Name, rows)
		before, better = append(before, x), append(better, y)
	}
	r.Verdict = verdicts(
		verdict("PageRank order finds hot pages before backlink order", before),
		verdict("breadth-first, backlink and PageRank order all find them before a random crawler (mean 0.5)", better))
	return r, nil
}

// idealFor is the ideal curve of P_ST.
func idealFor(j *measure.Judge, rule hotRule) measure.Curve {
	return measure.IdealFound(rule.of(j).Pages, j.Reachable(), j.Reachable())
}

// choGraph3 is P_CS of the same orders (X3).
func choGraph3(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "cho98-graph3", Header: b.paperHeader(choPolicies(), "I = backlinks"),
		Intro: []string{"P_CS(k), the share of the first k pages that are among the k with most backlinks (or equal to the last of these). An ideal crawler has 100 % at all times, a random one k/T. The paper: the results are analogous to those with a threshold (graph 2)."}}
	var all []finding
	for _, p := range b.Places {
		t, err := p.Backlinks(b)
		if err != nil {
			return nil, err
		}
		names := b.choOrders(p)
		c, err := b.courses(p, t, names)
		if err != nil {
			return nil, err
		}
		rows := orderRows(c, names, func(_ *course, t *measure.Trial) measure.Curve { return t.CrawlStop() })
		rule := scaled(c[0].Judge, 100, 0.008)
		hot := orderRows(c, names, func(c *course, t *measure.Trial) measure.Curve { return t.Found(rule.of(c.Judge)) })
		ideal, err := c[0].Judge.Try(c[0].Judge.Ranked())
		if err != nil {
			return nil, err
		}
		s := b.orderSection(p, "P_CS", "Where many pages have equally many backlinks, all of them count as among the best k: the measure is kind to every order there.", rows, ideal.CrawlStop())
		r.Sections = append(r.Sections, s)
		all = append(all, sameOrder(p.World.Name, rows, hot))
	}
	r.Verdict = verdict("by P_CS the paper's three orders and random come in the same order as by P_ST", all)
	return r, nil
}

// diagonalMean is the mean of a random crawler's curve, k/T (P6).
const diagonalMean = 0.5

// orderFindings asks whether PageRank order is before backlink order, and whether all
// three are before the random crawler of the paper, by the means from the seeds of the
// place.
func orderFindings(place string, rows []orderRow) (before, better finding) {
	m := bySeeds(rows)
	before = finding{place: place, holds: m[pagerankOrder] > m[backlinkCount]}
	before.numbers = fmt.Sprintf("mean P_ST %.4f against %.4f", m[pagerankOrder], m[backlinkCount])
	if len(rows[0].means) > 1 {
		d, _ := measure.Paired(rows[pagerankOrder].means, rows[backlinkCount].means, 0)
		before.numbers += fmt.Sprintf(", difference over %d start sets %.3f [%.3f, %.3f]", d.N, d.Mean, d.Low, d.High)
	}
	best := slices.Index(m, slices.Max(m))
	better = finding{place: place, holds: min(m[breadthFirst], m[backlinkCount], m[pagerankOrder]) > diagonalMean}
	better.numbers = fmt.Sprintf("%.3f, %.3f, %.3f; random among known pages %.3f; best %s %.3f", m[breadthFirst], m[backlinkCount], m[pagerankOrder], m[randomOrder], rows[best].name, m[best])
	return before, better
}

// sameOrder asks whether two measures put the paper's orders in the same sequence.
func sameOrder(place string, rows, other []orderRow) finding {
	a, b := sequence(rows), sequence(other)
	f := finding{place: place, holds: a == b, numbers: "both " + a}
	if !f.holds {
		f.numbers = fmt.Sprintf("P_CS: %s; P_ST: %s", a, b)
	}
	return f
}

// sequence is the paper's orders, best first, with their means.
func sequence(rows []orderRow) string {
	paper := slices.Clone(rows[:randomOrder+1])
	slices.SortStableFunc(paper, func(a, b orderRow) int {
		switch {
		case a.means[0] > b.means[0]:
			return -1
		case a.means[0] < b.means[0]:
			return 1
		}
		return 0
	})
	names := make([]string, len(paper))
	for i, r := range paper {
		names[i] = r.name
	}
	return strings.Join(names, " > ")
}

// orderSection draws the curves of a place and lists their means.
func (b *Bench) orderSection(p *Place, what, text string, rows []orderRow, ideal measure.Curve) show.Section {
	chart := &plot.Chart{Title: p.World.Name + ": " + what, XLabel: "pages crawled, %", YLabel: what + ", %"}
	at0 := 0.0
	if what == "P_CS" {
		at0 = math.NaN() // of no pages there is no share
	}
	for i, r := range rows {
		if i != randomOrder {
			chart.Series = append(chart.Series, b.percentSeries(r.name, r.curves, at0, 100))
		}
	}
	best := b.percentSeries("ideal", []measure.Curve{ideal}, at0, 100)
	best.Baseline = true
	chart.Series = append(chart.Series, best, diagonal(100))
	return show.Section{Title: p.World.Name, Text: text + bandText(len(rows[0].means)), Chart: chart, Table: b.orderTable(what, rows)}
}

// orderTable has the mean of a measure for each order, and over start sets the
// interval and the paired difference to backlink order.
func (b *Bench) orderTable(what string, rows []orderRow) *show.Table {
	sets := len(rows[0].means)
	t := &show.Table{Columns: []show.Column{{Name: "order"}, {Name: "mean " + what, Key: "mean"}, {Name: "at 10 % crawled", Unit: "%", Key: "at_10"}, {Name: "at 20 %", Unit: "%", Key: "at_20"}, {Name: "at 50 %", Unit: "%", Key: "at_50"}}}
	if sets > 1 {
		t.Columns = append(t.Columns, show.Column{Name: "mean over start sets", Key: "sets_mean"}, show.Column{Name: "low", Key: "sets_low"}, show.Column{Name: "high", Key: "sets_high"}, show.Column{Name: "minus backlink-count, low", Key: "paired_low"}, show.Column{Name: "high", Key: "paired_high"})
	}
	for _, r := range rows {
		row := []show.Cell{show.Words(r.name), show.Num(r.means[0], 4)}
		for _, at := range []float64{0.1, 0.2, 0.5} {
			v, _ := r.curves[0].At(at)
			row = append(row, show.Num(100*v, 1))
		}
		if sets > 1 {
			in := b.summarise(r.means)
			d, _ := measure.Paired(r.means, rows[backlinkCount].means, b.Random)
			row = append(row, show.Num(in.Mean, 4), show.Num(in.Low, 4), show.Num(in.High, 4), show.Num(d.Low, 4), show.Num(d.High, 4))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
