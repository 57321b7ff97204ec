package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/zeebo/xxh3"
)

// settings are ways to crawl that leave different traces in a journal.
func settings() []setting {
	const s = time.Second
	some := func(p graph.Page) bool { return policy.Hash(5, uint64(p))%8 != 0 }
	return []setting{
		{name: "order only", fetchers: 1},
		{name: "polite", preset: "thesis2004", fetchers: 8, frontier: frontier.Options{Delay: 2 * s, Factor: 10, FactorMax: 60 * s}},
		{name: "keep-alive with robots.txt", preset: "modern", fetchers: 16, max: 900, site: "larger-sites-first",
			frontier: frontier.Options{Delay: s, SmallDelay: s / 2, SmallSite: 9, PerConnection: 4, Resolve: true, Robots: true, Allowed: some}},
		{name: "thesis batches", preset: "modern", fetchers: 8, site: "opic",
			frontier: frontier.Options{Delay: s, Mode: frontier.Thesis, Batch: 150, PerConnection: 2}},
		{name: "thesis batches that stop early", preset: "modern", fetchers: 16,
			frontier: frontier.Options{Delay: s, Mode: frontier.Thesis, Batch: 150, MinActive: 5, SiteShare: 0.1, Allowed: some}},
		{name: "batches ahead", preset: "modern", fetchers: 32,
			frontier: frontier.Options{Delay: 3 * s, Mode: frontier.Ahead, Batch: 60}},
		{name: "addresses", preset: "modern", fetchers: 8, frontier: frontier.Options{Delay: s / 2, Resolve: true, AddressCap: 1, AddressDelay: s}},
		{name: "sliced", preset: "modern", fetchers: 8, frontier: frontier.Options{Delay: s / 4, Slice: 100, PerConnection: 3}},
	}
}

// A replica makes frontiers with the options and the knowledge of a crawl.
type replica struct{ c *crawl }

func (r replica) fresh(t *testing.T, page *policy.Choice) *frontier.Frontier {
	t.Helper()
	o := r.c.o.Frontier
	o.MaxPages, o.MaxSites, o.Random = r.c.w.pages(), r.c.w.sites(), r.c.o.Random
	f, err := frontier.New(o, r.c.env(), page, r.c.o.SitePolicy, r.c.oracle())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// state returns the saved state of a frontier: a line for each column, so that a difference
// shows where, and one for all.
func state(t *testing.T, f *frontier.Frontier) (lines []string) {
	t.Helper()
	f.Columns(func(c graph.AnyColumn) {
		h := xxh3.New()
		if err := c.Save(h); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %d %x", c.Name(), c.Len(), h.Sum64()))
	})
	h := xxh3.New()
	if err := f.Save(h); err != nil {
		t.Fatal(err)
	}
	return append(lines, fmt.Sprintf("all, with the rest: %x", h.Sum64()))
}

// differing are the lines in which two states differ.
func differing(a, b []string) (lines []string) {
	for i := range a {
		if a[i] != b[i] {
			lines = append(lines, a[i]+" / "+b[i])
		}
	}
	return lines
}

// recorded runs a crawl and keeps its journal, and its state after some hand-outs by
// the number of records then.
func recorded(t *testing.T, world *World, o *Options) (c *crawl, m *memory, states map[int][]string) {
	t.Helper()
	m, states = &memory{}, map[int][]string{}
	took := 0
	o.Record = func(now time.Duration, e *event.Event) {
		m.Append(now, e)
		if e.Kind == event.Took { // it is done by now; other events are about to be
			if took++; took == 20 || took%450 == 0 {
				states[int(m.next)] = state(t, c.f)
			}
		}
	}
	c, err := newCrawl(world, o, &pool{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.seed()
	if err := c.loop(); err != nil {
		t.Fatal(err)
	}
	return c, m, states
}

// events are the records of a journal.
func events(t *testing.T, m *memory) (now []time.Duration, list []event.Event) {
	t.Helper()
	err := m.Each(func(at time.Duration, e *event.Event) {
		c := *e
		c.New, c.Links = slices.Clone(e.New), slices.Clone(e.Links)
		now, list = append(now, at), append(list, c)
	})
	if err != nil {
		t.Fatal(err)
	}
	return now, list
}

// The journal is the state: for every policy and every way to crawl, the events of a
// simulation applied to an empty frontier give the same one, at any time, and one that
// continues by itself from the middle hands out the same.
func TestReplay(t *testing.T) {
	pages := 1200
	if testing.Short() {
		pages = 600
	}
	w := newTestWeb(t, pages, 40)
	for _, s := range settings() {
		for _, name := range variants() {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				s := s
				if name == "pagerank" {
					s.max = 450 // it solves before each page
				}
				o := w.options(t, name, &s, 4)
				c, m, states := recorded(t, w.world(t, s.preset, 2), &o)
				defer c.free()
				if len(c.res.Order) < 400 || len(states) < 2 {
					t.Fatalf("only %d pages, %d states", len(c.res.Order), len(states))
				}
				replay(t, c, m, states)
				resume(t, c, m)
			})
		}
	}
}

// replay applies all events and compares the states.
func replay(t *testing.T, c *crawl, m *memory, states map[int][]string) {
	t.Helper()
	f := replica{c}.fresh(t, c.o.Policy)
	defer f.Free()
	now, list := events(t, m)
	for i := range list {
		f.Apply(now[i], &list[i])
		if want := states[i+1]; want != nil {
			if d := differing(want, state(t, f)); d != nil {
				t.Fatalf("after record %d of %d: %q", i, len(list), d)
			}
		}
	}
	if f.Differs() != 0 {
		t.Errorf("%d decisions would differ", f.Differs())
	}
	if c.left > 0 { // the crawl called Next once more
		if w, ask, ok := f.Next(c.now); ok || ask != event.Never {
			t.Errorf("at the end it hands out %v, or would be called again at %v", w, ask)
		}
	}
	if d := differing(state(t, c.f), state(t, f)); d != nil {
		t.Errorf("at the end: %q", d)
	}
}

// resume applies the first half of the events. Then the frontier decides by itself, and
// must decide as the journal records.
func resume(t *testing.T, c *crawl, m *memory) {
	t.Helper()
	f := replica{c}.fresh(t, c.o.Policy)
	defer f.Free()
	now, list := events(t, m)
	half := len(list) / 2
	for list[half-1].Kind != event.Took { // not between Done and the answer of More
		half++
	}
	for i := range half {
		f.Apply(now[i], &list[i])
	}
	d := decider{f: f}
	for i := half; i < len(list); i++ {
		if err := d.step(now[i], &list[i]); err != nil {
			t.Fatalf("record %d of %d, %d after the middle: %v", i, len(list), i-half, err)
		}
	}
}

// A decider is a frontier that decides by itself what stands in a journal.
type decider struct {
	f       *frontier.Frontier
	next    *event.Task  // handed out, but not in the journal yet
	refused []graph.Page // the same
}

func (d *decider) step(now time.Duration, e *event.Event) error {
	switch e.Kind {
	case event.Took:
		d.ask(now)
		want := event.Task{Kind: e.Task.Kind, Site: e.Site, Page: e.Page, Board: e.Board, For: e.For}
		if d.next == nil || *d.next != want || len(d.refused) > 0 {
			return fmt.Errorf("it hands out %+v and refuses %v, then it was %+v", d.next, d.refused, want)
		}
		d.next = nil
	case event.Refused:
		if len(d.refused) == 0 {
			d.ask(now)
		}
		if len(d.refused) == 0 || d.refused[0] != e.Page {
			return fmt.Errorf("it refuses %v, then it was %v", d.refused, e.Page)
		}
		d.refused = d.refused[1:]
	case event.Polled:
		if d.ask(now); d.next != nil || len(d.refused) > 0 {
			return fmt.Errorf("it hands out %+v, then there was nothing", d.next)
		}
	default:
		if d.next != nil || len(d.refused) > 0 {
			return fmt.Errorf("it hands out %+v and refuses %v, then there was %v", d.next, d.refused, e.Kind)
		}
		d.f.Apply(now, e)
		if e.Kind == event.Done && e.Keep {
			w, ok := d.f.More(now, d.f.Site(e.Page))
			d.got(w, ok)
		}
	}
	return nil
}

func (d *decider) ask(now time.Duration) {
	if d.next == nil {
		w, _, ok := d.f.Next(now)
		d.got(w, ok)
	}
}

func (d *decider) got(w event.Task, ok bool) {
	if ok {
		d.next = &w
	}
	d.refused = append(d.refused, d.f.Refusals()...)
}

// Replay forces what was decided: under another policy all pages get the states they
// had, and the frontier counts what it would have decided otherwise.
func TestReplayUnderAnotherPolicy(t *testing.T) {
	w := newTestWeb(t, 600, 30)
	for _, s := range settings() {
		o := w.options(t, "opic", &s, 4)
		o.MaxPages = 400
		c, m, _ := recorded(t, w.world(t, s.preset, 2), &o)
		for _, name := range variants() {
			f := replica{c}.fresh(t, mustChoose(t, name))
			now, list := events(t, m)
			for i := range list {
				f.Apply(now[i], &list[i])
			}
			if same := name == "opic"; same != (f.Differs() == 0) {
				t.Errorf("%s: %s would have decided otherwise %d times", s.name, name, f.Differs())
			}
			for p := range graph.Page(f.Pages()) {
				if f.State(p) != c.f.State(p) {
					t.Fatalf("%s: under %s page %d is %v, it was %v", s.name, name, p, f.State(p), c.f.State(p))
				}
			}
			f.Free()
		}
		c.free()
	}
}
