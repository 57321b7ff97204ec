package trap

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

func TestTired(t *testing.T) {
	for _, c := range []struct {
		news, dull int
		want       bool
	}{{0, 0, false}, {0, 3, false}, {0, 4, true}, {1, 4, true}, {2, 7, false}, {2, 8, true}, {100, 399, false}, {100, 400, true}} {
		g := newGroups(new(graph.Set), "test", "test", [16]byte{1}, 10)
		n, fresh := g.enter(77)
		for range c.news {
			g.count(n, true)
		}
		for range c.dull {
			g.count(n, false)
		}
		if got := g.tired(n, groupLeast, groupTimes); got != c.want || !fresh {
			t.Errorf("%d new and %d dull pages: tired is %v", c.news, c.dull, got)
		}
		if m, fresh := g.enter(77); m != n || fresh {
			t.Errorf("group %d is %d again", n, m)
		}
		if _, ok := g.find(78); ok {
			t.Error("there is a group that nobody entered")
		}
	}
}

// placeOf3 is a place whose topmost page lies at depth 3.
func placeOf3() (places, int) {
	p := newPlaces(new(graph.Set), [16]byte{1}, 10)
	p.enter(5, 7)
	n := p.enter(5, 3)
	return p, p.enter(5, 9) + n // both are 0
}

func TestPlaceLevels(t *testing.T) {
	p, n := placeOf3()
	for depth, want := range map[int]uint64{0: math.MaxInt64, 3: math.MaxInt64, 4: math.MaxInt64, 5: freeEnds, 6: freeEnds, 7: freeEnds} {
		if got := p.left(n, depth); got != want {
			t.Errorf("%d pages are left at depth %d, want %d", got, depth, want)
		}
	}
	for depth, want := range map[int]uint64{8: 1, 3 + diveLevel: 1, 4 + diveLevel: 0, 500: 0} { // to see whether there is an end
		if got := p.left(n, depth); got != want {
			t.Errorf("%d pages are left at depth %d, want %d", got, depth, want)
		}
	}
	p.fetched(n, 9, false)
	if a, b, c := p.left(n, 8), p.left(n, 9), p.left(n, 10); a != 0 || b != 0 || c != 1 {
		t.Errorf("%d, %d and %d pages are left when one at depth 9 leads deeper", a, b, c)
	}
	p.fetched(n, 5, false)
	p.fetched(n, 4, false) // this level is free
	if a, b := p.left(n, 5), p.left(n, 6); a != freeEnds-1 || b != freeEnds {
		t.Errorf("%d and %d are left", a, b)
	}
	for range 5 {
		p.fetched(n, 5, false)
	}
	if got := p.left(n, 5); got != 0 {
		t.Errorf("%d are left", got)
	}
	p.fetched(n, 3, true) // the top is no leaf
	if got := p.left(n, 5); got != 0 {
		t.Errorf("%d are left", got)
	}
	p.fetched(n, 4, true)
	if a, b := p.left(n, 5), p.left(n, 9); a != freeEnds+leafWorth-6 || b != leafWorth-1 {
		t.Errorf("%d and %d are left after a leaf", a, b)
	}
}

// Counters stop below what leaves can give, so that a large tree is never a trap, and none
// of them runs over into that of the next level.
func TestPlaceSaturates(t *testing.T) {
	p, n := placeOf3()
	for range 1000 {
		p.fetched(n, 6, false)
	}
	if got := p.left(n, 6); got != 0 {
		t.Errorf("%d are left", got)
	}
	if a, b := p.left(n, 5), p.left(n, 7); a != freeEnds || b != freeEnds {
		t.Errorf("the levels beside it have %d and %d left", a, b)
	}
	for range 100 {
		p.fetched(n, 6, true)
	}
	if got := p.left(n, 6); got != 1 {
		t.Errorf("%d are left where hundreds lead deeper beside as many leaves", got)
	}
	for level := freeLevels; level <= lastLevel; level++ {
		for range 300 {
			p.fetched(n, 3+level, false)
		}
	}
	if p.onward.At(n) != 0xfefefefe {
		t.Errorf("the counters are %x", p.onward.At(n))
	}
}

// The base is a byte: what lies deeper than that all lies deep.
func TestPlaceVeryDeep(t *testing.T) {
	p := newPlaces(new(graph.Set), [16]byte{1}, 10)
	for _, depth := range []int{300, 256, 255, 254, 1} {
		n := p.enter(9, depth)
		if level := p.level(n, depth); level < 0 || level > lastLevel {
			t.Errorf("depth %d is level %d", depth, level)
		}
		p.fetched(n, depth, false)
	}
	if base := p.base.At(0); base != 1 {
		t.Errorf("the base is %d", base)
	}
}
