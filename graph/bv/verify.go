package bv

import (
	"fmt"
	"math/bits"
)

// Verify looks through an index that comes from a file, so that At answers for
// every number in it without leaving its words, whoever wrote them: the upper part
// must have one one per number, and every sample must be the place of its one. That
// numbers ascend is not looked at; a list read at the wrong place is found by its
// reader. It takes about a nanosecond per word.
func (x *Index) Verify() error {
	ones, w := 0, uint64(0) // ones in the words before w
	for i := range (x.n + sampleEvery - 1) / sampleEvery {
		u := uint64(uint32(x.samples[i/2] >> (i % 2 * 32)))
		if u/64 < w || u/64 >= uint64(len(x.upper)) {
			return fmt.Errorf("%w: sample %d of the index lies outside", ErrCorrupt, i)
		}
		for ; w < u/64; w++ {
			ones += bits.OnesCount64(x.upper[w])
		}
		word, bit := x.upper[w], uint64(1)<<(u%64)
		if word&bit == 0 || ones+bits.OnesCount64(word&(bit-1)) != i*sampleEvery {
			return fmt.Errorf("%w: sample %d of the index is not where number %d is", ErrCorrupt, i, i*sampleEvery)
		}
	}
	for ; w < uint64(len(x.upper)); w++ {
		ones += bits.OnesCount64(x.upper[w])
	}
	if ones != x.n {
		return fmt.Errorf("%w: %d numbers in an index of %d", ErrCorrupt, ones, x.n)
	}
	return nil
}
