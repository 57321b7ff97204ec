package frontier

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// A floorRun is a crawl of a web in which links lead to few pages, of a few sites.
type floorRun struct {
	f      *Frontier
	o      Options
	now    time.Duration
	events []event.Event
	at     []time.Duration
	ends   []end
	took   []graph.Page
	when   []time.Duration     // of each
	left   int                 // pages that may still be handed out
	copies map[graph.Site]bool // sites whose pages are copies
	lookup map[graph.Site]int  // how often the name of a site is not found; below 0: always
}

const (
	floorSites = 20
	floorPages = 400
	floorDead  = graph.Site(1) // it never answers
)

// newFloorRun makes a crawl with politeness in which all pages are known. Page p is of site
// p%floorSites, and the first 80 have values from 1 to 8: those of sites 0 to 3.
func newFloorRun(t *testing.T, wait time.Duration, perConnection int, change ...func(*Options)) *floorRun {
	t.Helper()
	r := &floorRun{o: Options{Delay: time.Second, BackOff: 20 * time.Second, BackOffMax: time.Hour, Resolve: true, Robots: true, PerConnection: perConnection,
		WaitForBetter: wait, MaxPages: floorPages + 1, MaxSites: floorSites}}
	for _, f := range change {
		f(&r.o)
	}
	r.f = r.frontier(t)
	e := event.Event{Kind: event.Seed}
	for p := range floorPages {
		e.New = append(e.New, graph.Site(p%floorSites))
	}
	r.apply(e)
	return r
}

func (r *floorRun) frontier(t *testing.T) *Frontier {
	t.Helper()
	choice, err := policy.Choose("backlink-count")
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(r.o, policy.Env{}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	return f
}

func (r *floorRun) apply(e event.Event) {
	r.log(e)
	r.f.Apply(r.now, &e)
}

func (r *floorRun) log(e event.Event) { r.events, r.at = append(r.events, e), append(r.at, r.now) }

// run fetches so many pages, or all if there are fewer.
func (r *floorRun) run(pages int) {
	for r.left = pages; ; {
		r.f.Limit(r.left)
		ask := event.Never
		for r.left > 0 {
			w, again, ok := r.f.Next(r.now)
			if !ok {
				if ask = again; r.f.Polled() {
					r.log(event.Event{Kind: event.Polled})
				}
				break
			}
			r.begin(w)
		}
		slices.SortFunc(r.ends, func(a, b end) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.work.Site, b.work.Site))
		})
		switch {
		case len(r.ends) == 0 && ask == event.Never:
			return
		case len(r.ends) == 0 || ask < r.ends[0].at:
			r.now = ask
			continue
		}
		e := r.ends[0]
		r.ends, r.now = r.ends[1:], e.at
		r.end(e.work)
		if e.work.Kind == event.Fetch && r.left > 0 {
			if w, ok := r.f.More(r.now, e.work.Site); ok {
				r.begin(w)
			}
		}
	}
}

// begin begins a task.
func (r *floorRun) begin(w event.Task) {
	r.log(event.Event{Kind: event.Took, Task: w})
	r.ends = append(r.ends, end{r.now + 100*time.Millisecond, w})
	if w.Kind == event.Fetch {
		r.took, r.when = append(r.took, w.Page), append(r.when, r.now)
		r.left--
	}
}

// end ends a task. Every page links to good ones: those of sites 0 to 3.
func (r *floorRun) end(w event.Task) {
	e := event.Event{Task: event.Task{Site: w.Site}, Start: r.now - 100*time.Millisecond, End: r.now}
	switch w.Kind {
	case event.Resolve:
		e.Kind, e.Address = event.Resolved, uint32(w.Site)+1
		if n := r.lookup[w.Site]; n != 0 {
			r.lookup[w.Site]--
			e.Class, e.Address = event.DNSError, 0
			if e.Again = n > 0; e.Again {
				e.Due = r.now + 10*time.Second
			}
		}
	case event.Robots:
		e.Kind, e.For = event.Ruled, w.For
	default:
		e.Kind, e.Page = event.Done, w.Page
		for i := range 20 {
			if p := int(w.Page)*7 + i*41; p%floorSites < 4 {
				e.Links = append(e.Links, graph.Page(p%floorPages))
			}
		}
		if e.Keep = r.left > 0 && r.f.Continues(w.Site); w.Site == floorDead {
			e.Class, e.Again, e.Due, e.Links = event.Timeout, true, r.now+10*time.Second, nil
		} else if r.copies[w.Site] {
			e.Class, e.Links = event.Duplicate, nil
			r.left++ // they do not count
		}
	}
	r.apply(e)
}

// good returns the number of good pages that were handed out.
func (r *floorRun) good() (n int) {
	for _, p := range r.took {
		if p%floorSites < 4 && p%floorSites != graph.Page(floorDead) {
			n++
		}
	}
	return n
}

// With a floor a short crawl has more good pages and takes longer. A site with good pages that
// does not answer holds nothing up, and nothing is lost: in the end all pages are fetched. A
// replay of the events without a floor of its own repeats all decisions.
func TestFloor(t *testing.T) {
	for _, per := range []int{1, 3} {
		plain, choosy := newFloorRun(t, 0, per), newFloorRun(t, 5*time.Second, per)
		plain.run(60 * per)
		choosy.run(60 * per)
		if a, b := plain.good(), choosy.good(); b < 3*a/2 || choosy.now <= plain.now || choosy.now > 60*time.Second {
			t.Errorf("%d pages in a row: %d good ones in %v, with a floor %d in %v", per, a, plain.now, b, choosy.now)
		}
		for i := 1; i < len(choosy.when); i++ {
			if d := choosy.when[i] - choosy.when[i-1]; d > choosy.o.WaitForBetter {
				t.Errorf("nothing was handed out for %v", d)
			}
		}
		choosy.run(2 * floorPages)
		states, _, _ := choosy.f.Census()
		if n := int(states[Fetched]); n != floorPages-floorPages/floorSites {
			t.Errorf("%d pages were fetched", n)
		}
		replay := &floorRun{o: choosy.o}
		replay.f = replay.frontier(t)
		for i := range choosy.events {
			replay.f.Apply(choosy.at[i], &choosy.events[i])
		}
		if n := replay.f.Differs(); n != 0 || describe(replay.f) != describe(choosy.f) {
			t.Errorf("replayed with %d differences: %s", n, firstDifference(describe(choosy.f), describe(replay.f)))
		}
	}
}

// Good pages that turn out to be copies, and sites with good pages whose names are not found, at first
// or ever, or whose twin does not answer, hold nothing up: as many pages are handed out as may be, in about the time, and in the end
// none is under way and none that can be fetched is left.
func TestFloorOfCopiesAndNames(t *testing.T) {
	for pages := 20; pages <= 140; pages += 40 {
		r := newFloorRun(t, time.Hour, 1, func(o *Options) {
			o.Twin = func(s graph.Site) graph.Site {
				if s == 3 {
					return floorDead
				}
				return graph.NoSite
			}
		})
		r.copies, r.lookup = map[graph.Site]bool{0: true}, map[graph.Site]int{2: -1, 3: 2}
		r.run(pages)
		copies := 0
		for _, p := range r.took {
			if r.copies[graph.Site(p%floorSites)] {
				copies++
			}
		}
		if n := len(r.took) - copies; n != pages || copies == 0 || r.now > 90*time.Second {
			t.Errorf("%d pages and %d copies were handed out in %v, want %d pages", n, copies, r.now, pages)
		}
		r.run(10 * floorPages)
		states, _, _ := r.f.Census()
		each := floorPages / floorSites // all but those of the site that does not answer, and of the one without a name
		if got := int(states[Fetched]); got != floorPages-2*each || states[Acquired] != 0 || r.f.tasks.flying != 0 || r.lookup[3] != 0 {
			t.Errorf("%d pages were fetched, %d and %d tasks are under way", got, states[Acquired], r.f.tasks.flying)
		}
	}
}

// Without a limit there is no floor.
func TestFloorWithoutLimit(t *testing.T) {
	plain, choosy := newFloorRun(t, 0, 1), newFloorRun(t, 5*time.Second, 1)
	for _, r := range []*floorRun{plain, choosy} {
		for range 200 {
			w, ask, ok := r.f.Next(r.now)
			if !ok {
				r.now = ask
				continue
			}
			r.begin(w)
			r.now += 10 * time.Millisecond
			r.end(w)
		}
	}
	if !slices.Equal(plain.took, choosy.took) {
		t.Error("the order differs")
	}
}

// When only bad pages are left at sites that answer, the floor falls, however long the crawl may
// wait for better ones.
func TestFloorFalls(t *testing.T) {
	for pages := 20; pages <= 140; pages += 20 {
		r := newFloorRun(t, time.Hour, 1)
		if r.run(pages); len(r.took) != pages || r.now > 80*time.Second {
			t.Errorf("%d pages were handed out in %v, want %d", len(r.took), r.now, pages)
		}
	}
}

// The sample of a large frontier gives about the floor of all its pages.
func TestFloorSample(t *testing.T) {
	const pages, sites, left = 300_000, 1000, 800
	choice, err := policy.Choose("random")
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(Options{WaitForBetter: time.Minute, MaxPages: pages, MaxSites: sites}, policy.Env{}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Free()
	e := event.Event{Kind: event.Seed}
	for p := range pages {
		e.New = append(e.New, graph.Site(p%sites))
	}
	f.Apply(0, &e)
	y, ok := f.tasks.floor.of(left)
	above := 0
	for p := range graph.Page(pages) {
		if f.Value(p, 0) >= y.value {
			above++
		}
	}
	if want := floorShare * left; !ok || float64(above) < want/2 || float64(above) > 2*want {
		t.Errorf("%d pages are above the floor, want about %v", above, want)
	}
	if n := f.SitesBelowFloor(left); n == 0 || n >= sites {
		t.Errorf("%d sites of %d are left idle", n, sites)
	}
}

// A robots.txt that is probed is for no page, and does not keep better pages from being handed out.
func TestFloorProbe(t *testing.T) {
	r := newFloorRun(t, time.Hour, 1)
	r.run(50)
	r.now += 10 * time.Second
	r.f.Limit(20)
	probed := graph.Site(floorSites - 1)
	r.apply(event.Event{Kind: event.Probed, Task: event.Task{Site: probed}})
	w, _, ok := r.f.Next(r.now)
	if !ok || w.Kind != event.Robots || w.Site != probed {
		t.Errorf("%+v, %v: want the robots.txt of site %d", w, ok, probed)
	}
	if w, _, ok = r.f.Next(r.now); !ok || w.Kind != event.Fetch || w.Page%floorSites >= 4 {
		t.Errorf("%+v, %v: want a good page", w, ok)
	}
}
