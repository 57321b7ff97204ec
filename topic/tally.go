package topic

import (
	"math"
	"slices"
)

// A tally counts words by their hashes: open addressing, cleared at once by a new mark.
type tally struct {
	slots []slot
	mark  uint32
	used  []used // the slots of this page, and room for those of a block
	n     int    // their number
	often [often]uint32
	more  []uint32
}

// A counted is a word that counts: its hash and where it is in the text.
type counted struct {
	hash     uint64
	from, to uint32
}

// A used is a slot with a word, and where that was first.
type used struct{ slot, from, to uint32 }

type slot struct {
	hash uint64
	mark uint32 // of the page that counts
	n    uint32
}

// reset begins a page.
func (t *tally) reset() {
	if t.mark++; t.mark == 0 || len(t.slots) == 0 || len(t.slots) > keptSlots {
		t.mark = 1
		t.make(1 << 11)
	}
	t.n = 0
}

// keptSlots is the largest number of slots that is kept for the next page.
const keptSlots = 1 << 14

// make makes empty slots.
func (t *tally) make(n int) {
	t.slots, t.used = make([]slot, n), make([]used, n/2+blockSize)
}

// add counts the words of a block at most. Whether one is new is hard to predict, so nothing branches
// on that.
func (t *tally) add(words []counted) {
	t.reserve(len(words))
	slots, list, mark, n := t.slots, t.used, t.mark, t.n
	mask := uint64(len(slots) - 1)
	for k := range words {
		w := &words[k]
		i := w.hash & mask
		live := slots[i].live(mark)
		for (slots[i].hash^w.hash)&live != 0 {
			i = (i + 1) & mask
			live = slots[i].live(mark)
		}
		s := &slots[i]
		s.hash, s.mark, s.n = w.hash, mark, s.n&uint32(live)+1
		list[n] = used{uint32(i), w.from, w.to}
		n += int(1 &^ live)
	}
	t.n = n
}

// reserve makes room for so many more words.
func (t *tally) reserve(n int) {
	for 2*(t.n+n) > len(t.slots) {
		t.grow()
	}
}

// addMany counts n occurrences of a word.
func (t *tally) addMany(hash uint64, n uint32) {
	t.reserve(1)
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i].hash != hash && t.slots[i].mark == t.mark {
		i = (i + 1) & mask
	}
	if s := &t.slots[i]; s.mark != t.mark {
		*s = slot{hash, t.mark, n}
		t.used[t.n].slot = uint32(i)
		t.n++
	} else {
		s.n += n
	}
}

// live returns all bits if the slot is of the page with a mark, else none.
func (s *slot) live(mark uint32) uint64 { return uint64(int64(uint64(s.mark^mark)-1) >> 63) }

func (t *tally) grow() {
	old, list := t.slots, t.used[:t.n]
	t.make(2 * len(old))
	mask := uint64(len(t.slots) - 1)
	for k, u := range list {
		i := old[u.slot].hash & mask
		for t.slots[i].mark == t.mark {
			i = (i + 1) & mask
		}
		t.slots[i] = old[u.slot]
		t.used[k] = used{uint32(i), u.from, u.to}
	}
}

// often is the number from which on occurrences are so many that few words have them.
const often = 256

// tame has the squares of Tame.
var tame = func() (list [often]float64) {
	for n := 1; n < often; n++ {
		list[n] = float64(Tame(float64(n)) * Tame(float64(n)))
	}
	return list
}()

// norm returns the length of the vector of the words: the root of the sum of the squares of Tame
// of their counts, 0 if none was counted. Words of one count are added up as one, in the order
// of the counts, so that the sum does not depend on the hashes.
func (t *tally) norm() float32 {
	t.more, t.often = t.more[:0], [often]uint32{}
	most := uint32(0)
	for _, u := range t.used[:t.n] {
		n := t.slots[u.slot].n
		if n >= often {
			t.more = append(t.more, n)
			continue
		}
		t.often[n]++
		most = max(most, n)
	}
	square := 0.0
	for n, k := range t.often[:most+1] {
		square += float64(float64(k) * tame[n])
	}
	slices.Sort(t.more)
	for _, n := range t.more {
		square += float64(Tame(float64(n)) * Tame(float64(n)))
	}
	return float32(math.Sqrt(square))
}
