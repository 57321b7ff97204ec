package crawl

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/revisit"
)

// A month of a web whose pages change at known rates, in virtual time: the copies are as fresh
// as the laboratory promises for the same changes, weights and visits, within 5 %, and every
// visit was polite.
func TestKeptFresh(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		const day, pages = 24 * time.Hour, 400
		began := time.Now()
		clock := func() time.Duration { return time.Since(began) }
		w := newTestWeb(t, pages, 10, answer.Options{Changes: answer.Changes{
			Clock: clock, Began: began, Median: 8 * day, Bursts: 0.5, Noise: 0.3,
		}})
		c := &w.o.Config
		every := 4 * day
		c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: every}, "default", config.Duration{Duration: 30 * day}
		w.o.Machine.Sizes.Status = time.Hour
		w.run(t)
		weight := w.linksIn()
		got := w.server.Counter().Freshness(func(p graph.Page) float64 { return weight[p] }, 10*day, 30*day, 0)
		promise := w.promised(t, weight, every)
		if stale := 1 - got.Fresh; math.Abs(got.Fresh-promise)/promise > 0.05 || stale == 0 {
			t.Errorf("%.4f of the copies are fresh, the laboratory has %.4f", got.Fresh, promise)
		}
		if visits := float64(pages) * 30 / 4; float64(got.Requests) < 0.6*visits || float64(got.Requests) > 1.1*visits {
			t.Errorf("%d requests, want about %v in 20 of 30 days", got.Requests, visits*2/3)
		}
		w.polite(t)
		clean(t, w.verify(t))
		t.Logf("fresh %.4f, promised %.4f", got.Fresh, promise)
	})
}

// polite demands that all requests were polite, also those that repeat others.
func (w *testWeb) polite(t *testing.T) {
	t.Helper()
	c := &w.o.Config
	demands := count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap, Repeats: true}
	for i, v := range w.server.Counter().Check(demands) {
		if i < 10 {
			t.Error(v)
		}
	}
}

// linksIn returns the weights of the pages, as a crawl of the whole web has them.
func (w *testWeb) linksIn() []float64 {
	weight := make([]float64, w.web.Spec().Pages)
	for p := range weight {
		weight[p]++
		for _, q := range w.web.Links(nil, graph.Page(p)) {
			weight[q]++
		}
	}
	return weight
}

// promised returns the weighted share of fresh copies that the laboratory has for the changes
// of the web, from the tenth day on.
func (w *testWeb) promised(t *testing.T, weight []float64, every time.Duration) float64 {
	t.Helper()
	const length = 30 * 24 * time.Hour
	c := &revisit.Collection{Log: &revisit.Log{Length: length}}
	sum := 0.0
	for p, v := range weight {
		c.Log.Changes = append(c.Log.Changes, w.server.Changes(graph.Page(p), 0, length))
		c.Weight = append(c.Weight, v)
		sum += v
	}
	for p := range c.Weight {
		c.Weight[p] /= sum
	}
	c.Place, c.Above = revisit.Directories(len(weight), w.web.AppendURL)
	a, err := freshness.Choose("default")
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), a, float64(len(weight))/(every.Hours()/24))
	if err != nil {
		t.Fatal(err)
	}
	return 1 - r.Staleness
}
