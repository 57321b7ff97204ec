package queue

import (
	"cmp"
	"slices"
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

// TestTop: the best pages of a site are those of the order of all, whatever the history of the
// heap, of two queues those of the first that has some.
func TestTop(t *testing.T) {
	const pages = 200
	first, second := New("first", pages, 1), New("second", pages, 1)
	defer first.Free()
	defer second.Free()
	b := NewBoard(first, second)
	for _, q := range []*Queue{first, second} {
		q.Site(0)
		for p := range graph.Page(pages) {
			q.Page(p, 0)
		}
	}
	for p := range graph.Page(pages) {
		second.Push(p)
		b.Set(p, float64(p*7%31))
	}
	order := make([]graph.Page, 0, pages)
	for p := range graph.Page(pages) {
		order = append(order, p)
	}
	slices.SortStableFunc(order, func(a, b graph.Page) int { return cmp.Compare(second.Value(b), second.Value(a)) })
	for _, n := range []int{0, 1, 5, pages, pages + 1} {
		if got := b.Top(nil, 0, n); !slices.Equal(got, order[:min(n, pages)]) {
			t.Errorf("the best %d: %v, want %v", n, got, order[:min(n, pages)])
		}
	}
	second.Remove(9)
	first.Push(9)
	if got := b.Top(nil, 0, 5); !slices.Equal(got, []graph.Page{9}) {
		t.Errorf("of a batch of page 9: %v", got)
	}
}
