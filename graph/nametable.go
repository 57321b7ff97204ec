package graph

import (
	"bytes"

	"github.com/zeebo/xxh3"
)

// A nameTable numbers distinct names in the order in which they come. The names lie
// one after the other in blocks, and an open-addressed table of numbers finds them:
// the bytes of the name, 8 for its place and 5 to 11 for the table, against a hundred
// for a Go map of strings (W22).
type nameTable struct {
	blocks [][]byte
	places []uint64 // per name: block, offset, length (21 bits each of the latter)
	slots  []Site   // by hash; NoSite: empty; at most three quarters are used
}

const (
	nameBlock  = 1 << 20
	lengthBits = 21
	offsetBits = 21 // an empty name may lie at the very end of a block
)

// Len is the number of names.
func (t *nameTable) Len() int { return len(t.places) }

// bytes is the memory it takes, and the lists of pages by site that are made of it.
// Tables that grow leave the smaller ones behind for a while.
func (t *nameTable) bytes() int64 {
	return int64(len(t.blocks))*nameBlock + int64(cap(t.places)*8+len(t.slots)*4)*3/2 + int64(len(t.places)*8)
}

// name returns a name; it must not be changed.
func (t *nameTable) name(s Site) []byte {
	v := t.places[s]
	length := v & (1<<lengthBits - 1)
	offset := v >> lengthBits & (1<<offsetBits - 1)
	return t.blocks[v>>(lengthBits+offsetBits)][offset : offset+length]
}

// add returns the number of a name of at most nameBlock bytes.
func (t *nameTable) add(name []byte) Site {
	if len(t.places)*4 >= len(t.slots)*3 {
		t.grow()
	}
	at := t.find(name)
	if t.slots[at] == NoSite {
		t.slots[at] = Site(len(t.places))
		t.places = append(t.places, t.keep(name))
	}
	return t.slots[at]
}

// find is the slot of a name, or the empty one where it belongs.
func (t *nameTable) find(name []byte) uint64 {
	mask := uint64(len(t.slots) - 1)
	at := xxh3.Hash(name) & mask
	for t.slots[at] != NoSite && !bytes.Equal(t.name(t.slots[at]), name) {
		at = (at + 1) & mask
	}
	return at
}

// keep copies a name into a block and returns its place.
func (t *nameTable) keep(name []byte) uint64 {
	last := len(t.blocks) - 1
	if last < 0 || len(t.blocks[last])+len(name) > nameBlock {
		size := nameBlock
		if last < 0 {
			size = max(4096, len(name)) // most graphs have few sites
		}
		t.blocks = append(t.blocks, make([]byte, 0, size))
		last++
	}
	offset := len(t.blocks[last])
	t.blocks[last] = append(t.blocks[last], name...)
	return uint64(last)<<(lengthBits+offsetBits) | uint64(offset)<<lengthBits | uint64(len(name))
}

// grow doubles the table.
func (t *nameTable) grow() {
	t.slots = make([]Site, max(64, 2*len(t.slots)))
	for i := range t.slots {
		t.slots[i] = NoSite
	}
	for s := range t.places {
		t.slots[t.find(t.name(Site(s)))] = Site(s)
	}
}
