package najork01

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// Mercator's numbers, section 3.
const (
	mercatorFetchers = 500
	mercatorFactor   = 10 // of the time that the last page took
)

// A way is how a crawl goes about its requests.
type way struct {
	name     string
	fetchers int
	factor   float64
}

// ways returns one page after another, Mercator without its politeness, and Mercator. In all of
// them a server has one connection at a time.
func ways() []way {
	return []way{{name: "one page after another"}, {"500 at a time", mercatorFetchers, 0}, {"Mercator", mercatorFetchers, mercatorFactor}}
}

// set changes the pure ordering experiment.
func (w way) set(b *experiment.Bench, s *lab.Setting) (err error) {
	if w.fetchers == 0 {
		return nil
	}
	s.Times, err = sim.Preset(experiment.ThesisTimes, b.Random)
	s.Fetchers, s.Frontier.Factor, s.Frontier.PerConnection = w.fetchers, w.factor, 1
	return err
}

// after ends the name of a place where pages are fetched one after another.
const after = ", one page after another"

// wayOf returns how a place is crawled: as Mercator did, unless its name says otherwise.
func wayOf(b *experiment.Bench, p *experiment.Place) func(*lab.Setting) error {
	w := ways()[2]
	if strings.HasSuffix(p.World.Name, after) {
		w = ways()[0]
	}
	return func(s *lab.Setting) error { return w.set(b, s) }
}

// twice runs an experiment as Mercator crawled, which is judged, and shows one page after another
// beside it.
func twice(at func(*experiment.Run, *experiment.Place) error) func(*experiment.Run, *experiment.Place) error {
	return func(r *experiment.Run, p *experiment.Place) error {
		if err := at(r, p); err != nil {
			return err
		}
		shown, place, world := *r, *p, *p.World
		shown.Findings = make([][]experiment.Finding, len(r.Findings))
		world.Name += after
		place.World = &world
		return at(&shown, &place)
	}
}

// withMercator adds how Mercator crawled to a header.
func withMercator(h []show.Field) []show.Field {
	for i := range h {
		if h[i].Name == "options" {
			h[i].Value = fmt.Sprintf("as Mercator: %d fetchers, one connection a site, which then waits %d times as long as the page took, times %s; and ", mercatorFetchers, mercatorFactor, experiment.ThesisTimes) + h[i].Value
		}
	}
	return h
}

// politeStarts is the number of start sets of politeness, unless another number was given.
const politeStarts = 10

func politeHeader(b *experiment.Bench) []show.Field {
	return append(withMercator(experiment.OrderHeader([]string{"breadth-first"}, "I = PageRank of the reachable pages, jump 1/7")(b)), experiment.Field("starts", "%d at each place, the seeds among them", starts(b)+1))
}

func starts(b *experiment.Bench) int {
	if b.Starts == 0 {
		return politeStarts - 1
	}
	return b.Starts
}

// A gain is by how much a way is better than one page after another at a place.
type gain struct {
	average [2][][]float64 // by all links and by remote ones, then way and start set
}

// politeness compares the ways on all places, from several starts.
func politeness(r *experiment.Run) error {
	var overall [2][2][]float64 // by links, then way: mean of each place
	t := &show.Table{Columns: []show.Column{{Name: "place"}, {Name: "PageRank by"}, {Name: "starts"}, {Name: "one after another", Key: "plain"}}}
	for _, w := range ways()[1:] {
		key := strings.ToLower(strings.Fields(w.name)[0])
		t.Columns = append(t.Columns, show.Column{Name: w.name + ", more", Key: key}, show.Column{Name: "from", Key: key + "_low"}, show.Column{Name: "to", Key: key + "_high"})
	}
	chart := &plot.Chart{Title: "Average cumulative PageRank from each start", XLabel: "one page after another", YLabel: "as Mercator", Points: true}
	low, high := 1.0, 0.0
	for i, p := range r.Places {
		r.Say(i, len(r.Places), "%s", p.World.Name)
		g, err := gainAt(r, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.World.Name, err)
		}
		plain := g.average[0][0]
		chart.Series = append(chart.Series, plot.Series{Name: p.World.Name, X: plain, Y: g.average[0][2]})
		low, high = min(low, slices.Min(plain)), max(high, slices.Max(plain))
		var found []experiment.Finding
		for links, by := range []string{"all links", "remote links"} {
			row := []any{p.World.Name, by, len(g.average[links][0]), show.Num(mean(g.average[links][0]), 4)}
			var d measure.Interval
			for w := range ways()[1:] {
				if d, err = measure.Paired(g.average[links][w+1], g.average[links][0], r.Random); err != nil {
					return err
				}
				overall[links][w] = append(overall[links][w], d.Mean)
				row = append(row, show.Num(d.Mean, 4), show.Num(d.Low, 4), show.Num(d.High, 4))
			}
			t.Add(row...)
			found = append(found, experiment.Found(d.Low > 0, "%+.4f, 95 %% interval %+.4f to %+.4f", d.Mean, d.Low, d.High))
		}
		r.Find(p.World.Name, found...)
	}
	for links, by := range []string{"all links", "remote links"} {
		row := []any{fmt.Sprintf("mean of %d", len(r.Places)), by, show.None(), show.None()}
		for w := range ways()[1:] {
			d := measure.OverGraphs(overall[links][w])
			row = append(row, show.Num(d.Mean, 4), show.Num(d.Low, 4), show.Num(d.High, 4))
		}
		if len(r.Places) > 1 {
			t.Add(row...)
		}
	}
	chart.Series = append(chart.Series, plot.Series{Name: "no difference", X: []float64{low, high}, Y: []float64{low, high}, Baseline: true})
	r.Show(show.Section{Title: "Average cumulative PageRank of breadth-first crawls", Chart: chart, Table: t,
		Text: "By how much breadth-first is better than one page after another, from the same starts. Intervals of a place are 95 % bootstrap intervals over its starts; of the mean, Student's over the places."})
	return nil
}

func mean(x []float64) float64 { return measure.Sum(x) / float64(len(x)) }

// gainAt crawls a place in all ways from all starts.
func gainAt(r *experiment.Run, p *experiment.Place) (g gain, err error) {
	b := *r.Bench
	b.Starts = starts(r.Bench)
	for links := range g.average {
		ranks := func(b *experiment.Bench, p *experiment.Place, seeds []graph.Page) (*measure.Truth, error) {
			o := b.TruthOptions(p)
			o.Follow, o.Remote, o.Within = najorkFollow, links == 1, p.World.Reach(seeds...).Order
			return b.Ranks(p, o)
		}
		for _, w := range ways() {
			courses, err := b.CoursesIn(p, ranks, func(s *lab.Setting) error { return w.set(&b, s) }, "breadth-first")
			if err != nil {
				return g, err
			}
			var all []float64
			for _, c := range courses {
				all = append(all, c.Runs[0].Measures.Average)
			}
			g.average[links] = append(g.average[links], all)
		}
	}
	return g, nil
}
