package stats

import "github.com/winnow-crawler/winnow/graph"

// set is a set of pages, one bit each.
type set []uint64

func newSet(pages int) set { return make(set, (pages+63)/64) }

// add puts p in and reports whether it is new.
func (s set) add(p graph.Page) bool {
	bit := uint64(1) << (p % 64)
	had := s[p/64]&bit != 0
	s[p/64] |= bit
	return !had
}

func (s set) has(p graph.Page) bool { return s[p/64]>>(p%64)&1 != 0 }

// Reach is the number of pages first reached at each distance from the seeds,
// which are at distance 0: breadth-first search over the forward lists. All seeds
// are below pages; one named twice counts once.
func Reach(pages int, forward graph.Reader, seeds []graph.Page) (atDepth []int64) {
	seen := newSet(pages)
	var level, next []graph.Page
	for _, p := range seeds {
		if seen.add(p) {
			level = append(level, p)
		}
	}
	for len(level) > 0 {
		atDepth = append(atDepth, int64(len(level)))
		next = next[:0]
		for _, p := range level {
			for _, q := range forward.List(p) {
				if seen.add(q) {
					next = append(next, q)
				}
			}
		}
		level, next = next, level
	}
	return atDepth
}
