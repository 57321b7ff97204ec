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
	if crawls == nil {
		r.tooFew(p)
		return nil
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

// fig4 is figure 1 by remote links only.
func fig4(r *run, p *Place) error {
	if !p.World.HasSites() {
		r.lacks(p.World.Name, "it has no sites or one")
		return nil
	}
	remote, err := r.crawls58(p, true)
	if err != nil {
		return err
	}
	if remote == nil {
		r.tooFew(p)
		return nil
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
