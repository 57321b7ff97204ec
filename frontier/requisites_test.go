package frontier

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// A shownRun drives a frontier whose pages have requisites, and keeps the list of them.
type shownRun struct {
	*spareRun
	o      Options
	parts  map[graph.Site]int // that wait, by site
	flying map[graph.Site]event.Task
	order  string
}

func newShownRun(t *testing.T, o Options) *shownRun {
	t.Helper()
	r := &shownRun{spareRun: &spareRun{}, o: o, parts: map[graph.Site]int{}, flying: map[graph.Site]event.Task{}}
	r.f = r.fresh(t)
	t.Cleanup(r.f.Free)
	return r
}

func (r *shownRun) fresh(t *testing.T) *Frontier {
	t.Helper()
	choice, err := policy.Choose("breadth-first")
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(r.o, policy.Env{}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// need makes requisites of sites known.
func (r *shownRun) need(sites ...graph.Site) {
	for _, s := range sites {
		if int(s) >= r.f.Sites() || !r.f.Closed(s) {
			r.parts[s]++
		}
	}
	r.apply(event.Event{Kind: event.Needed, Needs: sites})
}

// next hands out a task, or waits until there may be one. It reports false when nothing is left.
func (r *shownRun) next(t *testing.T) bool {
	t.Helper()
	w, ask, ok := r.f.Next(r.now)
	if r.f.Polled() {
		r.log(event.Event{Kind: event.Polled})
	}
	if !ok {
		if ask == event.Never {
			return false
		}
		r.now = max(r.now+1, ask)
		return true
	}
	if _, twice := r.flying[w.Site]; twice {
		t.Fatalf("two tasks at site %d", w.Site)
	}
	if w.Kind == event.Requisite && r.parts[w.Site] == 0 {
		t.Fatalf("site %d has no requisite", w.Site)
	}
	r.log(event.Event{Kind: event.Took, Task: w})
	r.flying[w.Site] = w
	if w.Kind == event.Fetch {
		r.order += fmt.Sprint(w.Page, " ")
	} else {
		r.order += fmt.Sprintf("%c%d ", w.Kind.String()[2], w.Site)
	}
	return true
}

// end ends a task.
func (r *shownRun) end(w event.Task, e event.Event) {
	delete(r.flying, w.Site)
	e.Task, e.Start, e.End = w, r.now, r.now
	e.Kind = [...]event.Kind{event.Resolve: event.Resolved, event.Robots: event.Ruled, event.Fetch: event.Done, event.Requisite: event.Brought}[w.Kind]
	if w.Kind == event.Resolve {
		e.Address = uint32(w.Site)%3 + 1
	}
	if w.Kind == event.Requisite && !e.Again {
		r.parts[w.Site]--
	}
	r.apply(e)
}

// A requisite goes before the next page of its site. A site without pages waits for a fetcher that
// no page needs, but not for more than 8 pages.
func TestRequisiteOrder(t *testing.T) {
	r := newShownRun(t, Options{Requisites: true, MaxPages: 100, MaxSites: 10})
	e := event.Event{Kind: event.Seed}
	for p := range 24 {
		e.New = append(e.New, graph.Site(p%2))
	}
	r.apply(e)
	r.need(2, 2, 1) // a site of which nothing else is known, and one with pages
	for r.next(t) {
		for s := range graph.Site(3) {
			if w, ok := r.flying[s]; ok {
				r.end(w, event.Event{})
			}
		}
	}
	want := "0 q1 1 2 3 4 5 6 7 8 q2 9 10 11 12 13 14 15 16 q2 17 18 19 20 21 22 23 "
	if r.order != want {
		t.Errorf("%s\nwant\n%s", r.order, want)
	}
}

// Without the option they wait, and with it they are handed out when no page is to be any more.
func TestRequisitesOnly(t *testing.T) {
	for on, want := range map[bool]string{false: "", true: "q0 "} {
		r := newShownRun(t, Options{Requisites: on, MaxPages: 100, MaxSites: 10})
		r.apply(event.Event{Kind: event.Seed, New: []graph.Site{0, 0}})
		r.need(0)
		r.f.Limit(0)
		for range 3 {
			if r.next(t) && len(r.flying) > 0 {
				r.end(r.flying[0], event.Event{})
			}
		}
		if on && r.order != want || !on && (r.f.Counts().Requisites != 0 || r.f.sites.requisites.total != 1) {
			t.Errorf("with %v: %s, want %s", on, r.order, want)
		}
	}
}

// Random crawls with requisites: each is handed out as often as it was tried, one task at a time at
// a site, a replay makes the same decisions, and a saved state is the same.
func TestRequisitesAtRandom(t *testing.T) {
	for seed := range uint64(25) {
		x := rand.New(rand.NewPCG(seed, 3))
		r := newShownRun(t, Options{
			Requisites: true, Resolve: true, Robots: true, MaxPages: 300, MaxSites: 12, Delay: time.Duration(x.IntN(3)) * time.Second,
			AddressCap: x.IntN(3), AddressDelay: time.Duration(x.IntN(2)) * 300 * time.Millisecond, PerConnection: 1 + x.IntN(2),
		})
		r.apply(event.Event{Kind: event.Seed, New: []graph.Site{0, 1, 2, 0, 1}})
		for step := 0; step < 600; step++ {
			r.step(t, x)
			if step%97 == 0 {
				r.same(t, seed)
			}
		}
		for r.next(t) || len(r.flying) > 0 { // to the end
			for s := range graph.Site(12) {
				if w, ok := r.flying[s]; ok {
					r.end(w, event.Event{})
				}
			}
		}
		for s, n := range r.parts {
			if n != 0 && !r.f.Closed(s) {
				t.Errorf("seed %d: %d requisites of site %d wait", seed, n, s)
			}
		}
		r.same(t, seed)
	}
}

// step does something.
func (r *shownRun) step(t *testing.T, x *rand.Rand) {
	t.Helper()
	if x.IntN(3) > 0 {
		r.next(t)
		return
	}
	r.now += time.Duration(x.IntN(900)) * time.Millisecond
	for s := range graph.Site(r.f.Sites()) {
		w, ok := r.flying[s]
		if !ok || x.IntN(2) == 0 {
			continue
		}
		e := event.Event{}
		switch {
		case w.Kind == event.Requisite && x.IntN(8) == 0:
			e.Again, e.Class = true, event.Timeout
		case w.Kind == event.Resolve && x.IntN(12) == 0 && s > 2:
			e.Class = event.DNSError // its requisites are given up
			r.parts[s] = 0
		case w.Kind == event.Fetch:
			e.Keep = true
			for range x.IntN(3) {
				if r.f.Pages()+len(e.New) < 200 {
					e.New = append(e.New, graph.Site(x.IntN(3)))
				}
			}
		}
		r.end(w, e)
		if w.Kind == event.Fetch {
			var sites []graph.Site
			for range x.IntN(4) {
				sites = append(sites, graph.Site(x.IntN(min(r.f.Sites()+1, 12))))
				if int(sites[len(sites)-1]) == r.f.Sites() {
					break // at most one new site
				}
			}
			r.need(sites...)
			if w, ok := r.f.More(r.now, s); ok {
				r.log(event.Event{Kind: event.Took, Task: w})
				r.flying[s] = w
			}
		}
	}
	if x.IntN(60) == 0 && r.parts[1] > 1 && r.flying[1].Kind != event.Requisite {
		r.parts[1]--
		r.apply(event.Event{Kind: event.Unneeded, Task: event.Task{Site: 1}, Files: 1})
	}
}

// same replays the events, and saves and loads the state.
func (r *shownRun) same(t *testing.T, seed uint64) {
	t.Helper()
	again := r.fresh(t)
	defer again.Free()
	for i := range r.events {
		if err := again.Check(&r.events[i]); err != nil {
			t.Fatalf("seed %d: event %d: %v", seed, i, err)
		}
		again.Apply(r.at[i], &r.events[i])
	}
	if want := describe(r.f); again.Differs() != 0 || describe(again) != want {
		t.Fatalf("seed %d: replayed with %d differences: %s", seed, again.Differs(), firstDifference(want, describe(again)))
	}
	var b, c bytes.Buffer
	if err := r.f.Save(&b); err != nil {
		t.Fatal(err)
	}
	loaded := r.fresh(t)
	defer loaded.Free()
	if err := loaded.Load(bytes.NewReader(b.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := loaded.Save(&c); err != nil || !bytes.Equal(b.Bytes(), c.Bytes()) || describe(loaded) != describe(r.f) {
		t.Fatalf("seed %d: loaded %v: %s", seed, err, firstDifference(describe(r.f), describe(loaded)))
	}
	if a, b := loaded.sites.requisites, r.f.sites.requisites; a.total != b.total || a.flying != b.flying || a.since != b.since {
		t.Fatalf("seed %d: %+v, want %+v", seed, a, b)
	}
}
