package policy

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// ximWorld drives XIM through random events, beside a naive account of what it should know.
type ximWorld struct {
	t                       *testing.T
	x                       *xim
	q                       *queue.Queue
	c                       []float64
	dir                     []graph.Page // by page: the page on which it was found
	handed, barred, waiting []bool       // by page; waiting includes those that are tried again at once
	later                   []bool       // by page: tried again later
	flying                  []graph.Page
}

func (w *ximWorld) know(from graph.Page) {
	p := graph.Page(len(w.c))
	w.c, w.dir = append(w.c, 0), append(w.dir, from)
	w.handed, w.barred = append(w.handed, false), append(w.barred, false)
	w.waiting, w.later = append(w.waiting, true), append(w.later, false)
	w.q.Page(p, 0)
	w.x.Known(p, from)
	w.q.Push(p)
}

// step lets something happen to p.
func (w *ximWorld) step(n uint64, p graph.Page) {
	switch kind := n % 8; {
	case kind < 3 && w.q.Waits(p):
		w.q.Remove(p)
		w.x.Taken(0, p, 0)
		w.handed[p], w.waiting[p], w.later[p] = true, false, false
		w.flying = append(w.flying, p)
	case kind == 3 && w.q.Waits(p):
		w.q.Remove(p)
		w.x.Dropped(p)
		w.barred[p], w.waiting[p], w.later[p] = !w.handed[p], false, false
	case kind == 4 && w.barred[p]:
		w.x.Admitted(p)
		w.q.Push(p)
		w.barred[p], w.waiting[p] = false, true
	case kind < 7 && len(w.flying) > 0:
		w.end(n/8, w.flying[0])
		w.flying = w.flying[1:]
	default:
		w.know(graph.Page(n / 8 % 5))
	}
}

// end ends an attempt: p is tried again at once or later, or it has links.
func (w *ximWorld) end(n uint64, p graph.Page) {
	switch n % 6 {
	case 0: // by a new session
		w.q.Push(p)
		w.x.Done(0, p, &event.Outcome{Again: true}, nil)
		w.waiting[p], w.handed[p] = true, false
	case 1:
		w.x.Done(0, p, &event.Outcome{Again: true, Class: event.Timeout}, nil)
		w.q.Push(p)
		w.later[p] = true
	case 2:
		w.x.Done(0, p, &event.Outcome{Class: event.HTTPError}, nil)
	default:
		first := graph.Page(n % uint64(len(w.c)))
		links := []graph.Page{first, (first + 1) % graph.Page(len(w.c))}
		part := (0.15 + float64(0.85*w.c[p])) / 2
		for _, q := range links {
			w.c[q] += part
		}
		w.x.Done(0, p, &event.Outcome{}, links)
	}
}

// check compares the board with values that are computed anew.
func (w *ximWorld) check() {
	w.t.Helper()
	var s, k [5]float64
	best := map[graph.Page]graph.Page{}
	for i, d := range w.dir {
		p := graph.Page(i)
		if !w.barred[p] {
			s[d]++
		}
		if w.handed[p] {
			k[d]++
		}
		if first, some := best[d]; w.waiting[p] && (!some || w.c[p] > w.c[first]) {
			best[d] = p
		}
	}
	for i, d := range w.dir {
		p, want := graph.Page(i), 0.0
		if p == best[d] && w.waiting[p] {
			want = (w.c[p] + 0.1) * math.Sqrt(s[d]+1) / (k[d] + 1)
		}
		if got := w.q.Value(p); w.waiting[p] && got != want {
			w.t.Fatalf("page %d of directory %d has the value %v, want %v", p, d, got, want)
		}
		if w.later[p] && w.q.Value(p) <= 0 {
			w.t.Fatalf("page %d, which is tried again, has the value %v", p, w.q.Value(p))
		}
	}
}

// TestXimHeads: whatever is taken, dropped, admitted or tried again, the first waiting page of
// each directory has its exact value, and all others of it have 0.
func TestXimHeads(t *testing.T) {
	e, q := newEnv(make(facts, 400), 1)
	made, err := newXim(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := made.(*xim)
	defer x.Free()
	w := &ximWorld{t: t, x: x, q: q}
	for range 5 {
		w.know(0)
	}
	for i := uint64(0); len(w.c) < 400; i++ {
		n := Hash(9, i)
		w.step(n, graph.Page(n>>32%uint64(len(w.c))))
		w.check()
	}
}
