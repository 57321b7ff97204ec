package freshness

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// signalPlan returns a plan of two sites with the pages below half and those from half on, all
// visited a minute ago, in the middle of a round.
func signalPlan(t *testing.T, pages int) (*Plan, time.Duration) {
	t.Helper()
	a, _ := Choose("default")
	p := New(Options{Allocation: a, Every: 1000 * time.Hour, MaxPages: pages})
	t.Cleanup(p.Free)
	p.AddPlace(-1)
	p.AddPlace(-1)
	for i := range pages {
		p.Fetched(0, graph.Page(i), 2*i/pages, 1, 0)
	}
	now := 1000 * time.Hour
	for i := range pages {
		p.Visited(now, graph.Page(i), Visit{})
	}
	for range 2 {
		now += 500 * time.Hour
		for p.Work(now, math.MaxInt) {
		}
	}
	now += time.Second
	for i := range pages {
		p.Visited(now, graph.Page(i), Visit{})
	}
	p.soon = soon{}
	return p, now + time.Minute
}

// A source that says of all pages of a site that they changed, when none did, wastes three visits,
// though nothing is known of the visits that it brought about when more are called.
func TestLiarWastesFew(t *testing.T) {
	p, now := signalPlan(t, 2000)
	for i := range 1000 {
		p.Signal(graph.Page(i), Sitemap)
	}
	var called []graph.Page
	for id, ok := p.Next(now); ok; id, ok = p.Next(now) {
		p.Called(id)
		called = append(called, id)
	}
	if len(called) != wasted {
		t.Errorf("%d pages are visited because of a source that lies, want %d", len(called), wasted)
	}
	for _, id := range called {
		p.Visited(now, id, Visit{})
	}
	if q := p.Reliability(5, Sitemap); q != 0 {
		t.Errorf("after %d visits without a change its reliability is %v", wasted, q)
	}
	if q := p.Reliability(5, Feed); q != trustFirst {
		t.Errorf("the reliability of another source at the site is %v", q)
	}
	if q := p.Reliability(1500, Sitemap); q != trustFirst {
		t.Errorf("the reliability at another site is %v", q)
	}
}

// drain visits all pages that the plan wants to be visited now. They have changed or not.
func drain(p *Plan, now time.Duration, changed bool) (n int) {
	for id, ok := p.Next(now); ok; id, ok = p.Next(now) {
		p.Called(id)
		p.Visited(now, id, Visit{Digest: uint64(id) + 1, Same: !changed})
		p.soon = soon{}
		n++
	}
	return n
}

// All pages that a source names are visited in the same round while what it says is true. When
// it begins to lie it is soon no longer believed, and when it is true again by and by it is.
func TestTruthIsBelieved(t *testing.T) {
	p, now := signalPlan(t, 2000)
	next := graph.Page(0)
	tell := func(n int) {
		for range n {
			p.Signal(next, Feed)
			next++
		}
	}
	if tell(100); drain(p, now, true) != 100 {
		t.Error("not all pages are visited of which a source told the truth")
	}
	if q := p.Reliability(5, Feed); q < 0.9 {
		t.Errorf("after true signals the reliability is %v", q)
	}
	tell(500)
	if n := drain(p, now, false); n < 10 || n > 200 {
		t.Errorf("%d of 500 pages are visited when a source begins to lie", n)
	}
	if q := p.Reliability(5, Feed); q != 0 {
		t.Errorf("after false signals the reliability is %v", q)
	}
	for range 100 { // visits for other reasons
		tell(1)
		p.Visited(now, next-1, Visit{Digest: 7})
	}
	if q := p.Reliability(5, Feed); q < 0.5 {
		t.Errorf("after 100 true signals the reliability is %v", q)
	}
}

// A source that names pages at random has the reliability 0, however often the pages change.
func TestChanceIsNotBelieved(t *testing.T) {
	for _, share := range []float64{0.1, 0.5, 0.8} { // of visits that find a change
		p, now := signalPlan(t, 400)
		rng := rand.New(rand.NewPCG(3, 3))
		believed := 0
		for turn := range 100 {
			now += 100 * time.Hour
			for i := range graph.Page(200) {
				if i%2 == 0 {
					p.Signal(i, Notice)
				}
				p.Visited(now, i, Visit{Digest: uint64(turn), Same: rng.Float64() > share})
			}
			if turn >= 20 && p.Reliability(0, Notice) > 0 {
				believed++
			}
		}
		if believed > 8 {
			t.Errorf("pages change in %v of the intervals: signals at random are believed %d of 80 times", share, believed)
		}
	}
}

// Visits that signals bring about come right after the changes. The rates are estimated as if
// they had not.
func TestRateWithSignals(t *testing.T) {
	a, _ := Choose("marginal")
	const pages, every = 200, 20 * 24 * time.Hour
	p := New(Options{Allocation: a, Every: every, MaxPages: pages})
	t.Cleanup(p.Free)
	p.AddPlace(-1)
	for i := range graph.Page(pages) {
		p.Fetched(0, i, 0, 1, 1)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range graph.Page(pages) {
		now := time.Duration(0)
		for n := range 20 { // a change every ten days; the source is read daily
			now += (time.Duration(rng.ExpFloat64()*float64(10*24*time.Hour))/(24*time.Hour) + 1) * 24 * time.Hour
			p.Signal(i, Sitemap)
			p.Visited(now, i, Visit{Digest: uint64(n) + 2})
		}
	}
	sum := 0.0
	for i := range p.pages.Slice() {
		sum += p.rateOf(&p.pages.Slice()[i]) * 10 * 86400 / pages
	}
	if sum < 0.85 || sum > 1.15 {
		t.Errorf("the rates are %.3f of the true ones", sum)
	}
}
