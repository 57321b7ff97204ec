package extsort

import (
	"math/bits"
	"slices"
)

const (
	maxDigit   = 11      // bits: 2,048 counters of 4 bytes, a quarter of a first-level cache
	minDigit   = 8       // fewer bits make no pass faster
	smallSort  = 1 << 9  // fewer keys are sorted by comparison
	bucketSort = 1 << 15 // keys, and as many of scratch, that fit a second-level cache
	pieceSort  = 1 << 21 // keys between two questions whether to stop: some 5 ms
)

// A digit is some neighbouring bits of a key.
type digit struct {
	shift, bits int
}

// mask returns the bits of a key that the digit takes.
func (d digit) mask() uint64 { return (1<<d.bits - 1) << d.shift }

// counters has an entry for every value of a digit.
type counters [1 << maxDigit]uint32

// digits cuts the bits that vary into as few digits as possible, lowest first, and
// of these ways takes the one with the narrowest digits. Bits that are the same in
// all keys cost nothing where they fill a digit: links of a graph with a million
// pages differ in 20 bits of each half, and take four passes of 10 bits.
func digits(varying uint64) []digit {
	var best []digit
	for width := maxDigit; width >= minDigit; width-- {
		var ds []digit
		for v := varying; v != 0; v &^= ds[len(ds)-1].mask() {
			low := bits.TrailingZeros64(v)
			ds = append(ds, digit{low, min(width, 64-low)})
		}
		if best == nil || len(ds) <= len(best) {
			best = ds
		}
	}
	return best
}

// top returns the digit of the highest bits that vary which cuts n keys into buckets of
// about bucketSort.
func top(varying uint64, n int) digit {
	width := min(bits.Len(uint(n/bucketSort)), maxDigit)
	high := bits.Len64(varying)
	return digit{max(high-width, 0), min(width, high)}
}

// A radix sort by the bits that vary, keeping the order of keys that do not differ
// in these. Other bits are the same in all keys, or lie below the lowest that varies.
// Passes go from one of two equally long slices to the other.
type radix struct {
	next counters
	stop func() error
}

// radixSort sorts keys and returns the slice, keys or scratch, that holds the
// result. Many keys are first dealt into buckets by their highest digit, so that
// the passes over the other digits stay in the cache: from memory a pass takes some
// 5 ns a key, in the cache 2.
func radixSort(keys, scratch []uint64, varying uint64, stop func() error) ([]uint64, error) {
	r := radix{stop: stop}
	if len(keys) < smallSort {
		slices.Sort(keys)
		return keys, nil
	}
	if len(keys) < 2*bucketSort || len(digits(varying)) < 3 {
		return r.passes(keys, scratch, digits(varying))
	}
	d := top(varying, len(keys))
	if err := r.pass(scratch, keys, d); err != nil {
		return nil, err
	}
	ends := r.next // each counter has moved to the end of its bucket
	rest := digits(varying &^ d.mask())
	var start uint32
	for _, end := range ends[:1<<d.bits] {
		if _, err := r.passes(scratch[start:end], keys[start:end], rest); err != nil {
			return nil, err
		}
		start = end
	}
	if len(rest)%2 == 1 {
		return keys, nil
	}
	return scratch, nil
}

// passes sorts by digits, lowest first.
func (r *radix) passes(keys, scratch []uint64, ds []digit) ([]uint64, error) {
	for _, d := range ds {
		if err := r.pass(scratch, keys, d); err != nil {
			return nil, err
		}
		keys, scratch = scratch, keys
	}
	return keys, nil
}

// pass moves keys to the other slice in the order of one digit. Afterwards next[v]
// is the end of those with digit v.
func (r *radix) pass(to, from []uint64, d digit) error {
	count := r.next[:1<<d.bits]
	clear(count)
	for piece := range slices.Chunk(from, pieceSort) {
		r.count(piece, d)
		if err := r.stop(); err != nil {
			return err
		}
	}
	var sum uint32
	for i, n := range count {
		count[i] = sum
		sum += n
	}
	for piece := range slices.Chunk(from, pieceSort) {
		r.scatter(to, piece, d)
		if err := r.stop(); err != nil {
			return err
		}
	}
	return nil
}

// count and scatter look at every key once. The masks by constants, 63 and the size of the
// counters, change no value: they let the compiler omit its own checks.

func (r *radix) count(keys []uint64, d digit) {
	shift, low, next := uint(d.shift), uint64(1)<<d.bits-1, &r.next
	for _, k := range keys {
		next[k>>(shift&63)&low&(1<<maxDigit-1)]++
	}
}

func (r *radix) scatter(to, from []uint64, d digit) {
	shift, low, next := uint(d.shift), uint64(1)<<d.bits-1, &r.next
	for _, k := range from {
		v := k >> (shift & 63) & low & (1<<maxDigit - 1)
		at := next[v]
		next[v] = at + 1
		to[at] = k
	}
}
