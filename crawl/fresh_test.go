package crawl

import (
	"math"
	"slices"
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
	synctest.Test(t, func(t *testing.T) { keepFresh(t, answer.FateShares{}) })
}

// The same if pages vanish, move and come back, too: the simulator takes that for changes. No
// page is lost.
func TestKeptFreshFates(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		w := keepFresh(t, answer.FateShares{Vanish: 0.06, Return: 0.06, Move: 0.06})
		w.followed(t)
		w.foundAll(t, 30*24*time.Hour)
	})
}

// keepFresh crawls a web for a month.
func keepFresh(t *testing.T, fates answer.FateShares) *testWeb {
	t.Helper()
	const day, pages = 24 * time.Hour, 400
	began := time.Now()
	clock := func() time.Duration { return time.Since(began) }
	w := newTestWeb(t, pages, 10, answer.Options{Changes: answer.Changes{
		Clock: clock, Began: began, Median: 8 * day, Bursts: 0.5, Noise: 0.3, Fates: fates,
	}})
	c := &w.o.Config
	every := 4 * day
	c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: every}, "default", config.Duration{Duration: 30 * day}
	c.Balance = config.Default().Balance
	w.o.Machine.Sizes.Status, w.o.Machine.Sizes.Report = time.Hour, time.Hour
	w.run(t)
	weight := w.linksIn()
	got := w.server.Counter().Freshness(func(p graph.Page) float64 { return weight[p] }, 10*day, 30*day, 0)
	course := w.promised(t, weight)
	promise := course.Fresh
	if stale := 1 - got.Fresh; math.Abs(got.Fresh-promise)/promise > 0.05 || stale == 0 {
		t.Errorf("%.4f of the copies are fresh, the simulator has %.4f", got.Fresh, promise)
	}
	// Visits have a pace, so their number is not chance, unlike their order: requests that end at
	// the same instant are taken in any order. Live a page that moved has two URLs, each with
	// its visits, and there are second looks at pages that vanished.
	moved := w.movedFor(10*day, 30*day).Hours() / every.Hours()
	if of := (float64(got.Requests) - moved) / float64(course.Visits); of < 0.65 || of > 0.68 {
		t.Errorf("%d visits in 20 days, %.0f of them because of pages that moved; the simulator has %d in 30", got.Requests, moved, course.Visits)
	}
	if want := pages*20/4 + moved; math.Abs(float64(got.Requests)-want) > 0.02*want {
		t.Errorf("%d visits in 20 days, want about %.0f", got.Requests, want)
	}
	w.polite(t)
	clean(t, w.verify(t))
	t.Logf("fresh %.4f, promised %.4f; %d visits, %.0f expected", got.Fresh, promise, got.Requests, pages*20/4+moved)
	return w
}

// movedFor returns how long pages had moved to other URLs, in the time between two instants, all
// pages together.
func (w *testWeb) movedFor(from, to time.Duration) (sum time.Duration) {
	for p := range graph.Page(w.web.Spec().Pages) {
		if f := w.server.Fate(p); f.Kind == answer.Moves && f.From < to {
			sum += to - max(from, f.From)
		}
	}
	return sum
}

// foundAll demands that pages that are there at the end of the crawl are fetched, under the URLs
// that they have or had. Of those that vanished and came back some may still count as gone, since
// they are visited ever more rarely: a quarter must be found within the month, and mostly it is
// more than half.
func (w *testWeb) foundAll(t *testing.T, end time.Duration) {
	t.Helper()
	state := map[string]string{}
	for _, p := range w.listed(t) {
		state[p.URL] = p.State
	}
	back, seen := 0, 0
	for p := range graph.Page(w.web.Spec().Pages) {
		f, fetched := w.server.Fate(p), state[w.server.URL(p)] == "fetched"
		switch {
		case f.Gone(end):
		case f.Kind == answer.Returns && f.Until < end:
			if back++; fetched {
				seen++
			} else if got := state[w.server.URL(p)]; got != "failed" {
				t.Errorf("page %d, which came back, is %q", p, got)
			}
		case !fetched:
			t.Errorf("page %d, which %s, is %q", p, f.Kind, state[w.server.URL(p)])
		}
	}
	if back == 0 || seen*4 < back {
		t.Errorf("of %d pages that came back %d were found", back, seen)
	}
	t.Logf("of %d pages that came back %d are fetched", back, seen)
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

// news returns when a page changes, vanishes and returns, until an instant.
func (w *testWeb) news(p graph.Page, until time.Duration) []time.Duration {
	list := w.server.Changes(p, 0, until)
	f := w.server.Fate(p)
	for _, at := range []time.Duration{f.From, f.Until} {
		if f.Kind != answer.Moves && at > 0 && at < until {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
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
		col.Log.Changes = append(col.Log.Changes, w.news(graph.Page(p), c.Duration.Duration))
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
	visits := &sim.Revisits{Every: c.Recrawl.Duration, Division: freshness.Division{Compete: true}}
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
