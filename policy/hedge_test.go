package policy

import (
	"math"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// TestHedgeWeights: the weights are those of the definition, computed anew at the end, also if
// the work is done in slices, and the part whose pages have links gets most of the turns.
func TestHedgeWeights(t *testing.T) {
	const pages = 600
	c := mustChoose(t, "hedge/eta=4:breadth-first+breadth-first+breadth-first")
	for _, slice := range []int{math.MaxInt, 7} {
		made, err := c.New(&Env{Boards: boards(c, pages), MaxPages: pages, MaxSites: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := made.(*hedge)
		for p := range graph.Page(pages) {
			h.Known(p, graph.NoPage)
		}
		mass, by := make([]float64, pages), []int{}
		var at, fetched, end int // of the last look at the picks
		var then []float64
		for p := range 200 {
			board := h.Turn()
			by = append(by, board)
			h.Taken(0, graph.Page(p), board)
			var links []graph.Page
			if p > 2 { // pages that the second part chose have links
				for q := range p {
					if by[q] == 1 {
						links = append(links, graph.Page(q))
					}
				}
			}
			for _, q := range links {
				mass[q] += 1 / float64(len(links))
			}
			next := h.numbers.At(hedgeNext)
			h.Done(0, graph.Page(p), &event.Outcome{}, links)
			for h.Work(slice) {
			}
			if h.numbers.At(hedgeNext) != next {
				fetched, then = p+1, append(then[:0], mass...)
				n := min(len(by), 3*max(30, fetched/8))
				at, end = len(by)-n, len(by)-n/10
			}
		}
		want := naiveWeights(by[at:end], then[at:end], 3, 4)
		for i, w := range want {
			if got := h.Weights()[i]; math.Abs(got-w) > 1e-3 {
				t.Errorf("slices of %d: part %d has the weight %v, want %v", slice, i, got, w)
			}
		}
		if want[1] < 0.7 {
			t.Errorf("the part whose pages have links has the weight %v only", want[1])
		}
		h.Free()
	}
}

// naiveWeights computes weights from the parts that chose pages and the mass of these.
func naiveWeights(by []int, mass []float64, k int, eta float64) []float64 {
	w, sum := make([]float64, k), 0.0
	for i := range w {
		total, n := 0.0, 0.0
		for j, b := range by {
			if b == i {
				total += math.Log2(0.05 + mass[j])
				n++
			}
		}
		w[i] = math.Pow(2, eta*total/n)
		sum += w[i]
	}
	for i := range w {
		w[i] = 0.1 + (1-float64(k)*0.1)*w[i]/sum
	}
	return w
}

func TestHedgeErrors(t *testing.T) {
	for text, says := range map[string]string{
		"hedge:opic*2+xim":     "part 1 has a weight",
		"hedge/eta=-1":         "eta=-1",
		"hedge/eta=1000":       "it can be 100 at most",
		"hedge/eta=x:opic+xim": "eta=x",
	} {
		c := mustChoose(t, text)
		if _, err := c.New(&Env{Boards: boards(c, 1), MaxPages: 1, MaxSites: 1}, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", text, err, says)
		}
	}
}
