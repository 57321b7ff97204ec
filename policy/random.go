package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// Random: Cho, Garcia-Molina, Page 1998, section 3; thesis 4.3.1.
//
//	the next page is chosen uniformly among the known ones
//
// A random permutation of the waiting pages is kept in slots 1 to n, and the page of the
// highest slot goes next: value(p) = slot of p. A new page gets a slot drawn uniformly
// from 1 to n+1, and the page that was there moves to slot n+1. So all orders stay equally
// likely. A key drawn at discovery would be another policy: old pages with low keys would
// never have a chance among new ones.
//
// It knows only that pages exist. Cost per link: none; per page: two moves in heaps.
//
// Where it fails: everywhere, so regret is measured against it. If politeness withholds the
// page whose turn it is, another one goes first, and the page goes as soon as it may. So
// the choice is uniform among known pages, not among those that may be requested.

func randomSpec() *Spec {
	return &Spec{
		Name: "random",
		What: "a known page chosen uniformly",
		New:  newRandom,
	}
}

type random struct {
	graph.Set
	board *Board
	seed  uint64
	slots *graph.Column[uint32]     // by page: its slot, counted from 1; 0 if it does not wait
	pages *graph.Column[graph.Page] // by slot-1: the page there; only the first n count

	numbers *graph.Column[uint64]                    // see slotsUsed
	value   func(p graph.Page, slot float64) float64 // of the page in a slot; nil: the slot
}

// The indexes of random.numbers.
const (
	slotsUsed    = iota // slots in use
	numbersDrawn        // random numbers drawn so far
	randomNumbers
)

func newRandom(e *Env, _ Params) (Policy, error) { return newDice(e), nil }

func newDice(e *Env) *random {
	r := &random{board: e.Boards[0], seed: e.Random}
	r.slots = graph.NewColumnIn[uint32](&r.Set, "random slots", e.MaxPages)
	r.pages = graph.NewColumnIn[graph.Page](&r.Set, "random pages", e.MaxPages)
	r.numbers = graph.NewColumnIn[uint64](&r.Set, "random numbers", randomNumbers)
	r.numbers.Grow(randomNumbers)
	return r
}

func (r *random) Known(p, _ graph.Page) {
	r.slots.Append(0)
	r.enter(p)
}

// enter adds p in a new slot.
func (r *random) enter(p graph.Page) {
	num := r.numbers.Slice()
	num[slotsUsed]++
	num[numbersDrawn]++
	last := uint32(num[slotsUsed])
	r.pages.Grow(int(last))
	slot := uint32(order.Hash(r.seed, num[numbersDrawn])%uint64(last)) + 1
	if slot != last {
		r.put(r.pages.At(int(slot-1)), last)
	}
	r.put(p, slot)
}

func (r *random) put(p graph.Page, slot uint32) {
	r.slots.Set(int(p), slot)
	r.pages.Set(int(slot-1), p)
	v := float64(slot)
	if r.value != nil {
		v = r.value(p, v)
	}
	r.board.Set(p, v)
}

// Taken moves the page of the last slot into the slot of p.
func (r *random) Taken(_ time.Duration, p graph.Page, _ int) {
	num := r.numbers.Slice()
	slot, last := r.slots.At(int(p)), uint32(num[slotsUsed])
	num[slotsUsed]--
	r.slots.Set(int(p), 0)
	if slot != last {
		r.put(r.pages.At(int(last-1)), slot)
	}
}

// Dropped does the same for a page that will not be handed out.
func (r *random) Dropped(p graph.Page) { r.Taken(0, p, 0) }

// Admitted adds p again.
func (r *random) Admitted(p graph.Page) { r.enter(p) }

func (r *random) Done(_ time.Duration, p graph.Page, o *event.Outcome, _ []graph.Page) {
	if o.Again {
		r.enter(p)
	}
}
