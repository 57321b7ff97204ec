package group

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// A Table numbers keys in the order in which they were added. It is one of linear hashing:
// for each key that is added, one chain is split. So no key costs more than a few steps, and
// nothing ever moves. It takes 16 bytes for each key.
type Table struct {
	graph.Set
	entries *graph.Column[entry]
	head    *graph.Column[uint32] // by chain: 1 + its first key, 0 if it is empty
}

// An entry holds the two halves of a key, and 1 + the next one of its chain, 0 for the last.
type entry [3]uint32

func (e *entry) key() uint64 { return uint64(e[0])<<32 | uint64(e[1]) }

// NewTable returns an empty table with room for a number of keys. The names of its columns
// begin with name.
func NewTable(name string, most int) *Table {
	t := new(Table)
	t.entries = graph.NewColumnIn[entry](&t.Set, name+" keys", most)
	t.head = graph.NewColumnIn[uint32](&t.Set, name+" chains", most+1)
	t.head.Grow(1)
	return t
}

// Len returns the number of keys.
func (t *Table) Len() int { return t.entries.Len() }

// Find returns the number of a key, and whether it is in the table. The bits of keys must be
// well mixed.
func (t *Table) Find(key uint64) (int, bool) {
	entries := t.entries.Slice()
	for at := t.head.At(t.chain(key)); at != 0; {
		e := &entries[at-1]
		if e.key() == key {
			return int(at - 1), true
		}
		at = e[2]
	}
	return 0, false
}

// Add adds a key that is not in the table, and returns its number.
func (t *Table) Add(key uint64) int {
	n := t.Len()
	t.entries.Append(entry{uint32(key >> 32), uint32(key), 0})
	t.link(n)
	t.split()
	return n
}

// chain returns the chain of a key: its lower bits, as many as there are chains for.
func (t *Table) chain(key uint64) int {
	size := uint64(1) << bits.Len(uint(t.head.Len()-1))
	if c := key & (size - 1); c < uint64(t.head.Len()) {
		return int(c)
	}
	return int(key & (size/2 - 1))
}

// link puts key n at the front of its chain.
func (t *Table) link(n int) {
	e := &t.entries.Slice()[n]
	c := t.chain(e.key())
	e[2] = t.head.At(c)
	t.head.Set(c, uint32(n)+1)
}

// split adds a chain, and moves there what belongs to it: a part of one other chain.
func (t *Table) split() {
	added := t.head.Len()
	half := 1 << (bits.Len(uint(added)) - 1)
	at := t.head.At(added - half)
	t.head.Set(added-half, 0)
	t.head.Grow(added + 1)
	for at != 0 {
		n := int(at - 1)
		at = t.entries.Slice()[n][2]
		t.link(n)
	}
}
