package lab

import (
	"errors"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
)

// A History is what an earlier crawl knew: values of pages, some of which may have
// vanished since.
type History struct {
	Prior policy.Prior // on the mean-1 scale
	Old   int          // pages of the world that have a value
	Gone  int          // pages that are not in the world any more
}

// NewHistory puts values of an earlier crawl on the mean-1 scale. values are by page
// of the world, NaN for pages that had none; gone are those of pages that vanished.
func NewHistory(values []float64, gone []float64) (*History, error) {
	h := &History{Gone: len(gone)}
	var all []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	h.Old = len(all)
	all = append(all, gone...)
	total := measure.Sum(all)
	switch {
	case math.IsNaN(total) || math.IsInf(total, 0):
		return nil, errors.New("the values of the earlier crawl are too large: their sum overflows")
	case !(total > 0):
		return nil, fmt.Errorf("the values of the earlier crawl sum to %v, over %s", total, show.Counted(len(all), "page"))
	}
	scale := meanScale(float64(len(all)), total)
	for i := range all {
		all[i] *= scale
	}
	h.Prior = policy.Prior{
		Value: func(p graph.Page) (float64, bool) { return values[p] * scale, !math.IsNaN(values[p]) },
		All:   all,
	}
	return h, nil
}

// meanScale returns the factor that brings n values that sum to total to the mean 1. Values
// of sum 1 are multiplied by n and values of mean 1 are taken as they are, although
// their computed sum is a little off: a factor that is as near to another as that
// could make two neighbouring values equal that the other keeps apart.
func meanScale(n, total float64) float64 {
	const near = 1e-6
	switch {
	case math.Abs(total-1) < near:
		return n
	case math.Abs(total-n) < near*n:
		return 1
	}
	return n / total
}

// OldValues returns the values that old pages give to the pages that they have become, NaN
// for other pages, and the values of old pages that have vanished. to is as stats.Match
// returns it.
func OldValues(old []float64, to []graph.Page, pages int) (values, gone []float64) {
	values = make([]float64, pages)
	for p := range values {
		values[p] = math.NaN()
	}
	for p, q := range to {
		if q == graph.NoPage {
			gone = append(gone, old[p])
		} else {
			values[q] = old[p]
		}
	}
	return values, gone
}
