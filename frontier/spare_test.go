package frontier

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// spareRun is a frontier over pages of some sites, which needs addresses and robots.txt,
// and what it did.
type spareRun struct {
	f      *Frontier
	now    time.Duration
	events []event.Event // with their instants
	at     []time.Duration
	works  []event.Task
}

// newSpareRun makes one with so many sites of five pages each, page p of site p%sites.
func newSpareRun(t *testing.T, sites int, spare func(graph.Page) event.Bar) *spareRun {
	t.Helper()
	choice, err := policy.Choose("breadth-first")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Delay: time.Second, Resolve: true, Robots: true, PerConnection: 1, MaxPages: 5*sites + 1, MaxSites: sites, Spare: spare}
	r := &spareRun{}
	if r.f, err = New(o, policy.Env{}, choice, nil, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.f.Free)
	return r
}

// seed makes the pages known.
func (r *spareRun) seed(sites int) {
	e := event.Event{Kind: event.Seed}
	for p := range 5 * sites {
		e.New = append(e.New, graph.Site(p%sites))
	}
	r.apply(e)
}

func (r *spareRun) apply(e event.Event) {
	r.f.Apply(r.now, &e)
	r.log(e)
}

func (r *spareRun) log(e event.Event) {
	r.events, r.at = append(r.events, e), append(r.at, r.now)
}

// run hands out all there is; every task succeeds after a tenth of a second.
func (r *spareRun) run() {
	for {
		w, ask, ok := r.f.Next(r.now)
		for _, p := range r.f.Refusals() {
			r.log(event.Event{Kind: event.Refused, Task: event.Task{Page: p}, Bar: r.f.Bar(p)})
		}
		switch {
		case ok:
			r.do(w)
		case ask == event.Never:
			return
		default:
			r.now = max(ask, r.now)
		}
	}
}

func (r *spareRun) do(w event.Task) {
	r.works = append(r.works, w)
	r.log(event.Event{Kind: event.Took, Task: event.Task{Kind: w.Kind, Site: w.Site, For: w.For, Page: w.Page, Board: w.Board}})
	start := r.now
	r.now += 100 * time.Millisecond
	e := event.Event{Task: event.Task{Site: w.Site}, Start: start, End: r.now}
	switch w.Kind {
	case event.Resolve:
		e.Kind, e.Address = event.Resolved, uint32(w.Site)+1
	case event.Robots:
		e.Kind, e.For = event.Ruled, w.For
	case event.Sitemap:
		e.Kind = event.Listed
	default:
		e.Kind, e.Page = event.Done, w.Page
	}
	r.apply(e)
}

// kinds returns the tasks at a site.
func (r *spareRun) kinds(s graph.Site) (list []string) {
	for _, w := range r.works {
		if w.Site == s {
			list = append(list, w.Kind.String())
		}
	}
	return list
}

// checkReplay lets the events give the same state.
func (r *spareRun) checkReplay(t *testing.T, sites int) {
	t.Helper()
	again := newSpareRun(t, sites, nil) // on replay nobody is asked
	for i := range r.events {
		again.f.Apply(r.at[i], &r.events[i])
	}
	if n := again.f.Differs(); n != 0 || describe(again.f) != describe(r.f) {
		t.Errorf("replayed with %d differences: %s", n, firstDifference(describe(r.f), describe(again.f)))
	}
}

// A site all of whose pages are barred gets no request, not even for its address. A site
// with a page that is wanted does, and its barred pages are skipped.
func TestSpare(t *testing.T) {
	const sites = 3
	r := newSpareRun(t, sites, func(p graph.Page) event.Bar {
		if p%sites == 1 || p == 2 {
			return event.BarFarm
		}
		return event.NoBar
	})
	r.seed(sites)
	r.run()
	all := []string{"resolve", "robots", "fetch", "fetch", "fetch", "fetch", "fetch"}
	for s, want := range [][]string{all, nil, all[:6]} {
		if got := r.kinds(graph.Site(s)); !slices.Equal(got, want) {
			t.Errorf("site %d was asked for %v, want %v", s, got, want)
		}
	}
	for p := range graph.Page(5 * sites) {
		barred := p%sites == 1 || p == 2
		if r.f.State(p) == RefusedPage != barred || barred && r.f.Bar(p) != event.BarFarm {
			t.Errorf("page %d is %v, %v", p, r.f.State(p), r.f.Bar(p))
		}
	}
	r.checkReplay(t, sites)
}

// After a page is admitted, its site is requested for all that it needs.
func TestSpareAdmitted(t *testing.T) {
	bar := event.BarHosts
	r := newSpareRun(t, 1, func(graph.Page) event.Bar { return bar })
	r.seed(1)
	if r.run(); len(r.works) != 0 {
		t.Fatalf("the site was asked for %v", r.kinds(0))
	}
	bar = event.NoBar
	r.apply(event.Event{Kind: event.Admitted, Admit: []graph.Page{3}})
	r.run()
	if got := fmt.Sprint(r.kinds(0)); got != "[resolve robots fetch]" || r.f.State(3) != Fetched {
		t.Errorf("the site was asked for %s", got)
	}
	r.checkReplay(t, 1)
}

// It is asked before a site is known, and no more then: Barred is there for that.
func TestSpareEnds(t *testing.T) {
	const sites = 4
	asked := map[graph.Site]int{}
	var r *spareRun
	r = newSpareRun(t, sites, func(p graph.Page) event.Bar {
		if s := r.f.Site(p); r.f.sites.in(s, open) {
			t.Errorf("it is asked of page %d, though robots.txt is known", p)
		} else {
			asked[s]++
		}
		return event.NoBar
	})
	r.seed(sites)
	r.run()
	for s := range graph.Site(sites) {
		if asked[s] != 2 { // before its address and before its robots.txt
			t.Errorf("it was asked %d times of site %d", asked[s], s)
		}
	}
	none := newSpareRun(t, sites, nil)
	none.seed(sites)
	none.run()
	if !slices.Equal(none.works, r.works) || describe(none.f) != describe(r.f) {
		t.Errorf("with nothing against any page the works are %v, without the hook %v", r.works, none.works)
	}
	r.checkReplay(t, sites)
}

// Next gives up after many refusals, as it does with other bars, and continues.
func TestSparePatience(t *testing.T) {
	const sites = 20
	r := newSpareRun(t, sites, func(p graph.Page) event.Bar {
		if p == 5*sites-1 {
			return event.NoBar
		}
		return event.BarFarm
	})
	r.f.tasks.patience = 7
	r.seed(sites)
	_, ask, ok := r.f.Next(0)
	if n := len(r.f.tasks.refused); ok || ask != 0 || n != 7 {
		t.Fatalf("%d refusals, ask at %v, %v", n, ask, ok)
	}
	r.run()
	if got := fmt.Sprint(r.kinds(sites - 1)); got != "[resolve robots fetch]" || len(r.works) != 3 {
		t.Errorf("the works are %v", r.works)
	}
	if states, _, _ := r.f.Census(); states[RefusedPage] != 5*sites-1 {
		t.Errorf("%d pages are refused", states[RefusedPage])
	}
}
