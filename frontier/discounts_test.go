package frontier

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/queue"
)

// given is a policy with the values that a test wants, on two boards of which the first
// orders, and a copy of them: the boards must say what was set, whatever is discounted.
type given struct {
	t      *testing.T
	first  map[graph.Page]float64 // value of a page when it becomes known
	boards []*policy.Board
	values [2][]float64
	r      *rand.Rand // nil: values stay
}

func (g *given) choice() *policy.Choice {
	return &policy.Choice{Name: "given", Spec: &policy.Spec{Name: "given", Boards: 2, New: func(e *policy.Env, _ policy.Params) (policy.Policy, error) {
		g.boards = e.Boards
		return g, nil
	}}}
}

func (g *given) Columns(func(graph.AnyColumn)) {}

func (g *given) Known(p, from graph.Page) {
	for b := range g.boards {
		g.values[b] = append(g.values[b], 0)
		g.set(b, p, g.first[p])
	}
}

func (g *given) set(b int, p graph.Page, v float64) {
	g.boards[b].Set(p, v)
	g.values[b][p] = v
}

// Done changes values in all ways that there are.
func (g *given) Done(time.Duration, graph.Page, *event.Outcome, []graph.Page) {
	g.look()
	if g.r == nil {
		return
	}
	b := g.r.IntN(2)
	for range 5 {
		p := graph.Page(g.r.IntN(len(g.values[b])))
		if v := g.r.NormFloat64(); v < 0 || g.r.IntN(2) == 0 {
			g.set(b, p, v)
		} else {
			g.boards[b].Add(p, v)
			g.values[b][p] += v
		}
	}
	if g.r.IntN(4) == 0 {
		for p := range g.values[b] {
			if g.boards[b].Waits(graph.Page(p)) {
				g.values[b][p] = -g.values[b][p] / 2
			}
		}
		g.boards[b].Rescore(func(p graph.Page) float64 { return g.values[b][p] })
	}
	g.look()
}

// look compares what the boards say with what they were told.
func (g *given) look() {
	for b, list := range g.values {
		for p, v := range list {
			if got := g.boards[b].Value(graph.Page(p)); got != v {
				g.t.Fatalf("board %d says %v of page %d, which was given %v", b, got, p, v)
			}
		}
	}
}

func (g *given) frontier(o Options) *Frontier {
	f, err := New(o, policy.Env{}, g.choice(), nil, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	return f
}

// order hands out all that there is without an end, and says which pages it was.
func order(t *testing.T, f *Frontier) (pages []graph.Page) {
	for {
		w, _, ok := f.Next(0)
		if !ok {
			return pages
		}
		pages = append(pages, w.Page)
		f.Apply(0, &event.Event{Kind: event.Done, Task: event.Task{Page: w.Page}})
	}
}

// discounted returns a frontier whose first page, on site 0, links to pages 1 to 5 on sites of
// their own, of which it is told that it is a near duplicate; pages 6 to 10 are seeds on
// site 6.
func discounted(t *testing.T, near bool) (*Frontier, *given) {
	g := &given{t: t, first: map[graph.Page]float64{0: 100,
		1: 8, 2: 1, 3: 0, 4: -1, 5: -2,
		6: 3, 7: 1.5, 8: 0.125, 9: -3, 10: -5}}
	f := g.frontier(Options{MaxPages: 20, MaxSites: 20})
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0}})
	f.Next(0)
	links := []graph.Page{1, 2, 3, 4, 5}
	f.Apply(0, &event.Event{Kind: event.Done, Near: near, New: []graph.Site{1, 2, 3, 4, 5}, Links: links})
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{6, 6, 6, 6, 6}})
	return f, g
}

// Pages that only near duplicates link to go as if they were worth a quarter, four times
// as little if they are worth less than nothing (W20).
func TestDiscountNear(t *testing.T) {
	for _, c := range []struct {
		near bool
		lift []graph.Page
		want []graph.Page
	}{
		{false, nil, []graph.Page{1, 6, 7, 2, 8, 3, 4, 5, 9, 10}},
		{true, nil, []graph.Page{6, 1, 7, 2, 8, 3, 9, 4, 10, 5}},
		{true, []graph.Page{1, 4, 8}, []graph.Page{1, 6, 7, 2, 8, 3, 4, 9, 10, 5}},
	} {
		f, g := discounted(t, c.near)
		if c.lift != nil { // by a page of site 7 that was fetched
			f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{7}})
			f.Apply(0, &event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: 7, Page: 11}})
			f.Apply(0, &event.Event{Kind: event.Done, Task: event.Task{Page: 11}, Links: c.lift})
		}
		g.look()
		if got := order(t, f); !slices.Equal(got, c.want) {
			t.Errorf("near %v, lifted %v: pages %d, want %d", c.near, c.lift, got, c.want)
		}
		f.Free()
	}
}

// A near duplicate lifts nothing, and nothing is known of discounts before the first.
func TestDiscountStays(t *testing.T) {
	f, _ := discounted(t, false)
	defer f.Free()
	if f.orders.used || f.orders.nears.Bytes()+f.orders.mirrors.Bytes() != 0 {
		t.Error("there are discounts")
	}
	f, _ = discounted(t, true)
	defer f.Free()
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{7}})
	f.Apply(0, &event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: 7, Page: 11}})
	f.Apply(0, &event.Event{Kind: event.Done, Task: event.Task{Page: 11}, Near: true, Links: []graph.Page{1, 6}})
	if !f.Discounted(1) || f.Discounted(6) {
		t.Error("a near duplicate changed the discount of a known page")
	}
}

// A mirror is discounted with the pages that wait and those that become known, for ever,
// and pages that were discounted before are not twice (W21).
func TestDiscountSite(t *testing.T) {
	f, g := discounted(t, true)
	defer f.Free()
	f.DiscountSite(6)
	f.DiscountSite(6)
	f.DiscountSite(1)
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{7, 6}}) // 11 and 12
	f.Apply(0, &event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: 7, Page: 11}})
	f.Apply(0, &event.Event{Kind: event.Done, Task: event.Task{Page: 11}, Links: []graph.Page{1, 2, 6}}) // lifts 2 alone
	g.set(0, 12, 5)
	g.look()
	f = reloaded(t, g, f)
	defer f.Free()
	// 1: 2, 2: 1, 3: 0, 4: -4, 5: -8; 6: 0.75, 7: 0.375, 8: 1/32, 9: -12, 10: -20, 12: 1.25
	want := []graph.Page{1, 12, 2, 6, 7, 8, 3, 4, 5, 9, 10}
	if got := order(t, f); !slices.Equal(got, want) {
		t.Errorf("pages %d, want %d", got, want)
	}
}

// reloaded returns a frontier that loads what another saves, with the same policy.
func reloaded(t *testing.T, g *given, f *Frontier) *Frontier {
	var b bytes.Buffer
	h := g.frontier(*f.o)
	if err := cmp.Or(f.Save(&b), h.Load(&b)); err != nil {
		t.Fatal(err)
	}
	return h
}

// What is loaded is discounted as what was saved, and a frontier without discounts that
// loads into one with them forgets those.
func TestDiscountLoad(t *testing.T) {
	f, g := discounted(t, true)
	defer f.Free()
	f.DiscountSite(6)
	h := reloaded(t, g, f)
	defer h.Free()
	g.look()
	if got, want := describe(h), describe(f); got != want {
		t.Errorf("loaded: %s", firstDifference(want, got))
	}
	var b bytes.Buffer
	plain, _ := discounted(t, false)
	defer plain.Free()
	if err := cmp.Or(plain.Save(&b), h.Load(&b)); err != nil {
		t.Fatal(err)
	}
	g.look()
	if h.orders.used || describe(h) != describe(plain) {
		t.Errorf("loaded over it: %s", firstDifference(describe(plain), describe(h)))
	}
}

func TestDiscountCheck(t *testing.T) {
	f, _ := discounted(t, true)
	defer f.Free()
	if err := f.Check(&event.Event{Kind: event.Seed, Near: true}); err == nil || !strings.Contains(err.Error(), "near duplicate") {
		t.Errorf("a seed is a near duplicate: %v", err)
	}
	f.Next(0)
	if err := f.Check(&event.Event{Kind: event.Done, Task: event.Task{Page: 6}, Near: true}); err != nil {
		t.Error(err)
	}
}

// Whatever is discounted and lifted, in all modes, the boards say what the policy set,
// and every page waits with the value that it should have.
func TestDiscountUnseen(t *testing.T) {
	for _, mode := range []Mode{Continuous, Thesis, Ahead} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprint(mode, seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 9))
				g := &given{t: t, r: r}
				f := g.frontier(Options{Mode: mode, Batch: 5, MaxPages: 200, MaxSites: 10})
				defer func() { f.Free() }()
				f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 0, 1}})
				for w, _, ok := f.Next(0); ok; w, _, ok = f.Next(0) {
					step(f, r, w)
					g.look()
					values(t, f)
					if r.IntN(20) == 0 && mode == Continuous {
						h := reloaded(t, g, f)
						f.Free()
						f = h
					}
				}
				if f.Pages() < 150 {
					t.Errorf("only %d pages became known", f.Pages())
				}
			})
		}
	}
}

// step ends a task with links to known and new pages, and may find a mirror. In batch modes
// no page is tried again: it would wait with the value that it had before it was in the
// batch, discounted or not.
func step(f *Frontier, r *rand.Rand, w event.Task) {
	e := event.Event{Kind: event.Done, Task: event.Task{Page: w.Page}, Near: r.IntN(2) == 0, Again: f.o.Mode == Continuous && r.IntN(6) == 0}
	for range min(3, f.o.MaxPages-f.Pages()) {
		e.New = append(e.New, graph.Site(min(r.IntN(10), f.Sites()-1)))
	}
	if f.Sites() < 10 && len(e.New) > 0 {
		e.New[0] = graph.Site(f.Sites())
	}
	for range 4 {
		if p := graph.Page(r.IntN(f.Pages() + len(e.New))); p != w.Page && !slices.Contains(e.Links, p) {
			e.Links = append(e.Links, p)
		}
	}
	f.Apply(0, &e)
	if r.IntN(15) == 0 {
		f.DiscountSite(graph.Site(r.IntN(f.Sites())))
	}
}

// values looks at the value with which each page waits.
func values(t *testing.T, f *Frontier) {
	for p := range graph.Page(f.Pages()) {
		for _, b := range f.orders.boards {
			q, v := b.active, b.face.Value(p)
			if b.pool != nil && b.pool.Waits(p) {
				q = b.pool
			}
			if q.Waits(p) && f.Discounted(p) {
				v = queue.Lower(v)
			}
			if q.Value(p) != v {
				t.Fatalf("page %d has value %v in its queue, want %v", p, q.Value(p), v)
			}
		}
	}
}
