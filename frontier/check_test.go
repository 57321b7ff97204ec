package frontier

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// TestHoles: a journal that has lost records can be replayed. What does not fit is
// passed over, what comes after a hole keeps its numbers, nothing panics, and the crawl
// can continue from there to its end.
func TestHoles(t *testing.T) {
	losses, misfits := 0, 0
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := newDuel(t, seed)
			defer func() { d.f.Free() }()
			d.run()
			f := d.fresh(false)
			defer f.Free()
			lost, passed := replayWithHoles(d, f)
			losses, misfits = losses+lost, misfits+passed
			now := d.now + time.Hour
			f.Apply(now, &event.Event{Kind: event.Session})
			goOn(t, f, now)
			for p := range graph.Page(f.Pages()) {
				if s := f.State(p); s == Known || s == Acquired || s == Reacquired {
					t.Errorf("page %d is %v in the end", p, s)
				}
			}
		})
	}
	if losses < 100 || misfits < 100 {
		t.Errorf("%d records are lost, %d do not fit", losses, misfits)
	}
}

// replayWithHoles replays the log of a duel and loses every thirtieth record of those
// behind the first. It returns how many are lost, and how many do not fit after that.
func replayWithHoles(d *duel, f *Frontier) (lost, passed int) {
	first := 0
	for i, l := range d.log {
		e := &l.e
		before := first
		first += len(e.New)
		if i > 0 && d.r.IntN(30) == 0 {
			lost++
			continue
		}
		for _, s := range e.New {
			f.SkipSites(max(0, int(s)-f.Sites())) // ids of new sites continue from there
			break
		}
		if e.Hop {
			f.SkipSites(max(0, int(e.To)-f.Sites()))
		}
		if len(e.New) > 0 {
			f.Skip(before - f.Pages())
		}
		if f.Check(e) != nil {
			passed++
			continue
		}
		f.Apply(l.at, e)
	}
	return lost, passed
}

// goOn hands out all that is left, and lets all of it come.
func goOn(t *testing.T, f *Frontier, now time.Duration) {
	for n := 0; n < 10_000; n++ {
		w, ask, ok := f.Next(now)
		if !ok && ask == event.Never {
			return
		}
		if !ok {
			now = ask
			continue
		}
		e := event.Event{Task: event.Task{Site: w.Site, Page: w.Page, For: w.For}, Start: now, End: now, Address: 1}
		e.Kind = map[event.TaskKind]event.Kind{event.Resolve: event.Resolved, event.Robots: event.Ruled, event.Sitemap: event.Listed, event.Fetch: event.Done}[w.Kind]
		if err := f.Check(&e); err != nil {
			t.Fatalf("the end of %+v: %v", w, err)
		}
		f.Apply(now, &e)
	}
	t.Fatal("it does not end")
}

// TestSkip: pages of a hole are lost, and no one requests them.
func TestSkip(t *testing.T) {
	for _, name := range []string{"breadth-first", "larger-sites-first", "random", "site-at-a-time", "webbase-500", "opic", "batch-pagerank/k=3"} {
		choice, err := policy.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		env := policy.Env{SiteName: func(graph.Site) string { return "http://a" }}
		f, err := New(Options{MaxPages: 10, MaxSites: 10}, env, choice, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Skip(3)
		f.SkipSites(1)
		f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{1, 2}})
		if s := f.State(1); s != Lost || f.Pages() != 5 || f.State(3) != Failed {
			t.Errorf("%s: page 1 is %v, page 3 %v, %d are known", name, s, f.State(3), f.Pages())
		}
		if w, _, ok := f.Next(0); !ok || w.Page != 4 {
			t.Errorf("%s: hands out %+v (%v), want page 4", name, w, ok)
		}
		if w, _, ok := f.Next(0); ok {
			t.Errorf("%s: hands out %+v, too", name, w)
		}
		f.Free()
	}
}

// TestCheck: events that make no sense are refused, and the message says why.
func TestCheck(t *testing.T) {
	for want, e := range map[string]event.Event{
		"kind 77":                                {Kind: 77},
		"11 new pages after 3":                   {Kind: event.Seed, New: make([]graph.Site, 11)},
		"is of site 3, but 2 are known":          {Kind: event.Seed, New: []graph.Site{0, 3}},
		"2 bars for 1":                           {Kind: event.Seed, New: []graph.Site{0}, Bars: make([]event.Bar, 2)},
		"no bar 32":                              {Kind: event.Seed, New: []graph.Site{0}, Bars: []event.Bar{32}},
		"admitted: page 3 is not known":          {Kind: event.Admitted, Admit: []graph.Page{3}},
		"no task of kind 5":                      {Kind: event.Took, Task: event.Task{Kind: 5, Site: 1}},
		"took: site 0 is acquired":               {Kind: event.Took, Task: event.Task{Kind: event.Fetch, Page: 1}},
		"took: site 2 is not known":              {Kind: event.Took, Task: event.Task{Site: 2}},
		"took: page 1 is of site 0, not 1":       {Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: 1, Page: 1}},
		"took: the robots.txt of site 0 did not": {Kind: event.Took, Task: event.Task{Kind: event.Robots, Site: 1}},
		"refused: page 0 is acquired":            {Kind: event.Refused},
		"refused: page 9 is not known":           {Kind: event.Refused, Task: event.Task{Page: 9}},
		"address 1065 is one too many":           {Kind: event.Resolved, Address: 1065},
		"site 1 is not acquired":                 {Kind: event.Resolved, Task: event.Task{Site: 1}},
		"ruled: the robots.txt of site 1":        {Kind: event.Ruled, Task: event.Task{For: 1}},
		"it moved to site 3, but 2 are known":    {Kind: event.Ruled, Hop: true, To: 3},
		"listed: site 5 is not known":            {Kind: event.Listed, Task: event.Task{Site: 5}},
		"done: page 1 is known":                  {Kind: event.Done, Task: event.Task{Page: 1}},
		"done: page 7 is not known":              {Kind: event.Done, Links: []graph.Page{7}},
		"there is no class":                      {Kind: event.Done, Class: event.LastClass + 1},
		"a delay is negative":                    {Kind: event.Done, Retry: -1},
		"it ends at 1ns, before":                 {Kind: event.Done, Start: 2, End: 1},
	} {
		f := plain(t, Options{})
		f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1}})
		if err := f.Check(&e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", e, err, want)
		}
	}
	f := plain(t, Options{})
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1}})
	for _, e := range []event.Event{{Kind: event.Polled}, {Kind: event.Session}, {Kind: event.Seed, New: []graph.Site{1, 2, 3, 2}}, {Kind: event.Done, New: []graph.Site{2}, Links: []graph.Page{3}},
		{Kind: event.Took, Task: event.Task{Site: 1, Kind: event.Fetch, Page: 2}}, {Kind: event.Refused, Task: event.Task{Page: 1}}, {Kind: event.Ruled, Hop: true, To: 2}, {Kind: event.Admitted, Admit: []graph.Page{2}}} {
		if err := f.Check(&e); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// FuzzApply applies events of any content, if Check lets them: nothing may panic, and
// what is saved can be loaded.
func FuzzApply(f *testing.F) {
	f.Add(uint64(1), uint16(200))
	f.Fuzz(func(t *testing.T, seed uint64, events uint16) { wild(t, seed, int(events%2000)) })
}

func TestWildEvents(t *testing.T) {
	applied := 0
	for seed := range uint64(60) {
		applied += wild(t, seed, 400)
	}
	if applied < 3000 {
		t.Errorf("only %d events could be applied", applied)
	}
}

// wild applies random events that fit, and returns how many did.
func wild(t *testing.T, seed uint64, events int) (applied int) {
	d := newDuel(t, seed)
	defer func() { d.f.Free() }()
	r := rand.New(rand.NewPCG(seed, 3))
	d.seed()
	for s := range graph.Site(duelSites) { // so that all have names
		d.site(s)
	}
	for len(d.world) < duelPages {
		d.world = append(d.world, uint32(len(d.world)))
	}
	now := time.Duration(0)
	for range events {
		now += time.Duration(r.IntN(2000)) * time.Millisecond
		if r.IntN(3) == 0 {
			if w, _, ok := d.f.Next(now); ok && r.IntN(4) > 0 {
				e := event.Event{Task: event.Task{Site: w.Site, Page: w.Page, For: w.For}, Start: now, End: now, Address: 1 + r.Uint32N(3), Hop: r.IntN(4) == 0,
					To: graph.Site(r.IntN(d.f.Sites())), Files: r.Uint32N(3)}
				e.Kind = map[event.TaskKind]event.Kind{event.Resolve: event.Resolved, event.Robots: event.Ruled, event.Sitemap: event.Listed, event.Fetch: event.Done}[w.Kind]
				d.f.Apply(now, &e)
			}
			continue
		}
		e := wildEvent(r, d, now)
		if d.f.Check(&e) == nil {
			applied++
			d.f.Apply(now, &e)
		}
	}
	d.reload()
	return applied
}

// wildEvent returns an event with small random numbers everywhere. New sites get names.
func wildEvent(r *rand.Rand, d *duel, now time.Duration) event.Event {
	pages, sites := d.f.Pages()+1, d.f.Sites()+1
	e := event.Event{
		Kind: event.Kind(r.IntN(int(event.Admitted) + 2)), Task: event.Task{Kind: event.TaskKind(r.IntN(5)), Site: graph.Site(r.IntN(sites)), For: graph.Site(r.IntN(sites)), Page: graph.Page(r.IntN(pages))}, Class: event.Class(r.IntN(15)), Again: r.IntN(4) == 0, Due: now + time.Duration(r.IntN(5e9)-1e9),
		Start: now, End: now + time.Duration(r.IntN(1000)-10), Keep: r.IntN(2) == 0, Hop: r.IntN(3) == 0, To: graph.Site(r.IntN(sites)),
		Files: r.Uint32N(3), Address: r.Uint32N(5), Delay: time.Duration(r.IntN(1000) - 10), Expiry: now + time.Duration(r.IntN(1e9)),
	}
	for range r.IntN(3) {
		e.New = append(e.New, graph.Site(r.IntN(sites-1)))
		e.Bars = append(e.Bars, event.Bar(r.IntN(3)))
	}
	if r.IntN(4) == 0 {
		e.New = append(e.New, graph.Site(d.f.Sites()))
		e.Bars = append(e.Bars, event.NoBar)
	}
	for range r.IntN(4) {
		e.Links = append(e.Links, graph.Page(r.IntN(pages)))
		e.Admit = append(e.Admit, graph.Page(r.IntN(pages)))
	}
	return e
}
