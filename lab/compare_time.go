package lab

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// An axisUnit is the unit of an axis of time or of bytes.
type axisUnit struct {
	name string
	size float64 // in seconds or bytes
}

// axisUnitFor is the largest unit of which the axis has at least three.
func axisUnitFor(largest float64, units ...axisUnit) axisUnit {
	best := units[0]
	for _, u := range units {
		if largest >= 3*u.size {
			best = u
		}
	}
	return best
}

func axisOfTime(largest float64) axisUnit {
	return axisUnitFor(largest, axisUnit{"s", 1}, axisUnit{"minutes", 60}, axisUnit{"hours", 3600}, axisUnit{"days", 86400})
}

func axisOfBytes(largest float64) axisUnit {
	return axisUnitFor(largest, axisUnit{"bytes", 1}, axisUnit{"kB", 1e3}, axisUnit{"MB", 1e6}, axisUnit{"GB", 1e9}, axisUnit{"TB", 1e12})
}

// timeSections are what a model of time adds: importance and pages over time (P8, P19),
// importance over bytes, and what the fetchers did (P21, X28, X29).
func (c *Comparison) timeSections(runs []*Run) []show.Section {
	last := 0.0
	for _, r := range runs {
		last = max(last, r.Result.Took.Seconds())
	}
	u := axisOfTime(last)
	out := []show.Section{c.timeTable(runs)}
	if c.Judge != nil {
		out = append(out, gatheredOverTime(runs, u), gatheredOverBytes(runs), averageByTime(runs, u, last))
	}
	out = append(out, activeFetchers(runs, u))
	for _, r := range runs {
		out = append(out, idleFetchers(r, u))
	}
	return out
}

// timeBuckets is the number of stretches of the longest crawl in averageByTime.
const timeBuckets = 40

// averageByTime is the mean importance of the pages of each stretch of time (P15;
// figure 1 of Najork and Wiener, figure 4.13 of the thesis).
func averageByTime(runs []*Run, u axisUnit, last float64) show.Section {
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "mean importance of the pages that came"}
	width := last / timeBuckets * (1 + 1e-9) // the last page belongs to the last stretch
	for _, r := range runs {
		buckets, err := r.Trial.PerBucket(measure.TimeBuckets(inSeconds(r.Result.End), width))
		if err != nil {
			panic(err) // a trial has the pages of its own crawl
		}
		s := plot.Series{Name: r.Policy}
		for _, b := range buckets {
			if b.Pages > 0 {
				s.X, s.Y = append(s.X, (float64(b.Bucket)+0.5)*width/u.size), append(s.Y, b.Mean)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	return show.Section{Title: "Average importance by time", Chart: chart, Text: "Mean importance of the pages that came in each fortieth of the longest crawl, on the scale of mean 1 for PageRank."}
}

// importanceLevels are the shares of the importance for which a report says when they were there.
func importanceLevels() []float64 { return []float64{0.5, 0.8, 0.9} }

// timeTable is when shares of the importance were there, and how the fetchers spent
// their time.
func (c *Comparison) timeTable(runs []*Run) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}, {Name: "virtual time", Unit: "s", Key: "virtual_seconds"}, {Name: "pages/s", Key: "pages_per_second"},
		{Name: "megabytes", Key: "megabytes"}}}
	if c.Judge != nil {
		for _, l := range importanceLevels() {
			t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("%g %%", 100*l), Unit: "s", Key: fmt.Sprintf("seconds_for_%g", 100*l)})
		}
	}
	t.Columns = append(t.Columns, show.Column{Name: "active fetchers", Key: "active_mean"}, show.Column{Name: "most active", Key: "active_most"})
	for r := range sim.Reasons {
		t.Columns = append(t.Columns, show.Column{Name: "idle: " + r.String(), Key: "idle_" + r.String()})
	}
	for _, r := range runs {
		t.Rows = append(t.Rows, c.timeRow(r))
	}
	return show.Section{
		Title: "Time", Table: t,
		Text: "When so much of the importance was there, and the mean number of fetchers that were active or waited: for links to arrive (nothing), for sites that others had acquired (busy), for politeness, for an address, for the end of a batch, or because the last page was handed out (limit).",
	}
}

func (c *Comparison) timeRow(r *Run) []show.Cell {
	took, bytes := r.Result.Took.Seconds(), int64(0)
	for _, b := range r.Result.Bytes {
		bytes += b
	}
	row := []show.Cell{show.Words(r.Policy), show.Num(took, 1), show.Brief(float64(len(r.Result.Order)) / took), show.Num(float64(bytes)/1e6, 1)}
	if c.Judge != nil {
		curve := r.Trial.Cumulative()
		for _, l := range importanceLevels() {
			row = append(row, r.timeFor(curve, l))
		}
	}
	mean := r.Result.Trace.Mean()
	row = append(row, show.Num(mean.Active, 2), show.Count(r.Result.Trace.Peak()))
	for _, idle := range mean.Idle {
		row = append(row, show.Num(idle, 2))
	}
	return row
}

// timeFor is the instant at which a share of the importance was there; pages are in the
// order in which they came.
func (r *Run) timeFor(c measure.Curve, level float64) show.Cell {
	of, ok := c.PagesFor(level)
	if !ok {
		return show.None()
	}
	k := int(math.Round(of * float64(c.Reachable)))
	return show.Num(r.Result.End[k-1].Seconds(), 1)
}

// gatheredOverTime has both curves of the thesis' figures 4.12 and 4.16 on one chart:
// the share of the importance and, dashed, of the pages.
func gatheredOverTime(runs []*Run, u axisUnit) show.Section {
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "share of the importance (dashed: of the pages)"}
	var pages []plot.Series
	for _, r := range runs {
		when := inUnits(inSeconds(r.Result.End), u.size)
		importance, documents := gatheredSeries(r, when)
		chart.Series = append(chart.Series, importance)
		pages = append(pages, documents)
	}
	chart.Series = append(chart.Series, pages...)
	return show.Section{Title: "Pages and importance over time", Chart: chart}
}

// gatheredOverBytes is the share of the importance over what was downloaded, pages
// alone.
func gatheredOverBytes(runs []*Run) show.Section {
	most := 0.0
	sums := make([][]float64, len(runs))
	for i, r := range runs {
		sums[i] = make([]float64, len(r.Result.Bytes))
		total := int64(0)
		for k, b := range r.Result.Bytes {
			total += b
			sums[i][k] = float64(total)
		}
		most = max(most, float64(total))
	}
	u := axisOfBytes(most)
	chart := &plot.Chart{XLabel: "bytes of pages, " + u.name, YLabel: "share of the importance"}
	for i, r := range runs {
		importance, _ := gatheredSeries(r, inUnits(sums[i], u.size))
		chart.Series = append(chart.Series, importance)
	}
	return show.Section{Title: "Importance over bytes", Chart: chart}
}

// gatheredSeries is what a run had gathered at evenly spaced times.
func gatheredSeries(r *Run, when []float64) (importance, pages plot.Series) {
	importance, pages = plot.Series{Name: r.Policy}, plot.Series{Name: r.Policy + ", pages", Baseline: true}
	states, err := r.Trial.Gathered(when, curvePoints)
	if err != nil {
		panic(err) // one instant a fetch: a mistake of the simulator
	}
	for _, s := range states {
		importance.X, importance.Y = append(importance.X, s.When), append(importance.Y, s.Importance)
		pages.X, pages.Y = append(pages.X, s.When), append(pages.Y, s.Pages)
	}
	return importance, pages
}

func inUnits(x []float64, by float64) []float64 {
	for i := range x {
		x[i] /= by
	}
	return x
}

func activeFetchers(runs []*Run, u axisUnit) show.Section {
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "active fetchers"}
	for _, r := range runs {
		s := plot.Series{Name: r.Policy}
		for _, p := range r.Result.Trace.Points() {
			s.X = append(s.X, (p.From+p.To).Seconds()/2/u.size)
			s.Y = append(s.Y, p.Active)
		}
		chart.Series = append(chart.Series, s)
	}
	return show.Section{Title: "Active fetchers", Chart: chart}
}

// idleFetchers is what the fetchers of one run did: those reasons to wait that occurred.
func idleFetchers(r *Run, u axisUnit) show.Section {
	points, total := r.Result.Trace.Points(), r.Result.Trace.Total()
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "fetchers"}
	add := func(name string, of func(*sim.Point) float64) {
		s := plot.Series{Name: name}
		for i := range points {
			s.X = append(s.X, (points[i].From+points[i].To).Seconds()/2/u.size)
			s.Y = append(s.Y, of(&points[i]))
		}
		chart.Series = append(chart.Series, s)
	}
	add("active", func(p *sim.Point) float64 { return p.Active })
	for reason := range sim.Reasons {
		if total.Idle[reason] > 0 {
			add("idle: "+reason.String(), func(p *sim.Point) float64 { return p.Idle[reason] })
		}
	}
	return show.Section{Title: "Fetchers of " + r.Policy, Chart: chart}
}
