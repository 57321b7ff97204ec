package lab

import (
	"fmt"
	"math"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// CourseSections returns the cumulative importance of runs by pages, with the ideal and the
// random order, and if there is time, by time and bytes, and the average
// importance by time.
func (c *Comparison) CourseSections(runs []*Run) []show.Section {
	n := mostFetches(runs)
	label := "share of the importance of all fetched pages"
	pages := c.curves("Importance by pages", label, runs, nil, func(r *Run) measure.Curve { return r.Trial.Cumulative() }, c.Judge.Ideal(n))
	pages.Chart.XLabel = "share of the pages"
	pages.Chart.Series = append(pages.Chart.Series, runBaseline("random, expected", measure.Random(c.Judge.Reachable(), n)))
	out := []show.Section{pages}
	if c.Times == nil {
		return out
	}
	last := 0.0
	for _, r := range runs {
		for _, t := range r.Result.End {
			last = max(last, t.Seconds())
		}
	}
	u := axisOfTime(last)
	timed := []show.Section{gatheredOverTime(runs, u), gatheredOverBytes(runs), averageByTime(runs, u, last)}
	for _, s := range timed {
		s.Chart.XLabel = strings.Replace(s.Chart.XLabel, "virtual time", "time", 1)
	}
	return append(out, timed...)
}

// tenths are the shares of a crawl at which two of them are held side by side.
const tenths = 10

// Tenths returns the share of the importance that a run has after each tenth of the
// reachable pages; NaN where it stopped before.
func (r *Run) Tenths() []float64 { return r.at(tenths) }

// at returns the share of the importance after each of n equal parts of the reachable
// pages; NaN where the run stopped before.
func (r *Run) at(n int) []float64 {
	c, y := r.Trial.Cumulative(), make([]float64, n)
	for i := range y {
		v, ok := c.At(float64(i+1) / float64(n))
		if !ok {
			v = math.NaN()
		}
		y[i] = v
	}
	return y
}

// SideBySide compares a real crawl with a simulation of the same policy in the same world:
// figure 4.15 of the thesis.
func SideBySide(real, simulated *Run) show.Section {
	a, b := real.Tenths(), simulated.Tenths()
	t := &show.Table{Columns: []show.Column{{Name: "pages", Unit: "%"}, {Name: "crawled", Unit: "%", Key: "crawled"},
		{Name: "simulated", Unit: "%", Key: "simulated"}, {Name: "difference", Unit: "points", Key: "difference"}}}
	most := 0.0
	for i := range a {
		t.Add(100*(i+1)/tenths, show.Num(100*a[i], 1), show.Num(100*b[i], 1), show.Num(100*(a[i]-b[i]), 1))
		if d := math.Abs(a[i] - b[i]); d > most {
			most = d
		}
	}
	return show.Section{
		Title: "Crawled and simulated", Table: t,
		Text: fmt.Sprintf("Share of the importance after each tenth of the pages: in the crawl, and in a simulation of the same policy in the world that it recorded, "+
			"with the times that it recorded. The largest difference is %.1f points.", 100*most),
	}
}

// depthBands returns the ranges of depth for which the correlation is given, as the thesis
// discusses them for its figure 4.14: near the seeds, farther away, and all.
func depthBands() [][2]int { return [][2]int{{0, 2}, {0, 5}, {6, math.MaxInt}, {0, math.MaxInt}} }

// DepthSections returns the importance of pages by their distance from something, such as the
// nearest seed, and Kendall's tau-b of the two within bands. depth is by page of the truth; pages
// are those that count.
func DepthSections(truth *measure.Truth, pages []graph.Page, from string, depth func(graph.Page) int) []show.Section {
	scale := truth.Scale()
	var values [][]float64 // by depth
	for _, p := range pages {
		d := depth(p)
		for len(values) <= d {
			values = append(values, nil)
		}
		values[d] = append(values[d], truth.Value[p]*scale)
	}
	s := plot.Series{Name: "mean importance"}
	t := &show.Table{Columns: []show.Column{{Name: "depth"}, {Name: "pages"}, {Name: "mean importance", Key: "mean"}, {Name: "share of the importance", Unit: "%", Key: "share"}}}
	total := measure.Sum(truth.Value) * scale
	for d, v := range values {
		if len(v) == 0 {
			continue
		}
		mean := measure.Sum(v) / float64(len(v))
		s.Add(float64(d), mean)
		t.Add(d, len(v), show.Num(mean, 3), show.Num(100*measure.Sum(v)/total, 1))
	}
	return []show.Section{
		{Title: "Importance by depth", Table: t, Chart: &plot.Chart{XLabel: "links from " + from, YLabel: "mean importance", Series: []plot.Series{s}},
			Text: "Mean importance, on the scale of mean 1, of the pages at each distance from " + from + "."},
		depthCorrelation(truth, pages, from, depth),
	}
}

// depthCorrelation returns tau-b of depth and importance by band.
func depthCorrelation(truth *measure.Truth, pages []graph.Page, from string, depth func(graph.Page) int) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "depths"}, {Name: "pages"}, {Name: "tau-b", Key: "tau_b"}}}
	for _, band := range depthBands() {
		var x, y []float64
		for _, p := range pages {
			if d := depth(p); d >= band[0] && d <= band[1] {
				x, y = append(x, float64(d)), append(y, truth.Value[p])
			}
		}
		tau := show.None()
		if v, err := measure.TauB(x, y); err == nil && len(x) > 1 {
			tau = show.Num(v, 3)
		}
		name := fmt.Sprintf("%d to %d", band[0], band[1])
		switch {
		case band[0] == 0 && band[1] == math.MaxInt:
			name = "all"
		case band[1] == math.MaxInt:
			name = fmt.Sprintf("%d and more", band[0])
		}
		t.Add(name, len(x), tau)
	}
	return show.Section{Title: "Correlation of depth and importance", Table: t,
		Text: "Kendall's tau-b: negative where pages nearer to " + from + " are more important."}
}
