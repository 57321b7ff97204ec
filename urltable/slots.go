package urltable

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// An idTable maps hashes to ids by open addressing with linear probing. Its slots are
// sorted by hash. It grows by sixteenths, a few hundred slots at a time.
//
// # Order
//
// A hash has a home, hash*scale/2^64, which rises with the hash. The hash lies in the
// first slot, from its home on, that comes after all smaller hashes:
//
//	place(i) = max(home(i), place(i-1)+1)
//
// so the table depends on which hashes it holds and not on the order of the inserts. A
// search ends at the first hash that is not smaller, after (1 + 1/(1-a))/2 slots at load
// a, found or not. Without the order, a search for a missing hash would take
// (1 + 1/(1-a)^2)/2. In exchange an insert moves the rest of its run one slot up, with
// one copy.
//
// # Growth
//
// The hashes below split have homes by scale, the others by the next scale, 17/16 of
// it. That home still rises with the hash, so all of the above holds. Inserts lower
// split: an insert that is due moves the last window of slots below low to their new
// places, and the gap between the two parts moves down through the table. No insert
// moves more than a window and the run behind it, and the load stays between 14/17 and
// 15/16 everywhere, at all times. (A table that doubles would be half empty right
// after. Thousands of small tables do not help: under a hash all fill at the same time.)
//
// With one contiguous array a look-up costs one cache miss and needs no directory.
type idTable struct {
	slots *graph.Column[uint8] // slotSize bytes each; the last slot is always empty
	n     int                  // number of ids
	scale uint64               // slots for the homes of hashes below split
	next  uint64               // slots for the homes of the others
	split uint64
	low   int    // no hash below split lies in this slot or a later one
	due   int    // ids at which the next window moves; follows from low
	most  int    // largest number of slots that one insert moved; not saved
	queue []slot // scratch space of step
}

// A slot holds the complement of a hash, and the id. Complements fall from slot to slot
// and an empty slot is zero, so that a search needs one comparison for each slot. The
// largest hash counts as the one before it, because its complement would be zero.
const (
	slotSize   = 12
	maxHash    = 1<<64 - 2
	firstScale = 4096
	window     = 512
)

type slot struct {
	key uint64
	id  uint32
}

func newIDTable(set *graph.Set, name string, most int) idTable {
	// 14/17 full at least, and the run at the end.
	slots := graph.NewColumnIn[uint8](set, name, slotSize*(most+most/4+4*firstScale))
	t := idTable{slots: slots}
	t.begin(firstScale)
	return t
}

// begin starts the growth from the given scale to the next one.
func (t *idTable) begin(scale uint64) {
	t.scale, t.next, t.split = scale, scale+scale/16, maxHash+1
	t.sink(t.size())
	t.room(int(t.next) + 1)
}

// size returns the number of slots.
func (t *idTable) size() int { return t.slots.Len() / slotSize }

// room makes the table at least n slots long.
func (t *idTable) room(n int) { t.slots.Grow(n * slotSize) }

func (t *idTable) home(hash uint64) int {
	scale := t.scale
	if hash >= t.split {
		scale = t.next
	}
	hi, _ := bits.Mul64(hash, scale)
	return int(hi)
}

func keyAt(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at : at+8]) }

func slotAt(b []byte, at int) slot {
	s := b[at : at+slotSize]
	return slot{binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint32(s[8:])}
}

func setSlot(b []byte, at int, v slot) {
	s := b[at : at+slotSize]
	binary.LittleEndian.PutUint64(s, v.key)
	binary.LittleEndian.PutUint32(s[8:], v.id)
}

// find returns the offset of the slot of a hash, or else of the slot where it belongs.
func (t *idTable) find(hash uint64) (at int, found bool) {
	hash = min(hash, maxHash)
	b, key := t.slots.Slice(), ^hash
	at = t.home(hash) * slotSize
	for keyAt(b, at) > key {
		at += slotSize
	}
	return at, keyAt(b, at) == key
}

// lookup returns the id of a hash.
func (t *idTable) lookup(hash uint64) (id uint32, ok bool) {
	at, found := t.find(hash)
	if !found {
		return 0, false
	}
	return slotAt(t.slots.Slice(), at).id, true
}

// add returns the id of a hash. A new hash gets the next id.
func (t *idTable) add(hash uint64) (id uint32, fresh bool) {
	at, found := t.find(hash)
	if found {
		return slotAt(t.slots.Slice(), at).id, false
	}
	id = uint32(t.n)
	moved := t.put(at, min(hash, maxHash), id)
	t.n++
	moved += t.grow()
	t.most = max(t.most, moved)
	return id, true
}

// put inserts a new hash at its place and returns how many slots it moved.
func (t *idTable) put(at int, hash uint64, id uint32) (moved int) {
	b, end := t.slots.Slice(), at
	for keyAt(b, end) != 0 {
		end += slotSize
	}
	copy(b[at+slotSize:end+slotSize], b[at:end])
	setSlot(b, at, slot{^hash, id})
	last := end / slotSize
	if hash < t.split && last >= t.low {
		t.sink(last + 1)
	}
	if last+1 == t.size() {
		t.room(last + 1 + window)
	}
	return (end - at) / slotSize
}

// full returns the number of ids at which a table of a scale begins to grow: 7/8 of it.
func full(scale uint64) int { return int(scale / 8 * 7) }

// sink sets low and the number of ids at which the next window moves: low falls from
// scale to 0 while n rises from full(scale) to full(next).
func (t *idTable) sink(low int) {
	from, to := full(t.scale), full(t.next)
	t.low = low
	t.due = max(from, to-int(uint64(low)*uint64(to-from)/t.scale))
}

// grow moves one window if it is due, and returns how many slots it moved.
func (t *idTable) grow() (moved int) {
	if t.n < t.due {
		return 0
	}
	moved = t.step()
	if t.low == 0 {
		t.begin(t.next)
	}
	return moved
}

// step moves the last window below low to its places in the next scale. A slot that is
// in the way joins the queue and is placed later.
func (t *idTable) step() (moved int) {
	b, first := t.slots.Slice(), max(0, t.low-window)
	q := t.queue[:0]
	for at := first * slotSize; at < t.low*slotSize; at += slotSize {
		if v := slotAt(b, at); v.key != 0 {
			q = append(q, v)
		}
	}
	clear(b[first*slotSize : t.low*slotSize])
	t.sink(first)
	if len(q) > 0 {
		t.split = min(t.split, ^q[0].key)
	}
	place := first // a home before it is followed by a full run up to it
	for i := 0; i < len(q); i++ {
		place = max(place, t.home(^q[i].key))
		if place+1 >= t.size() {
			t.room(place + window)
			b = t.slots.Slice()
		}
		at := place * slotSize
		if v := slotAt(b, at); v.key != 0 {
			q = append(q, v)
		}
		setSlot(b, at, q[i])
		place++
	}
	t.queue = q
	return len(q)
}

// empty removes all entries.
func (t *idTable) empty() {
	t.slots.Truncate(0)
	t.n = 0
	t.begin(firstScale)
}

// state returns what has to be saved in addition to the slots.
func (t *idTable) state() [4]uint64 {
	return [4]uint64{uint64(t.n), t.scale, t.split, uint64(t.low)}
}

// restore sets the state that belongs to the loaded slots and checks both: every place,
// so that no search can leave the table, and every id.
func (t *idTable) restore(state [4]uint64) error {
	n, scale, split, low := state[0], state[1], state[2], state[3]
	slots := uint64(t.size())
	if scale < firstScale || scale > slots || scale+scale/16 >= slots || low > slots || split > maxHash+1 ||
		t.slots.Len()%slotSize != 0 {
		return fmt.Errorf("table %q has %d slots for scale %d, grown from %d", t.slots.Name(), slots, scale, low)
	}
	t.n, t.scale, t.next, t.split = int(n), scale, scale+scale/16, split
	t.sink(int(low))
	return t.check()
}

// check returns an error unless every hash is in its place and every id is in use.
func (t *idTable) check() error {
	b, place, count, last := t.slots.Slice(), -1, 0, uint64(1<<64-1)
	for i := range t.size() {
		key := keyAt(b, i*slotSize)
		if key == 0 {
			continue
		}
		want := max(place+1, t.home(^key))
		switch {
		case count > 0 && key >= last || i != want || i >= t.low && ^key < t.split:
			return fmt.Errorf("table %q: slot %d holds a hash that belongs elsewhere", t.slots.Name(), i)
		case slotAt(b, i*slotSize).id >= uint32(t.n):
			return fmt.Errorf("table %q: slot %d holds id %d of %d", t.slots.Name(), i, slotAt(b, i*slotSize).id, t.n)
		}
		place, last = i, key
		count++
	}
	if count != t.n || place+1 >= t.size() {
		return fmt.Errorf("table %q: %d ids in %d slots, want %d", t.slots.Name(), count, t.size(), t.n)
	}
	return nil
}
