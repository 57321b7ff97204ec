package queue

import (
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// TestRescoring: a rescoring takes the pages with the highest values and as many others, from
// where the last one stopped.
func TestRescoring(t *testing.T) {
	const pages, many = 1000, 100
	q := New("test", pages, 1)
	defer q.Free()
	q.Site(0)
	b := NewBoard(q, nil)
	for p := range graph.Page(pages) {
		q.Page(p, 0)
		q.Push(p)
		b.Set(p, float64(p%10)/4)
	}
	var s graph.Set
	r := NewRescoring(&s, "test", 1, 10)
	defer s.Free()
	taken := make([]int, pages)
	score := func(p graph.Page) float64 { taken[p]++; return b.Value(p) }
	for range 11 {
		r.Begin(pages, many)
		for r.Step(50, b, score) {
		}
	}
	for p, n := range taken {
		switch {
		case p%10 == 9 && n < 10: // all at first, then the highest
			t.Errorf("page %d with a high value was taken %d times", p, n)
		case n == 0:
			t.Errorf("page %d was never taken", p)
		case p%10 < 9 && n > 3:
			t.Errorf("page %d with a low value was taken %d times", p, n)
		}
	}
}
