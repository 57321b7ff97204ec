package boards

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/revisit"
)

// FreshnessName is the experiment that Bench.Rate is for.
const FreshnessName = "freshness-leaderboard"

// allocations lists the comparison of all allocations, which is of no paper.
func allocations() []experiment.Experiment {
	return []experiment.Experiment{{
		Name: FreshnessName, Paper: "winnow", What: "share of a collection that is out of date, by allocation of the same visits",
		Claims: []string{"the default allocation leaves the least out of date"}, Header: changeHeader, At: runFreshness,
	}}
}

// changeHeader describes the worlds and how they change.
func changeHeader(b *experiment.Bench) []show.Field { return b.ChangeFields(visits) }

// visitEvery is the number of days in which every page can be visited once, unless Bench.Rate
// says another number of visits.
const visitEvery = 30

// visits returns the visits a day at a place.
func visits(b *experiment.Bench, p *experiment.Place) float64 {
	if b.Rate > 0 {
		return b.Rate
	}
	return float64(p.World.Pages()) / visitEvery
}

// A FreshnessLine is the JSON output for one allocation at one place.
type FreshnessLine struct {
	Allocation string  `json:"allocation"`
	Default    bool    `json:"default"`
	Graph      string  `json:"graph"`
	Requests   int     `json:"requests"`
	Wasted     int     `json:"wasted"`    // requests that found no change
	Staleness  float64 `json:"staleness"` // weighted share out of date, mean over the last two thirds of the time
	Age        float64 `json:"age"`       // days
}

// boardAllocations returns the allocations of the board.
func boardAllocations() (list []freshness.Allocation, err error) {
	for _, a := range freshness.Allocations() {
		list = append(list, a)
		if a.Name == "wire-gain" {
			if a, err = freshness.Choose("wire-gain/alpha=4"); err != nil {
				return nil, err
			}
			list = append(list, a)
		}
	}
	return list, nil
}

// runFreshness compares the allocations at a place.
func runFreshness(r *experiment.Run, p *experiment.Place) error {
	c, err := r.Collection(p)
	if err != nil {
		return err
	}
	list, err := boardAllocations()
	if err != nil {
		return err
	}
	results := make([]*revisit.Result, len(list)+1)
	err = r.InParallel(len(results), func(i int) (err error) {
		if i == len(list) {
			results[i], err = c.Clairvoyant(r.Context, visits(r.Bench, p))
		} else {
			results[i], err = c.Run(r.Context, list[i], visits(r.Bench, p))
		}
		return err
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: []show.Column{{Name: "allocation"}, {Name: "out of date", Unit: "%"}, {Name: "age", Unit: "days"}, {Name: "visits"}, {Name: "without a change", Unit: "%"}}}
	chart := &plot.Chart{Title: p.World.Name + ": share out of date", XLabel: "days", YLabel: "share out of date"}
	for i, a := range list {
		res := results[i]
		line := FreshnessLine{a.Name, a.Name == freshness.DefaultAllocation, p.World.Name, res.Requests, res.Requests - res.Changed, res.Staleness, res.Age}
		r.Report.Lines = append(r.Report.Lines, line)
		name := a.Name
		if line.Default {
			name += " (default)"
		}
		addFreshness(t, name, res)
		chart.Series = append(chart.Series, plot.Series{Name: a.Name, X: curveDays(c.Log), Y: res.Curve})
	}
	addFreshness(t, "clairvoyant", results[len(list)])
	r.Show(show.Section{Title: p.World.Name, Chart: chart, Table: t})
	r.Find(p.World.Name, experiment.Found(isBest(list, results), "%s", bestLine(list, results)))
	return nil
}

func addFreshness(t *show.Table, name string, r *revisit.Result) {
	wasted := 100 * float64(r.Requests-r.Changed) / float64(max(1, r.Requests))
	t.Add(name, show.Num(100*r.Staleness, 2), show.Num(r.Age, 2), show.Count(r.Requests), show.Num(wasted, 1))
}

// curveDays returns the days of the points of a curve.
func curveDays(l *revisit.Log) (x []float64) {
	for i := range revisit.CurvePoints {
		x = append(x, experiment.Days(l.Length)*(float64(i)+0.5)/revisit.CurvePoints)
	}
	return x
}

// isBest reports whether the default has the smallest share out of date.
func isBest(list []freshness.Allocation, results []*revisit.Result) bool {
	least, own := math.Inf(1), math.Inf(1)
	for i, a := range list {
		if a.Name == freshness.DefaultAllocation {
			own = results[i].Staleness
		} else {
			least = min(least, results[i].Staleness)
		}
	}
	return own < least
}

// bestLine names the default and the best of the others.
func bestLine(list []freshness.Allocation, results []*revisit.Result) string {
	other, own := -1, 0
	for i, a := range list {
		switch {
		case a.Name == freshness.DefaultAllocation:
			own = i
		case other < 0 || results[i].Staleness < results[other].Staleness:
			other = i
		}
	}
	return fmt.Sprintf("%s %.2f %%, %s %.2f %%", list[own].Name, 100*results[own].Staleness, list[other].Name, 100*results[other].Staleness)
}
