package lab

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

// P3: P_BC against a list that is searched, for every size of buffer.
func TestBufferCrawlBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	for range 200 {
		c := randomCase(r)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		estimate := fewValues(r, len(c.order))
		for room := 1; room <= len(c.e); room++ {
			naive := &naiveBuffer{room: room, estimate: map[graph.Page]float64{}}
			got, err := trial.BufferCrawl(estimate, room)
			if err != nil {
				t.Fatal(err)
			}
			nearCurve(t, "P_BC", got, len(c.order), func(k int) float64 {
				naive.store(c.order[k-1], estimate[k-1])
				return float64(c.count(naive.pages, c.best(room))) / float64(room)
			})
		}
	}
}

// Estimates may change while pages are stored; the buffer never holds more than its
// size (P3).
func TestBufferWithUpdates(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for range 100 {
		n, room := 2+r.IntN(60), r.IntN(12)
		b, naive := NewBuffer(room, n), &naiveBuffer{room: room, estimate: map[graph.Page]float64{}}
		for _, p := range shuffled(r, allPages(n)) {
			x := float64(r.IntN(8))
			if got, want := b.Store(p, x), naive.store(p, x); got != want {
				t.Fatalf("%d goes, want %d", got, want)
			}
			for range r.IntN(4) {
				q, y := graph.Page(r.IntN(n)), float64(r.IntN(8))
				b.Update(q, y)
				if slices.Contains(naive.pages, q) != b.Holds(q) {
					t.Fatalf("page %d: %v", q, b.Holds(q))
				}
				if b.Holds(q) {
					naive.estimate[q] = y
				}
			}
			want := slices.Sorted(slices.Values(naive.pages))
			if got := b.Pages(); len(got) > room || !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}

// Who knows the truth ends with the best pages in the buffer; the share at the end is
// the same when asked of the buffer.
func TestBufferOfTheOmniscient(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	for range 50 {
		c := randomCase(r)
		c.order = shuffled(r, c.e)
		trial := trialOf(t, c.value, c.e, c.order, JudgeOptions{})
		room := 1 + r.IntN(len(c.e))
		curve, err := trial.BufferCrawl(trial.values(), room)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "P_BC", curve.Y[len(curve.Y)-1], 1)
		b := NewBuffer(room, len(c.value))
		for i, p := range c.order[:1+len(c.order)/2] {
			b.Store(p, c.value[p])
			near(t, "share of the buffer", trial.judge.HotInBuffer(b), curve.Y[i])
		}
	}
}

func TestBufferRefuses(t *testing.T) {
	e := allPages(2)
	trial := trialOf(t, []float64{1, 2}, e, e, JudgeOptions{})
	if _, err := trial.BufferCrawl([]float64{1}, 1); err == nil {
		t.Error("an estimate is missing")
	}
	if _, err := trial.BufferCrawl([]float64{1, 1}, 0); err == nil {
		t.Error("a buffer without room")
	}
	curve, err := trial.BufferCrawl([]float64{1, 1}, 9) // more room than pages
	if err != nil {
		t.Fatal(err)
	}
	near(t, "P_BC", curve.Y[1], 1)
}
