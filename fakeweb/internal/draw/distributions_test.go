package draw

import (
	"math"
	"testing"
)

func TestMinusLog(t *testing.T) {
	for _, u := range []float64{1e-300, 1e-9, 0.1, 0.25, 0.4999, 0.5, 0.51, 0.75, 0.999, 1 - 1e-9} {
		if got, want := MinusLog(u), -math.Log(u); math.Abs(got-want) > 1e-13*want+1e-16 {
			t.Errorf("-ln(%v) = %v, want %v", u, got, want)
		}
	}
}
