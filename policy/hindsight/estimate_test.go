package hindsight

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// part is a part of a web that is known.
type part struct {
	fetched []bool
	out     [][]graph.Page
	group   []uint32
	up      []uint32
}

// world returns what an Estimate may know of it.
func (w *part) world() *World {
	marks := make([]uint16, len(w.fetched))
	for p, fetched := range w.fetched {
		if marks[p] = 5; fetched { // of the bits of the mask, only the first must be set
			marks[p] = 9
		}
	}
	return &World{Marks: marks, Mask: 5, Fetched: 1, Group: w.group, Up: w.up, Out: func(p graph.Page) []graph.Page { return w.out[p] }}
}

func randomPart(r *rand.Rand, n int) *part {
	w := &part{up: []uint32{0}}
	for range 1 + r.IntN(10) {
		w.up = append(w.up, uint32(r.IntN(len(w.up))))
	}
	for range n {
		w.fetched = append(w.fetched, r.IntN(3) > 0)
		w.group = append(w.group, uint32(r.IntN(len(w.up))))
		var links []graph.Page
		for range r.IntN(5) {
			links = append(links, graph.Page(r.IntN(n)))
		}
		w.out = append(w.out, links)
	}
	return w
}

// within reports whether group g is a, or lies below it.
func (w *part) within(g, a uint32) bool {
	for ; g != a; g = w.up[g] {
		if g == 0 {
			return false
		}
	}
	return true
}

// naive does one sweep: each waiting page spreads its mass over the fetched pages, group by
// group from its own upwards.
func (w *part) naive(mass []float64) []float64 {
	n := len(mass)
	emits, lost := make([]float64, n), 0.0
	for p := range mass {
		if w.fetched[p] {
			emits[p] += mass[p]
			continue
		}
		rest := mass[p]
		for g := w.group[p]; rest > 0; g = w.up[g] {
			var members []int
			for q := range mass {
				if w.fetched[q] && w.within(w.group[q], g) {
					members = append(members, q)
				}
			}
			k := float64(len(members))
			keep := rest * k / (k + .5)
			if g == 0 {
				if keep = rest; k == 0 {
					lost, keep = lost+rest, 0
				}
				rest = 0
			} else {
				rest -= keep
			}
			for _, q := range members {
				emits[q] += keep / k
			}
		}
	}
	next := make([]float64, n)
	for p, m := range emits {
		if len(w.out[p]) == 0 || !w.fetched[p] {
			lost += m
			continue
		}
		for _, q := range w.out[p] {
			next[q] += m / float64(len(w.out[p]))
		}
	}
	for p := range next {
		next[p] = (.1+.9*lost)/float64(n) + .9*next[p]
	}
	return next
}

const sweepsHere = 8

// newEstimate returns an estimate that knows n pages of w.
func newEstimate(n int, w *part) *Estimate {
	e := NewEstimate(n, len(w.up))
	for range n {
		e.Known()
	}
	return e
}

// TestEstimate: the estimate is that of naive sweeps, in steps of any size, saved and loaded
// on the way, and the masses add up to 1.
func TestEstimate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n++ {
		w := randomPart(r, n)
		e := newEstimate(n, w)
		e.Begin(n, len(w.up), sweepsHere)
		for e.Step(w.world(), 1+r.IntN(40)) {
			if r.IntN(10) > 0 {
				continue
			}
			var data bytes.Buffer
			if err := e.Save(&data); err != nil {
				t.Fatal(err)
			}
			e.Free()
			e = NewEstimate(n, len(w.up))
			if err := e.Load(&data); err != nil {
				t.Fatal(err)
			}
		}
		want := make([]float64, n)
		for p := range want {
			want[p] = 1 / float64(n) // all are equal at first, and scaled
		}
		for range sweepsHere {
			want = w.naive(want)
		}
		sum := 0.0
		for p := range want {
			sum += e.Value(graph.Page(p)) / float64(n)
			if got := e.Value(graph.Page(p)) / float64(n); math.Abs(got-want[p]) > 1e-6 {
				t.Fatalf("%d pages, page %d: %v, want %v", n, p, got, want[p])
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("%d pages: the masses add up to %v", n, sum)
		}
		e.Free()
	}
}

// TestEstimateGrows: an estimate of more pages begins with that of the fewer, and ends near
// what one from the start gives.
func TestEstimateGrows(t *testing.T) {
	w := randomPart(rand.New(rand.NewPCG(3, 4)), 300)
	e, fresh := newEstimate(300, w), newEstimate(300, w)
	defer e.Free()
	defer fresh.Free()
	for _, n := range []int{200, 250, 300, 300} {
		e.Begin(n, len(w.up), sweepsHere)
		for e.Step(w.world(), 1000) {
		}
	}
	for range 2 {
		fresh.Begin(300, len(w.up), sweepsHere)
		for fresh.Step(w.world(), 1000) {
		}
	}
	for p := range graph.Page(300) {
		if a, b := e.Value(p), fresh.Value(p); math.Abs(a-b) > .02+.02*b {
			t.Errorf("page %d: %v and %v", p, a, b)
		}
	}
}
