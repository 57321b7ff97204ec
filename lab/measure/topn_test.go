package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// NeededForTop (P12) by its definition: the first k after which so many of the pages that are as
// important as the last of the best tenth were fetched.
func TestNeededForTop(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	short := 0
	for range 200 {
		c := randomCase(r)
		if len(c.e) == 0 {
			continue
		}
		g := c.best((len(c.e) + 9) / 10)
		all := c.count(c.e, g)
		got := trialOf(t, c.value, c.e, c.order, JudgeOptions{}).NeededForTop(0.1)
		for i, percent := range []int{100, 99, 95, 90} {
			want := -1.0
			for k := 1; k <= len(c.order) && want < 0; k++ {
				if 100*c.count(c.order[:k], g) >= percent*all {
					want = Share(k, len(c.e))
				}
			}
			switch {
			case (want < 0) != (got[i] == nil):
				t.Fatalf("%d %%: got %v, want %v", percent, got[i], want)
			case want < 0:
				short++
			default:
				near(t, "pages for the top tenth", *got[i], want)
			}
		}
	}
	if short == 0 {
		t.Error("no crawl stopped before it had the top tenth")
	}
}

// Numbers of another program. In Python 3:
//
//	v = [(i*7919) % 1009 for i in range(1000)]; o = [(i*617+5) % 1000 for i in range(1000)]
//	g = sorted(v, reverse=True)[99]; hot = [p for p in range(1000) if v[p] >= g]
//	at = sorted(o.index(p)+1 for p in hot)
//	for q in (100, 99, 95, 90): print(at[-(-q*len(hot)//100)-1] / 1000)
func TestNeededForTopOutside(t *testing.T) {
	const n = 1000
	value, order := make([]float64, n), make([]graph.Page, n)
	for i := range n {
		value[i], order[i] = float64(i*7919%1009), graph.Page((i*617+5)%n)
	}
	got := trialOf(t, value, allPages(n), order, JudgeOptions{}).NeededForTop(0.1)
	for i, want := range []float64{0.994, 0.99, 0.952, 0.907} {
		near(t, "pages for the top tenth", *got[i], want)
	}
}

// Precision is P_CS at one place; a resample is the same with pages repeated.
func TestPrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 1))
	for range 100 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		k := (len(c.e) + 4) / 5
		got, ok := trial.Precision(0.2, 50, 1)
		if ok != (k <= len(c.order)) {
			t.Fatalf("%d of %d pages fetched: %v", len(c.order), len(c.e), ok)
		}
		if ok {
			near(t, "precision", got.Mean, trial.CrawlStop().Y[k-1])
		}
		times := make([]uint32, len(c.value))
		for range c.e {
			times[c.e[r.IntN(len(c.e))]]++
		}
		repeated := smallCase{value: c.value}
		for _, p := range c.e {
			repeated.e = append(repeated.e, slices.Repeat([]graph.Page{p}, int(times[p]))...)
		}
		for _, p := range c.order {
			repeated.order = append(repeated.order, slices.Repeat([]graph.Page{p}, int(times[p]))...)
		}
		first := repeated.order[:min(k, len(repeated.order))]
		near(t, "resample", trial.precision(times, k), Share(repeated.count(first, repeated.best(k)), len(first)))
	}
}

// The interval holds the value, narrows as pages become more, and repeats.
func TestPrecisionInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	width := func(n int) float64 {
		noisy, value := make([]float64, n), make([]float64, n)
		for p := range value {
			value[p] = r.Float64()
			noisy[p] = value[p] + r.Float64()
		}
		e := allPages(n)
		trial := trialOf(t, value, e, Ranking(noisy, e), JudgeOptions{})
		i, ok := trial.Precision(0.1, 300, 7)
		if !ok || !(i.Low < i.Mean && i.Mean < i.High) || i.SD == 0 || i.N != 300 {
			t.Errorf("%d pages: %+v, %v", n, i, ok)
		}
		if again, _ := trial.Precision(0.1, 300, 7); again != i {
			t.Errorf("%+v, then %+v", i, again)
		}
		return i.High - i.Low
	}
	if few, many := width(100), width(5000); many > few/3 {
		t.Errorf("the interval is %v wide for 100 pages, %v for 5000", few, many)
	}
}

// P16 by its definition, for all N and orders cut short.
func TestAverageWhen(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	for range 100 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		when := make([]float64, len(c.order))
		for i := range when {
			when[i] = float64(r.IntN(10))
		}
		top, err := trial.AverageWhen(when)
		if err != nil {
			t.Fatal(err)
		}
		if len(top) != len(c.e) {
			t.Fatalf("%d values for %d pages", len(top), len(c.e))
		}
		for n := 1; n <= len(c.e); n++ {
			var days []float64
			for _, p := range trial.judge.Ranked()[:n] {
				if i := slices.Index(c.order, p); i >= 0 {
					days = append(days, when[i])
				}
			}
			mean, _ := Arrival(days)
			if near(t, "average", top[n-1].Mean, mean); top[n-1].Fetched != len(days) || top[n-1].N != n {
				t.Fatalf("%+v, want %d fetched", top[n-1], len(days))
			}
		}
	}
}

// overlapOf counts what is in both.
func overlapOf(a, b []graph.Page) (n int) {
	for _, p := range a {
		if slices.Contains(b, p) {
			n++
		}
	}
	return n
}

// P17: overlap for all N, and RBO as the limit of its series, with rankings of
// different lengths: beyond the shorter one it is taken to continue as it did.
func TestOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	for range 100 {
		a := shuffled(r, allPages(30))[:1+r.IntN(30)]
		b := shuffled(r, allPages(40))[:1+r.IntN(30)]
		c := Overlap(a, b)
		s, l := min(len(a), len(b)), max(len(a), len(b))
		x := func(n int) float64 { return float64(overlapOf(a[:min(n, len(a))], b[:min(n, len(b))])) }
		nearCurve(t, "overlap", c, l, func(n int) float64 { return x(n) / float64(n) })
		const p = 0.9
		want := 0.0
		for d := 1; d <= 2000; d++ {
			agree := (x(l)-x(s))/float64(l) + x(s)/float64(s)
			if d <= l {
				agree = x(d) / float64(d)
				if d > s {
					agree += x(s) * float64(d-s) / float64(s*d)
				}
			}
			want += (1 - p) * math.Pow(p, float64(d-1)) * agree
		}
		near(t, "RBO", RankBiasedOverlap(a, b, p), want)
	}
	same := allPages(9)
	near(t, "RBO of equal rankings", RankBiasedOverlap(same, same, 0.98), 1)
	near(t, "RBO of disjoint rankings", RankBiasedOverlap(same[:4], same[4:], 0.98), 0)
	near(t, "RBO of nothing", RankBiasedOverlap(nil, same, 0.98), 0)
}

func TestLogGrid(t *testing.T) {
	for n, want := range map[int][]int{0: nil, 1: {1}, 10: {1, 2, 5, 10}, 300: {1, 2, 5, 10, 22, 46, 100, 215, 300}} {
		if got := LogGrid(n, 3); !slices.Equal(got, want) {
			t.Errorf("to %d: %v, want %v", n, got, want)
		}
	}
	got := Random(4, 3).On([]int{0, 1, 3, 4})
	if want := []Point{{1, 0.25}, {3, 0.75}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
