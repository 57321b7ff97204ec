package queue

import (
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// A discounted page goes later, in either queue, and the board says what was set.
func TestDiscount(t *testing.T) {
	first, second := New("first", 4, 1), New("second", 4, 1)
	defer first.Free()
	defer second.Free()
	b := NewBoard(first, second)
	b.Discount(func(p graph.Page) bool { return p%2 == 1 })
	for _, q := range []*Queue{first, second} {
		q.Site(0)
		for p := range graph.Page(4) {
			q.Page(p, 0)
		}
	}
	for p, q := range []*Queue{first, first, second, second} {
		q.Push(graph.Page(p))
	}
	look := func(what string, value, inQueue [4]float64) {
		t.Helper()
		for p, q := range []*Queue{first, first, second, second} {
			if v, w := b.Value(graph.Page(p)), q.Value(graph.Page(p)); v != value[p] || w != inQueue[p] {
				t.Errorf("%s: page %d has value %v, in its queue %v; want %v, %v", what, p, v, w, value[p], inQueue[p])
			}
		}
	}
	for p, v := range []float64{-2, -2, 2, 2} {
		b.Set(graph.Page(p), v)
	}
	look("set", [4]float64{-2, -2, 2, 2}, [4]float64{-2, -8, 2, 0.5})
	for p := range graph.Page(4) {
		b.Add(p, 4)
	}
	look("add", [4]float64{2, 2, 6, 6}, [4]float64{2, 0.5, 6, 1.5})
	b.Rescore(func(p graph.Page) float64 { return -float64(p) })
	look("rescore", [4]float64{0, -1, -2, -3}, [4]float64{0, -4, -2, -12})
	b.Discount(nil)
	b.Set(1, 7)
	b.Set(3, 7)
	look("without", [4]float64{0, 7, -2, 7}, [4]float64{0, 7, -2, 7})
}

// Lower is worse, and Raise undoes it.
func TestLower(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 0.1, -0.1, 1e-300, -1e300} {
		if Raise(Lower(v)) != v || Lower(v) > v || Lower(v) == v && v != 0 {
			t.Errorf("%v is lowered to %v, raised again to %v", v, Lower(v), Raise(Lower(v)))
		}
	}
}
