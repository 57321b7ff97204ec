package measure

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// P10: ten pages of importance 10, 9... 1. With w the importance of sum 1 and c the
// step of each page, the average is 1.1 - Σ w c / 10: 0.7 for the best order, where
// Σ w c = Σ (11-c) c / 55 = 4, and 0.4 for the worst, where it is Σ c² / 55 = 7.
func TestTenPages(t *testing.T) {
	value := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	e := allPages(10)
	m := trialOf(t, value, e, e, JudgeOptions{Hot: []float64{3, 10, 100}}).Measures()
	near(t, "average", m.Average, 0.7)
	near(t, "tau", m.Tau, 1)
	near(t, "P_CS", m.CrawlStop, 1)
	near(t, "AUC to 10 %", *m.AUC10, 10./55)
	near(t, "AUC to 25 %", *m.AUC25, (10.+19+27)/3/55)
	near(t, "AUC to 50 %", *m.AUC50, (10.+19+27+34+40)/5/55)
	near(t, "pages for 50 %", *m.PagesFor50, 0.4)
	near(t, "pages for 80 %", *m.PagesFor80, 0.6)
	near(t, "pages for 90 %", *m.PagesFor90, 0.8)
	// P_ST: 8 pages have 3 or more, the mean of min(1, k/8) is (36/8 + 2)/10; one has 10.
	want := []HotMean{{3, 8, 0.8, 0.65}, {10, 1, 0.1, 1}, {100, 0, 0, 0}}
	for i, h := range m.Threshold {
		near(t, "P_ST", h.Mean, want[i].Mean)
		if h.Mean = want[i].Mean; h != want[i] {
			t.Errorf("P_ST %+v, want %+v", h, want[i])
		}
	}
	slices.Reverse(e)
	m = trialOf(t, value, e, e, JudgeOptions{}).Measures()
	near(t, "worst average", m.Average, 0.4)
	near(t, "worst tau", m.Tau, -1)
	// P_CS(k) of the worst order: none of the best k among the last k, until they meet.
	near(t, "worst P_CS", m.CrawlStop, (2./6+4./7+6./8+8./9+1)/10)
}

// C(k), its means and the places where it reaches a level, by their definitions
// (P8, P10), on orders with ties and cut short.
func TestCumulativeBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for range 300 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		curve, total := trial.Cumulative(), c.of(c.e)
		at := func(k int) float64 { return c.of(c.order[:k]) / total }
		nearCurve(t, "C", curve, len(c.order), at)
		mean := func(n int) (m float64) {
			for k := 1; k <= n; k++ {
				m += at(k) / float64(n)
			}
			return m
		}
		near(t, "average", curve.Mean(), mean(len(c.order)))
		for _, percent := range []int{10, 25, 50, 100} {
			k := (len(c.e)*percent + 99) / 100
			m, ok := curve.MeanTo(float64(percent) / 100)
			v, ok2 := curve.At(float64(percent) / 100)
			if ok != (k <= len(c.order)) || ok != ok2 {
				t.Fatalf("%d of %d pages fetched, %d wanted: %v, %v", len(c.order), len(c.e), k, ok, ok2)
			}
			if ok {
				near(t, "AUC", m, mean(k))
				near(t, "value", v, at(k))
			}
		}
		for _, level := range []float64{0.5, 0.8, 0.9} {
			k := 1
			for k <= len(c.order) && at(k) < level-1e-12 {
				k++
			}
			of, ok := curve.PagesFor(level)
			if ok != (k <= len(c.order)) {
				t.Fatalf("level %v of %v: %v", level, curve.Y, ok)
			}
			if ok {
				near(t, "pages", of, float64(k)/float64(len(c.e)))
			}
		}
	}
}

// P9: no order is above the sorted one; it has P_CS 1, tau 1 and no regret.
func TestIdealBoundsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for range 200 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		j := trial.judge
		ideal, curve := j.Ideal(len(c.order)), trial.Cumulative()
		for k := range curve.Y {
			if curve.Y[k] > ideal.Y[k]+1e-12 || k > 0 && curve.Y[k] < curve.Y[k-1] {
				t.Fatalf("C(%d) is %v, ideal %v", k+1, curve.Y[k], ideal.Y[k])
			}
		}
		best, err := j.Try(j.Ranked())
		if err != nil {
			t.Fatal(err)
		}
		m := best.Measures()
		near(t, "P_CS of the ideal order", m.CrawlStop, 1)
		if j.classes == 1 {
			near(t, "tau of equal pages", m.Tau, 0)
			continue
		}
		near(t, "tau of the ideal order", m.Tau, concordantTau(c.value, j.Ranked()))
		random := Random(len(c.e), len(c.e)).Mean()
		if regret, ok := Regret(m.Average, random, curve.Mean(), m.Average); !ok || regret > 0 {
			t.Errorf("regret of the ideal order is %v, %v", regret, ok)
		}
	}
}

// concordantTau is tau-b of an order without discordant pairs: the root of the share
// of pairs that are not tied.
func concordantTau(value []float64, order []graph.Page) float64 {
	n, tied := 0, 0
	for i, p := range order {
		for _, q := range order[:i] {
			n++
			if value[p] == value[q] {
				tied++
			}
		}
	}
	return math.Sqrt(1 - float64(tied)/float64(n))
}

func TestRegret(t *testing.T) {
	for _, c := range []struct{ policy, random, horn, omniscient, want float64 }{
		{0.7, 0.5, 0.9, 0.8, 0.5},
		{0.7, 0.5, 0.8, 0.9, 0.5},
		{0.9, 0.5, 0.9, 0.8, 0},
		{0.4, 0.5, 0.6, 0.5, 2},
	} {
		got, ok := Regret(c.policy, c.random, c.horn, c.omniscient)
		if near(t, "regret", got, c.want); !ok {
			t.Errorf("no regret for %+v", c)
		}
	}
	if _, ok := Regret(0.5, 0.5, 0.5, 0.5); ok {
		t.Error("regret where nothing can be gained")
	}
}

// P6: orders drawn at random are on average on the line k/T for importance and hot
// pages, at its middle as in the mean.
func TestRandomOrdersAreOnTheLine(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	const n, runs = 400, 300
	value := make([]float64, n)
	for p := range value {
		value[p] = r.ExpFloat64()
	}
	e := allPages(n)
	var c, found, stop, tau [runs]float64
	for i := range runs {
		trial := trialOf(t, value, e, shuffled(r, e), JudgeOptions{})
		c[i] = trial.Cumulative().Mean()
		found[i] = trial.Found(trial.judge.HotTop(0.2)).Y[n/2-1]
		stop[i] = trial.CrawlStop().Mean()
		tau[i] = trial.Tau()
	}
	line := Random(n, n).Mean()
	near(t, "line", line, (n+1.)/2/n)
	for name, got := range map[string]struct {
		x    []float64
		want float64
	}{"C": {c[:], line}, "P_ST": {found[:], 0.5}, "P_CS": {stop[:], line}, "tau": {tau[:], 0}} {
		mean := Sum(got.x) / runs
		if sd := deviation(got.x, mean); mean < got.want-4*sd/math.Sqrt(runs) || mean > got.want+4*sd/math.Sqrt(runs) {
			t.Errorf("%s of random orders is %v (deviation %v), want %v", name, mean, sd, got.want)
		}
	}
}

// An E without importance: every page counts the same, nothing is divided by 0.
func TestNothingIsImportant(t *testing.T) {
	e := allPages(4)
	trial := trialOf(t, make([]float64, 4), e, e, JudgeOptions{})
	nearCurve(t, "C", trial.Cumulative(), 4, func(k int) float64 { return float64(k) / 4 })
	m := trial.Measures()
	near(t, "tau", m.Tau, 0)
	near(t, "P_CS", m.CrawlStop, 1)
	if m.Threshold[0].Hot != 0 || m.Threshold[0].Mean != 0 {
		t.Errorf("P_ST %+v", m.Threshold[0])
	}
	if m := trialOf(t, []float64{1}, nil, nil, JudgeOptions{}).Measures(); m.Average != 0 || m.AUC10 != nil {
		t.Errorf("no pages have measures %+v", m)
	}
}

func TestThin(t *testing.T) {
	c := Random(10, 10)
	got := c.Thin(4)
	if want := []Point{{1, 0.1}, {4, 0.4}, {7, 0.7}, {10, 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := c.Thin(100); len(got) != 10 || got[9].Pages != 10 {
		t.Errorf("%v", got)
	}
	if got := c.Thin(1); len(got) != 1 || got[0].Pages != 10 {
		t.Errorf("%v", got)
	}
	if got := (Curve{}).Thin(5); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// The names of the semantics document are those of the JSON.
func TestMeasuresJSON(t *testing.T) {
	e := allPages(20)
	m := trialOf(t, fewValues(rand.New(rand.NewPCG(13, 1)), 20), e, e[:4], JudgeOptions{}).Measures()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"avg_cumulative_pagerank", "kendall_tau", "kendall_tau_sample", "p_cs", "p_st", "hot", "hot_share", "mean", "g", "auc_10"} {
		if !strings.Contains(string(b), `"`+name+`":`) {
			t.Errorf("%s is not in %s", name, b)
		}
	}
	if strings.Contains(string(b), "auc_25") { // 4 of 20 pages were fetched
		t.Errorf("auc_25 is in %s", b)
	}
}

func TestJudgeRefuses(t *testing.T) {
	values := &Truth{Value: []float64{1, 2, -1}}
	for name, e := range map[string][]graph.Page{"unknown": {3}, "twice": {0, 0}, "negative": {2}} {
		if _, err := NewJudge(values, e, JudgeOptions{}); err == nil {
			t.Errorf("E with a page that is %s", name)
		}
	}
	j, err := NewJudge(values, []graph.Page{0}, JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, order := range map[string][]graph.Page{"not in E": {1}, "no page": {7}, "twice": {0, 0}} {
		if _, err := j.Try(order); err == nil {
			t.Errorf("an order with a page that is %s", name)
		}
	}
}
