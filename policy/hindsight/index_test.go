package hindsight

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// tree is a discovery tree with weights.
type tree struct {
	up     []graph.Page
	weight []float64
}

func randomTree(r *rand.Rand, n int) (t tree) {
	for i := range n {
		up := graph.NoPage
		if i > 0 && r.IntN(12) > 0 {
			up = graph.Page(max(0, i-1-r.IntN(min(i, 1+r.IntN(20)))))
		}
		t.up = append(t.up, up)
		t.weight = append(t.weight, float64(r.IntN(9))*r.Float64())
	}
	return t
}

func (t *tree) of(p graph.Page) float64      { return t.weight[p] }
func (t *tree) from(p graph.Page) graph.Page { return t.up[p] }

// best returns the largest mean of a part that begins with p: for each mean m, the part with
// the largest sum of weight-m is found from the leaves up, and the best m is where that is 0.
func (t *tree) best(p int) float64 {
	low, high := -1.0, 10.0
	for range 60 {
		m := (low + high) / 2
		gain := make([]float64, len(t.up))
		for i := len(t.up) - 1; i >= p; i-- {
			gain[i] += t.weight[i] - m
			if up := t.up[i]; up != graph.NoPage && int(up) >= p && gain[i] > 0 {
				gain[up] += gain[i]
			}
		}
		if gain[p] > 0 {
			low = m
		} else {
			high = m
		}
	}
	return low
}

// index is an Index with the Estimate whose memory it shares.
type index struct {
	*Index
	both graph.Set
}

func newIndex(most int) *index {
	e := NewEstimate(most, 1)
	x := &index{Index: NewIndex(e)}
	graph.AddTo(&x.both, e, x.Index)
	for range most {
		e.Known()
		x.Known()
	}
	return x
}

// TestIndex: the index is the largest mean of a part of the tree, also if it is saved and
// loaded between its steps.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 120; n++ {
		w := randomTree(r, n)
		x := newIndex(n + 10)
		x.Begin(n / 2) // another one before it
		for x.Step(3, w.of, w.from) {
		}
		x.Begin(n)
		for x.Step(1+r.IntN(9), w.of, w.from) {
			if r.IntN(4) > 0 {
				continue
			}
			var data bytes.Buffer
			if err := x.both.Save(&data); err != nil {
				t.Fatal(err)
			}
			x.both.Free()
			x = newIndex(n + 10)
			if err := x.both.Load(&data); err != nil {
				t.Fatal(err)
			}
		}
		for p := range n {
			if got, want := x.Value(graph.Page(p)), w.best(p); math.Abs(got-want) > 1e-5 {
				t.Fatalf("%d pages, page %d: %v, want %v", n, p, got, want)
			}
		}
		x.both.Free()
	}
}

// TestChain: long chains and stars take no stack and little time.
func TestChain(t *testing.T) {
	const n = 200_000
	x := newIndex(n)
	defer x.both.Free()
	for name, from := range map[string]func(graph.Page) graph.Page{
		"chain": func(p graph.Page) graph.Page {
			if p == 0 {
				return graph.NoPage
			}
			return p - 1
		},
		"star": func(p graph.Page) graph.Page {
			if p == 0 {
				return graph.NoPage
			}
			return 0
		},
	} {
		x.Begin(n)
		for x.Step(1000, func(p graph.Page) float64 { return float64(p % 97) }, from) {
		}
		if v := x.Value(0); v <= 0 || v > 96 {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	const n = 100_000
	w := randomTree(rand.New(rand.NewPCG(3, 4)), n)
	x := newIndex(n)
	defer x.both.Free()
	for b.Loop() {
		x.Begin(n)
		for x.Step(n, w.of, w.from) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/page")
}
