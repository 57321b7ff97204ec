package revisit

import (
	"context"
	"testing"

	"github.com/winnow-crawler/winnow/freshness"
)

// A source that tells of all changes, or of half of them, makes the copies much fresher. One
// that names all pages, or some of them at random, costs next to nothing.
func TestSignals(t *testing.T) {
	c := lively(400)
	a, err := freshness.Choose("default")
	if err != nil {
		t.Fatal(err)
	}
	stale := func(s ...Source) float64 {
		c.Sources = s
		r, err := c.Run(context.Background(), a, 20)
		if err != nil {
			t.Fatal(err)
		}
		return r.Staleness
	}
	without := stale()
	for _, test := range []struct {
		what  string
		most  float64 // of what is stale without a source
		stale float64
	}{
		{"tells of all changes", 0.45, stale(Honest(c.Log, 1))},
		{"tells of half of them", 0.9, stale(Honest(c.Log, 0.5))},
		{"names all pages", 1.03, stale(Random(1))},
		{"names a tenth of them", 1.03, stale(Random(0.1))},
		{"names one in fifty", 1.03, stale(Random(0.02))},
	} {
		if test.stale > test.most*without {
			t.Errorf("a source that %s: %.4f are stale, %.4f without it", test.what, test.stale, without)
		}
	}
}
