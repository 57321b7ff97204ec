package freshness

import (
	"math"
	"math/rand/v2"
	"testing"
)

// With visits at regular intervals the equation has a solution in closed form if the prior
// is weak: exp(-rate t) is the share of visits without a change.
func TestRateRegular(t *testing.T) {
	const interval = 1000.0
	e := Evidence{Changes: 4000, Changed: 4000 * interval, Unchanged: 6000 * interval}
	want := -math.Log(0.6) / interval
	if got := Rate(e, want); math.Abs(got/want-1) > 1e-3 {
		t.Errorf("rate %v, want %v", got, want)
	}
}

// By hand: no change in 300 s, and one expects a change in 100 s: 0.5/(300+0.5*100).
func TestRatePrior(t *testing.T) {
	if got, want := Rate(Evidence{Unchanged: 300}, 0.01), 0.5/350; math.Abs(got-want) > 1e-12 {
		t.Errorf("rate %v, want %v", got, want)
	}
	if got := Rate(Evidence{}, 0.01); math.Abs(got-0.01) > 1e-12 {
		t.Errorf("without visits the rate is %v, want what is expected", got)
	}
	for _, e := range []Evidence{{Changes: 60, Changed: 1e9}, {Changes: 60, Changed: 1}, {Changes: 0.25, Changed: 1e-3, Unchanged: 1e12}} {
		if got := Rate(e, 1e-6); !(got > 0) || math.IsInf(got, 0) {
			t.Errorf("%+v: rate %v", e, got)
		}
	}
}

// On a page that changes at random the estimate is within 5 % of the truth, on the average
// over many pages, whatever the times between the visits, if one expects twice the truth.
func TestRateCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, truth := range []float64{0.1, 0.5, 2} { // changes in a mean interval
		sum, n := 0.0, 2000
		for range n {
			var e Evidence
			for range 120 {
				gap := 1000 * (0.5 + rng.Float64())
				e.add(gap, rng.Float64() > math.Exp(-truth*gap/1000))
			}
			sum += Rate(e, 2*truth/1000)
		}
		if got := sum / float64(n) * 1000; math.Abs(got/truth-1) > 0.05 {
			t.Errorf("pages that change %v times an interval are estimated at %.4f", truth, got)
		}
	}
}
