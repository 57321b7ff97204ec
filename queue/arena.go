package queue

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// An arena holds one list of pages for each site in blocks of 1, 2, 4, ... places, so
// that no site needs a slice of its own. A list that outgrows its block moves to one of
// twice the size, and a list that fell to a quarter of its block moves to one of half the
// size. The old block becomes free.
type arena struct {
	cells  *graph.Column[graph.Page]
	blocks *graph.Column[uint64] // by site: first cell (upper half), length (lower half)
	sizes  *graph.Column[uint8]  // by site: 1 + log2 of the size of its block, 0 if it has none
	// vacant holds the first free block of each size, counted from 1. The first cell of
	// a free block holds the next one.
	vacant [33]uint32
}

// newArena reserves room. A list of n pages has a block of less than 4n cells. The free
// blocks of each size were in use before, so pages that wait once take at most four cells
// each. The other four are for pages that wait again, after a failure or in the next
// batch.
func newArena(set *graph.Set, name string, pages, sites int) arena {
	return arena{
		cells:  graph.NewColumnIn[graph.Page](set, name+" pages", min(8*pages+64, graph.MaxPages)),
		blocks: graph.NewColumnIn[uint64](set, name+" blocks", sites),
		sizes:  graph.NewColumnIn[uint8](set, name+" block sizes", sites),
	}
}

func (a *arena) addSite() {
	a.blocks.Append(0)
	a.sizes.Append(0)
}

func (a *arena) len(s graph.Site) int { return int(uint32(a.blocks.Slice()[s])) }

// of returns the list of site s.
func (a *arena) of(s graph.Site) []graph.Page {
	b := a.blocks.Slice()[s]
	first, n := b>>32, b&(1<<32-1)
	return a.cells.Slice()[first : first+n]
}

// extend makes the list of s longer by one cell with arbitrary content.
func (a *arena) extend(s graph.Site) []graph.Page {
	size := a.sizes.At(int(s))
	if n := a.len(s); size == 0 || n == 1<<(size-1) {
		a.resize(s, size+1)
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
	n, size := a.len(s), a.sizes.At(int(s))
	switch {
	case n == 0:
		a.clear(s)
	case size > 2 && n <= 1<<(size-1)/4:
		a.resize(s, size-1)
	}
}

// clear frees the block of s.
func (a *arena) clear(s graph.Site) {
	if size := a.sizes.At(int(s)); size > 0 {
		a.release(uint32(a.blocks.At(int(s))>>32), size)
	}
	a.blocks.Set(int(s), 0)
	a.sizes.Set(int(s), 0)
}

// resize moves the list of s to a block of 2^(size-1) cells.
func (a *arena) resize(s graph.Site, size uint8) {
	n := a.len(s)
	to := a.take(size)
	old := a.of(s)
	copy(a.cells.Slice()[to:], old)
	if a.sizes.At(int(s)) > 0 {
		a.release(uint32(a.blocks.At(int(s))>>32), a.sizes.At(int(s)))
	}
	a.blocks.Set(int(s), uint64(to)<<32|uint64(n))
	a.sizes.Set(int(s), size)
}

// take returns a free block.
func (a *arena) take(size uint8) uint32 {
	if at := a.vacant[size]; at != 0 {
		a.vacant[size] = uint32(a.cells.At(int(at) - 1))
		return at - 1
	}
	at := a.cells.Len()
	a.cells.Grow(at + 1<<(size-1))
	return uint32(at)
}

func (a *arena) release(at uint32, size uint8) {
	a.cells.Set(int(at), graph.Page(a.vacant[size]))
	a.vacant[size] = at + 1
}
