// Package wire02 repeats what Baeza-Yates and Castillo 2002 ("Balancing volume, quality and
// freshness in Web crawling") claim. The paper has formulas and no numbers.
package wire02

import (
	"embed"
	"fmt"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/revisit"
)

// Prefix begins the names of the experiments.
const Prefix = "wire02"

//go:embed texts/*.txt
var texts embed.FS

// Experiments lists the experiments of the paper.
func Experiments() []experiment.Experiment {
	return experiment.Paper(Prefix, "Baeza-Yates, Castillo 2002", texts, []experiment.Experiment{
		{
			Name: "value", Paper: "section 4, equation 1", What: "value and freshness of a collection that grows in batches by WIRE's gain",
			Claims: []string{"every batch increases the total value of the index", "the collection is fresher than with as many visits spread evenly"},
			Header: growthHeader, At: runWireValue,
		},
		{
			Name: "alpha", Paper: "section 4, equation 1", What: "volume and freshness by alpha",
			Claims: []string{"alpha changes how often pages are visited again"},
			Header: growthHeader, At: runWireAlpha,
		},
		{
			Name: "processors", Paper: "section 7", What: "pages a second by threads, processors and bandwidth",
			Claims: []string{"more processors bring nothing where the line is the limit, and more where it is wide"},
			Needs:  experiment.Needs{Sites: 2}, Header: experiment.TimedHeader([]string{"breadth-first"}, "times "+experiment.ThesisTimes+", no delay"), At: processors,
		},
	})
}

// Numbers of wire02.
const (
	wireBatches = 100
	wireAlphas  = 6
)

// alphas returns the exponents of the sweep.
func alphas() (list []float64) {
	a := 0.25
	for range wireAlphas {
		list = append(list, a)
		a *= 2
	}
	return list
}

// wireVisits is how often each page could be visited in the whole time, unless Bench.Rate says
// another number of visits: few, so that a page is visited again at the cost of another.
const wireVisits = 3

// growth returns the visits a day with which the collection of a place grows.
func growth(b *experiment.Bench, p *experiment.Place) float64 {
	length := revisit.MadeLength
	if p.Changes != nil {
		length = p.Changes.Length
	}
	if b.Rate > 0 {
		return b.Rate
	}
	return wireVisits * float64(p.World.Pages()) / experiment.Days(length)
}

// growthHeader describes the worlds, how they change, and how often they are visited.
func growthHeader(b *experiment.Bench) []show.Field { return b.ChangeFields(growth) }

// runWireValue lets a collection grow with alpha 1.
func runWireValue(r *experiment.Run, p *experiment.Place) error {
	c, err := r.Collection(p)
	if err != nil {
		return err
	}
	g, err := c.Grow(r.Context, 1, growth(r.Bench, p), wireBatches)
	if err != nil {
		return err
	}
	even, err := evenly(r, p, c)
	if err != nil {
		return err
	}
	wire, err := freshness.Choose("wire-gain")
	if err != nil {
		return err
	}
	kept, err := c.Run(r.Context, wire, growth(r.Bench, p))
	if err != nil {
		return err
	}
	total := &plot.Chart{Title: p.World.Name + ": total value of the collection, as estimated", XLabel: "days", YLabel: "sum of the values",
		Series: []plot.Series{{Name: "after a batch", X: g.Days, Y: g.Value}, {Name: "before it", X: g.Days, Y: g.Before}}}
	fresh := &plot.Chart{Title: p.World.Name + ": volume and freshness", XLabel: "days", YLabel: "share",
		Series: []plot.Series{{Name: "pages fetched", X: g.Days, Y: g.Volume}, {Name: "fresh, of those", X: g.Days, Y: g.Fresh}}}
	r.Show(show.Section{Title: p.World.Name, Chart: total}, show.Section{Title: p.World.Name + ": volume and freshness", Chart: fresh})
	fell := 0
	for i := range g.Value {
		if g.Value[i] < g.Before[i] {
			fell++
		}
	}
	r.Find(p.World.Name, experiment.Found(fell == 0, "%d of %d batches", len(g.Value)-fell, len(g.Value)),
		experiment.Found(kept.Staleness < even.Staleness, "out of date %.2f %%, evenly %.2f %%", 100*kept.Staleness, 100*even.Staleness))
	return nil
}

// evenly returns what visits achieve that are spread evenly over all pages.
func evenly(r *experiment.Run, p *experiment.Place, c *revisit.Collection) (*revisit.Result, error) {
	a, err := freshness.Choose("uniform")
	if err != nil {
		return nil, err
	}
	return c.Run(r.Context, a, growth(r.Bench, p))
}

// runWireAlpha lets a collection grow with several exponents.
func runWireAlpha(r *experiment.Run, p *experiment.Place) error {
	c, err := r.Collection(p)
	if err != nil {
		return err
	}
	list := alphas()
	grown := make([]*revisit.Growth, len(list))
	err = r.InParallel(len(list), func(i int) (err error) {
		grown[i], err = c.Grow(r.Context, list[i], growth(r.Bench, p), wireBatches)
		return err
	})
	if err != nil {
		return err
	}
	t := &show.Table{Columns: []show.Column{{Name: "alpha"}, {Name: "visits of known pages", Unit: "%"}, {Name: "pages fetched half way", Unit: "%"}, {Name: "fresh half way", Unit: "%"}, {Name: "pages fetched", Unit: "%"}, {Name: "fresh", Unit: "%"}}}
	volume := &plot.Chart{Title: p.World.Name + ": pages fetched", XLabel: "days", YLabel: "share of the pages"}
	fresh := &plot.Chart{Title: p.World.Name + ": fresh, of those fetched", XLabel: "days", YLabel: "weighted share"}
	for i, g := range grown {
		half, end := len(g.Days)/2, len(g.Days)-1
		t.Add(show.Num(list[i], 2), show.Num(100*g.Revisits, 1), show.Num(100*g.Volume[half], 1), show.Num(100*g.Fresh[half], 1), show.Num(100*g.Volume[end], 1), show.Num(100*g.Fresh[end], 1))
		name := fmt.Sprintf("alpha %g", list[i])
		volume.Series = append(volume.Series, plot.Series{Name: name, X: g.Days, Y: g.Volume})
		fresh.Series = append(fresh.Series, plot.Series{Name: name, X: g.Days, Y: g.Fresh})
	}
	r.Show(show.Section{Title: p.World.Name, Chart: volume, Table: t}, show.Section{Title: p.World.Name + ": freshness", Chart: fresh})
	first, last := grown[0].Revisits, grown[len(grown)-1].Revisits
	r.Find(p.World.Name, experiment.Found(first > last, "%.1f %% of the visits with alpha %g, %.1f %% with %g", 100*first, list[0], 100*last, list[len(list)-1]))
	return nil
}
