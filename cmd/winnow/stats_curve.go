package main

import (
	"slices"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// concentration is how much of the PageRank the best pages hold: what an ideal crawl
// has gathered after fetching so many of them.
type concentration struct {
	Top1  float64 `json:"top_1_percent"`  // share of PageRank in the best 1 % of the pages
	Top10 float64 `json:"top_10_percent"` // in the best 10 %

	pages, held []float64 // the curve, in percent
}

// curvePoints is how many points the curve has: more cannot be told apart.
const curvePoints = 400

// concentrate sorts a copy of the scores, whose sum is positive.
func concentrate(scores []float64) *concentration {
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	total := 0.0
	for i, v := range sorted {
		total += v
		sorted[i] = total
	}
	share := func(n int) float64 {
		if n == 0 {
			return 0
		}
		return sorted[n-1] / total
	}
	c := &concentration{Top1: share((len(sorted) + 99) / 100), Top10: share((len(sorted) + 9) / 10)}
	points := min(len(sorted), curvePoints)
	for i := range points + 1 {
		n := len(sorted) * i / points
		c.pages = append(c.pages, 100*float64(n)/float64(len(sorted)))
		c.held = append(c.held, 100*share(n))
	}
	return c
}

// svg draws the curve and, for comparison, what a crawl in random order gathers.
func (c *concentration) svg() string {
	return plot.SVG(plot.Chart{
		Title:  "Share of PageRank gathered, best pages first",
		XLabel: "pages fetched, percent", YLabel: "PageRank, percent",
		Series: []plot.Series{
			{Name: "best first", X: c.pages, Y: c.held},
			{Name: "random order", X: []float64{0, 100}, Y: []float64{0, 100}},
		},
	})
}
