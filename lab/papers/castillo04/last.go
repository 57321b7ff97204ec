package castillo04

import (
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// lastPart is the part of a crawl that counts as its last stage.
const lastPart = 0.25

// nearRandom is the distance from a random order up to which one is close to it: half of a point
// of the mean is what two random orders of a few thousand pages differ by.
const nearRandom = 0.05

// lastStage shows how good orders are at the end of a crawl, when little is left to choose from.
func lastStage(r *experiment.Run, p *experiment.Place) error {
	c, err := ordered(r.Bench, p, withoutHistory())
	if err != nil {
		return err
	}
	t := &show.Table{Columns: []show.Column{{Name: "strategy"}, {Name: "average", Key: "average"}, {Name: "importance of the last quarter", Unit: "%", Key: "left"}, {Name: "mean within it", Key: "mean"}}}
	chart := &plot.Chart{Title: "The last quarter of the pages, " + p.World.Name, XLabel: "of the last quarter, % of pages", YLabel: "of its importance, %"}
	var omniscient float64
	for _, run := range c.Runs {
		left, mean, line := stage(run.Trial.Cumulative(), lastPart)
		if run.Policy == "omniscient" {
			omniscient = mean
		}
		t.Add(run.Policy, show.Num(run.Measures.Average, 4), show.Num(100*left, 1), show.Num(mean, 3))
		line.Name, line.Baseline = run.Policy, beside(run.Policy)
		chart.Series = append(chart.Series, line)
	}
	chart.Series = append(chart.Series, experiment.Diagonal())
	r.Show(show.Section{Title: p.World.Name, Chart: chart, Table: t, Text: "mean within it: the mean of the cumulative importance over the last quarter of the pages, of what that quarter has in all; 0.5 is a random order."})
	r.Find(p.World.Name, experiment.Found(omniscient-0.5 <= nearRandom, "mean within the last quarter %.3f", omniscient))
	return nil
}

// stage returns how much of the importance is left for the last part of a crawl, and the mean and the
// line of what of it is gathered while that part is fetched.
func stage(c measure.Curve, part float64) (left, mean float64, line plot.Series) {
	n := len(c.Y)
	from := n - measure.PagesAt(part, n)
	before := 0.0
	if from > 0 {
		before = c.Y[from-1]
	}
	left = c.Y[n-1] - before
	line.Add(0, 0)
	for k := from; k < n; k++ {
		y := measure.Share(k+1-from, n-from)
		if left > 0 {
			y = (c.Y[k] - before) / left
		}
		mean += y / float64(n-from)
		if (k-from)%max(1, (n-from)/100) == 0 || k == n-1 {
			line.Add(100*measure.Share(k+1-from, n-from), 100*y)
		}
	}
	return left, mean, line
}
