package policy

import (
	"math"
	"testing"
)

// XIM has half as many turns as there is news at most, and 2 % at least. The learned board has
// the rest.
func TestLimitExploring(t *testing.T) {
	for _, c := range []struct {
		news          float64
		weights, want []float64
	}{
		{2, []float64{.4, .6}, []float64{.4, .6}},
		{.4, []float64{.4, .6}, []float64{.8, .2}},
		{.4, []float64{.9, .1}, []float64{.9, .1}},
		{0, []float64{.4, .6}, []float64{.98, .02}},
		{.4, []float64{.4, .45, .15}, []float64{.65, .2, .15}},
		{0, []float64{.4, .3, .3}, []float64{.68, .02, .3}},
	} {
		limitExploring(c.weights, c.news)
		for i, w := range c.weights {
			if math.Abs(w-c.want[i]) > 1e-12 {
				t.Errorf("news %g: board %d has %g, want %g", c.news, i, w, c.want[i])
			}
		}
	}
}

// The model counts half where nothing is new, and more with the news.
func TestNews(t *testing.T) {
	c := newTinyCrawl(t, nil, 0)
	l, num := c.f.learner, c.f.learner.numbers.Slice()
	if got := l.modelShare(); got != leastModel {
		t.Errorf("the model counts %g without news", got)
	}
	for len(c.from) < 40 {
		c.know(0)
	}
	num[learnFetched] = 20
	l.noteNews()
	if got := l.news(); got != 2 {
		t.Errorf("40 pages known after 20 fetched: %g", got)
	}
	num[learnFetched], num[learnPages] = 40, 40
	l.noteNews()
	if got := l.news(); math.Abs(got-1.4) > 1e-12 {
		t.Errorf("20 more fetched and nothing new: %g", got)
	}
	if got := l.modelShare(); math.Abs(got-1.4/1.5) > 1e-12 {
		t.Errorf("the model counts %g", got)
	}
}
