package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

// densePageRank is the power method with a full matrix, over the given pages alone.
func densePageRank(out [][]graph.Page, within []graph.Page, follow float64, selfLinks bool) []float64 {
	n := float64(len(within))
	x := make([]float64, len(out))
	for _, p := range within {
		x[p] = 1 / n
	}
	for range 2000 {
		y := make([]float64, len(out))
		for _, p := range within {
			var to []graph.Page
			for _, q := range out[p] {
				if slices.Contains(within, q) && (selfLinks || q != p) {
					to = append(to, q)
				}
			}
			for _, q := range within {
				y[q] += (1 - follow) * x[p] / n
				if len(to) == 0 {
					y[q] += follow * x[p] / n
				}
			}
			for _, q := range to {
				y[q] += follow * x[p] / float64(len(to))
			}
		}
		x = y
	}
	return x
}

// M8: the truth is PageRank of the full graph, or of E, with and without self-links,
// whichever lists are there.
func TestPageRankTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 12 {
		out := randomLinks(r, 5+r.IntN(20), 2)
		lists := webOf(t, out)
		web := &rank.Web{Out: lists}
		if i%2 == 0 {
			web.In = rank.Transpose(lists)
			t.Cleanup(web.In.Free)
		}
		o := TruthOptions{SelfLinks: i%3 == 0}
		within := allPages(len(out))
		if i%4 >= 2 {
			o.Within = Reach(lists, []graph.Page{graph.Page(r.IntN(len(out)))}).Order
			within, o.Follow = o.Within, 0.8
		}
		truth, err := PageRankTruth(web, o)
		if err != nil {
			t.Fatal(err)
		}
		follow := 0.9
		if o.Follow != 0 {
			follow = o.Follow
		}
		for p, want := range densePageRank(out, within, follow, o.SelfLinks) {
			if math.Abs(truth.Value[p]-want) > 1e-11 {
				t.Fatalf("case %d: page %d has %v, want %v", i, p, truth.Value[p], want)
			}
		}
		near(t, "sum", Sum(truth.Value), 1)
		near(t, "mean-1 sum", Sum(truth.Value)*truth.Scale()/float64(len(within)), 1)
		if truth.Pages != len(within) || !truth.MeanScale || truth.Bound > 1e-11 {
			t.Errorf("case %d: %d pages, mean scale %v, bound %v", i, truth.Pages, truth.MeanScale, truth.Bound)
		}
	}
}

// Ties are counted by exact equality, so pages with the same in-links must have the
// same bits: wherever they stand among the pages that link to them, whether they link
// to themselves or are linked to from outside E.
func TestEqualPagesHaveEqualBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 20 {
		// 2 to 13 link at random to each other and all to 1, 14 and 15, which link to 2;
		// 14 links to itself, and 0, which cannot be reached, to 15.
		out := make([][]graph.Page, 16)
		for p := range graph.Page(12) {
			out[p+2] = []graph.Page{1, (p+1)%12 + 2, 2 + graph.Page(r.IntN(12)), 14, 15}
			slices.Sort(out[p+2])
			out[p+2] = slices.Compact(out[p+2])
		}
		out[1], out[14], out[15], out[0] = []graph.Page{2}, []graph.Page{2, 14}, []graph.Page{2}, []graph.Page{3, 15}
		lists := webOf(t, out)
		e := Reach(lists, []graph.Page{2}).Order
		if len(e) != 15 {
			t.Fatalf("%d pages are reachable, want 15", len(e))
		}
		truth, err := PageRankTruth(&rank.Web{Out: lists}, TruthOptions{Within: e})
		if err != nil {
			t.Fatal(err)
		}
		v := truth.Value
		if v[1] != v[14] || v[1] != v[15] || v[1] == v[2] || v[0] != 0 {
			t.Fatalf("ranks of 1, 14 and 15 are %v, %v and %v, of 2 %v, of 0 %v", v[1], v[14], v[15], v[2], v[0])
		}
	}
}

// M6: distinct in-links, without self-links unless asked, from the whole graph or E.
func TestBacklinksTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for i := range 20 {
		out := randomLinks(r, 3+r.IntN(30), 3)
		lists := webOf(t, out)
		o := TruthOptions{SelfLinks: i%2 == 0}
		within := allPages(len(out))
		if i%4 < 2 {
			o.Within = Reach(lists, []graph.Page{0}).Order
			within = o.Within
		}
		truth, err := BacklinksTruth(&rank.Web{Out: lists}, o)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, len(out))
		for _, p := range within {
			for _, q := range out[p] {
				if p != q || o.SelfLinks {
					want[q]++
				}
			}
		}
		if !slices.Equal(truth.Value, want) || truth.MeanScale {
			t.Errorf("case %d: %v, want %v", i, truth.Value, want)
		}
	}
}

// P14: any values will do, if they are values.
func TestValuesTruth(t *testing.T) {
	truth, err := ValuesTruth("views", []float64{3, 0, 6, 3})
	if err != nil {
		t.Fatal(err)
	}
	if m := truth.Scale(); m*truth.Value[0] != 1 || m*truth.Value[2] != 2 {
		t.Errorf("on the mean-1 scale %v", m)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := ValuesTruth("views", []float64{1, bad}); err == nil {
			t.Errorf("%v is taken for a value", bad)
		}
	}
}

func TestTruthRefuses(t *testing.T) {
	lists := webOf(t, [][]graph.Page{{1}, {0}})
	if _, err := PageRankTruth(&rank.Web{}, TruthOptions{}); err == nil {
		t.Error("a web without lists has a truth")
	}
	if _, err := BacklinksTruth(&rank.Web{Out: lists}, TruthOptions{Within: []graph.Page{2}}); err == nil {
		t.Error("E may have a page that the web has not")
	}
}

func TestTie(t *testing.T) {
	up := func(v float64) float64 { return math.Nextafter(v, 1) }
	v := []float64{0.5, 0.1, up(0.1), 0, up(up(0.1)), 0.1 * (1 + 1e-12), up(0.5)}
	tie(v)
	want := []float64{0.5, 0.1, 0.1, 0, 0.1, 0.1 * (1 + 1e-12), 0.5}
	if !slices.Equal(v, want) {
		t.Errorf("tied: %v, want %v", v, want)
	}
}
