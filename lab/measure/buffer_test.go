package measure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// naiveBuffer keeps pages in the order in which they were stored.
type naiveBuffer struct {
	room     int
	pages    []graph.Page
	estimate map[graph.Page]float64
}

// store appends and, when there is no room, takes out the smallest estimate, the last
// of equal ones.
func (b *naiveBuffer) store(p graph.Page, estimate float64) graph.Page {
	b.pages = append(b.pages, p)
	b.estimate[p] = estimate
	if len(b.pages) <= b.room {
		return graph.NoPage
	}
	worst := 0
	for i, q := range b.pages {
		if b.estimate[q] <= b.estimate[b.pages[worst]] {
			worst = i
		}
	}
	gone := b.pages[worst]
	b.pages = slices.Delete(b.pages, worst, worst+1)
	return gone
}

// pages returns the pages in the buffer, ascending.
func (b *buffer) pages() []graph.Page {
	var pages []graph.Page
	for _, p := range b.worst.list {
		pages = append(pages, graph.Page(p))
	}
	slices.Sort(pages)
	return pages
}

// given hands out estimates in the order of the fetches.
func given(estimate []float64) Estimate {
	k := 0
	return func(graph.Page, func(graph.Page, float64)) float64 {
		k++
		return estimate[k-1]
	}
}

// P3, P4: P_BC against a list that is searched, for every size of buffer and the three definitions of
// hot: at least I(R_B), I(R_K) or G.
func TestBufferCrawlBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	for range 200 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		estimate := fewValues(r, len(c.order))
		for room := 1; room <= len(c.e); room++ {
			k := 1 + r.IntN(len(c.e))
			for _, hot := range []struct {
				Hot
				g float64
			}{{trial.judge.HotBest(room), c.best(room)}, {trial.judge.HotBest(k), c.best(k)}, {trial.judge.HotAbove(0.25), 0.25}} {
				naive := &naiveBuffer{room: room, estimate: map[graph.Page]float64{}}
				got := trial.BufferCrawl(room, hot.Hot, given(estimate))
				nearCurve(t, "P_BC", got, len(c.order), func(k int) float64 {
					naive.store(c.order[k-1], estimate[k-1])
					return float64(c.count(naive.pages, hot.g)) / float64(room)
				})
			}
		}
	}
}

// Estimates may change while pages are stored; the buffer never holds more than its
// size (P3).
func TestBufferWithUpdates(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for range 100 {
		n, room := 2+r.IntN(60), r.IntN(12)
		b, naive := newBuffer(room, n), &naiveBuffer{room: room, estimate: map[graph.Page]float64{}}
		for _, p := range shuffled(r, allPages(n)) {
			x := float64(r.IntN(8))
			if got, want := b.store(p, x), naive.store(p, x); got != want {
				t.Fatalf("%d goes, want %d", got, want)
			}
			for range r.IntN(4) {
				q, y := graph.Page(r.IntN(n)), float64(r.IntN(8))
				b.update(q, y)
				if slices.Contains(naive.pages, q) != b.worst.holds(uint32(q)) {
					t.Fatalf("page %d: %v", q, b.worst.holds(uint32(q)))
				}
				if b.worst.holds(uint32(q)) {
					naive.estimate[q] = y
				}
			}
			want := slices.Sorted(slices.Values(naive.pages))
			if got := b.pages(); len(got) > room || !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}

// Who knows the truth ends with the best pages in the buffer.
func TestBufferOfTheOmniscient(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	for range 50 {
		c := randomCase(r)
		c.order = shuffled(r, c.e)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		for _, room := range []int{1 + r.IntN(len(c.e)), 2 * len(c.e)} {
			curve := trial.BufferCrawl(room, trial.judge.HotBest(room), given(trial.values(trial.room())))
			near(t, "P_BC", curve.Y[len(curve.Y)-1], 1)
		}
	}
}
