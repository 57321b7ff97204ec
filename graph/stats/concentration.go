package stats

import "slices"

// A Concentration tells how much of the PageRank the best pages hold, which is what an
// ideal crawl has gathered after fetching so many of them.
type Concentration struct {
	Top1  float64 `json:"top_1_percent"`  // share of PageRank in the best 1 % of the pages
	Top10 float64 `json:"top_10_percent"` // in the best 10 %

	Pages []float64 `json:"-"` // the curve, in percent: best pages
	Held  []float64 `json:"-"` // and the PageRank that they hold
}

// curvePoints is the number of points of the curve.
const curvePoints = 400

// concentrate returns the concentration of scores whose sum is positive.
func concentrate(scores []float64) *Concentration {
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
	c := &Concentration{Top1: share((len(sorted) + 99) / 100), Top10: share((len(sorted) + 9) / 10)}
	points := min(len(sorted), curvePoints)
	for i := range points + 1 {
		n := len(sorted) * i / points
		c.Pages = append(c.Pages, 100*float64(n)/float64(len(sorted)))
		c.Held = append(c.Held, 100*share(n))
	}
	return c
}
