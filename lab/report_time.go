package lab

import (
	"fmt"
	"math"
	"strings"

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

// axisUnitFor returns the largest unit that fits at least three times on the axis.
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

// TimeUnit returns the unit in which to show a time of so many seconds, and its size in seconds.
func TimeUnit(seconds float64) (name string, size float64) {
	u := axisOfTime(seconds)
	return u.name, u.size
}

func axisOfBytes(largest float64) axisUnit {
	return axisUnitFor(largest, axisUnit{"bytes", 1}, axisUnit{"kB", 1e3}, axisUnit{"MB", 1e6}, axisUnit{"GB", 1e9}, axisUnit{"TB", 1e12})
}

// timeSections returns what a model of time adds: importance and pages over time,
// importance over bytes, and what the fetchers did.
func (c *Comparison) timeSections(runs []*Run) []show.Section {
	last := 0.0
	for _, r := range runs {
		last = max(last, r.Result.Took.Seconds())
	}
	u := axisOfTime(last)
	out := []show.Section{c.TimeTable(runs), c.TailTable(runs)}
	if c.Judge != nil {
		out = append(out, gatheredOverTime(runs, u), gatheredOverBytes(runs), averageByTime(runs, u, last))
	}
	active := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "active fetchers"}
	var each []show.Section
	for _, r := range runs {
		idle := idleFetchers(r, u)
		line := idle.Chart.Series[0]
		line.Name = r.Policy
		active.Series, each = append(active.Series, line), append(each, idle)
	}
	return append(append(out, show.Section{Title: "Active fetchers", Chart: active}), each...)
}

// timeBuckets is the number of stretches of the longest crawl in averageByTime.
const timeBuckets = 40

// averageByTime shows the mean importance of the pages of each stretch of time, as in
// figure 1 of Najork and Wiener and figure 4.13 of the thesis.
func averageByTime(runs []*Run, u axisUnit, last float64) show.Section {
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "mean importance of the fetched pages"}
	width := last / timeBuckets * (1 + 1e-9) // the last page belongs to the last stretch
	for _, r := range runs {
		buckets, err := r.Trial.PerBucket(measure.TimeBuckets(r.ends(1), width))
		if err != nil {
			panic(err) // a trial has the pages of its own crawl
		}
		s := plot.Series{Name: r.Policy}
		for _, b := range buckets {
			if b.Pages > 0 {
				s.Add((float64(b.Bucket)+0.5)*width/u.size, b.Mean)
			}
		}
		chart.Series = append(chart.Series, s)
	}
	return show.Section{Title: "Average importance by time", Chart: chart, Text: "Mean importance of the pages fetched in each fortieth of the longest crawl, on the scale of mean 1 for PageRank."}
}

// ends returns the ends of the fetches in a unit of so many seconds.
func (r *Run) ends(unit float64) []float64 {
	when := make([]float64, len(r.Result.End))
	for i, t := range r.Result.End {
		when[i] = t.Seconds() / unit
	}
	return when
}

// importanceLevels returns the shares of the importance for which a report has the time
// when they were reached.
func importanceLevels() []float64 { return []float64{0.5, 0.8, 0.9} }

// TimeTable shows when shares of the importance were there, and how the fetchers spent
// their time. It needs a model of time.
func (c *Comparison) TimeTable(runs []*Run) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}, {Name: "virtual time", Unit: "s", Key: "virtual_seconds"}, {Name: "pages/s", Key: "pages_per_second"}, {Name: "megabytes"}}}
	if c.Judge != nil {
		for _, l := range importanceLevels() {
			t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("%g %%", 100*l), Unit: "s", Key: fmt.Sprintf("seconds_for_%g", 100*l)})
		}
	}
	hot := c.hotPages()
	if hot != nil {
		for _, l := range recallLevels() {
			t.Columns = append(t.Columns, show.Column{Name: fmt.Sprintf("%g %% of the hot pages", 100*l), Unit: "s", Key: fmt.Sprintf("seconds_for_recall_%g", 100*l)})
		}
	}
	t.Columns = append(t.Columns, show.Column{Name: "active fetchers", Key: "active_mean"}, show.Column{Name: "most active", Key: "active_most"})
	for r := range sim.Reasons {
		t.Columns = append(t.Columns, show.Column{Name: "idle: " + r.String(), Key: "idle_" + r.String()})
	}
	for _, r := range runs {
		t.Add(c.timeRow(r, hot)...)
	}
	return show.Section{
		Title: "Time", Table: t,
		Text: "When so much of the importance was there, and the mean number of fetchers that were active or waited: " +
			"for links to arrive (nothing), for sites that others had acquired (busy), for politeness, for an address, for the end of a batch, or because the last page was handed out (limit).",
	}
}

func (c *Comparison) timeRow(r *Run, hot []bool) []any {
	took, bytes := r.Result.Took.Seconds(), int64(0)
	for _, b := range r.Result.Bytes {
		bytes += b
	}
	row := []any{r.Policy, show.Num(took, 1), show.Brief(float64(len(r.Result.Order)) / took), show.Num(float64(bytes)/1e6, 1)}
	if c.Judge != nil {
		curve := r.Trial.Cumulative()
		for _, l := range importanceLevels() {
			row = append(row, r.timeFor(curve, l))
		}
	}
	if hot != nil {
		for _, l := range recallLevels() {
			row = append(row, c.recallTime(r, hot, l))
		}
	}
	mean := r.Result.Trace.Mean()
	row = append(row, show.Num(mean.Active, 2), r.Result.Trace.Peak())
	for _, idle := range mean.Idle {
		row = append(row, show.Num(idle, 2))
	}
	return row
}

// Tails returns the last tenth, twentieth and hundredth of a run; nil without a model of time.
func (c *Comparison) Tails(r *Run) []measure.Tail {
	site := func(i int) int { return int(r.Result.Order[i]) }
	if of := c.World.Sim.SiteOf; of != nil {
		site = func(i int) int { return int(of[r.Result.Order[i]]) }
	}
	return measure.Tails(r.ends(1), site, 0.1, 0.05, 0.01)
}

// TailTable shows the ends of the runs, and what fetchers gave up.
func (c *Comparison) TailTable(runs []*Run) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}}}
	for i, r := range runs {
		row := []any{r.Policy}
		for _, tail := range c.Tails(r) {
			if i == 0 {
				name, key := fmt.Sprintf("last %g %%", 100*tail.Part), fmt.Sprintf("last_%g", 100*tail.Part)
				t.Columns = append(t.Columns, show.Column{Name: name, Unit: "% of the time", Key: key + "_time"}, show.Column{Name: "on sites", Key: key + "_sites"})
			}
			row = append(row, show.Num(100*tail.Time, 1), tail.Sites)
		}
		t.Add(append(row, r.Result.Timeouts, r.Result.Lost)...)
	}
	t.Columns = append(t.Columns, show.Column{Name: "attempts given up", Key: "timeouts"}, show.Column{Name: "pages lost", Key: "lost"})
	return show.Section{Title: "The end of the crawl", Table: t,
		Text: "The share of the time that the last pages took, and on how many sites they lie: a crawl that stays as fast as it began needs 1 % of its time for the last 1 % of its pages. A few large sites, which are requested for one page at a time, or a few slow answers make the end long."}
}

// recallLevels returns the shares of the hot pages for which a report has the time.
func recallLevels() []float64 { return []float64{0.5, 0.8} }

// hotPages returns which pages are about the topic, by the frequencies of words in all pages; nil
// without a topic.
func (c *Comparison) hotPages() (hot []bool) {
	if c.World.Readings != nil {
		_, hot = c.World.Readings.Similarities()
	}
	return hot
}

// recallTime returns the instant at which a share of the hot pages that can be reached was fetched.
func (c *Comparison) recallTime(r *Run, hot []bool, level float64) show.Cell {
	all, found := 0, 0
	for _, p := range c.Tree.Order {
		if hot[p] {
			all++
		}
	}
	for i, p := range r.Result.Order {
		if hot[p] {
			found++
		}
		if hot[p] && float64(found) >= float64(level*float64(all)) {
			return show.Num(r.Result.End[i].Seconds(), 1)
		}
	}
	return show.None()
}

// timeFor returns the instant at which a share of the importance was reached; pages are in
// the order in which they were fetched.
func (r *Run) timeFor(c measure.Curve, level float64) show.Cell {
	of, ok := c.PagesFor(level)
	if !ok {
		return show.None()
	}
	k := int(math.Round(of * float64(c.Reachable)))
	return show.Num(r.Result.End[k-1].Seconds(), 1)
}

// gatheredOverTime returns both curves of the thesis' figures 4.12 and 4.16 on one chart:
// the share of the importance and, in grey, of the pages.
func gatheredOverTime(runs []*Run, u axisUnit) show.Section {
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "share of the importance (grey: of the pages)"}
	var pages []plot.Series
	for _, r := range runs {
		importance, documents := gatheredSeries(r, r.ends(u.size))
		chart.Series, pages = append(chart.Series, importance), append(pages, documents)
	}
	chart.Series = append(chart.Series, pages...)
	return show.Section{Title: "Pages and importance over time", Chart: chart}
}

// gatheredOverBytes shows the share of the importance over what was downloaded, pages
// alone.
func gatheredOverBytes(runs []*Run) show.Section {
	most := int64(0)
	sums := make([][]int64, len(runs))
	for i, r := range runs {
		total := int64(0)
		for _, b := range r.Result.Bytes {
			total += b
			sums[i] = append(sums[i], total)
		}
		most = max(most, total)
	}
	u := axisOfBytes(float64(most))
	chart := &plot.Chart{XLabel: "bytes of pages, " + u.name, YLabel: "share of the importance"}
	for i, r := range runs {
		at := make([]float64, len(sums[i]))
		for k, b := range sums[i] {
			at[k] = float64(b) / u.size
		}
		importance, _ := gatheredSeries(r, at)
		chart.Series = append(chart.Series, importance)
	}
	return show.Section{Title: "Importance over bytes", Chart: chart}
}

// gatheredSeries returns what a run had gathered at evenly spaced times.
func gatheredSeries(r *Run, when []float64) (importance, pages plot.Series) {
	importance, pages = plot.Series{Name: r.Policy}, plot.Series{Name: r.Policy + ", pages", Baseline: true}
	states, err := r.Trial.Gathered(when, curvePoints)
	if err != nil {
		panic(err) // one instant a fetch: a mistake of the simulator
	}
	for _, s := range states {
		importance.Add(s.When, s.Importance)
		pages.Add(s.When, s.Pages)
	}
	return importance, pages
}

// FetcherSection shows what the fetchers of a run did over time.
func FetcherSection(r *Run) show.Section {
	s := idleFetchers(r, axisOfTime(r.Result.Took.Seconds()))
	s.Chart.XLabel, s.Chart.FromZero = strings.Replace(s.Chart.XLabel, "virtual time", "time", 1), true
	return s
}

// idleFetchers shows what the fetchers of one run did, active first: of the reasons to
// wait those that occurred.
func idleFetchers(r *Run, u axisUnit) show.Section {
	points, total := r.Result.Trace.Points(), r.Result.Trace.Total()
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: "fetchers"}
	add := func(name string, of func(*sim.Point) float64) {
		s := plot.Series{Name: name}
		for i := range points {
			s.Add((points[i].From+points[i].To).Seconds()/2/u.size, of(&points[i]))
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
