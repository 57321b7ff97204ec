package topic

import "math"

// A tally counts words by their hashes: open addressing, cleared at once by a new mark.
type tally struct {
	slots []slot
	mark  uint32
	least []uint32 // by n - 1: words with at least n occurrences
}

type slot struct {
	hash uint64
	mark uint32 // of the page that counts
	n    uint32
}

// reset begins a page.
func (t *tally) reset() {
	if t.mark++; t.mark == 0 || len(t.slots) == 0 || len(t.slots) > keptSlots {
		*t = tally{mark: 1, slots: make([]slot, 1<<11)}
	}
	t.least = append(t.least[:0], 0)
}

// keptSlots is the largest number of slots that is kept for the next page.
const keptSlots = 1 << 14

// add counts a word.
func (t *tally) add(hash uint64) {
	s := &t.slots[hash&uint64(len(t.slots)-1)]
	if s.mark == t.mark && s.hash != hash {
		s = t.find(hash)
	}
	n := s.n
	if s.mark != t.mark {
		n = 0
	}
	*s = slot{hash: hash, mark: t.mark, n: n + 1}
	if int(n) == len(t.least) {
		t.least = append(t.least, 0)
	}
	if t.least[n]++; 2*int(t.least[0]) >= len(t.slots) {
		t.grow()
	}
}

// find returns the slot of a word, or the free one for it.
func (t *tally) find(hash uint64) *slot {
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i].mark == t.mark && t.slots[i].hash != hash {
		i = (i + 1) & mask
	}
	return &t.slots[i]
}

func (t *tally) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.mark == t.mark {
			*t.find(s.hash) = s
		}
	}
}

// norm returns the length of the vector of the words: the root of the sum of the squares of Tame
// of their counts, 0 if none was counted. Words of one count are added up as one, in the order
// of the counts, so that the sum does not depend on the hashes.
func (t *tally) norm() float32 {
	square := 0.0
	for i, k := range t.least {
		if i+1 < len(t.least) {
			k -= t.least[i+1]
		}
		if k > 0 {
			w := Tame(float64(i + 1))
			square += float64(float64(k) * float64(w*w))
		}
	}
	return float32(math.Sqrt(square))
}
