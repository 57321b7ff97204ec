package policy

import (
	"hash/fnv"
	"io"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// WebBase with 500 queues: Stanford's crawler as described by Cho, Garcia-Molina, Page
// 1998, section 5.1.
//
//	queue(p) = FNV-1a-64 of the name of its site, modulo 500 (queues=)
//	each queue first in, first out; queues in turn
//
// Turns are numbered, and turn t belongs to queue t mod 500. The head of a queue has the
// next turn of its queue, and keeps it: value(head) = -turn. All other pages have the same
// value, which is below any turn, so they are in the order of discovery. They go only if
// no head may go, because politeness withholds it, or if another policy chooses the site.
//
// It knows the names of sites, and no links. A page that is to be tried again goes to the
// end of its queue. It keeps its place if it was taken before its turn and pages before it
// still wait. Cost per link: none.
//
// Where it fails: all sites of a queue share its pace, so a small site in the queue of a
// large one waits for it.

func webbaseSpec() *Spec {
	return &Spec{
		Name:   "webbase-500",
		Source: "Cho 1998",
		What:   "queues of sites in turn, each first in, first out",
		Params: []Param{{Name: "queues", Default: "500", What: "number of queues"}},
		New:    newWebbase,
	}
}

type webbase struct {
	graph.Set
	board    *Board
	facts    Facts
	siteName func(graph.Site) string
	queues   uint64

	bySite *graph.Column[uint32] // queue of a site
	behind *graph.Column[uint32] // by page: 1 + the page behind it in its queue, 0 for the last
	state  *graph.Column[uint8]  // by page: waiting, gone or dropped
	// By queue: its first and last page, counted from 1, or 0 if it is empty; and the
	// turn of its head.
	heads, lasts *graph.Column[uint32]
	turns        *graph.Column[uint64]
	now          *graph.Column[uint64] // one number: all turns below it are over
}

// The states of a page in its queue.
const (
	waiting = iota
	gone    // handed out, but still in the list
	dropped // removed from the list
)

// behindHeads is the value of the pages that are not heads.
const behindHeads = -math.MaxFloat64

func newWebbase(e *Env, params Params) (Policy, error) {
	queues, err := params.Int("queues", 500, 1, maxQueues)
	if err != nil {
		return nil, err
	}
	w := &webbase{
		board:    e.Boards[0],
		facts:    e.Facts,
		siteName: e.SiteName,
		queues:   uint64(queues),
	}
	w.bySite = graph.NewColumnIn[uint32](&w.Set, "queues by site", e.MaxSites)
	w.behind = graph.NewColumnIn[uint32](&w.Set, "queues behind", e.MaxPages)
	w.state = graph.NewColumnIn[uint8](&w.Set, "queues state", e.MaxPages)
	w.heads = graph.NewColumnIn[uint32](&w.Set, "queues heads", queues)
	w.lasts = graph.NewColumnIn[uint32](&w.Set, "queues lasts", queues)
	w.turns = graph.NewColumnIn[uint64](&w.Set, "queues turns", queues)
	w.now = graph.NewColumnIn[uint64](&w.Set, "queues now", 1)
	w.heads.Grow(queues)
	w.lasts.Grow(queues)
	w.turns.Grow(queues)
	w.now.Grow(1)
	return w, nil
}

func (w *webbase) Known(p, _ graph.Page) {
	for s := w.bySite.Len(); s <= int(w.facts.Site(p)); s++ {
		w.bySite.Append(w.queueNamed(w.siteName(graph.Site(s))))
	}
	w.behind.Append(0)
	w.state.Append(waiting)
	w.enter(p)
}

func (w *webbase) queueNamed(site string) uint32 {
	h := fnv.New64a()
	io.WriteString(h, site) // a hash never fails
	return uint32(h.Sum64() % w.queues)
}

func (w *webbase) queueOf(p graph.Page) int { return int(w.bySite.At(int(w.facts.Site(p)))) }

// enter puts p at the end of its queue.
func (w *webbase) enter(p graph.Page) {
	q := w.queueOf(p)
	w.board.Set(p, behindHeads)
	w.behind.Set(int(p), 0)
	if last := w.lasts.At(q); last != 0 {
		w.behind.Set(int(last-1), uint32(p)+1)
	}
	w.lasts.Set(q, uint32(p)+1)
	if w.heads.At(q) == 0 {
		w.heads.Set(q, uint32(p)+1)
		w.turn(q)
	}
}

// turn sets the value of the head of q to the next turn of its queue.
func (w *webbase) turn(q int) {
	now := w.now.At(0)
	t := now - now%w.queues + uint64(q)
	if t < now {
		t += w.queues
	}
	w.turns.Set(q, t)
	w.board.Set(graph.Page(w.heads.At(q)-1), -float64(t))
}

// Taken ends the turn of the queue of p, even if p was not its head. A queue that was
// withheld may be served late, so turns never go back.
func (w *webbase) Taken(_ time.Duration, p graph.Page, _ int) {
	q := w.queueOf(p)
	w.now.Set(0, max(w.now.At(0), w.turns.At(q)+1))
	w.leave(q, p)
	if w.heads.At(q) != 0 {
		w.turn(q)
	}
}

// Dropped passes the turn of p to the page behind it.
func (w *webbase) Dropped(p graph.Page) {
	q := w.queueOf(p)
	head := w.heads.At(q)
	w.leave(q, p)
	if h := w.heads.At(q); h != 0 && h != head {
		w.turn(q)
	}
}

// leave marks p as gone, and moves the head of its queue past all pages that are gone.
func (w *webbase) leave(q int, p graph.Page) {
	w.state.Set(int(p), gone)
	head := w.heads.At(q)
	for head != 0 && w.state.At(int(head-1)) == gone {
		w.state.Set(int(head-1), dropped)
		head = w.behind.At(int(head - 1))
	}
	w.heads.Set(q, head)
	if head == 0 {
		w.lasts.Set(q, 0)
	}
}

func (w *webbase) Done(_ time.Duration, p graph.Page, o *event.Outcome, _ []graph.Page) {
	if o.Again {
		w.Admitted(p)
	}
}

// Admitted puts p at the end of its queue, unless it still has its place.
func (w *webbase) Admitted(p graph.Page) {
	if w.state.At(int(p)) == dropped {
		w.enter(p)
	}
	w.state.Set(int(p), waiting)
}
