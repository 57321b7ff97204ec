package cho98

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// A column of the table of measures: a number of each crawl, shown as its mean over start sets.
type similarColumn struct {
	show.Column
	of func(c *experiment.Course, t *measure.Trial) (float64, bool)
}

// columns returns the measures: shares of the hot pages found, the pages that it takes to find a
// share of them, harvest rate, and the limited buffer.
func (c *similarCourses) columns() []similarColumn {
	found := func(at float64) func(*experiment.Course, *measure.Trial) (float64, bool) {
		return func(x *experiment.Course, t *measure.Trial) (float64, bool) {
			v, ok := t.Found(x.Judge.HotAbove(1)).At(at)
			return 100 * v, ok
		}
	}
	pages := func(level float64) func(*experiment.Course, *measure.Trial) (float64, bool) {
		return func(x *experiment.Course, t *measure.Trial) (float64, bool) {
			v, ok := t.Found(x.Judge.HotAbove(1)).PagesFor(level)
			return 100 * v, ok
		}
	}
	list := []similarColumn{
		{show.Column{Name: "at 10 % crawled", Unit: "%", Key: "at_10"}, found(0.1)}, {show.Column{Name: "at 20 %", Unit: "%", Key: "at_20"}, found(0.2)},
		{show.Column{Name: "at 40 %", Unit: "%", Key: "at_40"}, found(0.4)}, {show.Column{Name: "at 60 %", Unit: "%", Key: "at_60"}, found(0.6)},
		{show.Column{Name: "pages for half of them", Unit: "%", Key: "pages_for_50"}, pages(0.5)}, {show.Column{Name: "for 80 %", Unit: "%", Key: "pages_for_80"}, pages(0.8)},
		{show.Column{Name: "harvest rate at 10 %", Unit: "%", Key: "harvest_10"}, func(x *experiment.Course, t *measure.Trial) (float64, bool) {
			v, ok := t.Harvest(x.Judge.HotAbove(1)).At(0.1)
			return 100 * v, ok
		}},
		{show.Column{Name: "P_CS, K = H", Unit: "%", Key: "p_cs"}, func(x *experiment.Course, t *measure.Trial) (float64, bool) {
			k := x.Judge.HotAbove(1).Pages
			return 100 * t.CrawlStop().Y[k-1], true
		}},
		{show.Column{Name: "P_BC, B = H", Unit: "%", Key: "p_bc"}, func(x *experiment.Course, t *measure.Trial) (float64, bool) {
			hot := x.Judge.HotAbove(1)
			return 100 * last(t.BufferCrawl(hot.Pages, hot, x.Truth.Estimate())), true
		}},
	}
	if c.on != nil && c.links == 0 {
		list = append(list, similarColumn{show.Column{Name: "on topic by the truth at 10 %", Unit: "%", Key: "recall_10"}, c.recall})
	}
	return list
}

// recall returns the share of the pages on the topic, by the truth, that the first tenth of a
// crawl has.
func (c *similarCourses) recall(x *experiment.Course, t *measure.Trial) (float64, bool) {
	j, err := measure.NewJudge(measure.HotTruth(c.on), x.Tree.Order, measure.JudgeOptions{})
	if err != nil {
		return 0, false
	}
	again, err := j.Try(t.Order())
	if err != nil {
		return 0, false
	}
	v, ok := again.Found(j.HotAbove(1)).At(0.1)
	return 100 * v, ok
}

// measures lists the means of the measures over the start sets, that of P_ST with its interval
// and the difference from breadth-first order inside the queues.
func (c *similarCourses) measures() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "order"}, {Name: "mean P_ST", Key: "mean"}, {Name: "low"}, {Name: "high"},
		{Name: "minus two-queue, low", Key: "paired_low"}, {Name: "high", Key: "paired_high"}}}
	columns := c.columns()
	for _, col := range columns {
		t.Columns = append(t.Columns, col.Column)
	}
	for i, row := range c.rows {
		in := c.run.Summarise(row.means)
		d, _ := measure.Paired(row.means, c.rows[queueBreadth].means, c.run.Random)
		cells := []any{c.name(i), show.Num(in.Mean, 4), show.Num(in.Low, 4), show.Num(in.High, 4), show.Num(d.Low, 4), show.Num(d.High, 4)}
		for _, col := range columns {
			cells = append(cells, c.meanOf(i, col))
		}
		t.Add(cells...)
	}
	return show.Section{Title: c.place.World.Name + ": measures", Table: t, Text: text("similarity-measures")}
}

// meanOf returns a measure of order i, mean over the start sets.
func (c *similarCourses) meanOf(i int, col similarColumn) show.Cell {
	var all []float64
	for _, x := range c.courses {
		if v, ok := col.of(x, x.Runs[i].Trial); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return show.None()
	}
	return show.Num(measure.Sum(all)/float64(len(all)), 1)
}

// means returns the mean of P_ST of each order over the start sets.
func means(rows []orderRow) []float64 {
	m := make([]float64, len(rows))
	for i, r := range rows {
		m[i] = measure.Sum(r.means) / float64(len(r.means))
	}
	return m
}

// graph7 judges breadth-first order against the others.
func graph7(c *similarCourses) []experiment.Finding {
	m := means(c.rows)
	four := m[:queueRandom+1]
	return []experiment.Finding{
		experiment.Found(slices.Index(four, slices.Max(four)) == queueBreadth, "mean P_ST %.3f; backlinks %.3f, PageRank %.3f, random %.3f", four[0], four[1], four[2], four[3]),
		experiment.Found(max(m[queueBacklinks], m[queuePageRank]) <= diagonalMean, "%.3f and %.3f", m[queueBacklinks], m[queuePageRank]),
	}
}

// graph8 compares with graph 7.
func graph8(c *similarCourses) []experiment.Finding {
	now, then := means(c.rows), means(c.before)
	four, before := now[:queueRandom+1], then[:queueRandom+1]
	all := true
	for i := range four {
		all = all && four[i] > before[i]
	}
	lead := func(m []float64) float64 { return m[queueBreadth] - slices.Max(m[queueBacklinks:]) }
	single := c.single()
	return []experiment.Finding{
		experiment.Found(all, "mean P_ST %.3f after %.3f for breadth-first, %.3f after %.3f for backlinks, %.3f after %.3f for PageRank, %.3f after %.3f for random",
			four[0], before[0], four[1], before[1], four[2], before[2], four[3], before[3]),
		experiment.Found(lead(four) > 0 && lead(four) < lead(before), "it leads the best of the others by %+.3f, by %+.3f in graph 7", lead(four), lead(before)),
		experiment.Found(single > 1./3, "%.1f %%", 100*single),
		c.faster(),
		c.classified(),
	}
}

// graph9 looks at 40 and 60 % of the pages.
func graph9(c *similarCourses) []experiment.Finding {
	at := func(i int, of float64) float64 {
		v, _ := c.meanAt(i, of)
		return v
	}
	rank40, rank60, breadth40, breadth60 := at(queuePageRank, 0.4), at(queuePageRank, 0.6), at(queueBreadth, 0.4), at(queueBreadth, 0.6)
	return []experiment.Finding{
		experiment.Found(min(rank40, breadth40) > 0.8 && min(rank60, breadth60) > 0.9, "PageRank %.1f and %.1f %%, breadth-first %.1f and %.1f %%", 100*rank40, 100*rank60, 100*breadth40, 100*breadth60),
		c.faster(),
	}
}

// meanAt returns P_ST of order i after a share of the pages, mean over the start sets.
func (c *similarCourses) meanAt(i int, of float64) (mean float64, ok bool) {
	var all []float64
	for _, curve := range c.rows[i].curves {
		if v, ok := curve.At(of); ok {
			all = append(all, v)
		}
	}
	return measure.Sum(all) / float64(max(1, len(all))), len(all) > 0
}

// faster compares breadth-first order inside the queues with orders without.
func (c *similarCourses) faster() experiment.Finding {
	breadth, _ := measure.Paired(c.rows[queueBreadth].means, c.rows[plainBreadth].means, c.run.Random)
	random, _ := measure.Paired(c.rows[queueBreadth].means, c.rows[plainRandom].means, c.run.Random)
	return experiment.Found(breadth.Low > 0 && random.Low > 0, "mean P_ST %s above breadth-first, %s above random", interval(breadth), interval(random))
}

// classified compares the classifier with the best of the orders inside the queues.
func (c *similarCourses) classified() experiment.Finding {
	m := means(c.rows)
	best := slices.Index(m, slices.Max(m[:queueRandom+1]))
	d, _ := measure.Paired(c.rows[classifier].means, c.rows[best].means, c.run.Random)
	return experiment.Found(d.High >= 0, "mean P_ST %.3f against %.3f of %s, difference %s", m[classifier], m[best], c.name(best), interval(d))
}

// interval writes a mean with its interval.
func interval(d measure.Interval) string {
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", d.Mean, d.Low, d.High)
}
