// Package hindsight computes what known pages have turned out to be worth, for policies that
// learn from it. It is passive, works in steps, and keeps its state in columns.
package hindsight

import "github.com/winnow-crawler/winnow/graph"

// An Index computes the index of Sidney (1975) and Horn (1972) of pages along the tree of
// their discovery: the largest mean weight of a part of the tree that begins with the page.
// It is what fetching the page, and the best of what follows from it, brings for each fetch.
//
// A page is known before those that are found on it. So the pages are processed from the last
// to the first. A page takes in the parts below it as long as they raise its mean; those left
// wait in a heap, one for each page.
type Index struct {
	graph.Set
	value   *graph.Column[float64] // index of a page that is done, weight of one that is not
	sum     *graph.Column[float64] // weight of its part
	count   *graph.Column[uint32]  // pages of its part
	first   *graph.Column[uint32]  // 1 + the best part that waits below the page; 0: none
	left    *graph.Column[uint32]  // skew heap of the parts that wait below the same page
	right   *graph.Column[uint32]
	numbers *graph.Column[uint64] // pages that are left to be done
}

// NewIndex returns an Index with room for a number of pages.
func NewIndex(pages int) *Index {
	x := new(Index)
	x.value = graph.NewColumnIn[float64](&x.Set, "index: values", pages)
	x.sum = graph.NewColumnIn[float64](&x.Set, "index: sums", pages)
	x.count = graph.NewColumnIn[uint32](&x.Set, "index: counts", pages)
	x.first = graph.NewColumnIn[uint32](&x.Set, "index: first", pages)
	x.left = graph.NewColumnIn[uint32](&x.Set, "index: left", pages)
	x.right = graph.NewColumnIn[uint32](&x.Set, "index: right", pages)
	x.numbers = graph.NewColumnIn[uint64](&x.Set, "index: numbers", 1)
	x.numbers.Grow(1)
	return x
}

// Begin begins to compute the index of the pages from 0 to n. Step does it.
func (x *Index) Begin(n int) {
	for _, c := range []*graph.Column[uint32]{x.count, x.first, x.left, x.right} {
		c.Truncate(0)
		c.Grow(n)
	}
	x.sum.Truncate(0)
	x.sum.Grow(n)
	x.value.Truncate(0)
	x.value.Grow(n)
	x.numbers.Set(0, uint64(n))
}

// Step processes a number of pages and reports whether more are left. weight returns the
// weight of a page, from the page on which it was found first, which has a lower number, or
// NoPage. Both must return the same in all steps.
func (x *Index) Step(pages int, weight func(graph.Page) float64, from func(graph.Page) graph.Page) (more bool) {
	left := int(x.numbers.At(0))
	for ; pages > 0 && left > 0; pages-- {
		left--
		x.finish(uint32(left), weight(graph.Page(left)))
		if up := from(graph.Page(left)); up != graph.NoPage {
			x.first.Set(int(up), x.merge(x.first.At(int(up)), uint32(left)+1))
		}
	}
	x.numbers.Set(0, uint64(left))
	return left > 0
}

// Value returns the index of a page. All steps must be done.
func (x *Index) Value(p graph.Page) float64 { return x.value.At(int(p)) }

// Len returns the number of pages that have an index.
func (x *Index) Len() int { return x.value.Len() }

// finish forms the part that begins with page p.
func (x *Index) finish(p uint32, weight float64) {
	sum, count, heap := weight, uint32(1), x.first.At(int(p))
	for heap != 0 {
		best := heap - 1
		if x.value.At(int(best)) <= float64(sum/float64(count)) {
			break
		}
		sum += x.sum.At(int(best))
		count += x.count.At(int(best))
		heap = x.merge(x.merge(x.left.At(int(best)), x.right.At(int(best))), x.first.At(int(best)))
	}
	x.first.Set(int(p), heap)
	x.sum.Set(int(p), sum)
	x.count.Set(int(p), count)
	x.value.Set(int(p), float64(sum/float64(count)))
}

// before reports whether part a goes before part b: by index, then by number.
func (x *Index) before(a, b uint32) bool {
	va, vb := x.value.At(int(a-1)), x.value.At(int(b-1))
	return va > vb || va == vb && a < b
}

// merge makes one skew heap of two (Sleator and Tarjan 1986). Parts are numbered from 1, and
// 0 is an empty heap.
func (x *Index) merge(a, b uint32) uint32 {
	if a == 0 || b == 0 {
		return a | b
	}
	if x.before(b, a) {
		a, b = b, a
	}
	root := a
	for {
		next := x.right.At(int(a - 1))
		x.right.Set(int(a-1), x.left.At(int(a-1)))
		if next == 0 {
			x.left.Set(int(a-1), b)
			return root
		}
		if x.before(b, next) {
			next, b = b, next
		}
		x.left.Set(int(a-1), next)
		a = next
	}
}
