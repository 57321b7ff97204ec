package fakeweb

import (
	"math"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// exponent is the discrete maximum-likelihood estimate of Clauset, Shalizi and
// Newman (2009), equation 3.7, over the values from least on.
func exponent(values []int, least int) float64 {
	n, sum := 0, 0.0
	for _, v := range values {
		if v >= least {
			n++
			sum += math.Log(float64(v) / (float64(least) - 0.5))
		}
	}
	return 1 + float64(n)/sum
}

// copied is the share of links that are also in one of the seven lists before:
// what a reference of the BV format can take over.
func copied(all [][]graph.Page) float64 {
	common, total := 0, 0
	for p, list := range all {
		best := 0
		for r := max(0, p-7); r < p; r++ {
			best = max(best, intersection(list, all[r]))
		}
		common, total = common+best, total+len(list)
	}
	return float64(common) / float64(total)
}

func intersection(a, b []graph.Page) (n int) {
	for _, p := range a {
		if _, found := slices.BinarySearch(b, p); found {
			n++
		}
	}
	return n
}

// shape is what is asked of a web.
type shape struct {
	inExponent, outExponent, intra, dangling, copied, under10 float64
}

func measure(w *Web, all [][]graph.Page) (m shape) {
	in, out := make([]int, len(all)), make([]int, len(all))
	links := 0.0
	for p, list := range all {
		site := w.SiteOf(graph.Page(p))
		out[p] = len(list)
		links += float64(len(list))
		for _, q := range list {
			in[q]++
			if w.SiteOf(q) == site {
				m.intra++
			}
		}
	}
	m.intra /= links
	for p := range all {
		if out[p] == 0 {
			m.dangling += 1 / float64(len(all))
		}
		if in[p] < 10 {
			m.under10 += 1 / float64(len(all))
		}
	}
	m.inExponent, m.outExponent = exponent(in, 20), exponent(out, 50)
	m.copied = copied(all)
	return m
}

// TestLooksLikeAWeb holds the generator to the figures of real graphs: in-degree
// exponent about 2.1 (Broder et al. 2000), out-degree exponent about 2.7, a fifth
// of the pages dangling (24 % in cnr-2000), three quarters of a list found in one
// of the seven before it (77 % in cnr-2000).
func TestLooksLikeAWeb(t *testing.T) {
	for _, spec := range []Spec{
		{Pages: 100000, Sites: 1000, Links: 2000000, Seed: 1},
		{Pages: 100000, Sites: 5000, Links: 1000000, Seed: 2},
	} {
		w := mustNew(t, spec)
		m := measure(w, lists(t, w))
		t.Logf("%+v: %+v", spec, m)
		within(t, "in-degree exponent", m.inExponent, 1.8, 2.6)
		within(t, "out-degree exponent", m.outExponent, 2.3, 3.7)
		within(t, "share of links inside the site", m.intra, 0.75, 0.95)
		within(t, "share of dangling pages", m.dangling, 0.17, 0.23)
		within(t, "share of copied links", m.copied, 0.65, 0.85)
		within(t, "share of pages with fewer than 10 in-links", m.under10, 0.5, 0.95)
	}
}

func within(t *testing.T, what string, x, lo, hi float64) {
	t.Helper()
	if x < lo || x > hi {
		t.Errorf("%s is %.3f, want %.2f to %.2f", what, x, lo, hi)
	}
}

// Site sizes: Zipf's law with r^(-15/16) has exponent 2.07; the largest of 1000
// sites holds about a tenth of the pages.
func TestSiteSizes(t *testing.T) {
	w := mustNew(t, Spec{Pages: 1000000, Sites: 1000, Links: 0, Seed: 4})
	sizes := make([]int, w.Sites())
	for s := range sizes {
		sizes[s] = w.Size(graph.Site(s))
	}
	within(t, "exponent of site sizes", exponent(sizes, 1000), 1.9, 2.3)
	within(t, "largest site", float64(slices.Max(sizes)), 90000, 130000)
	if slices.IsSorted(sizes) || slices.Index(sizes, slices.Max(sizes)) == 0 {
		t.Error("sites are not shuffled")
	}
}

func BenchmarkEach(b *testing.B) {
	w := mustNew(b, Spec{Pages: 200000, Sites: 3000, Links: 4000000, Seed: 1})
	for b.Loop() {
		if err := w.Each(func(graph.Page, []graph.Page) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4e6, "ns/link")
}
