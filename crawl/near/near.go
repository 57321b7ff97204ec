// Package near finds contents that differ in a few words: 64-bit SimHashes at a Hamming
// distance of at most Distance, among the last contents that were added.
//
// It is passive and deterministic, has one owner and no lock, and its state is columns.
//
// It uses the pigeonhole principle: two hashes that differ in at most 3 bits are equal in at
// least one of their 4 blocks of 16 bits. The entries that have the same value of a block
// form a chain, the newest first. A look-up walks the four chains of its hash and compares
// whole hashes.
//
//	heads[block][value]  -> number of the newest entry
//	entry: hash, page, for each block the number of the next older entry of its chain
//
// Entries lie in a ring, and their numbers only grow. A number that is too old for the ring
// ends a chain, so that an overwritten entry need not be removed from its chains.
package near

import (
	"fmt"
	"io"
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// Distance is the largest number of bits in which two near contents differ.
const Distance = 3

// probes is the largest number of entries that a look-up compares in each of its four
// chains. It bounds the cost of contents that are made to share a block. An entry at a
// distance of at most Distance is certain to be found if fewer than probes newer entries
// share with the hash one of the blocks that it shares. If hashes are spread evenly, a chain
// has 1/65536 of the entries: of up to some 4 million entries (61 in a chain on average)
// hardly any is missed; of more, the oldest are.
const probes = 128

const (
	blocks    = 4
	blockBits = 16
	values    = 1 << blockBits
)

// An entry is entrySize numbers of 32 bits in one column, 28 bytes, so that a step along a
// chain costs one access to memory: hash (low, high), page, four numbers of older entries.
const (
	entryPage  = 2
	entryOlder = 3
	entrySize  = entryOlder + blocks
)

// An Index holds the last contents, each with its page.
type Index struct {
	graph.Set // the whole state: it can be loaded into an index of the same size
	size      int
	added     *graph.Column[uint64] // how many were ever added, and size
	heads     *graph.Column[uint32] // by block and value; empty until the first Add
	entries   *graph.Column[uint32] // the ring
}

// New returns an index that keeps the last size contents. It takes 1 MiB of memory with the
// first content, and 28 bytes for each.
func New(size int) *Index {
	size = max(0, size)
	x := &Index{size: size, added: graph.NewColumn[uint64]("near added", 2)}
	graph.AddTo(&x.Set, sized{x.added, size})
	x.heads = graph.NewColumnIn[uint32](&x.Set, "near heads", blocks*values)
	x.entries = graph.NewColumnIn[uint32](&x.Set, "near entries", entrySize*size)
	return x
}

// Len returns the number of contents in the index.
func (x *Index) Len() int { return x.entries.Len() / entrySize }

// count returns how many contents were ever added: the number of the newest.
func (x *Index) count() uint64 {
	if x.added.Len() == 0 {
		return 0
	}
	return x.added.At(0)
}

// entry returns the place of entry n in the ring.
func (x *Index) entry(n uint64) []uint32 {
	i := int((n-1)%uint64(x.size)) * entrySize
	return x.entries.Slice()[i : i+entrySize : i+entrySize]
}

// head returns where the chain of a hash in block b begins.
func head(hash uint64, b int) int { return b*values + int(hash>>(b*blockBits)&(values-1)) }

// Add adds the content of p. The hash 0 is that of a page without words, which is near to
// nothing. If there is no room, the oldest content is forgotten.
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

// Find returns a page with a near content: the nearest of those that it compares, the oldest
// of equals. It walks the four chains side by side, so that their accesses to memory
// overlap.
func (x *Index) Find(hash uint64) (p graph.Page, ok bool) { return x.find(hash, graph.NoPage) }

// Has reports whether one of the contents that Find compares is near and of page p.
func (x *Index) Has(hash uint64, p graph.Page) bool {
	_, ok := x.find(hash, p)
	return ok
}

// find does what Find does, among the contents of one page only unless that is NoPage.
func (x *Index) find(hash uint64, only graph.Page) (p graph.Page, ok bool) {
	if hash == 0 || x.Len() == 0 {
		return graph.NoPage, false
	}
	var ages [blocks]uint32 // of the entries at which the chains are
	for b := range blocks {
		ages[b] = x.age(x.heads.At(head(hash, b)))
	}
	kept, best, oldest := uint32(x.Len()), Distance+1, uint32(0)
	ring, newest := x.entries.Slice(), int((x.count()-1)%uint64(x.size))
	for i, alive := 0, true; i < probes && alive; i++ {
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
			if only != graph.NoPage && graph.Page(e[entryPage]) != only {
				d = Distance + 1
			}
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

// age returns how many contents were added after entry n. n has the low 32 bits of the
// number, which are enough: the ring is shorter than 2^32.
func (x *Index) age(n uint32) uint32 {
	if n == 0 && x.count() < 1<<32 {
		return ended
	}
	return uint32(x.count()) - n
}

// ended is the age at the end of a chain.
const ended = 1<<32 - 1

// older returns the age of entry n, which follows an entry of another age in its chain. It
// is larger than that age, unless 2^32 contents were added since n was overwritten.
func (x *Index) older(age, n uint32) uint32 {
	if a := x.age(n); a > age {
		return a
	}
	return ended
}

// sized is a column that cannot be loaded from an index of another size, whose ring has
// everything in other places.
type sized struct {
	*graph.Column[uint64]
	size int
}

// Columns calls each with c, so that c checks what is loaded.
func (c sized) Columns(each func(graph.AnyColumn)) { each(c) }

// Load reads the column. It returns an error if it is of an index of another size.
func (c sized) Load(r io.Reader) error {
	if err := c.Column.Load(r); err != nil {
		return err
	}
	if n := c.Len(); n != 0 && (n != 2 || c.At(1) != uint64(c.size)) {
		return fmt.Errorf("load column %q: it is of an index of another size than %d", c.Name(), c.size)
	}
	return nil
}
