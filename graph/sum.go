package graph

import (
	"fmt"
	"unsafe"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// Sum sets sum[i] to the sum of z over list lo+i, as Gather.Sum does, but straight
// from the compressed lists: several times slower, without the four bytes a link
// that raw lists take.
func (l *Links) Sum(sum, z []float64, lo Page) {
	if len(z) < l.Pages() || int(lo)+len(sum) > l.Pages() {
		panic(fmt.Sprintf("graph: sum over lists %d to %d of %d from a vector of %d", lo, int(lo)+len(sum), l.Pages(), len(z)))
	}
	s, ok := l.scans.Get().(*bv.Scan)
	if !ok {
		s = l.stream.Scan()
	}
	defer l.scans.Put(s)
	s.Restart(l.index, uint32(lo), uint32(lo)+uint32(len(sum)))
	for i := range sum {
		if !s.Next() {
			panic(&CorruptError{l.path, s.Err()})
		}
		sum[i] = sumOf(s.List(), z)
	}
}

// sumOf adds in four partial sums, which do not wait for each other. Every id must
// be below len(z), which is not checked here: the decoder yields only ids of pages.
// The last one to three elements are added without a branch, which would be
// mispredicted for most lists: beyond the end the first element stands in, times
// zero bits.
func sumOf(list []uint32, z []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	zp := unsafe.Pointer(unsafe.SliceData(z))
	var a, b, c, d float64
	rest := list
	for len(rest) >= 4 {
		a += value(zp, rest[0])
		b += value(zp, rest[1])
		c += value(zp, rest[2])
		d += value(zp, rest[3])
		rest = rest[4:]
	}
	full, n := len(list)-len(rest), len(list)
	a += within(list, zp, full, n)
	b += within(list, zp, full+1, n)
	c += within(list, zp, full+2, n)
	return (a + b) + (c + d)
}

// within is z[list[i]] if i < n, else 0.
func within(list []uint32, z unsafe.Pointer, i, n int) float64 {
	sign := i - n
	return valueIf(z, list[i&(sign>>63)], sign)
}
