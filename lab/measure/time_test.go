package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// P15: mean importance by batch and by day, on the mean-1 scale for truths that have
// it, with days on which nothing was fetched.
func TestPerBucket(t *testing.T) {
	truth, err := ValuesTruth("views", []float64{6, 2, 3, 1, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJudge(truth, allPages(5), JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	trial, err := j.Try([]graph.Page{0, 2, 1, 4, 3})
	if err != nil {
		t.Fatal(err)
	}
	got, err := trial.PerBucket([]int{0, 0, 1, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Bucket{{0, 2, 2.25}, {1, 2, 0.5}, {2, 1, 0.5}}; !slices.Equal(got, want) {
		t.Errorf("by pages %v, want %v", got, want)
	}
	got, err = trial.PerBucket(TimeBuckets([]float64{0, 11.9, 12, 40, 36}, 12))
	if err != nil {
		t.Fatal(err)
	}
	if want := []Bucket{{0, 2, 2.25}, {1, 1, 1}, {2, 0, 0}, {3, 2, 0.25}}; !slices.Equal(got, want) {
		t.Errorf("by time %v, want %v", got, want)
	}
}

func TestArrival(t *testing.T) {
	for _, c := range []struct {
		when         []float64
		mean, median float64
	}{
		{nil, 0, 0}, {[]float64{3}, 3, 3}, {[]float64{9, 1}, 5, 5}, {[]float64{9, 1, 2}, 4, 2}, {[]float64{4, 9, 1, 2}, 4, 3},
	} {
		mean, median := Arrival(c.when)
		near(t, "mean", mean, c.mean)
		near(t, "median", median, c.median)
	}
}

// P19 by its definition, with fetches that do not end in their order.
func TestGathered(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 1))
	for range 100 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		when := make([]float64, len(c.order))
		for i := range when {
			when[i] = float64(1 + r.IntN(50))
		}
		steps := 1 + r.IntN(20)
		got, err := trial.Gathered(when, steps)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range got {
			near(t, "time", g.When, slices.Max(when)*float64(i+1)/float64(steps))
			var done []graph.Page
			for k, p := range c.order {
				if when[k] <= g.When {
					done = append(done, p)
				}
			}
			near(t, "pages", g.Pages, float64(len(done))/float64(len(c.e)))
			near(t, "importance", g.Importance, c.of(done)/c.of(c.e))
		}
		if last := got[steps-1]; last.When != slices.Max(when) || last.Pages != Share(len(c.order), len(c.e)) {
			t.Errorf("ends with %+v", last)
		}
	}
}

// A time for each fetch, no more and no fewer.
func TestTimesOfOtherFetches(t *testing.T) {
	e := allPages(3)
	trial := trialOf(t, []float64{1, 2, 3}, e, e, JudgeOptions{})
	short := []float64{1, 2}
	_, err1 := trial.Gathered(short, 2)
	_, err2 := trial.AverageWhen(short)
	_, err3 := trial.PerBucket([]int{0, 0})
	_, err4 := trial.PerBucket([]int{0, -1, 0})
	for i, err := range []error{err1, err2, err3, err4} {
		if err == nil {
			t.Errorf("case %d is accepted", i+1)
		}
	}
}

// Tails by their definition, on times in any order with ties.
func TestTails(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 1 + r.IntN(60)
		when, site := make([]float64, n), make([]int, n)
		for i := range when {
			when[i], site[i] = float64(r.IntN(50)), r.IntN(8)
		}
		for _, got := range Tails(when, func(i int) int { return site[i] }, 0.1, 0.5, 1) {
			if want := int(math.Ceil(got.Part*float64(n) - 1e-9)); got.Pages != want {
				t.Fatalf("the last %v of %d are %d pages, want %d", got.Part, n, got.Pages, want)
			}
			// Take the latest away, one by one; of equal times the last in the order.
			left, sites, last := slices.Clone(when), map[int]bool{}, slices.Max(when)
			for range got.Pages {
				at := 0
				for i, w := range left {
					if w >= left[at] {
						at = i
					}
				}
				left[at], sites[site[at]] = -1, true
			}
			want := 1.0
			if before := slices.Max(left); before >= 0 && last > 0 {
				want = (last - before) / last
			}
			if near(t, "time of the tail", got.Time, want); got.Sites != len(sites) {
				t.Errorf("the tail is on %d sites, want %d", got.Sites, len(sites))
			}
		}
	}
	if Tails(nil, nil, 0.1) != nil {
		t.Error("a crawl of no pages has an end")
	}
}

// A crawl of 1,000 pages at one a second, of which the last hangs for 9,001 s: the last 1 % take
// 0.9010 of the time, as in Python: e = list(range(1, 1000)) + [10000]; (e[-1]-e[-11])/e[-1].
func TestTailOfOneSlowFetch(t *testing.T) {
	when := make([]float64, 1000)
	for i := range when {
		when[i] = float64(i + 1)
	}
	when[999] = 10_000
	got := Tails(when, func(i int) int { return i / 100 }, 0.01)[0]
	if got.Pages != 10 || got.Sites != 1 || math.Abs(got.Time-0.9010) > 1e-12 {
		t.Errorf("%+v", got)
	}
}
