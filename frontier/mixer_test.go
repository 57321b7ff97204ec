package frontier

import (
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// alternating has two boards, one for each direction of the ids, and takes them in turn.
type alternating struct {
	boards []*policy.Board
	taken  []int // the boards of the pages handed out
}

func (a *alternating) choice() *policy.Choice {
	return &policy.Choice{Name: "alternating", Spec: &policy.Spec{Name: "alternating", Boards: 2, New: func(e *policy.Env, _ policy.Params) (policy.Policy, error) {
		a.boards = e.Boards
		return a, nil
	}}}
}

func (a *alternating) Columns(func(graph.AnyColumn))                                {}
func (a *alternating) Done(time.Duration, graph.Page, *event.Outcome, []graph.Page) {}
func (a *alternating) Known(p, _ graph.Page) {
	a.boards[0].Set(p, float64(p))
	a.boards[1].Set(p, -float64(p))
}
func (a *alternating) Turn() int { return len(a.taken) % 2 }
func (a *alternating) Taken(_ time.Duration, _ graph.Page, board int) {
	a.taken = append(a.taken, board)
}

// TestMixer: a policy that is a Mixer chooses the board of each hand-out, for the site as
// well as for the page.
func TestMixer(t *testing.T) {
	a := &alternating{}
	f, err := New(Options{MaxPages: 16, MaxSites: 8}, policy.Env{}, a.choice(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Free()
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1, 2, 0, 1, 2}})
	order := handOut(t, f, 6)
	if want := []graph.Page{5, 0, 4, 1, 3, 2}; !slices.Equal(order, want) || !slices.Equal(a.taken, []int{0, 1, 0, 1, 0, 1}) {
		t.Errorf("order %v by boards %v, want %v", order, a.taken, want)
	}
}

// TestMixerOfSites: a Mixer that orders the sites chooses the board of each site, and learns
// which of its own boards that was.
func TestMixerOfSites(t *testing.T) {
	a := &alternating{}
	page, err := policy.Choose("breadth-first")
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(Options{MaxPages: 16, MaxSites: 8}, policy.Env{}, page, a.choice(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Free()
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1, 2, 0, 1, 2}})
	order := handOut(t, f, 6)
	if want := []graph.Page{2, 0, 5, 1, 4, 3}; !slices.Equal(order, want) || !slices.Equal(a.taken, []int{0, 1, 0, 1, 0, 1}) {
		t.Errorf("order %v by boards %v, want %v", order, a.taken, want)
	}
}

// handOut hands out n pages and lets each succeed.
func handOut(t *testing.T, f *Frontier, n int) (order []graph.Page) {
	t.Helper()
	for now := time.Duration(0); len(order) < n; now++ {
		w, _, ok := f.Next(now)
		if !ok {
			t.Fatalf("nothing is handed out after %v", order)
		}
		order = append(order, w.Page)
		f.Apply(now, &event.Event{Kind: event.Done, Task: w, Class: event.OK})
	}
	return order
}

// shy is a Mixer whose second board keeps all its sites closed.
type shy struct{ alternating }

func (s *shy) choice() *policy.Choice {
	c := s.alternating.choice()
	c.Spec.New = func(e *policy.Env, _ policy.Params) (policy.Policy, error) {
		s.boards = e.Boards
		s.boards[1].SitesOwn()
		return s, nil
	}
	return c
}

// TestMixerWithoutSite: if the board whose turn it is has no site, another one hands out a
// page.
func TestMixerWithoutSite(t *testing.T) {
	for _, mode := range []Mode{Continuous, Thesis} {
		s := &shy{}
		f, err := New(Options{MaxPages: 16, MaxSites: 8, Mode: mode, Batch: 1}, policy.Env{}, s.choice(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1, 2}})
		if order := handOut(t, f, 3); !slices.Equal(order, []graph.Page{2, 1, 0}) || !slices.Equal(s.taken, []int{0, 0, 0}) {
			t.Errorf("%v: order %v by boards %v, want 2, 1, 0 by the first", mode, order, s.taken)
		}
		f.Free()
	}
}

// TestTookByAnotherPolicy: a page that a board chose which the present policy does not have was
// handed out all the same, also if there is a policy for sites, whose boards choose no pages.
func TestTookByAnotherPolicy(t *testing.T) {
	for _, sites := range []string{"", "xim", "mix"} {
		page, err := policy.Choose("mix:opic+xim")
		if err != nil {
			t.Fatal(err)
		}
		var site *policy.Choice
		if sites != "" {
			if site, err = policy.Choose(sites); err != nil {
				t.Fatal(err)
			}
		}
		f, err := New(Options{MaxPages: 16, MaxSites: 8}, policy.Env{}, page, site, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0, 1}})
		for p, board := range []uint8{2, 255} {
			e := event.Event{Kind: event.Took, Task: event.Task{Kind: event.Fetch, Site: graph.Site(p), Page: graph.Page(p), Board: board}}
			if err := f.Check(&e); err != nil {
				t.Fatal(err)
			}
			if f.Apply(0, &e); f.State(graph.Page(p)) != Acquired {
				t.Errorf("sites by %q: page %d, which board %d chose, is %v", sites, p, board, f.State(graph.Page(p)))
			}
		}
		f.Free()
	}
}
