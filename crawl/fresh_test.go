package crawl

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/revisit"
	"github.com/winnow-crawler/winnow/sim"
)

// A month of a web whose pages change at known rates, in virtual time: the copies are as fresh
// as the simulator promises for the same changes and the same configuration, within 5 %, and
// every visit was polite.
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
		c.Balance = config.Default().Balance
		w.o.Machine.Sizes.Status = time.Hour
		w.run(t)
		weight := w.linksIn()
		got := w.server.Counter().Freshness(func(p graph.Page) float64 { return weight[p] }, 10*day, 30*day, 0)
		course := w.promised(t, weight)
		promise := course.Fresh
		if stale := 1 - got.Fresh; math.Abs(got.Fresh-promise)/promise > 0.05 || stale == 0 {
			t.Errorf("%.4f of the copies are fresh, the simulator has %.4f", got.Fresh, promise)
		}
		if of := float64(got.Requests) / float64(course.Visits); of < 0.63 || of > 0.7 {
			t.Errorf("%d visits in 20 days, the simulator has %d in 30", got.Requests, course.Visits)
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

// promised returns the weighted share of fresh copies that the simulator has for the changes of
// the web, from the tenth day on: with the same policy, the same politeness, and new pages and
// visits in one crawl.
func (w *testWeb) promised(t *testing.T, weight []float64) *revisit.Course {
	t.Helper()
	c := w.o.Config
	c.ChoosePolicy()
	col := &revisit.Collection{Log: &revisit.Log{Length: c.Duration.Duration}}
	sum := 0.0
	for p, v := range weight {
		col.Log.Changes = append(col.Log.Changes, w.server.Changes(graph.Page(p), 0, c.Duration.Duration))
		col.Weight = append(col.Weight, v)
		sum += v
	}
	for p := range col.Weight {
		col.Weight[p] /= sum
	}
	set, err := state.NewSetup(&c, layout.Identity{}, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	fo := set.Frontier
	fo.Hold = false
	visits := &sim.Revisits{Every: c.Recrawl.Duration, Compete: true}
	if visits.Allocation, err = freshness.Choose(c.Revisit); err != nil {
		t.Fatal(err)
	}
	visits.Place, visits.Above = revisit.Directories(len(weight), w.web.AppendURL)
	world, diary := w.virtual(t), revisit.NewDiary(col, 1)
	world.Version = col.Log.Version
	_, err = sim.Run(world, sim.Options{
		Setup: sim.Setup{Seeds: []graph.Page{0}, Random: c.RandomSeed, Batch: c.Batch, Frontier: fo, Fetchers: c.Fetchers,
			KeepMost: c.KeepMost, Duration: c.Duration.Duration, Revisits: visits},
		Policy: set.Policy, SitePolicy: set.SitePolicy, Witness: diary,
	})
	if err != nil {
		t.Fatal(err)
	}
	return diary.Course(len(weight))
}
