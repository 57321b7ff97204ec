package papers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// webOf returns the out-lists of a web given as the out-links of each page.
func webOf(t testing.TB, out [][]graph.Page) *graph.Lists {
	g := graph.ListsOf(out)
	t.Cleanup(g.Free)
	return g
}

// randomLinks returns n pages with about mean links each, more to small ids, some to the
// page itself.
func randomLinks(r *rand.Rand, n int, mean float64) [][]graph.Page {
	out := make([][]graph.Page, n)
	for p := range out {
		for range int(r.ExpFloat64() * mean) {
			out[p] = append(out[p], graph.Page(float64(n)*r.Float64()*r.Float64()))
		}
		slices.Sort(out[p])
		out[p] = slices.Compact(out[p])
	}
	return out
}

// allPages returns 0, 1... n-1.
func allPages(n int) []graph.Page {
	e := make([]graph.Page, n)
	for p := range e {
		e[p] = graph.Page(p)
	}
	return e
}

func shuffled(r *rand.Rand, pages []graph.Page) []graph.Page {
	s := slices.Clone(pages)
	r.Shuffle(len(s), func(i, k int) { s[i], s[k] = s[k], s[i] })
	return s
}

// nearCurve compares a curve with a function of k up to rounding.
func nearCurve(t testing.TB, what string, c measure.Curve, fetches int, want func(k int) float64) {
	t.Helper()
	if len(c.Y) != fetches {
		t.Fatalf("%s has %d values for %d fetches", what, len(c.Y), fetches)
	}
	for k := 1; k <= fetches; k++ {
		if !(math.Abs(c.Y[k-1]-want(k)) <= 1e-12) {
			t.Errorf("%s is %v, want %v", what, c.Y[k-1], want(k))
		}
	}
}
