package main

import (
	"testing"
	"time"
)

func TestSweepNote(t *testing.T) {
	for _, c := range []struct {
		first, bound float64
		want         string
	}{
		{1, 1, "sweep 7, error at most 1.0e+00, goal 1.0e-09"},
		{1, 1e-3, "sweep 7, error at most 1.0e-03, goal 1.0e-09, 20s left"},
		{1, 1e-10, "sweep 7, error at most 1.0e-10, goal 1.0e-09"},
	} {
		if got := sweepNote(7, c.first, c.bound, 1e-9, 10*time.Second); got != c.want {
			t.Errorf("from %g to %g: %q, want %q", c.first, c.bound, got, c.want)
		}
	}
}
