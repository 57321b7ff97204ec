package advise

import "github.com/winnow-crawler/winnow/graph"

// A push computes how much of personalised PageRank is certainly fetched: RankMass (Cho and
// Schonfeld, VLDB 2007), as a certificate and not as an order.
//
// A surfer starts at a seed, all of them alike, follows a link with probability follow, and
// starts again otherwise, also where there is no link. Let y be the expected number of visits
// of each page before the next start, counting only ways through fetched pages. Every number
// below it is below the true one. Let V be the sum of y over the fetched pages and D over those
// of them that have no links. The true number of visits before the next start is
//
//	(1 - follow D') / (1-follow),  where D' >= D are the visits of pages without links,
//
// since a visit of any other page is followed by another one with probability follow. So the
// share of the surfer's visits that fetched pages have is at least
//
//	(1-follow) V / (1 - follow D).
//
// Sweeps raise y from 0, or from what it was when fewer pages were fetched, and never above the
// true value. So one may stop at any time.
type push struct {
	y, next []float64 // by page
	start   float64   // of a seed
	seeds   []graph.Page
	at      int // fetch of the sweep under way
	end     int // fetches of it
	// Of the sweep before: V and D.
	visits, dangling float64
	sums             [2]float64 // of the sweep under way
}

// A forward gives the links of the fetched pages, by their place in the order.
type forward interface {
	fetch(i int) graph.Page
	// out returns distinct links without p itself.
	out(p graph.Page) []graph.Page
	// blind reports whether the links of a page are not known.
	blind(p graph.Page) bool
}

// begin begins a sweep over the first fetches.
func (s *push) begin(pages, fetches int, seeds []graph.Page) {
	s.y, s.next = grown(s.y, pages), grown(s.next, pages)
	if len(seeds) != len(s.seeds) { // each counts less than before
		clear(s.y)
		s.seeds, s.visits, s.dangling = seeds, 0, 0
	}
	clear(s.next)
	s.start = 1 / float64(max(1, len(seeds)))
	for _, p := range seeds {
		s.next[p] += s.start
	}
	s.at, s.end, s.sums = 0, fetches, [2]float64{}
}

func grown(x []float64, n int) []float64 {
	return append(x, make([]float64, max(0, n-len(x)))...)
}

// work continues the sweep for about a number of links and returns what is left of it. more
// reports whether the sweep is not over.
func (s *push) work(f forward, links int) (left int, more bool) {
	for ; s.at < s.end; s.at++ {
		if links <= 0 {
			return 0, true
		}
		p := f.fetch(s.at)
		out, y := f.out(p), s.y[p]
		links -= 1 + len(out)
		s.sums[0] += y
		if len(out) == 0 {
			if !f.blind(p) {
				s.sums[1] += y
			}
			continue
		}
		part := follow * y / float64(len(out))
		for _, q := range out {
			s.next[q] += part
		}
	}
	s.finish(f)
	return links, false
}

// finish ends a sweep. Only fetched pages keep what they got.
func (s *push) finish(f forward) {
	s.visits, s.dangling = s.sums[0], s.sums[1]
	clear(s.y)
	for i := range s.end {
		p := f.fetch(i)
		s.y[p] = s.next[p]
	}
}

// share returns the share that is certainly fetched, by the sweep before. What rounding may
// have added is taken off.
func (s *push) share() float64 {
	v := (1 - follow) * s.visits / (1 - float64(follow*s.dangling))
	return max(0, min(1, v)-1e-9)
}

// sweeps is the most sweeps of a share, and enough the relative change of V at which they end.
const (
	sweeps = 200
	enough = 1e-5
)

// certain returns the share of personalised PageRank that is certainly fetched.
func (w *walk) certain() float64 {
	s, before := &push{}, 0.0
	for range sweeps {
		s.begin(w.Pages, w.done, w.Seeds)
		s.work(w, 1<<62)
		if s.visits > 0 && s.visits-before <= enough*s.visits {
			break
		}
		before = s.visits
	}
	return s.share()
}

func (w *walk) fetch(i int) graph.Page  { return w.Order[i] }
func (w *walk) blind(p graph.Page) bool { return w.Blind != nil && w.Blind(p) }
