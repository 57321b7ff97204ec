package policy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLabelScale: the table says the same as the logarithm, also close to where labels end.
func TestLabelScale(t *testing.T) {
	var s labelScale
	s.fill()
	check := func(index float64) {
		if got, want := s.of(index), labelOf(index); got != want {
			t.Fatalf("%v has the label %d, want %d", index, steps(got), steps(want))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		check(math.Exp2(r.Float64()*60 - 30))
	}
	for k := -9 * labelSteps; k < 9*labelSteps; k++ {
		end := math.Exp2(float64(k) / labelSteps)
		for _, d := range []float64{-1e-12, 1e-12} {
			check(max(0, end+end*d-1e-6))
		}
	}
	check(0)
}
