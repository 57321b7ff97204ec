package stats

import (
	"math"
	"slices"
	"testing"
)

// TestConcentrate: of 1000 pages the best 10 have 30 each, the next 90 have 3, the
// rest 1: 300, 270 and 900 of 1470.
func TestConcentrate(t *testing.T) {
	scores := make([]float64, 1000)
	for p := range scores {
		switch {
		case p%100 == 7:
			scores[p] = 30
		case p%10 == 3 && p%100 != 3:
			scores[p] = 3
		default:
			scores[p] = 1
		}
	}
	before := slices.Clone(scores)
	c := concentrate(scores)
	if !slices.Equal(scores, before) {
		t.Error("the scores were changed")
	}
	if math.Abs(c.Top1-300.0/1470) > 1e-12 || math.Abs(c.Top10-570.0/1470) > 1e-12 {
		t.Errorf("%v and %v, want %v and %v", c.Top1, c.Top10, 300.0/1470, 570.0/1470)
	}
	last := len(c.Pages) - 1
	if c.Pages[0] != 0 || c.Held[0] != 0 || c.Pages[last] != 100 || c.Held[last] != 100 || !slices.IsSorted(c.Held) {
		t.Errorf("curve from %v, %v to %v, %v", c.Pages[0], c.Held[0], c.Pages[last], c.Held[last])
	}
	if one := concentrate([]float64{5}); one.Top1 != 1 || one.Top10 != 1 {
		t.Errorf("one page: %+v", one)
	}
}
