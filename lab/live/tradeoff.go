package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/revisit"
	"github.com/winnow-crawler/winnow/sim"
)

// tradeoffPoints is the number of instants at which volume, quality and freshness are shown.
const tradeoffPoints = 100

// tradeoff returns volume, quality and freshness of the crawl over time, and what other shares
// of freshness would have given, if pages were visited again.
func (r *Report) tradeoff() (out []show.Section) {
	if r.copies == nil || r.copies.again() == 0 {
		return nil
	}
	out = append(out, r.tradeoffOverTime())
	if len(r.sweep) > 0 {
		out = append(out, r.tradeoffOfShares())
	}
	return out
}

// tradeoffOverTime shows what the crawl had at each instant.
func (r *Report) tradeoffOverTime() show.Section {
	c := r.copies
	unit, size := lab.TimeUnit(c.length.Seconds())
	known, fetched, quality, fresh := plot.Series{Name: "pages known"}, plot.Series{Name: "pages fetched"}, plot.Series{Name: "importance fetched"}, plot.Series{Name: "freshness of the copies"}
	has, good, pages := r.gathered()
	total := 0.0
	for _, p := range r.Real.Result.Order {
		total += r.c.Truth.Value[p]
	}
	all := float64(max(1, len(c.known)))
	for i := range tradeoffPoints {
		at := instant(c.length, i)
		x := at.Seconds() / size
		n, _ := slices.BinarySearch(c.known, at+1)
		known.Add(x, float64(n)/all)
		fetched.Add(x, float64(pages[i])/all)
		quality.Add(x, has[i]/total)
		if has[i] > 0 {
			fresh.Add(x, good[i]/has[i])
		}
	}
	t := &show.Table{Columns: []show.Column{{Name: "requests of pages"}, {Name: "number"}}}
	for _, row := range []struct {
		name string
		n    int64
	}{{"new pages", c.first}, {"visits that found a change", c.changed}, {"visits that found none", c.same}, {"of these not modified (304)", c.notModified}, {"visits that failed", c.missed}} {
		t.Add(row.name, show.Count(row.n))
	}
	return show.Section{
		Title: "Volume, quality and freshness", Table: t, Fold: fmt.Sprintf("%.1f %% of the copies were up to date at the end, by weight", 100*good[tradeoffPoints-1]/has[tradeoffPoints-1]),
		Chart: &plot.Chart{XLabel: "time with pauses, " + unit, YLabel: "share", Series: []plot.Series{known, fetched, quality, fresh}},
		Text: fmt.Sprintf("Volume: the pages known and fetched, as shares of all that are known in the end. Quality: the share of the importance that was fetched. Freshness: the weighted share of the copies that were up to date, "+
			"as estimated from what the visits found; a page changes about every %s. A copy was up to date if the next visit found no change.", changesEvery(c.rate)),
	}
}

// instant returns the end of a point.
func instant(length time.Duration, i int) time.Duration {
	return length * time.Duration(i+1) / tradeoffPoints
}

// gathered returns for each point the weight of the copies, that of the copies which are up to
// date, and their number.
func (r *Report) gathered() (has, good []float64, pages []int) {
	has, good, pages = make([]float64, tradeoffPoints), make([]float64, tradeoffPoints), make([]int, tradeoffPoints)
	r.copies.each(func(list []visit) {
		p, ok := r.w.page(list[0].page)
		if !ok {
			return
		}
		rate, weight := r.copies.rateOf(list), r.c.Truth.Value[p]
		for i := range has {
			if at := instant(r.copies.length, i); at >= list[0].at {
				has[i] += weight
				good[i] += weight * freshAt(list, rate, at)
				pages[i]++
			}
		}
	})
	return has, good, pages
}

// sweepShares are the shares of freshness that are simulated.
func sweepShares() []float64 { return []float64{0, 0.1, 0.2, 0.35, 0.5} }

// simulateShares simulates the crawl with other shares of freshness. Its pages change at random,
// as often as its visits show.
func (r *Report) simulateShares(ctx context.Context) error {
	if r.copies.again() == 0 || r.config.Recrawl.Duration == 0 || r.c.Times == nil {
		return nil
	}
	world := *r.world
	world.Sim.Recorded = nil
	ch := lab.Changes{Name: "as visits show", Log: r.changes(), Visits: sim.Revisits{Every: r.config.Recrawl.Duration}}
	name := freshness.DefaultName
	if r.config.Planned() {
		name = r.config.Revisit
	}
	var err error
	if ch.Visits.Allocation, err = freshness.Choose(name); err != nil {
		return err
	}
	shares := sweepShares()
	r.sweep = make([]*lab.Run, len(shares))
	errs := make([]error, len(shares))
	graph.Parallel(runtime.GOMAXPROCS(0), len(shares), func(i int) {
		set := r.c.Setting
		own := ch
		own.Visits.Division = freshness.Division{Shared: true, Share: shares[i]}
		set.World, set.Changes, set.InStep, set.Duration = &world, &own, false, r.copies.length
		set.Seeds, set.Beyond = slices.Concat(set.Seeds, set.Beyond), nil
		var c *lab.Comparison
		if c, errs[i] = set.Prepare(); errs[i] == nil {
			r.sweep[i], errs[i] = c.Simulate(r.config.Policy, func(int) error { return ctx.Err() })
		}
	})
	return errors.Join(errs...)
}

// changes returns when pages change in simulations of other shares.
func (r *Report) changes() *revisit.Log {
	rates := make([]float64, r.world.Pages())
	for p := range rates {
		rates[p] = r.copies.rate * 86400
	}
	r.copies.each(func(list []visit) {
		if p, ok := r.w.page(list[0].page); ok {
			rates[p] = math.Min(r.copies.rateOf(list)*86400, mostChanges/max(1, r.copies.length.Hours()/24))
		}
	})
	return revisit.Poisson(rates, r.copies.length, r.config.RandomSeed)
}

// mostChanges bounds the changes of a page in simulations of other shares.
const mostChanges = 1000

// tradeoffOfShares shows what other shares of freshness give.
func (r *Report) tradeoffOfShares() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "share of freshness", Unit: "%", Key: "share"}, {Name: "pages fetched", Unit: "%", Key: "volume"}, {Name: "importance fetched", Unit: "%", Key: "quality"},
		{Name: "freshness", Unit: "%"}, {Name: "value", Unit: "%"}, {Name: "visits"}}}
	chart := &plot.Chart{XLabel: "share of freshness, %", YLabel: "share, mean over the time"}
	series := []plot.Series{{Name: "pages fetched"}, {Name: "importance fetched"}, {Name: "freshness of the copies"}, {Name: "value"}}
	for i, run := range r.sweep {
		if run == nil {
			continue
		}
		x, k := 100*math.Round(sweepShares()[i]*1e6)/1e6, run.Kept
		values := []float64{mean(k.Curves.Volume), mean(k.Curves.Quality), mean(k.Curves.Fresh), k.Value}
		row := []any{show.Num(x, 0)}
		for s, v := range values {
			series[s].Add(x, v)
			row = append(row, show.Num(100*v, 1))
		}
		t.Add(append(row, show.Count(k.Visits))...)
	}
	chart.Series = series
	return show.Section{
		Title: "Other shares of freshness", Table: t, Chart: chart, Fold: "the trade-off of --balance",
		Text: "Simulations of this crawl in which visits had other shares of the requests while there were new pages, with the recorded times and changes at random, as often as the visits of this crawl show. " +
			"Means over the time of the crawl. value: importance of the copies that are up to date, as a share of that of all fetched pages.",
	}
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(max(1, len(list)))
}

// changesEvery returns the time between two changes at a rate by the second.
func changesEvery(rate float64) string {
	return show.Duration(time.Duration(min(1/max(rate, 1e-12), 1e9) * float64(time.Second)))
}
