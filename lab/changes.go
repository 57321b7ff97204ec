package lab

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/revisit"
	"github.com/winnow-crawler/winnow/sim"
)

// Changes says how the pages of a world change, and what crawls do about it.
type Changes struct {
	Name string       // where the log is from, for headers
	Log  *revisit.Log // by page of the world
	// Visits says which pages are visited again. Its places are set here. With an Every of 0
	// pages are fetched once.
	Visits sim.Revisits
}

// errDuration reports a crawl of a changing world without an end.
var errDuration = errors.New("a crawl of pages that change needs a duration")

// changing prepares a comparison in a world that changes: crawls end when the log does, unless
// they have a duration.
func (c *Comparison) changing() error {
	ch := c.Changes
	if ch == nil {
		return nil
	}
	if c.Duration == 0 {
		c.Duration = ch.Log.Length
	}
	if c.Duration == 0 {
		return errDuration
	}
	visits := ch.Visits
	if url := c.World.Sim.URL; url != nil {
		visits.Place, visits.Above = revisit.Directories(c.World.Pages(), url)
	}
	if visits.Allocation.Name == "" {
		var err error
		if visits.Allocation, err = freshness.Choose(freshness.DefaultAllocation); err != nil {
			return err
		}
	}
	c.Revisits = &visits
	c.collection = &revisit.Collection{Log: ch.Log.Until(c.Duration), Weight: c.readers()}
	return nil
}

// readers returns the share of the readers who come to each page: by the truth, among the pages
// that can be reached, or evenly if there is no truth.
func (c *Comparison) readers() []float64 {
	weight, sum := make([]float64, c.World.Pages()), 0.0
	for _, p := range c.Tree.Order {
		if weight[p] = 1; c.Truth != nil {
			weight[p] = c.Truth.Value[p]
		}
		sum += weight[p]
	}
	for p := range weight {
		weight[p] /= sum
	}
	return weight
}

// watch returns what measures a crawl of a changing world, nil if the world does not change.
func (c *Comparison) watch(o *sim.Options, world *sim.World) *revisit.Diary {
	if c.collection == nil {
		return nil
	}
	d := revisit.NewDiary(c.collection, c.Revisits.Allocation.Alpha())
	world.Version, o.Witness = c.Changes.Log.Version, d
	return d
}

// changesText describes the changes for headers.
func (c *Comparison) changesText() string {
	l := c.Changes.Log
	text := fmt.Sprintf("%s: %s in %s", c.Changes.Name, show.Counted(l.Count, "change"), show.Counted(int(l.Length/(24*time.Hour)), "day"))
	if l.Mass+l.Unknown > 0 {
		text += fmt.Sprintf("; left out %s of edits of many pages, %s of other pages", show.Counted(l.Mass, "row"), show.Counted(l.Unknown, "row"))
	}
	return text
}

// visitsText describes the visits for headers.
func (c *Comparison) visitsText() string {
	v := &c.Changes.Visits
	if v.Every == 0 {
		return "every page once"
	}
	text := fmt.Sprintf("every page after %.3g days on the average, by %s", v.Every.Hours()/24, v.Allocation.Name)
	switch d := v.Division; {
	case d.Compete:
		text += "; while there are new pages, to what gains more"
	case d.Shared:
		text += fmt.Sprintf("; while there are new pages, %.3g of the requests", d.Share)
	}
	return text
}

// FreshnessTable compares how up to date the copies of the runs are. It needs Changes.
func (c *Comparison) FreshnessTable(runs []*Run) show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "policy"}, {Name: "value"}, {Name: "estimated", Key: "value_estimated"}, {Name: "freshness"}, {Name: "age", Unit: "days"},
		{Name: "stale for readers", Unit: "%", Key: "staleness"}, {Name: "new pages", Key: "first"}, {Name: "visits"}, {Name: "wasted"}, {Name: "not modified", Key: "not_modified"},
		{Name: "megabytes saved", Key: "megabytes_saved"}}}
	for _, r := range runs {
		k := r.Kept
		t.Add(r.Policy, show.Num(k.Value, 4), show.Num(k.Estimated, 4), show.Num(k.Fresh, 4), show.Num(k.Age, 2), show.Num(100*k.Staleness, 2),
			show.Count(k.First), show.Count(k.Visits), show.Count(k.Wasted), show.Count(k.NotModified), show.Num(float64(k.Saved)/1e6, 1))
	}
	return show.Section{
		Title: "Freshness", Table: t,
		Text: "value: weight of the copies that are up to date, as a share of the weight of all reachable pages, mean over the whole time; estimated: the same as the crawl estimates it (WIRE, equation 1). " +
			"freshness: weighted share of the copies that are up to date. age: days since the first change that a copy lacks, weighted. " +
			"stale for readers: a reader comes to a page with a probability proportional to its weight, and meets a copy that is out of date, or none. These three are means over the last two thirds of the time. " +
			"wasted: visits that found no change; not modified: those of them that transferred nothing.",
	}
}

// ValueSection returns the value of the collections over time. It needs Changes.
func (c *Comparison) ValueSection(runs []*Run) show.Section {
	return c.kept("Value of the collection", "weight of the copies that are up to date", runs, func(k *revisit.Curves) []float64 { return k.Value })
}

// freshnessSections returns the measures of the copies over time.
func (c *Comparison) freshnessSections(runs []*Run) []show.Section {
	return []show.Section{
		c.FreshnessTable(runs),
		c.ValueSection(runs),
		c.kept("Value as the crawl estimates it", "sum of weight times freshness", runs, func(k *revisit.Curves) []float64 { return k.Estimated }),
		c.kept("Freshness of the copies", "weighted share that is up to date", runs, func(k *revisit.Curves) []float64 { return k.Fresh }),
		c.kept("Age of the copies", "days", runs, func(k *revisit.Curves) []float64 { return k.Age }),
		c.kept("What readers meet", "share of readers whose page is out of date or missing", runs, func(k *revisit.Curves) []float64 { return k.Staleness }),
		c.kept("Visits", "share of the requests that go to pages fetched before", runs, func(k *revisit.Curves) []float64 { return k.Visits }),
		c.kept("Wasted requests", "share of the requests that find no change", runs, func(k *revisit.Curves) []float64 { return k.Wasted }),
	}
}

// kept returns a chart of one measure of all runs.
func (c *Comparison) kept(title, label string, runs []*Run, of func(*revisit.Curves) []float64) show.Section {
	u := axisOfTime(c.Duration.Seconds())
	chart := &plot.Chart{XLabel: "virtual time, " + u.name, YLabel: label}
	for _, r := range runs {
		s := plot.Series{Name: r.Policy, Y: of(r.Kept.Curves)}
		for _, days := range r.Kept.Curves.Days {
			s.X = append(s.X, days*86400/u.size)
		}
		chart.Series = append(chart.Series, s)
	}
	return show.Section{Title: title, Chart: chart}
}
