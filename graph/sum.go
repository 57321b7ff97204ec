package graph

import (
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// Sum sets sum[i] to the sum of z over list lo+i. It reads the compressed lists: that is
// several times slower than a kernel.Gather over raw lists, which take four bytes a link.
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

// sumOf adds in four partial sums, which do not wait for each other. It adds the last
// one to three elements without a branch, which would be mispredicted for most lists:
// beyond the end the first element stands in, with all bits cleared.
func sumOf(list []uint32, z []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	var a, b, c, d float64
	rest := list
	for len(rest) >= 4 {
		a += z[rest[0]]
		b += z[rest[1]]
		c += z[rest[2]]
		d += z[rest[3]]
		rest = rest[4:]
	}
	at := len(list) - len(rest)
	a += valueWithin(list, z, at)
	b += valueWithin(list, z, at+1)
	c += valueWithin(list, z, at+2)
	return (a + b) + (c + d)
}

// valueWithin returns z[list[i]], or 0 if i is beyond the end of the list.
func valueWithin(list []uint32, z []float64, i int) float64 {
	inside := (i - len(list)) >> 63 // -1 or 0
	return math.Float64frombits(math.Float64bits(z[list[i&inside]]) & uint64(inside))
}
