package najork01

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
)

// The rates of section 3, pages a day: 500 at a time, and "well under" this without.
const (
	mercatorDaily = 10e6
	singleDaily   = 100e3
)

// parallelFetchers returns the numbers of pages at a time that are compared.
func parallelFetchers() []int { return []int{1, 10, 100, mercatorFetchers} }

// parallelLimit bounds the pages of one crawl: a part of those that can be reached, because the last
// pages are those of one site.
const (
	parallelLimit = 20_000
	parallelPart  = 4
)

// parallel shows how many pages a day a breadth-first crawl with Mercator's politeness fetches, by
// the number of pages at a time.
func parallel(r *experiment.Run, p *experiment.Place) error {
	pages := max(1, min(parallelLimit, p.Reach(p.Seeds)/parallelPart))
	daily := make([]float64, len(parallelFetchers()))
	err := r.InParallel(len(daily), func(i int) error {
		s := r.Setting(p, nil)
		w := way{"", parallelFetchers()[i], mercatorFactor}
		if err := w.set(r.Bench, &s); err != nil {
			return err
		}
		s.MaxPages = pages
		rate, err := dailyRate(r.Bench, p, s)
		daily[i] = rate
		return err
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: []show.Column{{Name: "at a time", Key: "fetchers"}, {Name: "pages a day", Key: "daily"}, {Name: "times as many as one", Key: "speed_up"}}}
	line := plot.Series{Name: "breadth-first, Mercator's politeness"}
	for i, n := range parallelFetchers() {
		t.Add(n, int(daily[i]), show.Num(daily[i]/daily[0], 1))
		line.Add(float64(n), daily[i]/daily[0])
	}
	last := daily[len(daily)-1] / daily[0]
	theirs := plot.Series{Name: "as many times as pages at a time", X: []float64{1, mercatorFetchers}, Y: []float64{1, mercatorFetchers}, Baseline: true}
	r.Show(show.Section{Title: p.World.Name, Table: t, Chart: &plot.Chart{Title: p.World.Name + ": speed-up", XLabel: "pages at a time", YLabel: "speed-up", LogX: true, LogY: true, Series: []plot.Series{line, theirs}},
		Text: fmt.Sprintf("The first %s on %s.", show.Counted(pages, "page"), show.Counted(p.World.Sites(), "site"))})
	r.Find(p.World.Name, experiment.Found(last >= mercatorDaily/singleDaily, "%.0f pages a day one after another, %.0f with %d at a time, %.0f times as many", daily[0], daily[len(daily)-1], mercatorFetchers, last))
	return nil
}

// dailyRate returns the pages a day of one crawl.
func dailyRate(b *experiment.Bench, p *experiment.Place, s lab.Setting) (float64, error) {
	c, err := b.Prepare(p, s)
	if err != nil {
		return 0, err
	}
	one := *b
	one.Threads = 1
	if err := one.Crawl(c, []string{"breadth-first"}); err != nil {
		return 0, err
	}
	res := c.Runs[0].Result
	return float64(len(res.Order)) / (res.Took.Seconds() / (24 * time.Hour).Seconds()), nil
}
