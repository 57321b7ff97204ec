package measure

import (
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
