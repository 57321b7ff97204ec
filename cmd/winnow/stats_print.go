package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/winnow-crawler/winnow/graph/stats"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
)

// print writes the report as text.
func (r *statsResult) print(u *ui) error {
	for _, section := range []func(u *ui) error{r.printCounts, r.printSpreads, r.printSites, r.printReach, r.plot} {
		if err := section(u); err != nil {
			return err
		}
	}
	if r.Against != nil {
		return r.Against.print(u, r)
	}
	return nil
}

// printCounts prints where the graph comes from, what is in it and how much room it takes.
func (r *statsResult) printCounts(u *ui) error {
	u.printf("%s\n", r.Graph)
	u.printf("origin: %s\n", r.Origin)
	if r.Card.Source != "" {
		u.printf("made from: %s\n", r.Card.Source)
	}
	u.printf("\n")
	t := show.NewList()
	t.AddFields(r)
	t.AddFields(r.Card)
	return t.Print(u.stdout)
}

func (r *statsResult) printSpreads(u *ui) error {
	u.printf("\n")
	t := show.NewList("", "mean", "max", "exponent", "from", "pages in tail")
	add := func(name string, s *stats.Spread) {
		if s == nil {
			return
		}
		if s.Fit == nil {
			t.Add(name, plot.Number(s.Mean), plot.Number(s.Max), "-", "-", "-")
			return
		}
		t.Add(name, plot.Number(s.Mean), plot.Number(s.Max), s.Exponent(), plot.Number(s.Fit.Least), show.Grouped(s.Fit.Tail))
	}
	add("in-degree", r.InDegrees)
	add("out-degree", r.OutDegrees)
	add("PageRank, mean 1", r.PageRank)
	if err := t.Print(u.stdout); err != nil || r.Held == nil {
		return err
	}
	u.printf("\nof the PageRank %.1f %% is held by the best 1 %% of the pages, %.1f %% by the best 10 %%\n", 100*r.Held.Top1, 100*r.Held.Top10)
	return nil
}

func (r *statsResult) printSites(u *ui) error {
	if len(r.LargestSites) == 0 {
		return nil
	}
	u.printf("\n")
	return show.Rows(r.LargestSites).Print(u.stdout)
}

func (r *statsResult) printReach(u *ui) error {
	if r.Reach == nil {
		return nil
	}
	from := fmt.Sprintf("%s (%s pages, the first is %s)", r.Reach.Seeds, show.Grouped(int64(r.Reach.SeedPages)), r.Reach.FirstSeed)
	if r.Reach.SeedPages == 1 {
		from = fmt.Sprintf("%s (%s)", r.Reach.Seeds, r.Reach.FirstSeed)
	}
	depths := make([]float64, len(r.Reach.AtDepth))
	for i, n := range r.Reach.AtDepth {
		depths[i] = float64(n)
	}
	u.printf("\nreach from %s: %s pages, %s, depth %d\n", from, show.Grouped(r.Reach.Pages),
		percent(r.Reach.Pages, int64(r.Pages)), r.Reach.Depth)
	u.printf("pages by depth: %s\n", plot.Sparkline(depths, 0, asciiOnly()))
	return nil
}

// plot draws the distributions of degrees.
func (r *statsResult) plot(u *ui) error {
	if r.Links == 0 {
		return nil
	}
	u.printf("\n%s", plot.LogLog(plot.Chart{
		Title: "pages by degree", XLabel: "degree", YLabel: "pages",
		Series: []plot.Series{series("in-degree", r.InDegrees.Bins), series("out-degree", r.OutDegrees.Bins)},
		Width:  60, Height: 14, ASCII: asciiOnly(),
	}))
	return nil
}

// series returns the bins of a distribution as points: pages per unit of the value.
func series(name string, bins []stats.Bin) plot.Series {
	s := plot.Series{Name: name}
	for _, b := range bins {
		if b.Pages > 0 && b.Lo > 0 {
			s.X, s.Y = append(s.X, b.Centre()), append(s.Y, b.Density())
		}
	}
	return s
}

// asciiOnly reports whether the user's locale promises no more than ASCII.
func asciiOnly() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
		}
	}
	return true
}

// concentrationSVG draws the curve and, for comparison, what a crawl in random order gathers.
func concentrationSVG(c *stats.Concentration) string {
	return plot.SVG(plot.Chart{
		Title:  "Share of PageRank gathered, best pages first",
		XLabel: "pages fetched, percent", YLabel: "PageRank, percent",
		Series: []plot.Series{
			{Name: "best first", X: c.Pages, Y: c.Held},
			{Name: "random order", X: []float64{0, 100}, Y: []float64{0, 100}},
		},
	})
}
