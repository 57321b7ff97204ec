package state

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestArrivals: the mean is exact, and the median to a 128th of the longest time, however the
// times are spread.
func TestArrivals(t *testing.T) {
	if mean, median := new(arrivals).Arrival(); mean != 0 || median != 0 {
		t.Errorf("no pages: %v, %v", mean, median)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, longest := range []time.Duration{time.Millisecond, 3 * time.Second, time.Hour, 400 * 24 * time.Hour} {
		for _, pages := range []int{1, 2, 3, 1000} {
			var a arrivals
			var all []time.Duration
			sum := 0.0
			for range pages {
				x := r.Float64()
				at := time.Duration(x * x * float64(longest))
				a.add(at)
				all = append(all, at)
				sum += at.Seconds()
			}
			slices.Sort(all)
			mean, median := a.Arrival()
			want := (all[(pages-1)/2] + all[pages/2]) / 2
			slack := max(all[pages-1]/128, firstStep) + (all[pages/2]-all[(pages-1)/2])/2
			if d := median - want; d > slack || -d > slack {
				t.Errorf("%d pages in %v: median %v, want %v", pages, longest, median, want)
			}
			if d := mean.Seconds() - sum/float64(pages); d > 1e-6 || -d > 1e-6 {
				t.Errorf("%d pages in %v: mean %v, want %v s", pages, longest, mean, sum/float64(pages))
			}
		}
	}
}
