package revisit

import (
	"math"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// By hand, over 90 days, of which the last 60 count. Page 0 has a quarter of the weight, is
// fetched at once, changes after 30 days and is visited after 40 and 50. Page 1 has three
// quarters, is fetched after 45 days and changes after 75.
func TestDiary(t *testing.T) {
	c := &Collection{Weight: []float64{0.25, 0.75}, Log: &Log{Length: 90 * day, Changes: [][]time.Duration{{30 * day}, {20 * day, 75 * day}}}}
	d := NewDiary(c, 2)
	d.Fetched(0, 0, -1)
	for d.Next() <= 44*day {
		d.Pass(func(p graph.Page) float64 { return []float64{0.25, 9}[p] })
	}
	d.Fetched(40*day, 0, -1)
	d.Fetched(45*day, 1, -1)
	d.Fetched(50*day, 0, 1000)
	for d.Next() <= 90*day {
		d.Pass(func(graph.Page) float64 { return 1 })
	}
	r := d.Course(4)
	// The copies have the weight 0.25 for 60 days and 0.75 for 45; of that 0.25 is out of date
	// for 10 days, and 0.75 for 15.
	has, stale := (0.25*60+0.75*45)/60, (0.25*10+0.75*15)/60
	near := func(what string, got, want, most float64) {
		t.Helper()
		if math.Abs(got-want) > most {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("freshness", r.Fresh, 1-stale/has, 1e-9)
	near("staleness", r.Staleness, 1-(has-stale), 1e-9)
	near("age", r.Age, (0.25*50+0.75*15*15/2)/60/has, 1e-9)
	near("value", r.Value, (0.25*80+0.75*30)/90, 1e-9)
	near("estimated", r.Estimated, (0.25*0.5*44+1*46)/90, 0.01) // alpha 2: the root of the freshness
	if r.First != 2 || r.Visits != 2 || r.Wasted != 1 || r.NotModified != 1 || r.Saved != 1000 {
		t.Errorf("%+v", r)
	}
	near("volume at the end", r.Curves.Volume[99], 0.5, 1e-9)
	near("quality in the middle", r.Curves.Quality[20], 0.25, 1e-9)
	near("freshness at the end", r.Curves.Fresh[99], 0.25, 1e-9)
	near("age at the end", r.Curves.Age[99], 0.75*14.55, 1e-6)
}

func TestParseDrawn(t *testing.T) {
	for text, want := range map[string]Drawn{
		"poisson": DefaultDrawn(3), "poisson:0.5": {0.5, 1, 1, 3}, "poisson:2:0": {2, 0, 0, 3},
	} {
		if d, ok, err := ParseDrawn(text, 3); err != nil || !ok || d != want {
			t.Errorf("%s: %+v, %v, %v", text, d, ok, err)
		}
	}
	for _, text := range []string{"poisson:", "poisson:x", "poisson:-1", "poisson:1:9", "poisson:1:1:1", "poisson:NaN", "poisson:Inf"} {
		if _, _, err := ParseDrawn(text, 3); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if _, ok, _ := ParseDrawn("./poisson", 3); ok {
		t.Error("a file is taken for rates")
	}
}
