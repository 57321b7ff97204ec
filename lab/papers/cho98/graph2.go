package cho98

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
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

// rankedOrder returns the policy for the paper's PageRank order, which sorts
// by the PageRank of the known pages after every fetch: the same on small webs crawled
// once, else with a solve every 300th of the web. On cs.stanford.edu the average of
// cumulative PageRank is 0.5395 with a solve at each step and 0.5395 with one every
// 100 pages.
func rankedOrder(b *experiment.Bench, p *experiment.Place) string {
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

// choOrders returns the orders of graph 2, and two later ones.
func choOrders(b *experiment.Bench, p *experiment.Place) []string {
	names := []string{"breadth-first", "backlink-count", rankedOrder(b, p), "random", "opic"}
	if p.World.HasSites() {
		names = append(names, "larger-sites-first")
	}
	return names
}

// choPolicies returns choOrders in words, for the header.
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
func orderRows(courses []*experiment.Course, of func(*experiment.Course, *measure.Trial) measure.Curve) []orderRow {
	rows := make([]orderRow, len(courses[0].Runs))
	for i := range rows {
		rows[i].name = courses[0].Runs[i].Policy
		for _, c := range courses {
			curve := of(c, c.Runs[i].Trial)
			rows[i].curves, rows[i].means = append(rows[i].curves, curve), append(rows[i].means, curve.Mean())
		}
	}
	return rows
}

// foundRows measures P_ST.
func foundRows(courses []*experiment.Course, rule hotRule) []orderRow {
	return orderRows(courses, func(c *experiment.Course, t *measure.Trial) measure.Curve { return t.Found(rule.of(c.Judge)) })
}

// bySeeds returns the mean of each row from the seeds of the place.
func bySeeds(rows []orderRow) []float64 {
	m := make([]float64, len(rows))
	for i, r := range rows {
		m[i] = r.means[0]
	}
	return m
}

// graph2 shows P_ST of several orders, hot by backlinks.
func graph2(r *experiment.Run, p *experiment.Place) error {
	c, err := r.Courses(p, experiment.ByBacklinks, choOrders(r.Bench, p)...)
	if err != nil {
		return err
	}
	rule := scaled(c[0].Judge, 100, 0.008)
	rows := foundRows(c, rule)
	r.Show(orderSection(r.Bench, p, "P_ST", ruleText(c[0].Judge, rule, 100), rows, rule.ideal(c[0].Judge)))
	r.Find(p.World.Name, orderFindings(rows)...)
	return nil
}

// graph3 shows P_CS of the same orders.
func graph3(r *experiment.Run, p *experiment.Place) error {
	c, err := r.Courses(p, experiment.ByBacklinks, choOrders(r.Bench, p)...)
	if err != nil {
		return err
	}
	rows := orderRows(c, func(_ *experiment.Course, t *measure.Trial) measure.Curve { return t.CrawlStop() })
	ideal, err := c[0].Judge.Try(c[0].Judge.Ranked())
	if err != nil {
		return err
	}
	r.Show(orderSection(r.Bench, p, "P_CS", text("graph3-ties"), rows, ideal.CrawlStop()))
	r.Find(p.World.Name, sameOrder(rows, foundRows(c, scaled(c[0].Judge, 100, 0.008))))
	return nil
}

// graph4 shows P_ST of the orders of graph 2, hot by PageRank. It crawls once and measures
// twice: orders do not depend on the truth.
func graph4(r *experiment.Run, p *experiment.Place) error {
	c, err := r.Courses(p, experiment.ByPageRank, choOrders(r.Bench, p)...)
	if err != nil {
		return err
	}
	then, err := foundBy(r.Bench, experiment.ByBacklinks, c[0], 100)
	if err != nil {
		return err
	}
	rule := scaled(c[0].Judge, 13, 0.008)
	rows := foundRows(c, rule)
	s := orderSection(r.Bench, p, "P_ST", ruleText(c[0].Judge, rule, 13), rows, rule.ideal(c[0].Judge))
	s.Table.Columns = slices.Insert(s.Table.Columns, 2, show.Column{Name: "graph 2", Key: "graph2"})
	for i, row := range s.Table.Rows {
		s.Table.Rows[i] = slices.Insert(row, 2, show.Num(then[i], 4))
	}
	r.Show(s)
	now := bySeeds(rows)
	ranked, others := now[pagerankOrder], now[:pagerankOrder]
	r.Find(p.World.Name,
		experiment.Found(ranked > then[pagerankOrder], "mean P_ST %.3f against %.3f in graph 2", ranked, then[pagerankOrder]),
		experiment.Found(ranked > slices.Max(others), "%.3f, breadth-first %.3f, backlink-count %.3f", ranked, others[breadthFirst], others[backlinkCount]))
	return nil
}

// foundBy returns the mean of P_ST of each crawl by another truth, where hot is g.
func foundBy(b *experiment.Bench, truth experiment.TruthOf, c *experiment.Course, g float64) (means []float64, err error) {
	t, err := truth(b, c.Place, c.Seeds)
	if err != nil {
		return nil, err
	}
	j, err := measure.NewJudge(t, c.Tree.Order, measure.JudgeOptions{})
	if err != nil {
		return nil, err
	}
	for _, r := range c.Runs {
		trial, err := j.Try(r.Result.Order)
		if err != nil {
			return nil, err
		}
		means = append(means, trial.Found(scaled(j, g, 0.008).of(j)).Mean())
	}
	return means, nil
}

// diagonalMean is the mean of a random crawler's curve, k/T.
const diagonalMean = 0.5

// orderFindings states whether PageRank order is before backlink order, and whether all
// three are before the random crawler of the paper, by the means from the seeds of the
// place.
func orderFindings(rows []orderRow) []experiment.Finding {
	m := bySeeds(rows)
	before := experiment.Found(m[pagerankOrder] > m[backlinkCount], "mean P_ST %.4f against %.4f", m[pagerankOrder], m[backlinkCount])
	if len(rows[0].means) > 1 {
		d, _ := measure.Paired(rows[pagerankOrder].means, rows[backlinkCount].means, 0)
		before.Numbers += fmt.Sprintf(", difference over %d start sets %.3f [%.3f, %.3f]", d.N, d.Mean, d.Low, d.High)
	}
	best := slices.Index(m, slices.Max(m))
	return []experiment.Finding{before, experiment.Found(slices.Min(m[:randomOrder]) > diagonalMean, "%.3f, %.3f, %.3f; random among known pages %.3f; best %s %.3f",
		m[breadthFirst], m[backlinkCount], m[pagerankOrder], m[randomOrder], rows[best].name, m[best])}
}

// sameOrder states whether two measures put the paper's orders in the same sequence.
func sameOrder(rows, other []orderRow) experiment.Finding {
	a, b := sequence(rows), sequence(other)
	if a == b {
		return experiment.Found(true, "both %s", a)
	}
	return experiment.Found(false, "P_CS: %s; P_ST: %s", a, b)
}

// sequence returns the paper's orders, best first.
func sequence(rows []orderRow) string {
	paper := slices.Clone(rows[:randomOrder+1])
	slices.SortStableFunc(paper, func(a, b orderRow) int { return cmp.Compare(b.means[0], a.means[0]) })
	names := make([]string, len(paper))
	for i, r := range paper {
		names[i] = r.name
	}
	return strings.Join(names, " > ")
}

// orderSection draws the curves of a place and lists their means.
func orderSection(b *experiment.Bench, p *experiment.Place, what, text string, rows []orderRow, ideal measure.Curve) show.Section {
	chart := &plot.Chart{Title: p.World.Name + ": " + what, XLabel: "pages crawled, %", YLabel: what + ", %"}
	at0 := 0.0
	if what == "P_CS" {
		at0 = math.NaN() // of no pages there is no share
	}
	for i, r := range rows {
		if i != randomOrder {
			chart.Series = append(chart.Series, b.Percents(r.name, at0, r.curves...))
		}
	}
	chart.Series = append(chart.Series, experiment.Baseline(b.Percents("ideal", at0, ideal)), experiment.Diagonal())
	return show.Section{Title: p.World.Name, Text: text + experiment.BandText(len(rows[0].means)), Chart: chart, Table: orderTable(b, what, rows)}
}

// orderTable returns the mean of a measure for each order, and over start sets the
// interval and the paired difference to backlink order.
func orderTable(b *experiment.Bench, what string, rows []orderRow) *show.Table {
	sets := len(rows[0].means)
	t := &show.Table{Columns: []show.Column{{Name: "order"}, {Name: "mean " + what, Key: "mean"}, {Name: "at 10 % crawled", Unit: "%", Key: "at_10"}, {Name: "at 20 %", Unit: "%", Key: "at_20"}, {Name: "at 50 %", Unit: "%", Key: "at_50"}}}
	if sets > 1 {
		t.Columns = append(t.Columns, []show.Column{{Name: "mean over start sets", Key: "sets_mean"}, {Name: "low", Key: "sets_low"}, {Name: "high", Key: "sets_high"}, {Name: "minus backlink-count, low", Key: "paired_low"}, {Name: "high", Key: "paired_high"}}...)
	}
	for _, r := range rows {
		row := []any{r.name, show.Num(r.means[0], 4)}
		for _, at := range []float64{0.1, 0.2, 0.5} {
			v, _ := r.curves[0].At(at)
			row = append(row, show.Num(100*v, 1))
		}
		if sets > 1 {
			in := b.Summarise(r.means)
			d, _ := measure.Paired(r.means, rows[backlinkCount].means, b.Random)
			row = append(row, show.Num(in.Mean, 4), show.Num(in.Low, 4), show.Num(in.High, 4), show.Num(d.Low, 4), show.Num(d.High, 4))
		}
		t.Add(row...)
	}
	return t
}

// theirHot returns the thresholds of graph 1 with the share of hot pages they had.
func theirHot() [3]hotRule { return [3]hotRule{{3, 0.47}, {10, 0.10}, {100, 0.008}} }

// A hotRow is one threshold at one place.
type hotRow struct {
	rule  hotRule
	hot   measure.Hot
	curve measure.Curve
	area  float64 // mean of P_ST
	last  float64 // rate at which hot pages are found right of 80 %, random = 1
}

// graph1 shows P_ST of backlink order for several G.
func graph1(r *experiment.Run, p *experiment.Place) error {
	c, err := r.Course(p, experiment.ByBacklinks, "backlink-count")
	if err != nil {
		return err
	}
	absolute, relative := hotRows(c, false), hotRows(c, true)
	r.Find(p.World.Name, graph1Findings(c.Judge.Reachable(), absolute, relative)...)
	r.Show(graph1Section(r, c, absolute), graph1Table(c, append(absolute, relative...)))
	return nil
}

// hotRows measures the crawl for the three thresholds, absolute or by their share.
func hotRows(c *experiment.Course, relative bool) []hotRow {
	var rows []hotRow
	for _, rule := range theirHot() {
		if relative {
			rule.g = 0
		}
		h := rule.of(c.Judge)
		curve := c.Runs[0].Trial.Found(h)
		at80, _ := curve.At(0.8)
		row := hotRow{rule: rule, hot: h, curve: curve, area: curve.Mean(), last: (1 - at80) / 0.2}
		if h.Pages == 0 {
			row.area, row.last = math.NaN(), math.NaN()
		}
		rows = append(rows, row)
	}
	return rows
}

// graph1Findings tests both claims by the thresholds that can be used, the absolute ones
// if there are two of them, else those by share.
func graph1Findings(reachable int, absolute, relative []hotRow) []experiment.Finding {
	rows := distinctRows(absolute, reachable)
	if len(rows) < 2 {
		rows = distinctRows(relative, reachable)
	}
	if len(rows) < 2 {
		few := experiment.Finding{Lacks: "fewer than two thresholds divide it"}
		return []experiment.Finding{few, few}
	}
	rises, even := true, true
	var names, areas, rates, hot []string
	for i, row := range rows {
		rises = rises && (i == 0 || row.area > rows[i-1].area)
		even = even && math.Abs(row.last-1) <= 0.2
		names = append(names, row.rule.String())
		areas = append(areas, fmt.Sprintf("%.3f", row.area))
		hot = append(hot, fmt.Sprint(row.hot.Pages))
		rates = append(rates, fmt.Sprintf("%.2f", row.last))
	}
	return []experiment.Finding{
		experiment.Found(rises, "mean P_ST %s for %s with %s hot pages", strings.Join(areas, ", "), strings.Join(names, ", "), strings.Join(hot, ", ")),
		experiment.Found(even, "rate %s of random's", strings.Join(rates, ", ")),
	}
}

// distinctRows returns the rows whose thresholds divide E and differ: the best 47 % and
// the best 10 % are the same pages where most have one backlink.
func distinctRows(rows []hotRow, reachable int) (kept []hotRow) {
	for _, row := range rows {
		if usable(row.hot, reachable) && (len(kept) == 0 || row.hot.Pages != kept[len(kept)-1].hot.Pages) {
			kept = append(kept, row)
		}
	}
	return kept
}

// graph1Section draws a curve and its ideal for each G.
func graph1Section(r *experiment.Run, c *experiment.Course, rows []hotRow) show.Section {
	name := c.Place.World.Name
	chart := &plot.Chart{Title: name + ": P_ST of backlink-count", XLabel: "pages crawled, %", YLabel: "hot pages found, %"}
	var ideals []plot.Series
	for _, row := range rows {
		if row.hot.Pages > 0 {
			chart.Series = append(chart.Series, r.Percents(row.rule.String(), 0, row.curve))
			ideals = append(ideals, experiment.Baseline(r.Percents("ideal, "+row.rule.String(), 0, row.rule.ideal(c.Judge))))
		}
	}
	chart.Series = append(append(chart.Series, ideals...), experiment.Diagonal())
	return show.Section{Title: name, Chart: chart, Text: fmt.Sprintf("%d of %d pages can be reached (theirs: 179,000 of 225,000).", c.Judge.Reachable(), c.World.Pages())}
}

// graph1Table returns a table of their numbers and ours.
func graph1Table(c *experiment.Course, rows []hotRow) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "hot"}, {Name: "hot pages, theirs", Unit: "%"}, {Name: "ours", Unit: "%", Key: "hot_share"}, {Name: "H", Key: "hot"},
		{Name: "least I", Key: "g"}, {Name: "mean P_ST", Key: "p_st"}, {Name: "of the ideal", Key: "ideal"}, {Name: "at 20 % crawled", Unit: "%", Key: "at_20"}, {Name: "rate right of 80 %, random = 1", Key: "last_rate"}}}
	theirs := theirHot()
	for i, row := range rows {
		ideal := row.rule.ideal(c.Judge).Mean()
		at20, _ := row.curve.At(0.2)
		if row.hot.Pages == 0 {
			ideal, at20 = math.NaN(), math.NaN()
		}
		t.Add(row.rule, show.Brief(100*theirs[i%len(theirs)].share), show.Num(100*measure.Share(row.hot.Pages, c.Judge.Reachable()), 2), row.hot.Pages,
			show.Brief(row.hot.G), show.Num(row.area, 4), show.Num(ideal, 4), show.Num(100*at20, 1), show.Num(row.last, 2))
	}
	return show.Section{Title: c.Place.World.Name + ": thresholds", Table: t}
}
