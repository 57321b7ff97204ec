package live

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
)

// timeSteps is the number of steps in which the course of a crawl is shown.
const timeSteps = 60

// An overTime draws the course of a crawl.
type overTime struct {
	*history.Timeline
	unit string  // of the axis
	size float64 // of it in seconds
}

func (r *Report) overTime() *overTime {
	t := &overTime{Timeline: r.timeline}
	t.unit, t.size = lab.TimeUnit(r.took().Seconds())
	return t
}

// chart returns an empty chart over time, with marks where sessions began.
func (t *overTime) chart(label string) *plot.Chart {
	c := &plot.Chart{XLabel: "time of work, " + t.unit, YLabel: label, FromZero: true, Tight: true}
	for i, at := range t.Sessions {
		if i > 0 && i <= mostMarks {
			c.Marks = append(c.Marks, plot.Mark{X: at.Seconds() / t.size, Label: fmt.Sprintf("session %d", i+1)})
		}
	}
	return c
}

// mostMarks is the number of sessions that are marked in charts.
const mostMarks = 8

// series returns a value of each step, at the middle of it.
func (t *overTime) series(name string, of func(*history.Step) (float64, bool)) plot.Series {
	s := plot.Series{Name: name}
	for i := range t.Steps {
		if v, ok := of(&t.Steps[i]); ok {
			s.Add((float64(i)+0.5)*t.Width.Seconds()/t.size, v)
		}
	}
	return s
}

// per returns the unit of time in which rates are legible, for the largest number in a step.
func (t *overTime) per(most float64) (name string, seconds float64) {
	rate := most / t.Width.Seconds()
	switch {
	case rate >= 0.5:
		return "second", 1
	case rate >= 0.5/60:
		return "minute", 60
	}
	return "hour", 3600
}

// most returns the largest number of a step.
func (t *overTime) most(of func(*history.Step) int64) (most float64) {
	for i := range t.Steps {
		most = max(most, float64(of(&t.Steps[i])))
	}
	return most
}

func fetchedIn(s *history.Step) int64 { return s.Fetched }

// leastInStep is the number of pages that a step of a rate has on average, at least. With fewer,
// a chart shows the delay between single pages.
const leastInStep = 5

// coarser returns the course in as many steps as its pages allow, with their numbers of pages
// and failures only.
func (t *overTime) coarser() *overTime {
	pages := int64(0)
	for i := range t.Steps {
		pages += t.Steps[i].Fetched
	}
	n := len(t.Steps)
	group := 1
	for group < n/leastInStep && (n%group != 0 || pages*int64(group) < leastInStep*int64(n)) {
		group++
	}
	line := &history.Timeline{Width: time.Duration(group) * t.Width, Sessions: t.Sessions, Steps: make([]history.Step, n/group)}
	for i := range line.Steps {
		for _, s := range t.Steps[i*group : (i+1)*group] {
			line.Steps[i].Fetched += s.Fetched
			for k, m := range s.Failed {
				line.Steps[i].Failed[k] += m
			}
		}
	}
	return &overTime{line, t.unit, t.size}
}

// rates shows pages and failures over time.
func (r *Report) rates() show.Section {
	t := r.overTime().coarser()
	name, seconds := t.per(t.most(fetchedIn))
	c := t.chart("number per " + name)
	add := func(name string, of func(*history.Step) int64) {
		c.Series = append(c.Series, t.series(name, func(s *history.Step) (float64, bool) {
			return float64(of(s)) * seconds / t.Width.Seconds(), true
		}))
	}
	add("pages fetched", fetchedIn)
	add("failed attempts", (*history.Step).Failures)
	return show.Section{Title: "Pages and failures over time", Half: true, Chart: c}
}

// failures shows the failures over time by class.
func (r *Report) failures() (show.Section, bool) {
	t := r.overTime()
	var total [event.LastClass + 1]int64
	for i := range t.Steps {
		for k, n := range t.Steps[i].Failed {
			total[k] += n
		}
	}
	var kinds []event.Class
	for k := range total {
		if total[k] > 0 {
			kinds = append(kinds, event.Class(k))
		}
	}
	slices.SortStableFunc(kinds, func(a, b event.Class) int { return cmp.Compare(total[b], total[a]) })
	if len(kinds) == 0 {
		return show.Section{}, false
	}
	most := t.most(func(s *history.Step) int64 { return s.Failed[kinds[0]] })
	name, seconds := t.per(most)
	c := t.chart("failed attempts per " + name)
	for _, k := range kinds[:min(len(kinds), mostKinds)] {
		c.Series = append(c.Series, t.series(k.String(), func(s *history.Step) (float64, bool) { return float64(s.Failed[k]) * seconds / t.Width.Seconds(), true }))
	}
	return show.Section{Title: "Failures over time", Chart: c, Fold: fmt.Sprintf("most often %s, %s", kinds[0], show.Counted(total[kinds[0]], "time")),
		Text: "Attempts at pages that failed, also those that were repeated later, by class."}, true
}

// mostKinds is the number of classes in a chart.
const mostKinds = 6

// queue shows the frontier over time.
func (r *Report) queue() show.Section {
	t := r.overTime()
	c := t.chart("pages")
	fetched := int64(0)
	c.Series = []plot.Series{
		t.series("known", func(s *history.Step) (float64, bool) { return float64(s.Known), true }),
		t.series("waiting", func(s *history.Step) (float64, bool) { return float64(s.Waiting), true }),
		t.series("fetched", func(s *history.Step) (float64, bool) { fetched += s.Fetched; return float64(fetched), true }),
	}
	most := t.most(func(s *history.Step) int64 { return s.Waiting })
	return show.Section{Title: "Frontier over time", Chart: c, Fold: fmt.Sprintf("at most %s waited", show.Counted(int64(most), "page")),
		Text: "Pages that are known, that wait to be fetched, and that were fetched. A page that was skipped and admitted later counts as waiting meanwhile."}
}

// connections shows how many requests were under way.
func (r *Report) connections() show.Section {
	t := r.overTime()
	c := t.chart("connections in use, mean")
	c.Series = []plot.Series{t.series("in use", func(s *history.Step) (float64, bool) { return s.Active, true })}
	sum := 0.0
	for i := range t.Steps {
		sum += t.Steps[i].Active
	}
	mean := sum / float64(len(t.Steps))
	return show.Section{Title: "Connections over time", Chart: c, Fold: fmt.Sprintf("%.1f in use on average, at most %d allowed", mean, r.config.Fetchers),
		Text: "Requests under way, of robots.txt and sitemaps, too: each uses one connection. Tasks that were under way when the program was killed are not known."}
}

// idle shows why fetchers were idle, as the simulation of the crawl knows it.
func (r *Report) idle() (show.Section, bool) {
	if len(r.Runs) == 0 || len(r.others()) == len(r.Runs) || r.Runs[0].Result.Trace == nil {
		return show.Section{}, false
	}
	s := lab.FetcherSection(r.Runs[0])
	s.Chart.Tight = true
	mean := r.Runs[0].Result.Trace.Mean()
	s.Title, s.Fold = "Why fetchers were idle", fmt.Sprintf("%.1f of %d active on average, at most %d", mean.Active, r.config.Fetchers, r.Runs[0].Result.Trace.Peak())
	s.Text = "Fetchers that were active, and why the others were idle: no page was known (nothing), only sites that others had acquired (busy), all sites waited for their delay (polite) or for the delay of their address (address), the batch was done (batch), or the last page was handed out (limit). " +
		"The journal does not record this; it is from the simulation of this crawl under its own policy."
	if took, was := r.Runs[0].Result.Took, r.took(); (took - was).Abs() > was/20 {
		s.Text += fmt.Sprintf(" The simulation took %s and the crawl %s, so the reasons are not those of the crawl at each time.", show.Duration(took), show.Duration(was))
	}
	return s, true
}

// yieldOverTime shows how many attempts gave a page.
func (r *Report) yieldOverTime() show.Section {
	t := r.overTime()
	c := t.chart("pages per 100 attempts")
	c.Series = []plot.Series{t.series("yield", func(s *history.Step) (float64, bool) {
		return 100 * float64(s.Fetched) / float64(max(1, s.Attempts)), s.Attempts > 0
	})}
	return show.Section{Title: "Yield", Chart: c, Fold: r.yieldText() + " pages per 100 attempts",
		Text: "Pages that were fetched for the first time, per 100 attempts at pages. Retries, failures and revisits lower it."}
}

// throughput shows the bytes over time.
func (r *Report) throughput() show.Section {
	t := r.overTime()
	c := t.chart("kB per second")
	c.Series = []plot.Series{t.series("received", func(s *history.Step) (float64, bool) { return float64(s.Bytes) / 1e3 / t.Width.Seconds(), true })}
	mean := float64(r.status.Bytes) / 1e3 / max(r.took().Seconds(), 1e-9)
	return show.Section{Title: "Bytes over time", Chart: c, Fold: show.Digits(mean).String() + " kB per second on average"}
}

// secondsOf returns a duration of so many seconds.
func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
