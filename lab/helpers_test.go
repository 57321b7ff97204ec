package lab

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
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
