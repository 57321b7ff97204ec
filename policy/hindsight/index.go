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
// wait in a heap, one for each page. Most of them are never taken, so it is a pairing heap, where
// one more takes a single comparison (Fredman and others 1986). It takes 16 bytes for each page, and
// 4 that an Estimate does not need at the time.
type Index struct {
	graph.Set
	value   *graph.Column[float32] // index of a page that is done: that of an Estimate
	parts   *graph.Column[node]    // by page
	numbers *graph.Column[uint64]  // see the constants below
}

// A node is the part that begins with a page. Parts are numbered from 1, and 0 is none.
type node [4]uint32

// The indexes of a node.
const (
	nodeCount = iota // its pages
	nodeFirst        // the best of the parts that wait below the page
	nodeChild        // of the parts that wait below the same page as this one: the first one below it
	nodeNext         // and the next one beside it
)

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
	x.parts = graph.NewColumnIn[node](&x.Set, "index: parts", most)
	x.numbers = graph.NewColumnIn[uint64](&x.Set, "index: numbers", indexNumbers)
	x.numbers.Grow(indexNumbers)
	return x
}

// Known adds the next page.
func (x *Index) Known() { x.parts.Append(node{}) }

// Begin begins to compute the index of the pages from 0 to n. Step does it.
func (x *Index) Begin(n int) {
	num := x.numbers.Slice()
	num[indexPages], num[indexCleared], num[indexLeft], num[indexCount] = uint64(n), 0, uint64(n), 0
}

// Step processes about a number of pages and reports whether more are left. weight returns the
// weight of a page, from the page on which it was found first, which has a lower number, or
// NoPage. Both must return the same in all steps.
func (x *Index) Step(pages int, weight func(graph.Page) float64, from func(graph.Page) graph.Page) (more bool) {
	num, parts := x.numbers.Slice(), x.parts.Slice()
	if at := num[indexCleared]; at < num[indexPages] {
		end := at + min(uint64(pages), num[indexPages]-at)
		for i := range parts[at:end] {
			parts[at:end][i] = node{nodeCount: 1}
		}
		num[indexCleared] = end
		return true
	}
	value, left := x.value.Slice(), num[indexLeft]
	for ; pages > 0 && left > 0; pages-- {
		p := graph.Page(left - 1)
		switch {
		case parts[p][nodeFirst] == 0 && num[indexCount] == 0:
			value[p] = float32(weight(p))
		case x.extend(p, weight):
			continue
		default:
			x.finish(p)
		}
		left--
		if up := from(p); up != graph.NoPage {
			first := &parts[up][nodeFirst]
			*first = meld(parts, value, *first, uint32(p)+1)
		}
	}
	num[indexLeft] = left
	return left > 0
}

// Value returns the index of a page. All steps must be done.
func (x *Index) Value(p graph.Page) float64 { return float64(x.value.At(int(p))) }

// extend takes the best part below p into that of p, which it begins if need be, and reports whether
// that raises its mean.
func (x *Index) extend(p graph.Page, weight func(graph.Page) float64) bool {
	num, parts, value := x.numbers.Slice(), x.parts.Slice(), x.value.Slice()
	if num[indexCount] == 0 {
		num[indexSum], num[indexCount] = math.Float64bits(weight(p)), 1
	}
	best := parts[p][nodeFirst]
	if best == 0 {
		return false
	}
	is, sum := float64(value[best-1]), math.Float64frombits(num[indexSum])
	if is <= sum/float64(num[indexCount]) {
		return false
	}
	b := &parts[best-1]
	num[indexSum] = math.Float64bits(sum + float64(is*float64(b[nodeCount])))
	num[indexCount] += uint64(b[nodeCount])
	parts[p][nodeFirst] = meld(parts, value, pairUp(parts, value, b[nodeChild]), b[nodeFirst])
	return true
}

// finish ends the part that begins with p.
func (x *Index) finish(p graph.Page) {
	num := x.numbers.Slice()
	x.value.Set(int(p), float32(math.Float64frombits(num[indexSum])/float64(num[indexCount])))
	x.parts.Slice()[p][nodeCount] = uint32(num[indexCount])
	num[indexCount] = 0
}

// meld makes one heap of two, and returns its first part: by index, then by number.
func meld(parts []node, value []float32, a, b uint32) uint32 {
	if a == 0 || b == 0 {
		return a | b
	}
	if va, vb := value[a-1], value[b-1]; vb > va || va == vb && b < a {
		a, b = b, a
	}
	top := &parts[a-1]
	parts[b-1][nodeNext], top[nodeChild] = top[nodeChild], b
	return a
}

// pairUp makes one heap of the parts beside each other from a on: first of two at a time, then of all
// from the last to the first.
func pairUp(parts []node, value []float32, a uint32) (all uint32) {
	last := uint32(0) // the pairs so far, from the last on
	for a != 0 {
		b, rest := parts[a-1][nodeNext], uint32(0)
		if b != 0 {
			rest = parts[b-1][nodeNext]
		}
		pair := meld(parts, value, a, b)
		parts[pair-1][nodeNext], last, a = last, pair, rest
	}
	for last != 0 {
		next := parts[last-1][nodeNext]
		all, last = meld(parts, value, all, last), next
	}
	return all
}
