package papers

import (
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// theirDay is the average PageRank that the paper gives for a day.
type theirDay struct {
	day  int
	mean float64
}

// figure1Days returns what the text says of figure 1: the first and second day, then
// after one, two and four weeks.
func figure1Days() []theirDay {
	return []theirDay{{1, 7.04}, {2, 2.07}, {8, 1.08}, {15, 0.84}, {29, 0.59}}
}

// figure4Days returns what the text says of figure 4.
func figure4Days() []theirDay {
	return []theirDay{{1, 12.1}, {2, 1.8}, {4, 1.0}, {58, 0.6}}
}

// fig1 shows the average PageRank by day.
func fig1(r *run, p *Place) error {
	policies := []string{"random"}
	if p.World.HasSites() {
		policies = append(policies, "site-at-a-time")
	}
	crawls, err := r.crawls58(p, false, policies...)
	if err != nil {
		return err
	}
	s, own, err := r.daySection(crawls, figure1Days())
	if err != nil {
		return err
	}
	r.show(s)
	r.find(p.World.Name, fig1Findings(own)...)
	return nil
}

// fig1Findings states whether the average falls from the first quarter of the crawl over
// the second to the rest, of which the paper says no more, and whether the first day is
// the highest with three times the second.
func fig1Findings(days []float64) []finding {
	q := quarters(days)
	times, later := days[0]/days[1], slices.Max(days[1:])
	return []finding{
		found(q[0] > q[1] && q[1] > (q[2]+q[3])/2, "means of the days by quarter %.2f, %.2f, %.2f, %.2f", q[0], q[1], q[2], q[3]),
		found(times >= 3 && days[0] > later, "%.2f and %.2f, %.1f times, highest later day %.2f", days[0], days[1], times, later),
	}
}

// quarters returns the means of four equal parts of the days.
func quarters(days []float64) [4]float64 {
	var q [4]float64
	for i := range q {
		lo, hi := i*len(days)/4, (i+1)*len(days)/4
		q[i] = measure.Sum(days[lo:hi]) / float64(hi-lo)
	}
	return q
}

// daySection draws the averages by day and lists theirs beside ours. It returns those of
// breadth-first from the seeds of the place, too.
func (b *Bench) daySection(crawls []crawl58, theirs []theirDay) (s show.Section, own []float64, err error) {
	c := crawls[0]
	chart := &plot.Chart{Title: c.place.World.Name + ": average PageRank by day", XLabel: "day of crawl", YLabel: "average PageRank"}
	t := &show.Table{Columns: []show.Column{{Name: "day"}, {Name: "theirs"}}}
	var bySeeds [][]float64
	for run := range c.runs {
		line, first, err := b.daySeries(crawls, run)
		if err != nil {
			return s, nil, err
		}
		line.Baseline = run > 0
		chart.Series, bySeeds = append(chart.Series, line), append(bySeeds, first)
		t.Columns = append(t.Columns, show.Column{Name: line.Name, Key: line.Name})
	}
	mean := chart.Series[0]
	if len(crawls) > 1 {
		t.Columns = append(t.Columns, []show.Column{{Name: "breadth-first over start sets", Key: "sets_mean"}, {Name: "low", Key: "sets_low"}, {Name: "high", Key: "sets_high"}}...)
	}
	for _, d := range theirs {
		row := []any{d.day, show.Num(d.mean, 2)}
		for _, means := range bySeeds {
			row = append(row, show.Num(means[d.day-1], 2))
		}
		if len(crawls) > 1 {
			row = append(row, show.Num(mean.Y[d.day-1], 2), show.Num(mean.Low[d.day-1], 2), show.Num(mean.High[d.day-1], 2))
		}
		t.Add(row...)
	}
	about := fmt.Sprintf("%d pages, %d of them on the first day.", len(c.days), c.firstDay())
	return show.Section{Title: c.place.World.Name, Text: about + bandText(len(crawls)), Chart: chart, Table: t}, bySeeds[0], nil
}

// daySeries returns the averages by day of one policy: over start sets with its interval,
// and from the seeds of the place.
func (b *Bench) daySeries(crawls []crawl58, run int) (s plot.Series, own []float64, err error) {
	all, x := make([][]float64, len(crawls)), make([]float64, najorkDays)
	for i := range crawls {
		if all[i], err = crawls[i].dayMeans(run); err != nil {
			return s, nil, err
		}
	}
	for d := range x {
		x[d] = float64(d + 1)
	}
	return b.band(crawls[0].runs[run].Policy, x, all), all[0], nil
}

// fig4 shows figure 1 by remote links only.
func fig4(r *run, p *Place) error {
	remote, err := r.crawls58(p, true)
	if err != nil {
		return err
	}
	every, err := r.crawls58(p, false)
	if err != nil {
		return err
	}
	s, y, err := r.daySection(remote, figure4Days())
	if err != nil {
		return err
	}
	line, own, err := r.daySeries(every, 0)
	if err != nil {
		return err
	}
	s.Chart.Series[0].Name, line.Name = "remote links", "all links (figure 1)"
	s.Chart.Series = append(s.Chart.Series, baseline(line))
	r.show(s)
	steep, before := y[0]/y[1], own[0]/own[1]
	r.find(p.World.Name, found(y[0] > own[0] && steep > before,
		"%.2f and %.2f on the first two days, a ratio of %.1f, against %.2f and %.2f, a ratio of %.1f", y[0], y[1], steep, own[0], own[1], before))
	return nil
}

// fig2 shows the average day of the top N.
func fig2(r *run, c *crawl58) error {
	when := make([]float64, len(c.days))
	for k, d := range c.days {
		when[k] = float64(d)
	}
	top, err := c.runs[0].Trial.AverageWhen(when)
	if err != nil {
		return err
	}
	line := plot.Series{Name: "breadth-first"}
	for _, n := range measure.LogGrid(len(top), 10) {
		line.Add(float64(n), top[n-1].Mean)
	}
	mean, median := measure.Arrival(when)
	name := c.place.World.Name
	chart := &plot.Chart{Title: name + ": average day of the top N", XLabel: "N", YLabel: "average day", LogX: true,
		Series: []plot.Series{line, {Name: "mean day of all", X: []float64{1, float64(len(top))}, Y: []float64{mean, mean}, Baseline: true}}}
	r.show(show.Section{Title: name, Chart: chart, Table: fig2Table(c, top),
		Text: fmt.Sprintf("%d pages, %d of them on the first day; mean day %.1f, median %.0f (theirs: 24.5 and 22).", len(top), c.firstDay(), mean, median)})
	r.find(name, fig2Finding(c, top, mean))
	return nil
}

// onFirstDay returns how many of the best n pages came on the first day.
func (c *crawl58) onFirstDay(n int) int {
	first, count := make([]bool, c.World.Pages()), 0
	for _, p := range c.runs[0].Result.Order[:c.firstDay()] {
		first[p] = true
	}
	for _, p := range c.Judge.Ranked()[:n] {
		if first[p] {
			count++
		}
	}
	return count
}

// fig2Table has the top 10, 100 and so on, and shares of all pages.
func fig2Table(c *crawl58, top []measure.TopWhen) *show.Table {
	t := &show.Table{Columns: []show.Column{{Name: "top"}, {Name: "N", Key: "n"}, {Name: "on the first day, theirs", Key: "first_theirs"}, {Name: "ours", Key: "first"}, {Name: "at most", Key: "first_possible"}, {Name: "average day, theirs", Key: "day_theirs"}, {Name: "ours", Key: "day"}}}
	add := func(name string, n int, first, day any) {
		if n >= 1 && n <= len(top) {
			t.Add(name, n, first, c.onFirstDay(n), min(n, c.firstDay()), day, show.Num(top[n-1].Mean, 2))
		}
	}
	add("10", 10, 10, show.Num(1, 2))
	add("100", 100, 91, show.None())
	add("300", 300, show.None(), "2 to 3")
	for _, of := range []float64{0.001, 0.01, 0.1, 0.5} {
		add(plot.Number(100*of)+" %", measure.PagesAt(of, len(top)), show.None(), show.None())
	}
	add("all", len(top), show.None(), show.Num(24.5, 2))
	return t
}

// fig2Finding states whether the average day rises from the top 10 over the best
// hundredth and tenth to all.
func fig2Finding(c *crawl58, top []measure.TopWhen, mean float64) finding {
	n := len(top)
	at := []float64{top[min(10, n)-1].Mean, top[measure.PagesAt(0.01, n)-1].Mean, top[measure.PagesAt(0.1, n)-1].Mean, mean}
	return found(slices.IsSorted(at) && at[0] < mean,
		"average day %.1f of the top 10, %.1f of the best 1 %%, %.1f of 10 %%, %.1f of all; %d of the top 10 and %d of the top 100 on the first day",
		at[0], at[1], at[2], at[3], c.onFirstDay(min(10, n)), c.onFirstDay(min(100, n)))
}
