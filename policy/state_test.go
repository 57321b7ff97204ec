package policy

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// newEnv returns an environment with one board, whose queue knows all sites.
func newEnv(of facts, sites int) (*Env, *queue.Queue) {
	q := queue.New("test", len(of), sites)
	for s := range graph.Site(sites) {
		q.Site(s)
	}
	return &Env{Facts: of, Boards: []*Board{queue.NewBoard(q, nil)}, MaxPages: len(of), MaxSites: sites,
		SiteName: func(s graph.Site) string { return fmt.Sprint("http://", s, ".example") }}, q
}

// TestWebbaseLists: whatever is taken, also from the middle of a queue, tried again or
// dropped, each page that waits stands in the list of its queue once, and the head of
// each queue is the only page of it that has a turn.
func TestWebbaseLists(t *testing.T) {
	const pages, sites, queues = 200, 9, 4
	of := make(facts, pages)
	for p := range of {
		of[p] = graph.Site(Hash(1, uint64(p)) % sites)
	}
	e, q := newEnv(of, sites)
	made, err := newWebbase(e, Params{"queues": fmt.Sprint(queues)})
	if err != nil {
		t.Fatal(err)
	}
	w := made.(*webbase)
	var flying []graph.Page
	for step, known := uint64(0), 0; known < pages; step++ {
		n := Hash(3, step)
		p := graph.Page(n / 8 % uint64(known+1))
		switch {
		case n%8 < 2 && int(p) < known && q.Waits(p):
			q.Remove(p)
			w.Taken(0, p, 0)
			flying = append(flying, p)
		case n%8 == 2 && int(p) < known && q.Waits(p):
			q.Remove(p)
			w.Dropped(p)
		case n%8 < 5 && len(flying) > 0:
			p := flying[0]
			flying = flying[1:]
			if n%8 == 3 {
				q.Push(p)
			}
			w.Done(0, p, &event.Outcome{Again: n%8 == 3}, nil)
		default:
			p := graph.Page(known)
			known++
			q.Page(p, of[p])
			w.Known(p, graph.NoPage)
			q.Push(p)
		}
		checkLists(t, w, q, known)
	}
}

func checkLists(t *testing.T, w *webbase, q *queue.Queue, known int) {
	t.Helper()
	stands := make([]int, known)
	for i := range int(w.queues) {
		for at, n := w.heads.At(i), 0; at != 0; at = w.behind.At(int(at - 1)) {
			p := graph.Page(at - 1)
			if n++; n > known {
				t.Fatalf("the list of queue %d has no end", i)
			}
			if stands[p]++; w.queueOf(p) != i {
				t.Fatalf("page %d stands in queue %d", p, i)
			}
			if head := n == 1; q.Waits(p) && head != (q.Value(p) > behindHeads) || head && !q.Waits(p) {
				t.Fatalf("page %d at place %d of queue %d has the value %v and waits: %v", p, n, i, q.Value(p), q.Waits(p))
			}
		}
	}
	for p, n := range stands {
		if q.Waits(graph.Page(p)) && n != 1 || n > 1 {
			t.Fatalf("page %d stands in lists %d times", p, n)
		}
	}
}

// TestPartialKeepsWhatWasHandedOut (O6): a page hands on the value it had when it was
// handed out, whatever links to it were found while it was under way.
func TestPartialKeepsWhatWasHandedOut(t *testing.T) {
	e, q := newEnv(make(facts, 5), 1)
	e.Batch, e.Out = 100, func(graph.Page) []graph.Page { return nil }
	choice, err := Choose("partial-pagerank")
	if err != nil {
		t.Fatal(err)
	}
	made, err := choice.New(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := made.(*partial)
	know := func(page graph.Page) {
		q.Page(page, 0)
		p.Known(page, graph.NoPage)
		q.Push(page)
	}
	take := func(page graph.Page) {
		q.Remove(page)
		p.Taken(0, page, 0)
	}
	know(0)
	know(1)
	p.Work(1 << 30) // both have 1
	take(0)
	know(2)
	know(3)
	p.Done(0, 0, &event.Outcome{First: 2}, []graph.Page{2, 3})
	take(2)
	take(1)
	p.Done(0, 1, &event.Outcome{First: 4}, []graph.Page{2, 3})
	know(4)
	p.Done(0, 2, &event.Outcome{First: 4}, []graph.Page{4})
	for page, want := range []float64{1, 1, 0.5, 1, 0.5} {
		if got := q.Value(graph.Page(page)); got != want {
			t.Errorf("page %d has the value %v, want %v", page, got, want)
		}
	}
}

// TestRandomSlots (O9): the waiting pages fill the slots from 1 on without a gap,
// also when pages are taken from the middle.
func TestRandomSlots(t *testing.T) {
	e, q := newEnv(make(facts, 100), 1)
	made, err := newRandom(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, left := made.(*random), 0
	for step, known := uint64(0), 0; known < 100; step++ {
		n := Hash(4, step)
		p := graph.Page(n / 4 % uint64(known+1))
		switch {
		case n%4 < 2 && int(p) < known && q.Waits(p):
			q.Remove(p)
			r.Taken(0, p, 0)
			left--
		case n%4 == 2 && int(p) < known && !q.Waits(p):
			q.Push(p)
			r.Done(0, p, &event.Outcome{Again: true}, nil)
			left++
		default:
			q.Page(graph.Page(known), 0)
			r.Known(graph.Page(known), graph.NoPage)
			q.Push(graph.Page(known))
			known, left = known+1, left+1
		}
		if used := r.numbers.At(slotsUsed); used != uint64(left) {
			t.Fatalf("step %d: %d slots are used, and %d pages wait", step, used, left)
		}
		for i, p := range r.pages.Slice()[:left] {
			if !q.Waits(p) || r.slots.At(int(p)) != uint32(i+1) || q.Value(p) != float64(i+1) {
				t.Fatalf("step %d: slot %d has page %d with slot %d and value %v", step, i+1, p, r.slots.At(int(p)), q.Value(p))
			}
		}
	}
}

// TestNoSolveBeforeSeeds: a policy that is given time before anything is known, as after
// a session that begins with no seeds, does nothing, and solves first when it should.
func TestNoSolveBeforeSeeds(t *testing.T) {
	for _, ramp := range []string{"false", "true"} {
		e, q := newEnv(facts{0, 0}, 1)
		e.Out = func(graph.Page) []graph.Page { return nil }
		r, err := newRanked(e, Params{"k": "5", "ramp": ramp}, batchBound)
		if err != nil {
			t.Fatal(err)
		}
		if r.Work(100) || r.Solves() != 0 {
			t.Errorf("ramp=%s: it solves for no pages", ramp)
		}
		for p := range graph.Page(2) {
			q.Page(p, 0)
			r.Known(p, graph.NoPage)
			q.Push(p)
		}
		r.Seeded(0, 2)
		for r.Work(100) {
		}
		want := map[string]int{"false": 1, "true": 0}[ramp] // a ramp waits for as many pages as seeds
		if r.Solves() != want {
			t.Errorf("ramp=%s: %d solves after the seeds, want %d", ramp, r.Solves(), want)
		}
	}
}

// TestAgeOfRanks counts the pages since the last solve (M9): ranks are never older than K pages, and
// what explains a page says how old they are.
func TestAgeOfRanks(t *testing.T) {
	const pages, k = 40, 5
	for _, ramp := range []string{"false", "true"} {
		e, q := newEnv(make(facts, pages), 1)
		e.Out = func(graph.Page) []graph.Page { return nil }
		r, err := newRanked(e, Params{"k": "5", "ramp": ramp}, batchBound)
		if err != nil {
			t.Fatal(err)
		}
		for p := range graph.Page(pages) {
			q.Page(p, 0)
			r.Known(p, graph.NoPage)
			q.Push(p)
		}
		r.Seeded(0, 2)
		since, last := 0, 0
		for p := range graph.Page(pages) {
			for r.Work(100) {
			}
			if r.Solves() > last {
				since, last = 0, r.Solves()
			}
			if got := r.Age(); got < since || got > k || ramp == "false" && got != since {
				t.Errorf("ramp=%s: ranks are %d pages old after %d, want %d", ramp, got, p, since)
			}
			if f := r.Explain(p); f[0].Share != 1 || f[1].Value != float64(r.Age()) || f[3].Value != batchBound {
				t.Errorf("page %d is explained by %v", p, f)
			}
			r.Taken(0, p, 0)
			since++
		}
		if last < pages/k {
			t.Errorf("ramp=%s: %d solves", ramp, last)
		}
	}
}
