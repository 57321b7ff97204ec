// Package near finds contents that differ in a few words (W20): 64-bit SimHashes at a
// Hamming distance of at most Distance, among the last contents that were added.
//
// It is passive and deterministic, has one owner and no lock, and its state is columns.
//
// The method is the pigeonhole: of 4 blocks of 16 bits at least one is equal in two
// hashes that differ in at most 3 bits. For each block there is a chain of the entries
// that have one value of it, the newest first; a look-up walks the four chains of its
// hash and compares whole hashes.
//
//	heads[block][value]  -> number of the newest entry
//	entry: hash, page, for each block the number of the next older entry of its chain
//
// Entries lie in a ring and are numbered from 1 for ever, so a number that is too old
// for the ring ends a chain: nobody has to take an overwritten entry out of it.
package near

import (
	"fmt"
	"io"
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// Distance is the largest number of bits in which two near contents differ.
const Distance = 3

// Probes is the most entries that a look-up compares in each of its four chains. It
// bounds the cost of contents that are made to share a block, and is the limit of what
// is found: an entry at a distance of at most Distance is found for certain if in one of
// the blocks that it shares with the hash fewer than Probes newer entries share it too.
// Where hashes are spread evenly a chain has 1/65536 of the entries, so up to some 4
// million (61 on the average) hardly any is missed; beyond, it is the oldest that are.
const Probes = 128

const (
	blocks    = 4
	blockBits = 16
	values    = 1 << blockBits
)

// An entry is so many numbers of 32 bits in one column, 28 bytes, so that a step along a
// chain costs one access to memory: hash (low, high), page, four numbers of older entries.
const (
	entryPage  = 2
	entryOlder = 3
	entrySize  = entryOlder + blocks
)

// An Index is the last contents, each with its page.
type Index struct {
	graph.Set // the whole state: it can be loaded into an index of the same size
	size      int
	added     *graph.Column[uint64] // how many were ever added, and size
	heads     *graph.Column[uint32] // by block and value; empty until the first Add
	entries   *graph.Column[uint32] // the ring
}

// New makes an index that keeps the last size contents. It takes memory as they come: 1
// MiB with the first, 28 bytes for each.
func New(size int) *Index {
	size = max(0, size)
	x := &Index{size: size, added: graph.NewColumn[uint64]("near added", 2)}
	graph.AddTo(&x.Set, sized{x.added, size})
	x.heads = graph.NewColumnIn[uint32](&x.Set, "near heads", blocks*values)
	x.entries = graph.NewColumnIn[uint32](&x.Set, "near entries", entrySize*size)
	return x
}

// Len is the number of contents that are kept.
func (x *Index) Len() int { return x.entries.Len() / entrySize }

// count is how many contents were ever added: the number of the newest.
func (x *Index) count() uint64 {
	if x.added.Len() == 0 {
		return 0
	}
	return x.added.At(0)
}

// entry is the place of entry n in the ring.
func (x *Index) entry(n uint64) []uint32 {
	i := int((n-1)%uint64(x.size)) * entrySize
	return x.entries.Slice()[i : i+entrySize : i+entrySize]
}

// head is where the chain of a hash in block b begins.
func head(hash uint64, b int) int { return b*values + int(hash>>(b*blockBits)&(values-1)) }

// Add says that p has a content. The hash 0 is that of a page without words, which is
// near to nothing. When there is no more room the oldest content is forgotten.
func (x *Index) Add(hash uint64, p graph.Page) {
	if hash == 0 || x.size == 0 {
		return
	}
	x.heads.Grow(blocks * values)
	x.added.Grow(2)
	n := x.count() + 1
	x.added.Set(0, n)
	x.added.Set(1, uint64(x.size))
	if x.Len() < x.size {
		x.entries.Grow(x.entries.Len() + entrySize)
	}
	e, heads := x.entry(n), x.heads.Slice()
	e[0], e[1], e[entryPage] = uint32(hash), uint32(hash>>32), uint32(p)
	for b := range blocks {
		h := &heads[head(hash, b)]
		e[entryOlder+b], *h = *h, uint32(n)
	}
}

// Find is a page with a near content: of those that it looks at the nearest, the oldest
// of equals. The four chains are walked side by side, so that their accesses to memory
// overlap.
func (x *Index) Find(hash uint64) (p graph.Page, ok bool) {
	if hash == 0 || x.Len() == 0 {
		return graph.NoPage, false
	}
	var ages [blocks]uint32 // of the entries at which the chains are
	for b := range blocks {
		ages[b] = x.age(x.heads.At(head(hash, b)))
	}
	kept, best, oldest := uint32(x.Len()), Distance+1, uint32(0)
	ring, newest := x.entries.Slice(), int((x.count()-1)%uint64(x.size))
	for i, alive := 0, true; i < Probes && alive; i++ {
		alive = false
		for b, age := range ages {
			if age >= kept {
				continue
			}
			alive = true
			at := newest - int(age)
			if at < 0 {
				at += x.size
			}
			e := ring[at*entrySize:][:entrySize]
			d := bits.OnesCount64(hash ^ (uint64(e[1])<<32 | uint64(e[0])))
			if d < best || d == best && d <= Distance && age > oldest {
				p, best, oldest = graph.Page(e[entryPage]), d, age
			}
			ages[b] = x.older(age, e[entryOlder+b])
		}
	}
	if best > Distance {
		return graph.NoPage, false
	}
	return p, true
}

// age is how many contents came after entry n, of which the low 32 bits are kept. That
// is as good as all of it: the ring is shorter than 2^32.
func (x *Index) age(n uint32) uint32 {
	if n == 0 && x.count() < 1<<32 {
		return ended
	}
	return uint32(x.count()) - n
}

// ended is the age at the end of a chain.
const ended = 1<<32 - 1

// older is the age of entry n, which must be more than that of the one before it in the
// chain. It is not only where 2^32 contents have come since it was overwritten.
func (x *Index) older(age, n uint32) uint32 {
	if a := x.age(n); a > age {
		return a
	}
	return ended
}

// sized refuses the state of an index of another size, in whose ring nothing would be
// in its place.
type sized struct {
	*graph.Column[uint64]
	size int
}

// Columns calls each for c, so that a column of its own that is loaded is checked, too.
func (c sized) Columns(each func(graph.AnyColumn)) { each(c) }

// Load returns an error if the column is of an index of another size.
func (c sized) Load(r io.Reader) error {
	if err := c.Column.Load(r); err != nil {
		return err
	}
	if n := c.Len(); n != 0 && (n != 2 || c.At(1) != uint64(c.size)) {
		return fmt.Errorf("load column %q: it is of an index of another size than %d", c.Name(), c.size)
	}
	return nil
}
