package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// webOf is the out-lists of a web written down as the out-links of each page.
func webOf(t testing.TB, out [][]graph.Page) *graph.Lists {
	g := graph.ListsOf(out)
	t.Cleanup(g.Free)
	return g
}

// positions returns 1, 2... n.
func positions(n int) []float64 {
	w := make([]float64, n)
	for k := range w {
		w[k] = float64(k + 1)
	}
	return w
}

// randomLinks has n pages with about mean links each, more to small ids, some to the
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

// fewValues is n values of which many are equal, some 0.
func fewValues(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(r.IntN(n/2+2)) / 8
	}
	return v
}

// allPages is 0, 1... n-1.
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

// trialOf measures an order of the pages e; values are in the unit of thresholds.
func trialOf(t testing.TB, value []float64, e, order []graph.Page, o JudgeOptions) *Trial {
	t.Helper()
	j, err := NewJudge(&Truth{Metric: "test", Value: value, Pages: len(value)}, e, o)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := j.Try(order)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

// A smallCase is a random E in a larger world and an order of it, possibly cut short.
type smallCase struct {
	value []float64
	e     []graph.Page
	order []graph.Page
}

func randomCase(r *rand.Rand) smallCase {
	n := 3 + r.IntN(30)
	c := smallCase{value: fewValues(r, n)}
	c.value[0] = 1 // something is important
	c.e = append([]graph.Page{0}, shuffled(r, allPages(n)[1:])[:r.IntN(n)]...)
	c.order = shuffled(r, c.e)
	if r.IntN(3) == 0 {
		c.order = c.order[:1+r.IntN(len(c.order))]
	}
	return c
}

// best is the k-th largest value in E.
func (c smallCase) best(k int) float64 {
	var v []float64
	for _, p := range c.e {
		v = append(v, c.value[p])
	}
	slices.Sort(v)
	return v[len(v)-k]
}

// of is the sum of the values of some pages.
func (c smallCase) of(pages []graph.Page) (s float64) {
	for _, p := range pages {
		s += c.value[p]
	}
	return s
}

// count is how many of the pages have at least the value g.
func (c smallCase) count(pages []graph.Page, g float64) (n int) {
	for _, p := range pages {
		if c.value[p] >= g {
			n++
		}
	}
	return n
}

// near compares up to rounding.
func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// nearCurve compares a curve with a function of k.
func nearCurve(t testing.TB, what string, c Curve, fetches int, want func(k int) float64) {
	t.Helper()
	if len(c.Y) != fetches {
		t.Fatalf("%s has %d values for %d fetches", what, len(c.Y), fetches)
	}
	for k := 1; k <= fetches; k++ {
		near(t, what, c.Y[k-1], want(k))
	}
}
