package frontier

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// polled returns a frontier of one site with some pages, whose address and rules are known.
func polled(t *testing.T, pages int) *Frontier {
	t.Helper()
	choice, err := policy.Choose("breadth-first")
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(Options{Delay: 2 * time.Second, BackOff: 5 * time.Second, BackOffMax: 24 * time.Hour, Resolve: true, Robots: true, MaxPages: 100, MaxSites: 10}, policy.Env{}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	f.Apply(0, &event.Event{Kind: event.Seed, New: make([]graph.Site, pages)})
	for _, want := range []event.TaskKind{event.Resolve, event.Robots} {
		w, _, ok := f.Next(0)
		if !ok || w.Kind != want {
			t.Fatalf("%v %v, want %v", w.Kind, ok, want)
		}
		kind := event.Resolved
		if want == event.Robots {
			kind = event.Ruled
		}
		f.Apply(0, &event.Event{Kind: kind, Address: 1, Expiry: event.Never / 2})
	}
	return f
}

// stepOn hands out the next task, whenever it may be, and ends it.
func stepOn(t *testing.T, f *Frontier, now time.Duration, e event.Event) (w event.Task, at time.Duration) {
	t.Helper()
	w, ask, ok := f.Next(now)
	for ; !ok && ask < event.Never; w, ask, ok = f.Next(now) {
		now = ask
	}
	if !ok {
		t.Fatalf("nothing is left at %v", now)
	}
	e.Kind = map[event.TaskKind]event.Kind{event.Fetch: event.Done, event.Robots: event.Ruled, event.Resolve: event.Resolved}[w.Kind]
	e.Site, e.For, e.Page, e.Start, e.End = w.Site, w.For, w.Page, now, now
	if w.Kind == event.Resolve {
		e = event.Event{Kind: event.Resolved, Task: event.Task{Site: w.Site}, Address: 1, Start: now, End: now, Expiry: event.Never / 2}
	}
	f.Apply(now, &e)
	return w, now
}

// A site that says "too often" is requested at a pace at which it does not say so, and the pace
// survives a save.
func TestPace(t *testing.T) {
	f := polled(t, 90)
	now, last, turned := 2*time.Second, time.Duration(0), 0
	for i := range 80 {
		_, ask, ok := f.Next(now)
		for ; !ok; _, ask, ok = f.Next(now) {
			now = ask
		}
		e := event.Event{Kind: event.Done, Task: event.Task{Page: graph.Page(i - turned)}, Start: now, End: now}
		if now-last < 5*time.Second && i > 0 { // the server wants five seconds
			e.Class, e.Pushed, e.Again, e.Due = event.ServerError, true, true, now
			if turned++; i > 20 && f.sites.clocks.paces[0].Safe == 0 { // a try may fail
				t.Errorf("turned down at request %d, pace %v", i, f.sites.clocks.paces[0].Delay)
			}
		} else {
			last = now
		}
		e.Page = acquiredPage(f)
		f.Apply(now, &e)
		if f.sites.clocks.paces[0].Delay > 8*time.Second {
			t.Fatalf("request %d: the pace is %v", i, f.sites.clocks.paces[0].Delay)
		}
	}
	if turned < 2 || f.sites.clocks.paces[0].Delay < 4*time.Second {
		t.Errorf("turned down %d times, the pace is %v", turned, f.sites.clocks.paces[0].Delay)
	}
	var b bytes.Buffer
	if err := f.Save(&b); err != nil {
		t.Fatal(err)
	}
	g := polled(t, 90)
	if err := g.Load(&b); err != nil || g.sites.clocks.paces[0].Delay != f.sites.clocks.paces[0].Delay || g.sites.clocks.paces[0] != f.sites.clocks.paces[0] {
		t.Errorf("loaded: %v, pace %+v, want %+v", err, g.sites.clocks.paces[0], f.sites.clocks.paces[0])
	}
}

// Answers that say "too often" and have nothing to do with the pace slow a site down a
// little, and not for long: one page in fifty always has them, or all have for an hour.
func TestPaceInVain(t *testing.T) {
	const pages, usual = 3000, 2 * time.Second
	for name, refuses := range map[string]func(i int, now time.Duration) bool{
		"one in fifty":  func(i int, _ time.Duration) bool { return policy.Hash(3, uint64(i))%50 == 0 },
		"one in 20":     func(i int, _ time.Duration) bool { return policy.Hash(3, uint64(i))%20 == 0 },
		"one in ten":    func(i int, _ time.Duration) bool { return policy.Hash(3, uint64(i))%10 == 0 },
		"for an hour":   func(_ int, now time.Duration) bool { return now > time.Minute && now < time.Hour },
		"hour by hour":  func(_ int, now time.Duration) bool { return now%(2*time.Hour) > 110*time.Minute },
		"half of a day": func(_ int, now time.Duration) bool { return now > time.Minute && now < 12*time.Hour },
	} {
		var p pace
		now, idle, failures := time.Duration(0), time.Duration(0), 0
		for i := range pages {
			if refuses(i, now) {
				back := doubled(5*time.Second, failures, 24*time.Hour)
				p.slower(now, usual, failures)
				failures++
				now += max(p.Delay, usual, back)
				idle += max(p.Delay, usual, back)
				continue
			}
			if p != (pace{}) {
				p.faster(now, now, failures)
			}
			if p.Delay <= usual && p.Safe == 0 {
				p = pace{}
			}
			failures = 0
			now += max(p.Delay, usual)
		}
		t.Logf("%s: %v, %v of it after refusals, pace %v", name, now, idle, p.Delay)
		times := time.Duration(3)
		if name == "one in ten" {
			times = 6
		}
		if busy := now - idle; busy > times*pages*usual || p.Delay > 30*time.Second {
			t.Errorf("%s: %v for %d pages, and the pace is %v", name, busy, pages, p.Delay)
		}
	}
}

// A site that wants a minute between two requests gets it, and hardly any request before it.
func TestPaceOfAMinute(t *testing.T) {
	var p pace
	now, turned, failures, wait := time.Duration(0), 0, 0, 2*time.Second
	for i := range 500 {
		if wait < time.Minute {
			back := doubled(5*time.Second, failures, 24*time.Hour)
			p.slower(now, 2*time.Second, failures)
			now += max(p.Delay, back)
			wait += max(p.Delay, back) // it counts from the last good answer
			failures++
			turned++
			continue
		}
		p.faster(now, now, failures)
		failures, wait = 0, max(p.Delay, 2*time.Second)
		now += wait
		if i > 50 && p.Delay > 2*time.Minute {
			t.Fatalf("the pace is %v", p.Delay)
		}
	}
	if t.Logf("turned down %d times, pace %v", turned, p.Delay); turned > 25 {
		t.Errorf("turned down %d times of 500", turned)
	}
}

// While a site fails, each of its pages has its first turn before one has its third, and how
// often the frontier is asked meanwhile makes no difference.
func TestYields(t *testing.T) {
	f, g := polled(t, 20), polled(t, 20)
	now, tries := time.Duration(0), map[graph.Page]int{}
	for len(tries) < 20 {
		e := event.Event{Class: event.ServerError, Again: true}
		w, ask, ok := f.Next(now)
		for ; !ok; w, ask, ok = f.Next(now) {
			now = min(ask, now+time.Second)
		}
		if w.Kind != event.Fetch {
			t.Fatal(w)
		}
		if tries[w.Page]++; tries[w.Page] == 3 {
			t.Errorf("page %d is asked for the third time when %d of 20 were asked for", w.Page, len(tries))
		}
		g.Apply(now, &event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: w.Site, Page: w.Page, Board: w.Board}})
		e.Kind, e.Page, e.Start, e.End, e.Due = event.Done, w.Page, now, now, now+15*time.Second
		f.Apply(now, &e)
		g.Apply(now, &e)
		var one, two bytes.Buffer
		if err := errors.Join(f.Save(&one), g.Save(&two)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("%v: the state differs that was asked less often", now)
		}
	}
}

// acquiredPage returns the page that is under way.
func acquiredPage(f *Frontier) graph.Page {
	for p := range f.Pages() {
		if f.State(graph.Page(p)) == Acquired {
			return graph.Page(p)
		}
	}
	return graph.NoPage
}

// A robots.txt that is requested out of turn goes before pages, and its answer does not end
// the trouble of a site, but makes it wait less long.
func TestProbe(t *testing.T) {
	f := polled(t, 9)
	bad := event.Event{Class: event.Timeout, Again: true, Stale: true}
	now := time.Duration(0)
	for range 16 { // half of these ask for the address
		_, now = stepOn(t, f, now, bad)
	}
	n := f.Failures(0)
	if n < 7 || f.Hopeful() || !f.CanProbe(0) {
		t.Fatalf("%d failures, hopeful %v, can be probed %v", n, f.Hopeful(), f.CanProbe(0))
	}
	f.Apply(now, &event.Event{Kind: event.Probed, Task: event.Task{Site: 0}})
	if f.CanProbe(0) {
		t.Error("it can be probed twice")
	}
	w, at := stepOn(t, f, now, event.Event{Expiry: event.Never / 2})
	if w.Kind == event.Resolve {
		w, at = stepOn(t, f, at, event.Event{Expiry: event.Never / 2})
	}
	if w.Kind != event.Robots || f.Failures(0) != aliveFailures || f.Hopeful() {
		t.Errorf("%v came first; %d failures, hopeful %v", w.Kind, f.Failures(0), f.Hopeful())
	}
	if w, _ = stepOn(t, f, at, event.Event{}); w.Kind != event.Fetch || f.Failures(0) != 0 || !f.Hopeful() {
		t.Errorf("after %v: %d failures, hopeful %v", w.Kind, f.Failures(0), f.Hopeful())
	}
}

// Pages that failed, were refused or were fetched get another chance, and so does a closed site.
func TestRetried(t *testing.T) {
	f := polled(t, 3)
	_, now := stepOn(t, f, 0, event.Event{Class: event.HTTPError})
	_, now = stepOn(t, f, now, event.Event{})
	if f.FailedBy(0) != event.HTTPError || f.State(1) != Fetched {
		t.Fatalf("page 0 %v by %v, page 1 %v", f.State(0), f.FailedBy(0), f.State(1))
	}
	f.pages.refuse(2, event.BarScope)
	f.Apply(now, &event.Event{Kind: event.Retried, Admit: []graph.Page{0, 1, 2}})
	if f.State(0) != Known || f.State(1) != Fetched || f.State(2) != Known || f.Counts().Queued != 3 {
		t.Errorf("states %v %v %v, %d queued", f.State(0), f.State(1), f.State(2), f.Counts().Queued)
	}
	f.pages.close(now, 0, Failed, uint8(event.DNSError))
	if f.State(0) != Failed || f.FailedBy(0) != event.DNSError || !f.Closed(0) {
		t.Errorf("of a closed site: %v by %v", f.State(0), f.FailedBy(0))
	}
	f.Apply(now, &event.Event{Kind: event.Retried, Admit: []graph.Page{0}})
	if w, _ := stepOn(t, f, now, event.Event{}); w.Kind != event.Resolve || f.Closed(0) || f.State(0) != Known {
		t.Errorf("%v is asked for; closed %v, page %v", w.Kind, f.Closed(0), f.State(0))
	}
}

// A session ends the back-off of a site, unless the server demanded the time.
func TestForgiven(t *testing.T) {
	for _, retry := range []time.Duration{0, 3 * time.Hour} {
		f := polled(t, 9)
		now := time.Duration(0)
		for range 12 {
			_, now = stepOn(t, f, now, event.Event{Class: event.ServerError, Again: true, Retry: retry})
		}
		next := f.Instant(0)
		f.Apply(now, &event.Event{Kind: event.Session})
		if got := f.Instant(0); retry == 0 && got != now+2*time.Second || retry > 0 && got != next {
			t.Errorf("Retry-After %v: it waits until %v at %v, before until %v", retry, got, now, next)
		}
	}
}
