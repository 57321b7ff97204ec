package stats

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// The numbers are those of another program. In Python 3, for the lists below:
//
//	com = [(old[p], new[q]) for p, q in enumerate(to) if q is not None]; k = len(com)
//	error = sum(abs(a-b)/b for a, b in com)/k; held = sum(b for a, b in com)/len(new)
//	def place(v): by = sorted(range(len(v)), key=lambda i: (-v[i], i)); return [by.index(i) for i in range(len(v))]
//	w, s = place([a for a, b in com]), place([b for a, b in com])
//	moved = sum(abs(x-y) for x, y in zip(w, s))/k/k
//	top10 = len([p for p in range(len(old)) if place(old)[p] < 10 and to[p] is not None and place(new)[to[p]] < 10])/10
func TestRankChange(t *testing.T) {
	const n, m = 200, 240
	older, newer, to := make([]float64, n), make([]float64, m), make([]graph.Page, n)
	seen := map[graph.Page]bool{}
	for i := range older {
		older[i] = float64(i*7919%1009)/500 + 0.1
		if to[i] = graph.Page(i * 7 % m); i%5 == 0 || seen[to[i]] {
			to[i] = graph.NoPage
		}
		seen[to[i]] = true
	}
	for i := range newer {
		newer[i] = float64(i*6007%997)/500 + 0.1
	}
	c := changeOfRanks(older, newer, to, Overlap{LinksKept: 30, LinksNew: 10})
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"pages", float64(c.Pages), 160}, {"error", c.Error, 0.9835937796536985}, {"error of the best", c.ErrorTop, 0.5282371793889731}, {"moved", c.Moved, 0.32578125}, {"moved of the best", c.MovedTop, 0.53515625},
		{"held", c.Held, 0.7431333333333342}, {"new links", c.NewLinks, 0.25}, {"top 10", c.Top[0].Share, 0.0}, {"top 24", c.Top[1].Share, 0.0},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", x.what, x.got, x.want)
		}
	}
	if c.Top[0].N != 10 || c.Top[1].N != 24 || len(c.Top) != 2 {
		t.Errorf("%v", c.Top)
	}
	same := make([]graph.Page, n)
	for i := range same {
		same[i] = graph.Page(i)
	}
	if c := changeOfRanks(older, older, same, Overlap{}); c.Error != 0 || c.Moved != 0 || math.Abs(c.Top[0].Share-1) > 0 {
		t.Errorf("a snapshot against itself: %+v", c)
	}
}
