package score

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

func newPlaces(t *testing.T, sample int) *Quantiles {
	t.Helper()
	f, err := Compile("q(pagerank) + q(backlinks)")
	if err != nil {
		t.Fatal(err)
	}
	q := NewQuantiles(f.Needs, sample)
	t.Cleanup(q.Free)
	return q
}

// hash is a function of the page that looks random.
func hash(p graph.Page) uint64 { return rand.New(rand.NewPCG(1, uint64(p))).Uint64() }

// TestQuantilesByHand: of the values 1, 2, 2, 10 and a missing one.
func TestQuantilesByHand(t *testing.T) {
	q := newPlaces(t, Sample)
	if got := q.Of(PageRank, 3); got != 0.5 {
		t.Errorf("of nothing, %v", got)
	}
	values := []float64{2, 10, math.NaN(), 1, 2}
	for p := range values {
		q.Known(graph.Page(p), hash)
	}
	q.Fit(PageRank, func(p graph.Page) float64 { return values[p] })
	for v, want := range map[float64]float64{1: 0.125, 2: 0.5, 10: 0.875, 1.5: 0.3125, 6: 0.6875, 19: 1 - 0.125/2, -8: 0.125 / 2} {
		if got := q.Of(PageRank, v); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v has the quantile %v, want %v", v, got, want)
		}
	}
}

// TestQuantilesGrow: whatever the number of pages, the quantile of a value is near its place among
// all, order is kept, the sample stays small, and what is loaded is what was saved.
func TestQuantilesGrow(t *testing.T) {
	q, values := newPlaces(t, 1024), []float64{}
	r := rand.New(rand.NewPCG(3, 3))
	for p := range graph.Page(20_000) {
		q.Known(p, hash)
		values = append(values, math.Floor(math.Exp(4*r.NormFloat64()))) // heavy tail, many ties
	}
	if n := q.pages.Len(); n >= 1024 || n < 400 {
		t.Errorf("the sample has %d pages", n)
	}
	q.Fit(PageRank, func(p graph.Page) float64 { return values[p] })
	last := -1.0
	for _, v := range []float64{-1, 0, 0.5, 1, 2, 5, 100, 1e4, 1e6, 1e9, 1e12} {
		below := 0.0
		for _, x := range values {
			if x < v {
				below++
			} else if x == v {
				below += 0.5
			}
		}
		got := q.Of(PageRank, v)
		if exact := v == math.Floor(v); exact && math.Abs(got-below/20_000) > 0.06 {
			t.Errorf("%v has the quantile %v, want %v", v, got, below/20_000)
		}
		if !(got > last && got > 0 && got < 1) {
			t.Errorf("%v has the quantile %v after %v", v, got, last)
		}
		last = got
	}
	var saved bytes.Buffer
	if err := q.Save(&saved); err != nil {
		t.Fatal(err)
	}
	again := newPlaces(t, 1024)
	if err := again.Load(&saved); err != nil {
		t.Fatal(err)
	}
	for v := range 1000 {
		if got, want := again.Of(PageRank, float64(v)), q.Of(PageRank, float64(v)); got != want {
			t.Fatalf("%d has the quantile %v after loading, %v before", v, got, want)
		}
	}
}

// randomWeb returns links and sites of some pages.
func randomWeb(r *rand.Rand, n int) (out [][]graph.Page, site []graph.Site) {
	out = make([][]graph.Page, n)
	for p := range out {
		site = append(site, graph.Site(r.IntN(6)))
		for q := range n {
			if p != q && r.IntN(8) == 0 {
				out[p] = append(out[p], graph.Page(q))
			}
		}
	}
	return out, site
}

// TestCitations compares with a count of sets, in slices of any size.
func TestCitations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for slice := 1; slice < 1000; slice *= 3 {
		out, site := randomWeb(r, 40)
		c := NewCitations(40, 6)
		defer c.Free()
		for _, s := range site {
			c.Known(s)
		}
		w := &Web{Out: func(p graph.Page) []graph.Page { return out[p] }, Site: func(p graph.Page) graph.Site { return site[p] }}
		for range 2 {
			for c.Begin(); c.Step(w, slice); {
			}
		}
		for q := range out {
			from := map[graph.Site]bool{}
			for p, links := range out {
				for _, to := range links {
					if int(to) == q {
						from[site[p]] = true
					}
				}
			}
			if got := c.Value(graph.Page(q)); got != float64(len(from)) {
				t.Fatalf("slices of %d: page %d is linked from %v sites, want %d", slice, q, got, len(from))
			}
		}
	}
}

// TestAuthorities compares with the definition of HITS, iterated to its limit, over all links and
// over those between sites.
func TestAuthorities(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 6 {
		remote := i%2 == 1
		out, site := randomWeb(r, 40)
		a := NewAuthorities(40, remote)
		defer a.Free()
		for range out {
			a.Known()
		}
		w := &Web{Out: func(p graph.Page) []graph.Page { return out[p] }, Site: func(p graph.Page) graph.Site { return site[p] }}
		for a.Begin(200); a.Step(w, 7+100*i); {
		}
		for p, want := range hits(out, site, remote) {
			if got := a.Value(graph.Page(p)); math.Abs(got-want) > 1e-4*(1+want) {
				t.Fatalf("remote %v: page %d has %v, want %v", remote, p, got, want)
			}
		}
	}
}

// hits returns authorities by the definition.
func hits(out [][]graph.Page, site []graph.Site, remote bool) []float64 {
	auth := make([]float64, len(out))
	for p := range auth {
		auth[p] = 1
	}
	for range 500 {
		next, sum := make([]float64, len(out)), 0.0
		for p, links := range out {
			hub := 0.0
			for _, q := range links {
				if !remote || site[p] != site[q] {
					hub += auth[q]
				}
			}
			for _, q := range links {
				if !remote || site[p] != site[q] {
					next[q] += hub
					sum += hub
				}
			}
		}
		for p := range next {
			auth[p] = next[p] * float64(len(out)) / sum
		}
	}
	return auth
}
