package castillo04

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/lab/measure"
)

// TestLastStage has the numbers of scripts/outside.py.
func TestLastStage(t *testing.T) {
	curve := func(values ...float64) (c measure.Curve) {
		total, y := measure.Sum(values), 0.0
		for _, v := range values {
			y += v / total
			c.Y = append(c.Y, y)
		}
		c.Reachable = len(values)
		return c
	}
	for _, x := range []struct {
		c                measure.Curve
		part, left, mean float64
	}{{curve(8, 7, 6, 5, 4, 3, 2, 1), 0.25, 0.08333333333333337, 0.8333333333333333}, {curve(4, 3, 2, 1, 1, 2, 3, 4), 0.5, 0.5, 0.5}} {
		left, mean, line := stage(x.c, x.part)
		if math.Abs(left-x.left) > 1e-12 || math.Abs(mean-x.mean) > 1e-12 || line.Y[len(line.Y)-1] < 99.999 {
			t.Errorf("%v is left and the mean is %v, want %v and %v; the line ends at %v", left, mean, x.left, x.mean, line.Y[len(line.Y)-1])
		}
	}
}
