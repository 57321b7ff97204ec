package fakeweb

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/stats"
)

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

func measure(t *testing.T, w *Web, all [][]graph.Page) shape {
	siteOf := make([]graph.Site, len(all))
	for p := range siteOf {
		siteOf[p] = w.SiteOf(graph.Page(p))
	}
	l := graph.NewLists(len(all), w.Spec().Links)
	defer l.Free()
	n := 0
	for p, list := range all {
		n += copy(l.To.Slice()[n:], list)
		l.Off.Set(p+1, uint64(n))
	}
	s := stats.Take(len(all), l, siteOf, w.Sites())
	in, inOK := s.In.PowerLaw()
	out, outOK := s.Out.PowerLaw()
	if !inOK || !outOK {
		t.Fatal("no power law was fitted")
	}
	t.Logf("in-degrees %+v, out-degrees %+v", in, out)
	pages := float64(s.Pages)
	return shape{
		inExponent:  in.Exponent,
		outExponent: out.Exponent,
		intra:       float64(s.Local) / float64(s.Links),
		dangling:    float64(s.Dangling()) / pages,
		copied:      copied(all),
		under10:     float64(s.In.Below(10)) / pages,
	}
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
		m := measure(t, w, lists(t, w))
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
	sizes := make([]float64, w.Sites())
	for s := range sizes {
		sizes[s] = float64(w.Size(graph.Site(s)))
	}
	fit, ok := stats.PowerLaw(sizes)
	if !ok {
		t.Fatal("no power law was fitted")
	}
	within(t, "exponent of site sizes", fit.Exponent, 1.9, 2.3)
	within(t, "largest site", slices.Max(sizes), 90000, 130000)
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
