package frontier

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// linesWeb returns a frontier of sites with two pages each. Every two sites have an address.
func linesWeb(t *testing.T, sites int, o Options) *Frontier {
	t.Helper()
	o.Resolve, o.MaxPages, o.MaxSites = true, 100, 50
	choice, err := policy.Choose("breadth-first")
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(o, policy.Env{}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	var at []graph.Site
	for range 2 {
		for s := range sites {
			at = append(at, graph.Site(s))
		}
	}
	f.Apply(0, &event.Event{Kind: event.Seed, New: at})
	for s := range sites {
		if w, _, ok := f.Next(0); !ok || w.Kind != event.Resolve {
			t.Fatalf("site %d: %+v %v", s, w, ok)
		}
	}
	for s := range graph.Site(sites) {
		f.Apply(0, &event.Event{Kind: event.Resolved, Task: event.Task{Site: s}, Address: uint32(s)/2 + 1})
	}
	return f
}

// fetchOne fetches the next page at now, and reports whether the connection was open and
// whether it stays so.
func fetchOne(t *testing.T, f *Frontier, l *Lines, now time.Duration) (s graph.Site, open, stays bool) {
	t.Helper()
	w, _, ok := f.Next(now)
	if !ok || w.Kind != event.Fetch {
		t.Fatalf("at %v: %+v %v", now, w, ok)
	}
	open = l.Begin(now, w.Site)
	f.Apply(now, &event.Event{Kind: event.Done, Task: event.Task{Page: w.Page}, Start: now, End: now})
	return w.Site, open, l.End(now, w.Site, event.Never)
}

func TestLines(t *testing.T) {
	const s = time.Second
	f := linesWeb(t, 1, Options{Delay: 2 * s, KeepAlive: 10 * s})
	l := NewLines(f, 5)
	if _, open, stays := fetchOne(t, f, l, 0); open || !stays {
		t.Errorf("the first request: open %v, stays %v", open, stays)
	}
	if _, open, stays := fetchOne(t, f, l, 2*s); !open || stays {
		t.Errorf("the second and last: open %v, stays %v", open, stays)
	}

	for _, test := range []struct {
		name  string
		o     Options
		stays bool
	}{
		{"soon", Options{Delay: 10 * s, KeepAlive: 10 * s}, true},
		{"too late", Options{Delay: 11 * s, KeepAlive: 10 * s}, false},
		{"never", Options{Delay: s}, false},
	} {
		f := linesWeb(t, 1, test.o)
		if _, _, stays := fetchOne(t, f, NewLines(f, 5), 0); stays != test.stays {
			t.Errorf("%s: stays %v", test.name, stays)
		}
	}
}

// Connections that are idle for too long, or too many, are closed, the oldest first.
func TestLinesClosed(t *testing.T) {
	const s = time.Second
	f := linesWeb(t, 6, Options{Delay: 5 * s, KeepAlive: 8 * s})
	l := NewLines(f, 2)
	var kept []graph.Site
	for i := range 4 {
		site, _, _ := fetchOne(t, f, l, time.Duration(i)*s)
		kept = append(kept, site)
	}
	if got := l.Closed(); !slices.Equal(got, kept[:2]) {
		t.Errorf("closed %v of %v", got, kept)
	}
	l.Expire(10 * s)
	if got := l.Closed(); len(got) != 0 {
		t.Errorf("closed %v", got)
	}
	l.Expire(10*s + 1)
	if got := l.Closed(); !slices.Equal(got, kept[2:3]) {
		t.Errorf("closed %v of %v", got, kept)
	}
}

// Idle connections count towards the limit of their address, and make room for requests.
func TestLinesAddress(t *testing.T) {
	const s = time.Second
	for limit, want := range map[int]int{1: 1, 2: 2, 0: 2} {
		f := linesWeb(t, 2, Options{Delay: 5 * s, KeepAlive: 8 * s, AddressCap: limit})
		l := NewLines(f, 9)
		a, _, _ := fetchOne(t, f, l, 0)
		fetchOne(t, f, l, s)
		closed := l.Closed()
		if len(l.idle) != want || limit == 1 && !slices.Equal(closed, []graph.Site{a}) {
			t.Errorf("limit %d: closed %v, %d idle", limit, closed, len(l.idle))
		}
	}
}

// TestLinesAgainstModel holds the bookkeeping against its rules at random: a site is idle or
// closed once, never more than the limits, and all that is indexed agrees.
func TestLinesAgainstModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const s = time.Second
	for range 20 {
		f := linesWeb(t, 30, Options{Delay: s, KeepAlive: 4 * s, AddressCap: 1 + rng.IntN(2)})
		l, open := NewLines(f, 6), map[graph.Site]bool{}
		for now := time.Duration(0); now < 60*s; now += time.Duration(rng.Int64N(int64(s))) {
			w, _, ok := f.Next(now)
			if !ok {
				continue
			}
			if got := l.Begin(now, w.Site); got && !open[w.Site] {
				t.Fatalf("site %d has a connection that was closed", w.Site)
			}
			for _, c := range l.Closed() {
				delete(open, c)
			}
			delete(open, w.Site)
			f.Apply(now, &event.Event{Kind: event.Done, Task: event.Task{Page: w.Page}, Start: now, End: now})
			if l.End(now, w.Site, time.Duration(rng.IntN(4))*s) {
				open[w.Site] = true
			}
			for _, c := range l.Closed() {
				if !open[c] {
					t.Fatalf("site %d is closed twice", c)
				}
				delete(open, c)
			}
			if len(open) != len(l.idle) || len(open) > 6 {
				t.Fatalf("%d are open, %d idle", len(open), len(l.idle))
			}
			for a, sites := range l.at {
				if len(sites) == 0 || len(sites) > f.o.AddressCap {
					t.Fatalf("address %d has %d idle connections", a, len(sites))
				}
			}
		}
	}
}
