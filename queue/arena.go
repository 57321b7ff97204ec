package queue

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// An arena holds one list of pages for each site in blocks of 1, 2, 4, ... places, so
// that no site needs a slice of its own. A list that outgrows its block moves to one of
// twice the size, and a list that fell to a quarter of its block moves to one of half the
// size. The old block becomes free. To move a list takes time, so a list that outgrows the
// largest block gets a column of its own, where it grows in place.
type arena struct {
	cells  *graph.Column[graph.Page]
	blocks *graph.Column[uint64] // by site, see block
	sizes  *graph.Column[uint8]  // by site: 1 + log2 of the size of its block, 0 if it has none
	// vacant holds the first free block of each size, counted from 1. The first cell of
	// a free block holds the next one.
	vacant  [33]uint32
	largest uint8 // size of the largest blocks, as in sizes

	large []*graph.Column[graph.Page] // lists in columns of their own
	spare []uint32                    // the empty ones of them
	grow  func() *graph.Column[graph.Page]
}

// A block is where the list of a site is: its length in the lowest 31 bits, above them its
// first cell, or the number of its column if the highest bit is set.
type block uint64

const (
	lengthBits = 31
	apart      = block(1) << 63
)

func (b block) len() int      { return int(b & (1<<lengthBits - 1)) }
func (b block) first() uint32 { return uint32(b &^ apart >> lengthBits) }

// newArena reserves room. A list of n pages has a block of less than 4n cells. The free
// blocks of each size were in use before, so pages that wait once take at most four cells
// each. The other four are for pages that wait again, after a failure or in the next
// batch.
func newArena(set *graph.Set, name string, pages, sites int) arena {
	return arena{
		cells:   graph.NewColumnIn[graph.Page](set, name+" pages", min(8*pages+64, graph.MaxPages)),
		blocks:  graph.NewColumnIn[uint64](set, name+" blocks", sites),
		sizes:   graph.NewColumnIn[uint8](set, name+" block sizes", sites),
		largest: 1 + 16,
		grow: func() *graph.Column[graph.Page] {
			return graph.NewColumnIn[graph.Page](set, name+" large site", pages)
		},
	}
}

func (a *arena) addSite() {
	a.blocks.Append(0)
	a.sizes.Append(0)
}

func (a *arena) block(s graph.Site) block { return block(a.blocks.Slice()[s]) }

func (a *arena) len(s graph.Site) int { return a.block(s).len() }

// of returns the list of site s.
func (a *arena) of(s graph.Site) []graph.Page {
	b := a.block(s)
	if b&apart != 0 {
		return a.large[b.first()].Slice()
	}
	return a.cells.Slice()[b.first():][:b.len()]
}

// extend makes the list of s longer by one cell with arbitrary content.
func (a *arena) extend(s graph.Site) []graph.Page {
	b, size := a.block(s), a.sizes.At(int(s))
	if b&apart == 0 && (size == 0 || b.len() == 1<<(size-1)) {
		a.resize(s, size+1)
		b = a.block(s)
	}
	if b&apart != 0 {
		a.large[b.first()].Append(0)
	}
	a.blocks.Slice()[s]++
	return a.of(s)
}

// room allocates a block for n pages to s, whose list is empty.
func (a *arena) room(s graph.Site, n int) {
	if n > 0 {
		a.resize(s, 1+uint8(bits.Len(uint(n-1))))
	}
}

// shorten drops the last cell of the list of s.
func (a *arena) shorten(s graph.Site) {
	a.blocks.Slice()[s]--
	b, size := a.block(s), a.sizes.At(int(s))
	if b&apart != 0 {
		a.large[b.first()].Truncate(b.len())
	}
	switch {
	case b.len() == 0:
		a.clear(s)
	case size > 2 && b.len() <= 1<<(size-1)/4:
		a.resize(s, size-1)
	}
}

// clear frees the block of s.
func (a *arena) clear(s graph.Site) {
	if size := a.sizes.At(int(s)); size > 0 {
		a.release(a.block(s), size)
	}
	a.blocks.Set(int(s), 0)
	a.sizes.Set(int(s), 0)
}

// resize moves the list of s to a block of 2^(size-1) cells, or to a column of its own, whose
// size counts as twice that of the largest block.
func (a *arena) resize(s graph.Site, size uint8) {
	old, was, list := a.block(s), a.sizes.At(int(s)), a.of(s)
	size = min(size, a.largest+1)
	to := a.take(size)
	a.blocks.Set(int(s), uint64(to)|uint64(old.len()))
	a.sizes.Set(int(s), size)
	if to&apart != 0 {
		a.large[to.first()].Grow(len(list))
	}
	copy(a.of(s), list)
	if was > 0 {
		a.release(old, was)
	}
}

// take returns a free block, or a column, as the block of an empty list.
func (a *arena) take(size uint8) block {
	if size > a.largest {
		if len(a.spare) == 0 {
			a.spare = append(a.spare, uint32(len(a.large)))
			a.large = append(a.large, a.grow())
		}
		n := a.spare[len(a.spare)-1]
		a.spare = a.spare[:len(a.spare)-1]
		return apart | block(n)<<lengthBits
	}
	if at := a.vacant[size]; at != 0 {
		a.vacant[size] = uint32(a.cells.At(int(at) - 1))
		return block(at-1) << lengthBits
	}
	at := a.cells.Len()
	a.cells.Grow(at + 1<<(size-1))
	return block(at) << lengthBits
}

func (a *arena) release(b block, size uint8) {
	if b&apart != 0 {
		a.large[b.first()].Truncate(0)
		a.spare = append(a.spare, b.first())
		return
	}
	a.cells.Set(int(b.first()), graph.Page(a.vacant[size]))
	a.vacant[size] = b.first() + 1
}
