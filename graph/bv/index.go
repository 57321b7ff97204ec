package bv

import (
	"fmt"
	"math/bits"
)

// An Index answers at which bit the list of a page begins: n+1 ascending numbers
// (the last is the length of the stream) in Elias-Fano form, 2 + log2(bits/list)
// bits each. A number is split into its low bits, kept as they are, and the rest,
// kept in unary: number k has its one at bit (number>>low)+k of the upper part.
// Of every sampleEvery-th one the place is noted, so that At reads a few words.
//
// It is a view of words that may be mapped from a file:
//
//	word 0: count of numbers   1: low bits   2: words of the lower part
//	word 3: words of the upper part, then lower, upper, samples (two to a word)
type Index struct {
	n       int
	low     uint
	lower   []uint64
	upper   []uint64
	samples []uint64
}

const (
	sampleEvery = 64
	indexHead   = 4
)

// MaxLists is the number of lists that no index goes beyond: samples have 32 bits, and
// the upper part has at least two bits a number. It has at most three, so that a third
// of 2^32 lists always fit; between the two it depends on their lengths.
const MaxLists = 1<<31 - 1

// BuildIndex returns the words of the index of ascending numbers.
func BuildIndex(starts []uint64) ([]uint64, error) {
	n := len(starts)
	if n == 0 {
		return nil, fmt.Errorf("an index needs at least the end of the stream")
	}
	last := starts[n-1]
	low := uint(0)
	if q := last / uint64(n); q > 0 {
		low = uint(bits.Len64(q) - 1)
	}
	upperBits := last>>low + uint64(n)
	if upperBits >= 1<<32 {
		return nil, fmt.Errorf("%d lists are more than one index holds", n)
	}
	lowerWords := (uint64(n)*uint64(low) + 63) / 64
	upperWords := upperBits/64 + 1
	samples := (uint64(n)+sampleEvery-1)/sampleEvery + 1
	words := make([]uint64, indexHead+lowerWords+upperWords+samples/2)
	copy(words, []uint64{uint64(n), uint64(low), lowerWords, upperWords})
	x, err := OpenIndex(words)
	if err != nil {
		return nil, err
	}
	for k, v := range starts {
		x.put(k, v)
	}
	return words, nil
}

func (x *Index) put(k int, v uint64) {
	if x.low > 0 {
		b := uint64(k) * uint64(x.low)
		rest := v & (1<<x.low - 1)
		x.lower[b/64] |= rest << (b % 64)
		if b%64+uint64(x.low) > 64 {
			x.lower[b/64+1] |= rest >> (64 - b%64)
		}
	}
	u := v>>x.low + uint64(k)
	x.upper[u/64] |= 1 << (u % 64)
	if k%sampleEvery == 0 {
		i := k / sampleEvery
		x.samples[i/2] |= u << (i % 2 * 32)
	}
}

// OpenIndex returns a new index of its words.
func OpenIndex(words []uint64) (*Index, error) {
	if len(words) < indexHead {
		return nil, fmt.Errorf("%w: index of %d words", ErrCorrupt, len(words))
	}
	n, low, lower, upper := words[0], words[1], words[2], words[3]
	samples := ((n+sampleEvery-1)/sampleEvery + 1) / 2
	if n == 0 || n > 1<<32 || low > 63 || lower != (n*low+63)/64 || upper > 1<<32 ||
		uint64(len(words)) != indexHead+lower+upper+samples {
		return nil, fmt.Errorf("%w: index of %d words for %d lists", ErrCorrupt, len(words), n)
	}
	words = words[indexHead:]
	return &Index{
		n:       int(n),
		low:     uint(low),
		lower:   words[:lower],
		upper:   words[lower : lower+upper],
		samples: words[lower+upper:],
	}, nil
}

// Len returns the count of numbers: one more than there are lists.
func (x *Index) Len() int { return x.n }

// At returns number k.
func (x *Index) At(k int) uint64 {
	i := k / sampleEvery
	u := uint64(uint32(x.samples[i/2] >> (i % 2 * 32)))
	rank := k % sampleEvery
	w := u / 64
	word := x.upper[w] >> (u % 64) << (u % 64) // from the sampled one on
	for {
		ones := bits.OnesCount64(word)
		if rank < ones {
			break
		}
		rank -= ones
		w++
		word = x.upper[w]
	}
	high := w*64 + uint64(selectBit(word, rank)) - uint64(k)
	if x.low == 0 {
		return high
	}
	b := uint64(k) * uint64(x.low)
	rest := x.lower[b/64] >> (b % 64)
	if b%64+uint64(x.low) > 64 {
		rest |= x.lower[b/64+1] << (64 - b%64)
	}
	return high<<x.low | rest&(1<<x.low-1)
}

// selectBit returns the place of the one of the given rank (from 0) in w, found by
// halving: the lower half has it when it has more than rank ones. The steps are
// without branches, which would go either way.
func selectBit(w uint64, rank int) int {
	place := 0
	for half := 32; half > 0; half >>= 1 {
		ones := bits.OnesCount64(w & (1<<(half&63) - 1))
		up := (ones - rank - 1) >> 63 // -1: it is in the upper half
		rank -= ones & up
		place += half & up
		w >>= uint(half & up & 63)
	}
	return place
}
