package order

import (
	"math"
	"testing"
)

func TestLog2Exp2(t *testing.T) {
	for x := 0.05; x < 1e6; x *= 1.37 {
		if got, want := Log2(x), math.Log2(x); math.Abs(got-want) > 1.0/(1<<22) {
			t.Errorf("Log2(%v) = %v, want %v", x, got, want)
		}
	}
	for x := 0.0; x > -60; x -= 0.37 {
		if got, want := Exp2(x), math.Exp2(x); math.Abs(got/want-1) > 1e-4 {
			t.Errorf("Exp2(%v) = %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 1, -1: 0.5, -3: 0.125, -1001: 0, math.Inf(-1): 0} {
		if got := Exp2(x); got != want {
			t.Errorf("Exp2(%v) = %v, want %v", x, got, want)
		}
	}
}
