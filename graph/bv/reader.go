package bv

import (
	"fmt"
	"math/bits"
)

// A Reader reads one list at a time, of any page. It owns the space the lists are
// returned in, so every goroutine needs its own.
type Reader struct {
	l     listReader
	index *Index
	chain []link
}

// A link is part of the chain of references: a list whose head is read.
type link struct {
	page   uint32
	start  uint64 // bit at which the list begins
	degree uint64
	rest   cursor
}

// Reader returns a reader; index holds where lists begin.
func (s *Stream) Reader(index *Index) *Reader { return &Reader{l: s.lists(), index: index} }

// List returns the list of page x, ascending; valid until the next call.
func (r *Reader) List(x uint32) ([]uint32, error) {
	need, err := r.follow(x)
	if err != nil {
		return nil, err
	}
	if need > uint64(len(r.l.space)) {
		r.l.space = make([]uint32, need+need/2)
	}
	var list span
	for i, ref := len(r.chain)-1, uint64(0); i >= 0; i, ref = i-1, 1 {
		h := &r.chain[i]
		next, c := r.l.tail(h.page, h.degree, ref, list, list.hi, h.rest)
		if c.pos > r.l.s.Bits {
			return nil, r.l.corrupt(h.page, h.start, "blocks, intervals or residuals that do not fit")
		}
		list = next
	}
	return r.l.space[list.lo:list.hi:list.hi], nil
}

// follow reads the heads of the lists that the one of page x refers to, up to one
// that has no reference, and returns the space needed for all of them.
func (r *Reader) follow(x uint32) (need uint64, err error) {
	r.chain = r.chain[:0]
	for {
		pos := r.index.At(int(x))
		degree, ref, rest, ok := r.l.head(x, pos)
		if !ok {
			return 0, r.l.corrupt(x, pos, "a degree or a reference that cannot be")
		}
		r.chain = append(r.chain, link{x, pos, degree, rest})
		need += room(degree, degree) // its own, and as from of the next one
		if ref == 0 {
			return need, nil
		}
		if len(r.chain) > r.l.s.Params.MaxRef {
			return 0, r.l.corrupt(x, pos, "chain of references too long")
		}
		x -= uint32(ref)
	}
}

// Degree returns the length of the list of page x without reading the list.
func (r *Reader) Degree(x uint32) (int, error) {
	pos := r.index.At(int(x))
	d, _ := r.l.readGamma(r.l.at(pos))
	if d > uint64(r.l.s.Pages) {
		return 0, r.l.corrupt(x, pos, "degree above the number of pages")
	}
	return int(d), nil
}

// Verify checks an index from an untrusted file, so that At never leaves its words: the
// upper part must have one one per number, and every sample must be the place of its one.
// It does not check that numbers ascend; a reader detects a list that begins at the wrong
// place. It takes about a nanosecond per word.
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
