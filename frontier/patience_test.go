package frontier

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// barredSite returns a frontier with one site of n+2 pages, all of which are barred when they
// would be handed out but the first and the last, and the events so far.
func barredSite(t *testing.T, n int) (f *Frontier, events []event.Event) {
	choice, err := policy.Choose("breadth-first")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{PerConnection: 2, MaxPages: n + 2, MaxSites: 1, Barred: func(p graph.Page) event.Bar {
		if p == 0 || int(p) == n+1 {
			return event.NoBar
		}
		return event.BarTrap
	}}
	if f, err = New(o, policy.Env{}, choice, nil, nil); err != nil {
		t.Fatal(err)
	}
	e := event.Event{Kind: event.Seed, New: make([]graph.Site, n+2)}
	f.Apply(0, &e)
	w, _, ok := f.Next(0)
	if !ok || w.Page != 0 {
		t.Fatalf("the first hand-out is %+v, %v", w, ok)
	}
	return f, []event.Event{e, {Kind: event.Took, Task: event.Task{Kind: event.Fetch}}}
}

// refusals hands over the refusals as events.
func refusals(f *Frontier) (events []event.Event) {
	for _, p := range f.Refusals() {
		events = append(events, event.Event{Kind: event.Refused, Task: event.Task{Page: p}, Bar: f.Bar(p)})
	}
	return events
}

// Next gives up after so many refusals, asks to be called again at once, and comes to the
// same page in the end; More gives the site up. The events give the same state.
func TestPatience(t *testing.T) {
	for _, keep := range []bool{false, true} {
		f, events := barredSite(t, 2*patience+300)
		defer f.Free()
		e := event.Event{Kind: event.Done, Keep: keep}
		f.Apply(0, &e)
		events = append(events, e)
		var calls []int
		if keep {
			if w, ok := f.More(0, 0); ok {
				t.Fatalf("more hands out %+v", w)
			}
			r := refusals(f)
			calls, events = append(calls, len(r)), append(events, r...)
			if at := f.sites.place.At(0); at != ready {
				t.Fatalf("the site is at place %d after More gave up", at)
			}
		}
		for len(calls) < 3 {
			w, ask, ok := f.Next(0)
			r := refusals(f)
			calls, events = append(calls, len(r)), append(events, r...)
			if f.Polled() {
				t.Error("there is nothing to tell beside the refusals")
			}
			if len(calls) < 3 && (ok || ask != 0) || len(calls) == 3 && (!ok || int(w.Page) != 2*patience+301) {
				t.Fatalf("call %d: %+v, ask at %v, %v", len(calls), w, ask, ok)
			}
		}
		if calls[0] != patience || calls[1] != patience || calls[2] != 300 {
			t.Errorf("%d pages were refused", calls)
		}
		events = append(events, event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Page: 2*patience + 301}})
		g, _ := barredSite(t, 2*patience+300)
		defer g.Free()
		for i := range events[2:] {
			g.Apply(0, &events[2+i])
		}
		if g.Differs() != 0 || describe(g) != describe(f) {
			t.Errorf("keep %v, replayed with %d differences: %s", keep, g.Differs(), firstDifference(describe(f), describe(g)))
		}
	}
}

// What is left of a series of refusals whose end is lost does not count for the next.
func TestPatienceEndsWithSession(t *testing.T) {
	f, _ := barredSite(t, 10)
	defer f.Free()
	f.tasks.patience = 3
	f.Apply(0, &event.Event{Kind: event.Done, Keep: true})
	f.Apply(0, &event.Event{Kind: event.Refused, Task: event.Task{Page: 1}, Bar: event.BarTrap})
	f.Apply(time.Second, &event.Event{Kind: event.Session})
	f.Apply(time.Second, &event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Page: 11}})
	f.Apply(time.Second, &event.Event{Kind: event.Done, Task: event.Task{Page: 11}, Keep: true})
	for p := graph.Page(2); p < 5; p++ {
		if at := f.sites.place.At(0); at != kept {
			t.Fatalf("before the refusal of page %d the site is at place %d", p, at)
		}
		f.Apply(time.Second, &event.Event{Kind: event.Refused, Task: event.Task{Page: p}, Bar: event.BarTrap})
	}
	if at := f.sites.place.At(0); at != ready {
		t.Fatalf("after the last refusal the site is at place %d", at)
	}
}
