package rank

import (
	"math/bits"

	"github.com/winnow-crawler/winnow/graph"
)

// Harmonic returns harmonic centrality: H(x) is the sum, over all pages y other than x from
// which x can be reached, of 1/d(y, x), the number of links on a shortest way. Common Crawl
// ranks sites by it. Scores are not scaled; Normalise does that.
//
// It is exact, by breadth-first searches from every page. Searches from 64 pages run in
// one: each page has a set of bits, one for every source that has reached it, and a level
// of the search is a union of sets along all links of the pages that were new in the level
// before. Sources near each other reach a page at about the same level, so that one pass
// over its links serves most of them. The cost still grows with the square of the number of
// pages. In addition to the lists it takes 40 bytes a page for each thread.
//
// Progress is called with the number of searches done and the share of pages from
// which none has begun.
func Harmonic(w *Web, o Options) (*Result, error) {
	o.SelfLinks = true // they change nothing
	v, o, err := prepared("harmonic centrality", w, o)
	if err != nil {
		return nil, err
	}
	defer v.free()
	n := w.Pages()
	r := &Result{Score: make([]float64, n), Pages: v.pages}
	searches := make([]*search, min(o.Threads, (n+searchWidth-1)/searchWidth))
	for i := range searches {
		searches[i] = newSearch(v.out())
		defer searches[i].Free()
	}
	for first := 0; first < n; first += searchWidth * len(searches) {
		graph.Parallel(o.Threads, len(searches), func(i int) {
			searches[i].run(first + i*searchWidth)
		})
		for _, s := range searches { // in the order of sources, for any number of threads
			for p, h := range s.score.Slice() {
				r.Score[p] += h
			}
		}
		if o.Progress != nil {
			done := min(n, first+searchWidth*len(searches))
			if err := o.Progress(done, 1-float64(done)/float64(n)); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// searchWidth is the number of sources in one search: the bits of a word. Wider sets
// were slower, because then most words that are united are empty.
const searchWidth = 64

// A search is a breadth-first search from searchWidth pages at once.
type search struct {
	graph.Set
	out   *graph.Lists
	score *graph.Column[float64] // what these sources give to each page
	// Sets of sources for each page: those that have reached it, those that reached it
	// in the level before, those that reach it in this one.
	seen, last, next *graph.Column[uint64]
	active, reached  []graph.Page // pages whose last, next is not empty
}

func newSearch(out *graph.Lists) *search {
	n := out.Pages()
	s := &search{out: out}
	s.score = graph.NewColumnIn[float64](&s.Set, "harmonic", n)
	s.seen = graph.NewColumnIn[uint64](&s.Set, "seen", n)
	s.last = graph.NewColumnIn[uint64](&s.Set, "last", n)
	s.next = graph.NewColumnIn[uint64](&s.Set, "next", n)
	s.score.Grow(n)
	s.seen.Grow(n)
	s.last.Grow(n)
	s.next.Grow(n)
	return s
}

// run searches from the pages from first on and sets score.
func (s *search) run(first int) {
	clear(s.score.Slice())
	clear(s.seen.Slice())
	s.active = s.active[:0]
	for i := 0; i < searchWidth && first+i < s.out.Pages(); i++ {
		s.seen.Set(first+i, 1<<i)
		s.last.Set(first+i, 1<<i)
		s.active = append(s.active, graph.Page(first+i))
	}
	for level := 1; len(s.active) > 0; level++ {
		s.expand()
		s.settle(level)
	}
}

// expand passes the sets of the active pages on to the pages that they link to.
func (s *search) expand() {
	seen, last, next := s.seen.Slice(), s.last.Slice(), s.next.Slice()
	reached := s.reached[:0]
	for _, p := range s.active {
		from := last[p]
		last[p] = 0
		for _, q := range s.out.List(p) {
			fresh := from &^ seen[q]
			if fresh == 0 {
				continue
			}
			if next[q] == 0 {
				reached = append(reached, q)
			}
			next[q] |= fresh
		}
	}
	s.reached = reached
}

// settle counts the sources that have reached a page in this level and makes those
// pages the active ones.
func (s *search) settle(level int) {
	seen, last, next, score := s.seen.Slice(), s.last.Slice(), s.next.Slice(), s.score.Slice()
	for _, p := range s.reached {
		seen[p] |= next[p]
		score[p] += float64(bits.OnesCount64(next[p])) / float64(level)
		last[p], next[p] = next[p], 0
	}
	s.active, s.reached = s.reached, s.active
}
