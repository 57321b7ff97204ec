package queue

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// BenchmarkAdd is the innermost loop of policies that collect: a value of a page drawn
// at random grows, most waiting, in sites of 64 pages each.
func BenchmarkAdd(b *testing.B) {
	for _, grouped := range []bool{false, true} {
		b.Run(fmt.Sprintf("grouped=%v", grouped), func(b *testing.B) {
			const pages, sites = 1 << 20, 1 << 14
			q := New("bench", pages, sites)
			defer q.Free()
			of := graph.NewColumn[uint32]("groups", sites)
			defer of.Free()
			if grouped {
				q.Grouped(of, sites)
			}
			for s := range graph.Site(sites) {
				of.Append(0)
				q.Site(s)
				if grouped {
					q.Group(s, uint32(s/10+1))
				}
				q.Offer(s)
			}
			for p := range graph.Page(pages) {
				q.Page(p, graph.Site(p%sites))
				q.Push(p)
			}
			x := uint32(1)
			for b.Loop() {
				x = x*1664525 + 1013904223
				q.Add(graph.Page(x>>12), 1e-6*float64(x>>24))
			}
		})
	}
}
