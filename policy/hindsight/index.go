// Package hindsight computes what known pages have turned out to be worth, for policies that
// learn from it. It is passive, works in steps, and keeps its state in columns.
package hindsight

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// An Index computes the index of Sidney (1975) and Horn (1972) of pages along the tree of
// their discovery: the largest mean weight of a part of the tree that begins with the page.
// It is what fetching the page, and the best of what follows from it, brings for each fetch.
//
// A page is known before those that are found on it. So the pages are processed from the last
// to the first. A page takes in the parts below it as long as they raise its mean; those left
// wait in a heap, one for each page. It takes 16 bytes for each page, and 4 that an Estimate
// does not need at the time.
type Index struct {
	graph.Set
	value   *graph.Column[float32] // index of a page that is done: that of an Estimate
	count   *graph.Column[uint32]  // pages of its part
	first   *graph.Column[uint32]  // 1 + the best part that waits below the page; 0: none
	left    *graph.Column[uint32]  // skew heap of the parts that wait below the same page
	right   *graph.Column[uint32]
	numbers *graph.Column[uint64] // see the constants below
}

// The indexes of Index.numbers.
const (
	indexPages   = iota // of the index
	indexCleared        // pages that are ready to be processed
	indexLeft           // pages that are left to be done
	indexSum            // weight of the part that is being formed, bits of a float64
	indexCount          // and its pages; 0 if none is
	indexNumbers
)

// NewIndex returns an Index that shares memory with an Estimate: an index and an estimate
// must not be computed at the same time.
func NewIndex(e *Estimate) *Index {
	x, most := &Index{value: e.next}, e.most
	x.count = graph.NewColumnIn[uint32](&x.Set, "index: counts", most)
	x.first = graph.NewColumnIn[uint32](&x.Set, "index: first", most)
	x.left = graph.NewColumnIn[uint32](&x.Set, "index: left", most)
	x.right = graph.NewColumnIn[uint32](&x.Set, "index: right", most)
	x.numbers = graph.NewColumnIn[uint64](&x.Set, "index: numbers", indexNumbers)
	x.numbers.Grow(indexNumbers)
	return x
}

// Known adds the next page.
func (x *Index) Known() {
	x.count.Append(0)
	x.first.Append(0)
	x.left.Append(0)
	x.right.Append(0)
}

// Begin begins to compute the index of the pages from 0 to n. Step does it.
func (x *Index) Begin(n int) {
	num := x.numbers.Slice()
	num[indexPages], num[indexCleared], num[indexLeft], num[indexCount] = uint64(n), 0, uint64(n), 0
}

// Step processes about a number of pages and reports whether more are left. weight returns the
// weight of a page, from the page on which it was found first, which has a lower number, or
// NoPage. Both must return the same in all steps.
func (x *Index) Step(pages int, weight func(graph.Page) float64, from func(graph.Page) graph.Page) (more bool) {
	num := x.numbers.Slice()
	if at := num[indexCleared]; at < num[indexPages] {
		end := at + min(uint64(pages), num[indexPages]-at)
		clear(x.first.Slice()[at:end])
		num[indexCleared] = end
		return true
	}
	first := x.first.Slice()
	for ; pages > 0 && num[indexLeft] > 0; pages-- {
		p := graph.Page(num[indexLeft] - 1)
		if num[indexCount] == 0 && first[p] == 0 {
			x.alone(p, float32(weight(p)))
			num[indexLeft]--
			if up := from(p); up != graph.NoPage {
				first[up] = x.merge(first[up], uint32(p)+1)
			}
			continue
		}
		if num[indexCount] == 0 {
			num[indexSum], num[indexCount] = math.Float64bits(weight(p)), 1
		}
		if first[p] != 0 && x.take(p) {
			continue
		}
		x.finish(p)
		num[indexLeft]--
		if up := from(p); up != graph.NoPage {
			first[up] = x.merge(first[up], uint32(p)+1)
		}
	}
	return num[indexLeft] > 0
}

// Value returns the index of a page. All steps must be done.
func (x *Index) Value(p graph.Page) float64 { return float64(x.value.At(int(p))) }

// take takes the best part below p, which has one, into that of p, if that raises its mean.
func (x *Index) take(p graph.Page) bool {
	num := x.numbers.Slice()
	best, sum := int(x.first.At(int(p))-1), math.Float64frombits(num[indexSum])
	value := float64(x.value.At(best))
	if value <= sum/float64(num[indexCount]) {
		return false
	}
	n := x.count.At(best)
	num[indexSum] = math.Float64bits(sum + float64(value*float64(n)))
	num[indexCount] += uint64(n)
	x.first.Set(int(p), x.merge(x.merge(x.left.At(best), x.right.At(best)), x.first.At(best)))
	return true
}

// alone makes a part of p, below which there is none.
func (x *Index) alone(p graph.Page, value float32) {
	x.value.Set(int(p), value)
	x.count.Set(int(p), 1)
	x.left.Set(int(p), 0)
	x.right.Set(int(p), 0)
}

// finish ends the part that begins with p.
func (x *Index) finish(p graph.Page) {
	num := x.numbers.Slice()
	x.value.Set(int(p), float32(math.Float64frombits(num[indexSum])/float64(num[indexCount])))
	x.count.Set(int(p), uint32(num[indexCount]))
	x.left.Set(int(p), 0)
	x.right.Set(int(p), 0)
	num[indexCount] = 0
}

// before reports whether part a goes before part b: by index, then by number.
func before(value []float32, a, b uint32) bool {
	va, vb := value[a-1], value[b-1]
	return va > vb || va == vb && a < b
}

// merge makes one skew heap of two (Sleator and Tarjan 1986). Parts are numbered from 1, and
// 0 is an empty heap.
func (x *Index) merge(a, b uint32) uint32 {
	if a == 0 || b == 0 {
		return a | b
	}
	value, left, right := x.value.Slice(), x.left.Slice(), x.right.Slice()
	if before(value, b, a) {
		a, b = b, a
	}
	root := a
	for {
		next := right[a-1]
		right[a-1] = left[a-1]
		if next == 0 {
			left[a-1] = b
			return root
		}
		if before(value, b, next) {
			next, b = b, next
		}
		left[a-1] = next
		a = next
	}
}
