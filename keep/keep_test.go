package keep

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// plain is a buffer that is searched: pages in the order in which they were stored.
type plain struct {
	pages []graph.Page
	value map[graph.Page]float64
}

func (b *plain) worst() graph.Page {
	worst := b.pages[0]
	for _, p := range b.pages {
		if b.value[p] <= b.value[worst] {
			worst = p
		}
	}
	return worst
}

func (b *plain) remove(p graph.Page) {
	b.pages = slices.DeleteFunc(b.pages, func(q graph.Page) bool { return q == p })
}

// A buffer is the same as a list that is searched, whatever is done to it (P3), and the slots
// lead to the pages.
func TestBufferBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var set graph.Set
		n, room := 1+r.IntN(40), 1+r.IntN(12)
		b, want := NewBuffer(&set, n), plain{value: map[graph.Page]float64{}}
		for range 200 {
			p, v := graph.Page(r.IntN(n)), float64(r.IntN(5))
			switch r.IntN(8) {
			case 0:
				b.Remove(p)
				want.remove(p)
			case 1:
				want.value = map[graph.Page]float64{}
				salt := r.IntN(7)
				b.Revalue(func(p graph.Page) float64 { return float64((int(p) + salt) % 4) })
				for _, p := range want.pages {
					want.value[p] = float64((int(p) + salt) % 4)
				}
			case 2, 3:
				b.Change(p, v)
				want.value[p] = v
			default:
				b.Store(p, v)
				if want.value[p] = v; !slices.Contains(want.pages, p) {
					want.pages = append(want.pages, p)
				}
			}
			for b.Len() > room {
				p := b.Worst()
				if w := want.worst(); p != w {
					t.Fatalf("page %d goes, want %d", p, w)
				}
				b.Remove(p)
				want.remove(p)
			}
			compare(t, b, &want)
		}
		set.Free()
	}
}

func compare(t *testing.T, b *Buffer, want *plain) {
	t.Helper()
	var got []graph.Page
	for slot := range b.Len() {
		p := b.Page(slot)
		if s, ok := b.Slot(p); !ok || s != slot || b.Value(slot) != want.value[p] {
			t.Fatalf("page %d of slot %d has slot %d and value %g, want %g", p, slot, s, b.Value(slot), want.value[p])
		}
		got = append(got, p)
	}
	slices.Sort(got)
	if w := slices.Sorted(slices.Values(want.pages)); !slices.Equal(got, w) {
		t.Fatalf("pages %v, want %v", got, w)
	}
	left := plain{slices.Clone(want.pages), want.value}
	for _, p := range b.WorstOf(nil, b.Len()/2+2) {
		if w := left.worst(); p != w {
			t.Fatalf("page %d is next, want %d", p, w)
		}
		left.remove(p)
	}
}
