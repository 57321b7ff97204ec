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
	var order []graph.Page
	for now := time.Duration(0); len(order) < 6; now++ {
		w, _, ok := f.Next(now)
		if !ok {
			t.Fatalf("nothing is handed out after %v", order)
		}
		order = append(order, w.Page)
		f.Apply(now, &event.Event{Kind: event.Done, Task: w, Class: event.OK})
	}
	if want := []graph.Page{5, 0, 4, 1, 3, 2}; !slices.Equal(order, want) || !slices.Equal(a.taken, []int{0, 1, 0, 1, 0, 1}) {
		t.Errorf("order %v by boards %v, want %v", order, a.taken, want)
	}
}
