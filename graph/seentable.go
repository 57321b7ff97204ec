package graph

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// An idTable finds ids by hash: open addressing with linear probing, in which the
// slots are sorted by hash. It grows by sixteenths, a few hundred slots at a time.
//
// # Order
//
// A hash has a home, hash*scale/2^64, which rises with the hash. It lies in the first
// slot from its home on that comes after all smaller hashes:
//
//	place(i) = max(home(i), place(i-1)+1)
//
// so the table depends on which hashes are in it and not on the order in which they
// came. A search ends at the first hash that is not smaller: (1 + 1/(1-a))/2 slots at
// load a, found or not, where without the order a search for what is not there takes
// (1 + 1/(1-a)^2)/2. In exchange an insert moves the rest of its run one slot up, with
// one copy.
//
// # Growth
//
// The hashes below split have homes by scale, the others by the next scale, 17/16 of
// it. That is still a home that rises with the hash, so all the above holds. Inserts
// let split sink: each moves, when its turn has come, the last window of slots below
// low to their new places, and the gap between the two parts moves through the table
// with it. No insert waits for more than a window and the run behind it, and the load
// stays between 14/17 and 15/16 in every place, at every moment. (Tables that double
// would be half empty on the day after. Thousands of small ones do not help: with a
// hash they all fill at the same time.)
//
// One contiguous array also means one cache miss for a look-up and no directory.
type idTable struct {
	slots *Column[uint8] // slotSize bytes each; the last slot is always empty
	n     int            // ids
	scale uint64         // slots for the homes of hashes below split
	next  uint64         // and of the others
	split uint64
	low   int    // no hash below split lies in this slot or a later one
	due   int    // ids at which the next window moves; follows from low
	most  int    // slots moved by the insert that moved most; not saved
	queue []slot // on their way
}

// A slot is the complement of the hash and the id. Complements fall from slot to
// slot, and an empty slot is zero, so that a search has one comparison to make.
// The largest hash counts as the one before it: its complement would be zero.
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

func newIDTable(name string, most int) idTable {
	// 14/17 full at least, and the run at the end.
	slots := NewColumn[uint8](name, slotSize*(most+most/4+4*firstScale))
	t := idTable{slots: slots}
	t.begin(firstScale)
	return t
}

// begin lets a table of the given scale grow to the next one.
func (t *idTable) begin(scale uint64) {
	t.scale, t.next, t.split = scale, scale+scale/16, maxHash+1
	t.sink(t.size())
	t.room(int(t.next) + 1)
}

// size is the number of slots.
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

// find returns the byte at which the slot of a hash begins, or where it belongs.
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

// add returns the id of a hash, which is the next one if it has none yet.
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

// put enters a hash that is not there in its place and says how many slots it moved.
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

// full is the number of ids at which a table of some scale begins to grow: 7/8.
func full(scale uint64) int { return int(scale / 8 * 7) }

// sink notes how far growth has come, and when it goes on: low sinks from scale to 0
// while n rises from full(scale) to full(next).
func (t *idTable) sink(low int) {
	from, to := full(t.scale), full(t.next)
	t.low = low
	t.due = max(from, to-int(uint64(low)*uint64(to-from)/t.scale))
}

// grow moves one window when it is due, and says how many slots that were.
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

// step moves the last window below low to its place in the next scale. What is in
// the way there joins the queue and finds its place behind.
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

// empty forgets everything.
func (t *idTable) empty() {
	cut(t.slots, 0)
	t.n = 0
	t.begin(firstScale)
}

// cut shortens a column to n elements; it may grow again.
func cut[T Value](c *Column[T], n int) {
	clear(c.data[n:]) // what lies beyond the length must be zero
	c.data = c.data[:n]
}

// state is what a saved table needs besides its slots.
func (t *idTable) state() [4]uint64 {
	return [4]uint64{uint64(t.n), t.scale, t.split, uint64(t.low)}
}

// restore takes the state that belongs to slots just loaded and checks both: every
// place, so that no search can leave the table, and every id.
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

// check says whether the table is what it must be.
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
