package measure

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

// TestMetricTruth compares metrics with package rank, whole and within a part.
func TestMetricTruth(t *testing.T) {
	links := [][]graph.Page{{1, 2}, {2}, {0, 3}, {3, 4}, {0}}
	out := graph.ListsOf(links)
	defer out.Free()
	in := rank.Transpose(out)
	defer in.Free()
	web := &rank.Web{In: in, Out: out, Sites: []graph.Site{0, 0, 1, 1, 2}}
	truth := func(name string, o TruthOptions) *Truth {
		t.Helper()
		m, ok := rank.Named(name)
		if !ok {
			t.Fatal(name)
		}
		x, err := MetricTruth(web, m, o)
		if err != nil {
			t.Fatal(name, err)
		}
		return x
	}
	for _, m := range rank.Metrics() {
		x := truth(m.Name, TruthOptions{})
		r, err := m.Compute(web, rank.Options{Tolerance: 1e-12}, rank.Share(0.8))
		if err != nil {
			t.Fatal(err)
		}
		for p, v := range r.Score {
			if math.Abs(v-x.Value[p]) > 1e-8 {
				t.Errorf("%s of page %d: %g, want %g", m.Name, p, x.Value[p], v)
			}
		}
		if x.MeanScale == m.Counts {
			t.Errorf("%s: thresholds on the scale of the mean: %t", m.Name, x.MeanScale)
		}
	}
	// Page 3 links to itself and to page 4; among pages 0 to 2 pages 0 and 2 have two and one.
	if x := truth("outlinks", TruthOptions{}); x.Value[3] != 1 || x.Value[0] != 2 {
		t.Errorf("forward links %v", x.Value)
	}
	if x := truth("outlinks", TruthOptions{Within: []graph.Page{0, 1, 2}}); x.Value[2] != 1 || x.Value[3] != 0 || x.Pages != 3 {
		t.Errorf("forward links within a part %v of %d pages", x.Value, x.Pages)
	}
}
