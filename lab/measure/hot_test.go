package measure

import (
	"math/rand/v2"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

// P1, P2 and P4 by their definitions: ties count as hot, H is over E, and an order
// may be cut short.
func TestHotBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	for range 300 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		j := trial.judge
		nearCurve(t, "P_CS", trial.CrawlStop(), len(c.order), func(k int) float64 {
			return float64(c.count(c.order[:k], c.best(k))) / float64(k)
		})
		check := func(what string, h Hot, g float64) {
			all := c.count(c.e, g)
			if h.Pages != all {
				t.Fatalf("%s: %d hot pages, want %d", what, h.Pages, all)
			}
			nearCurve(t, what, trial.Found(h), len(c.order), func(k int) float64 {
				return Share(c.count(c.order[:k], g), all)
			})
		}
		for _, g := range []float64{0, 0.25, 0.3, 1, c.best(1), c.best(1) + 1} {
			check("hot by G", j.HotAbove(g), g)
		}
		k := 1 + r.IntN(len(c.e))
		check("hot by I(R_K)", j.HotBest(k), c.best(k))
		near(t, "G of I(R_K)", j.HotBest(k).G, c.best(k))
		check("hot by percentile", j.HotTop(0.25), c.best((len(c.e)+3)/4))
	}
}

// P5: with the hot pages first P_ST is min(1, k/H).
func TestIdealFound(t *testing.T) {
	value := []float64{5, 1, 5, 1, 5}
	trial := trialOf(t, value, allPages(5), []graph.Page{4, 0, 2, 3, 1}, JudgeOptions{})
	h := trial.judge.HotAbove(5)
	ideal := IdealFound(h.Pages, 5, 5)
	nearCurve(t, "P_ST", trial.Found(h), 5, func(k int) float64 { return ideal.Y[k-1] })
	nearCurve(t, "ideal", ideal, 5, func(k int) float64 { return min(1, float64(k)/3) })
}

// M18: PageRank's thresholds are multiples of the mean over the whole graph. On a
// ring every page has exactly the mean, whatever rounding makes of it.
func TestThresholdsOnTheMeanScale(t *testing.T) {
	for n := 2; n < 40; n++ {
		out := make([][]graph.Page, n)
		for p := range out {
			out[p] = []graph.Page{graph.Page((p + 1) % n)}
		}
		truth, err := PageRankTruth(&rank.Web{Out: webOf(t, out)}, TruthOptions{})
		if err != nil {
			t.Fatal(err)
		}
		j, err := NewJudge(truth, allPages(n), JudgeOptions{Hot: []float64{1, 1.001}})
		if err != nil {
			t.Fatal(err)
		}
		if j.hot[0].Pages != n || j.hot[1].Pages != 0 {
			t.Errorf("ring of %d pages: %d are hot for G = 1, %d for G = 1.001", n, j.hot[0].Pages, j.hot[1].Pages)
		}
	}
	// The mean is over all pages, which is 3, not over E, where it is 4.
	truth, err := ValuesTruth("views", []float64{8, 2, 6, 0, 0, 2})
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJudge(truth, []graph.Page{2, 1}, JudgeOptions{Hot: []float64{2, 2.1}})
	if err != nil {
		t.Fatal(err)
	}
	if j.hot[0].Pages != 1 || j.hot[1].Pages != 0 {
		t.Errorf("%d pages are hot for G = 2, %d for G = 2.1", j.hot[0].Pages, j.hot[1].Pages)
	}
}

// The thresholds that were not requested are those of the semantics document.
func TestDefaultThresholds(t *testing.T) {
	for scale, want := range map[bool][3]float64{true: {1, 3, 10}, false: {3, 10, 100}} {
		j, err := NewJudge(&Truth{Value: []float64{1}, Pages: 1, MeanScale: scale}, allPages(1), JudgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]float64{j.hot[0].G, j.hot[1].G, j.hot[2].G}; got != want {
			t.Errorf("mean scale %v: thresholds %v, want %v", scale, got, want)
		}
	}
}
