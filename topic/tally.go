package topic

import (
	"math"
	"slices"
)

// A tally counts words by their hashes: open addressing, cleared at once by a new mark.
type tally struct {
	slots []slot
	used  int
	mark  uint32
}

type slot struct {
	hash uint64
	mark uint32 // of the page that counts
	n    uint32
}

// reset begins a page.
func (t *tally) reset() {
	if t.mark++; t.mark == 0 || len(t.slots) > keptSlots {
		*t = tally{mark: 1}
	}
	t.used = 0
}

// keptSlots is the largest number of slots that is kept for the next page.
const keptSlots = 1 << 14

// add counts a word.
func (t *tally) add(hash uint64) {
	if 2*t.used >= len(t.slots) {
		t.grow()
	}
	s := t.find(hash)
	if s.mark != t.mark {
		*s = slot{hash: hash, mark: t.mark}
		t.used++
	}
	s.n++
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
	t.slots = make([]slot, max(1024, 2*len(old)))
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
	const few = 64
	var by [few]uint32 // words by count
	square := 0.0
	var many []uint32
	for _, s := range t.slots {
		switch {
		case s.mark != t.mark:
		case s.n < few:
			by[s.n]++
		default:
			many = append(many, s.n)
		}
	}
	for n, k := range by {
		if k > 0 {
			w := Tame(float64(n))
			square += float64(float64(k) * float64(w*w))
		}
	}
	slices.Sort(many)
	for _, n := range many {
		w := Tame(float64(n))
		square += float64(w * w)
	}
	return float32(math.Sqrt(square))
}
