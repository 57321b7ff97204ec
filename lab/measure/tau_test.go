package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// naiveTau is tau-b by looking at every pair.
func naiveTau(x, y []float64) float64 {
	var agree, tiedX, tiedY, n float64
	for i := range x {
		for k := range i {
			n++
			a, b := sign(x[i]-x[k]), sign(y[i]-y[k])
			agree += a * b
			if a == 0 {
				tiedX++
			}
			if b == 0 {
				tiedY++
			}
		}
	}
	if tiedX == n || tiedY == n {
		return 0
	}
	return agree / math.Sqrt((n-tiedX)*(n-tiedY))
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// P11: tau of an order against every pair, with ties and of all lengths around those
// at which runs are merged.
func TestTauBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 1))
	for i := range 300 {
		n := 1 + r.IntN(120)
		value := fewValues(r, n)
		if i%3 == 0 {
			value = positions(n)
		}
		order := shuffled(r, allPages(n))[:1+r.IntN(n)]
		x, y := make([]float64, len(order)), make([]float64, len(order))
		for k, p := range order {
			x[k], y[k] = -float64(k), value[p]
		}
		near(t, "tau", trialOf(t, value, allPages(n), order, JudgeOptions{}).Tau(), naiveTau(x, y))
	}
}

func TestTauB(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for range 300 {
		n := r.IntN(80)
		x, y := fewValues(r, n), fewValues(r, n)
		got, err := TauB(x, y)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "tau-b", got, naiveTau(x, y))
	}
	if _, err := TauB([]float64{1}, nil); err == nil {
		t.Error("one value against none")
	}
}

// The sample is of the pages fetched, uniform, the same for every complete order and
// near the tau of all.
func TestTauSample(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	const n = 4000
	value := make([]float64, n)
	for p := range value {
		value[p] = math.Floor(20 * r.ExpFloat64())
	}
	e := allPages(n)
	// Early pages tend to be important.
	noisy := make([]float64, n)
	for p := range noisy {
		noisy[p] = value[p] + 30*r.Float64()
	}
	order := Ranking(noisy, e)
	full := trialOf(t, value, e, order, JudgeOptions{})
	near(t, "sample of all", full.TauSample(), full.Tau()) // 5000 are more than there are
	for _, fetched := range []int{n, n / 2} {
		part := order[:fetched]
		want := trialOf(t, value, e, part, JudgeOptions{}).Tau()
		var got []float64
		for seed := range uint64(40) {
			got = append(got, trialOf(t, value, e, part, JudgeOptions{Sample: 500, Seed: seed}).TauSample())
		}
		mean := Sum(got) / float64(len(got))
		if sd := deviation(got, mean); sd == 0 || sd > 0.05 || math.Abs(mean-want) > 4*sd/math.Sqrt(40) {
			t.Errorf("%d fetched: samples have tau %v (deviation %v), all %v", fetched, mean, sd, want)
		}
		again := trialOf(t, value, e, part, JudgeOptions{Sample: 500, Seed: 3}).TauSample()
		if again != got[3] {
			t.Errorf("a second sample of seed 3 gives %v, the first %v", again, got[3])
		}
	}
}

// P11: against scipy.stats.kendalltau(-order, value), scipy 1.10.1, with ties, and the
// average against numpy.
func TestTauAgainstScipy(t *testing.T) {
	value := []float64{8, 9, 0, 9, 5, 6, 7, 3, 11, 0, 3, 4, 6, 4, 1, 0, 0, 0, 1, 11, 2, 7, 9, 2, 3, 5, 3, 11, 2, 10, 9, 10, 1, 4, 7, 5, 7, 8, 7, 0}
	order := []graph.Page{34, 4, 11, 33, 14, 35, 26, 1, 16, 12, 17, 3, 22, 21, 30, 31, 6, 9, 0, 32, 29, 18, 37, 20, 38, 27, 25, 13, 19, 24, 28, 39, 2, 36, 5, 8, 7, 23, 15, 10}
	trial := trialOf(t, value, allPages(len(value)), order, JudgeOptions{})
	near(t, "tau", trial.Tau(), 0.06781938879126839)
	near(t, "average", trial.Cumulative().Mean(), 0.533)
}
