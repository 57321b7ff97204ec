package papers

import (
	"fmt"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"slices"
)

// choGraph4 is P_ST of the orders of graph 2, hot by PageRank (X4).
func choGraph4(b *Bench) (*show.Report, error) {
	r := &show.Report{Title: "cho98-graph4", Header: b.paperHeader(choPolicies(), "I = PageRank, follow 0.9, mean 1"),
		Intro: []string{"P_ST of the orders of graph 2 where hot are pages with a PageRank of 13 or more, on the scale on which the mean is 1. The paper: as graph 2, except that PageRank order is even more effective now. It does not say how many pages G = 13 made hot; where here they are fewer than ten or more than 4 %, the best 0.8 % are taken, as in graph 2."}}
	var faster, first []finding
	for _, p := range b.Places {
		now, before, s, err := b.graph4At(p)
		if err != nil {
			return nil, err
		}
		x, y := graph4Findings(p.World.Name, now, before)
		faster, first, r.Sections = append(faster, x), append(first, y), append(r.Sections, s)
	}
	r.Verdict = verdicts(
		verdict("PageRank order finds pages of high PageRank faster than it finds those with many backlinks", faster),
		verdict("it finds them before breadth-first and backlink order", first))
	return r, nil
}

// graph4At crawls once and measures twice: orders do not depend on the truth.
func (b *Bench) graph4At(p *Place) (now, before []float64, s show.Section, err error) {
	ranks, err := p.PageRank(b)
	if err != nil {
		return nil, nil, s, err
	}
	counts, err := p.Backlinks(b)
	if err != nil {
		return nil, nil, s, err
	}
	names := b.choOrders(p)
	c, err := b.courses(p, ranks, names)
	if err != nil {
		return nil, nil, s, err
	}
	rule := scaled(c[0].Judge, 13, 0.008)
	rows := orderRows(c, names, func(c *course, t *measure.Trial) measure.Curve { return t.Found(rule.of(c.Judge)) })
	other, err := c[0].judged(counts)
	if err != nil {
		return nil, nil, s, err
	}
	backlinks := scaled(other.Judge, 100, 0.008)
	graph2 := orderRows([]course{other}, names, func(c *course, t *measure.Trial) measure.Curve { return t.Found(backlinks.of(c.Judge)) })
	s = b.orderSection(p, "P_ST", ruleText(c[0].Judge, rule, 13), rows, idealFor(c[0].Judge, rule))
	addColumn(s.Table, show.Column{Name: "graph 2", Key: "graph2"}, bySeeds(graph2))
	return bySeeds(rows), bySeeds(graph2), s, nil
}

// judged is the same crawls measured by another truth.
func (c course) judged(t *measure.Truth) (course, error) {
	j, err := measure.NewJudge(t, c.Tree.Order, measure.JudgeOptions{Seed: c.Random})
	if err != nil {
		return c, err
	}
	setting := c.Setting
	setting.Truth = t
	out := course{Comparison: &lab.Comparison{Setting: setting, Tree: c.Tree, Judge: j}}
	for _, r := range c.runs {
		run := &lab.Run{Policy: r.Policy, Result: r.Result}
		if run.Trial, err = j.Try(r.Result.Order); err != nil {
			return c, err
		}
		out.runs = append(out.runs, run)
	}
	return out, nil
}

func graph4Findings(place string, now, before []float64) (faster, first finding) {
	faster = finding{place: place, holds: now[pagerankOrder] > before[pagerankOrder]}
	faster.numbers = fmt.Sprintf("mean P_ST %.3f against %.3f in graph 2", now[pagerankOrder], before[pagerankOrder])
	first = finding{place: place, holds: now[pagerankOrder] > max(now[breadthFirst], now[backlinkCount])}
	first.numbers = fmt.Sprintf("%.3f, breadth-first %.3f, backlink-count %.3f", now[pagerankOrder], now[breadthFirst], now[backlinkCount])
	return faster, first
}

// addColumn puts a number after the second cell of each row.
func addColumn(t *show.Table, c show.Column, values []float64) {
	t.Columns = slices.Insert(t.Columns, 2, c)
	for i := range t.Rows {
		t.Rows[i] = slices.Insert(t.Rows[i], 2, show.Num(values[i], 4))
	}
}
