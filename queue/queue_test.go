package queue

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// filled returns a queue with so many pages dealt out to sites in turn, all waiting.
func filled(pages, sites int) *Queue {
	q := New("test", pages, sites)
	for s := range graph.Site(sites) {
		q.Site(s)
		q.Offer(s)
	}
	for p := range graph.Page(pages) {
		q.Page(p, graph.Site(int(p)%sites))
		q.Push(p)
	}
	return q
}

// TestGrowth fills and empties sites of many sizes, all at once and one after the
// other: nothing is lost, and memory is used again.
func TestGrowth(t *testing.T) {
	const pages = 1 << 16
	for _, sites := range []int{1, 3, 1000, pages} {
		q := filled(pages, sites)
		checkArena(t, &q.pages)
		most := q.pages.cells.Len()
		if most > 4*pages {
			t.Errorf("%d sites: %d cells for %d pages", sites, most, pages)
		}
		for range 3 {
			for p := range graph.Page(pages) {
				if s, ok := q.Best(); !ok {
					t.Fatalf("%d sites: page %d is lost", sites, p)
				} else if first, _ := q.First(s); first != p {
					t.Fatalf("%d sites: page %d comes when %d is due", sites, first, p)
				}
				q.Remove(p)
			}
			checkArena(t, &q.pages)
			for p := range graph.Page(pages) {
				q.Push(p)
			}
			checkArena(t, &q.pages)
		}
		if n := q.pages.cells.Len(); n > most {
			t.Errorf("%d sites: cells grew from %d to %d when the same pages came again", sites, most, n)
		}
		q.Free()
	}
}

// TestNoAllocation: values change millions of times a second, so that nothing may be
// left for the garbage collector (S10).
func TestNoAllocation(t *testing.T) {
	q := filled(5000, 50)
	defer q.Free()
	p := graph.Page(0)
	steps := map[string]func(){
		"Add":             func() { q.Add(p, 0.5) },
		"Set":             func() { q.Set(p, float64(p%7)) },
		"Remove and Push": func() { q.Remove(p); q.Push(p) },
		"Best and First":  func() { s, _ := q.Best(); q.First(s) },
		"Withdraw, Offer": func() { q.Withdraw(graph.Site(p % 50)); q.Offer(graph.Site(p % 50)) },
	}
	for name, step := range steps {
		if n := testing.AllocsPerRun(2000, func() { step(); p = (p*31 + 7) % 5000 }); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// TestSaved loads the columns of a queue into an empty one: the rest follows from them.
func TestSaved(t *testing.T) {
	q := filled(300, 7)
	defer q.Free()
	for p := range graph.Page(300) {
		q.Set(p, float64(p*p%11))
		if p%3 == 0 {
			q.Remove(p)
		}
	}
	var b bytes.Buffer
	q.Columns(func(c graph.AnyColumn) {
		if err := c.Save(&b); err != nil {
			t.Fatal(err)
		}
	})
	r := New("test", 300, 7)
	defer r.Free()
	r.Columns(func(c graph.AnyColumn) {
		if err := c.Load(&b); err != nil {
			t.Fatal(err)
		}
	})
	r.Rebuild(7)
	if _, ok := r.Best(); ok {
		t.Error("a site takes part before it is offered")
	}
	for s := range graph.Site(7) {
		r.Offer(s)
	}
	for range 200 {
		s, _ := q.Best()
		p, _ := q.First(s)
		u, ok := r.Best()
		if o, _ := r.First(u); !ok || u != s || o != p {
			t.Fatalf("the loaded queue has page %d of site %d first, the saved one %d of %d", o, u, p, s)
		}
		q.Remove(p)
		r.Remove(p)
	}
}

// TestMisuse: what would break the heaps panics and says what it was.
func TestMisuse(t *testing.T) {
	for want, misuse := range map[string]func(*Queue){
		"page 3 becomes known as number 2": func(q *Queue) { q.Page(3, 0) },
		"site 5 becomes known as number 1": func(q *Queue) { q.Site(5) },
		"page 0 waits already":             func(q *Queue) { q.Push(0) },
		"page 1 does not wait":             func(q *Queue) { q.Remove(1); q.Remove(1) },
		"value of page 0 is not a number":  func(q *Queue) { q.Set(0, math.NaN()) },
		"value of page 1 is not a number":  func(q *Queue) { q.Rescore(func(p graph.Page) float64 { return 0 / float64(1-p) }) },
	} {
		if got := panicOf(func() { misuse(filled(2, 1)) }); !strings.Contains(got, want) {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}
}

func panicOf(f func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	f()
	return ""
}

// TestRemovals takes sites and pages out of the middle of large heaps, where what fills
// the gap may have to move up.
func TestRemovals(t *testing.T) {
	for _, sites := range []int{1, 20, 400} {
		r := rand.New(rand.NewPCG(uint64(sites), 3))
		q := filled(400, sites)
		for p := range graph.Page(400) {
			q.Set(p, r.Float64())
		}
		left := map[graph.Page]bool{}
		for p := range graph.Page(400) {
			left[p] = true
		}
		for range 399 {
			p := graph.Page(r.IntN(400))
			if !left[p] {
				continue
			}
			q.Withdraw(q.SiteOf(p))
			q.Remove(p)
			q.Offer(q.SiteOf(p))
			delete(left, p)
			checkHeaps(t, q)
		}
		if n := drain(t, q); n != len(left) {
			t.Errorf("%d sites: %d pages came, %d were left", sites, n, len(left))
		}
		q.Free()
	}
}

// checkHeaps sees that nothing stands before its parent.
func checkHeaps(t *testing.T, q *Queue) {
	t.Helper()
	for i := 1; i < len(q.offers); i++ {
		if q.offers[i].before(&q.offers[(i-1)/4]) {
			t.Fatalf("offer %d stands below one that it should precede", i)
		}
	}
	for s := range graph.Site(q.places.Len()) {
		heap := q.pages.of(s)
		for i := 1; i < len(heap); i++ {
			if q.value[heap[i]] > q.value[heap[(i-1)/4]] {
				t.Fatalf("page %d of site %d stands below one that it should precede", heap[i], s)
			}
		}
	}
}

// drain takes all pages in order, and counts them.
func drain(t *testing.T, q *Queue) (n int) {
	last := math.Inf(1)
	for s, ok := q.Best(); ok; s, ok = q.Best() {
		p, _ := q.First(s)
		if q.Value(p) > last {
			t.Fatalf("page %d is worth %v and comes after one of %v", p, q.Value(p), last)
		}
		last = q.Value(p)
		q.Remove(p)
		n++
	}
	return n
}
