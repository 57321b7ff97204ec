package hindsight

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// openPart is an estimate of one of two partitions. Page p of it is page[p] of the world.
type openPart struct {
	est   *Estimate
	world World
	page  []int
	of    map[int]int
}

// newOpenPart makes a partition of the pages whose number has the parity self, all of them fetched,
// and of the foreign pages to which they link.
func newOpenPart(out [][]int, self int) *openPart {
	x := &openPart{of: map[int]int{}, est: NewEstimate(len(out), 1)}
	add := func(p int, marks uint16) {
		if _, ok := x.of[p]; !ok {
			x.of[p] = len(x.page)
			x.page, x.world.Marks, x.world.Group = append(x.page, p), append(x.world.Marks, marks), append(x.world.Group, 0)
			x.world.Source = append(x.world.Source, 0)
			x.est.Known()
		}
	}
	for p := self; p < len(out); p += 2 {
		add(p, 1)
		x.world.Own++
	}
	for p := self; p < len(out); p += 2 {
		for _, q := range out[p] {
			add(q, 2)
		}
	}
	x.world.Mask, x.world.Fetched, x.world.Foreign = 1, 1, 2
	x.world.Up = func(uint32) uint32 { return 0 }
	x.world.Out = func(p graph.Page) (links []graph.Page) {
		for _, q := range out[x.page[p]] {
			links = append(links, graph.Page(x.of[q]))
		}
		return links
	}
	return x
}

func (x *openPart) sweep() {
	x.est.Begin(len(x.page), 1, 2)
	for x.est.Step(&x.world, 1<<20) {
	}
}

// give tells another partition what pages here give to its pages.
func (x *openPart) give(to *openPart) {
	for i, p := range x.page {
		if x.world.foreign(i) {
			to.world.Source[to.of[p]] = float32(x.est.Value(graph.Page(i)) - (1 - follow))
		}
	}
	to.world.Lost, to.world.Others = x.est.Leaked(), float64(x.world.Own)
}

// TestOpen: partitions that tell each other what their pages give have the estimates of the whole.
func TestOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	out := make([][]int, 60)
	for p := range out {
		for range r.IntN(5) { // some have none
			if q := int(math.Sqrt(float64(r.IntN(3600)))); q != p && !slices.Contains(out[p], q) {
				out[p] = append(out[p], q)
			}
		}
	}
	whole := &openPart{est: NewEstimate(len(out), 1), world: World{Mask: 1, Fetched: 1, Up: func(uint32) uint32 { return 0 }}}
	for p := range out {
		whole.page, whole.world.Marks, whole.world.Group = append(whole.page, p), append(whole.world.Marks, 1), append(whole.world.Group, 0)
		whole.est.Known()
	}
	whole.world.Out = func(p graph.Page) (links []graph.Page) {
		for _, q := range out[p] {
			links = append(links, graph.Page(q))
		}
		return links
	}
	parts := []*openPart{newOpenPart(out, 0), newOpenPart(out, 1)}
	for range 150 {
		whole.sweep()
		for i, x := range parts {
			x.sweep()
			x.give(parts[1-i])
		}
	}
	for p := range out {
		x := parts[p%2]
		got, want := x.est.Value(graph.Page(x.of[p])), whole.est.Value(graph.Page(p))
		if math.Abs(got-want) > 1e-3*want {
			t.Errorf("page %d has %v, want %v", p, got, want)
		}
	}
}
