package measure

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/winnow-crawler/winnow/graph"
)

// TopParts returns the parts of the top pages for which NeededForTop has a number: all, 99, 95
// and 90 %.
func TopParts() []float64 { return []float64{1, 0.99, 0.95, 0.9} }

// NeededForTop returns the share of T after which each of TopParts of the best x of E, ties
// with the last of them included, was fetched; nil where the crawl stopped before. That is
// how many downloads are necessary to get the top x of pages, which the thesis (4.3.4) tried
// and gave up as unstable: one good page may come last.
func (t *Trial) NeededForTop(of float64) []*float64 {
	found := t.Found(t.judge.HotTop(of))
	var needed []*float64
	for _, part := range TopParts() {
		needed = append(needed, known(found.PagesFor(part)))
	}
	return needed
}

// Precision returns the share of the first x of the crawl that belongs to the best x of
// E, with an interval over resamples of the pages of E with replacement. N is the number
// of resamples, SD their deviation; Mean is the precision itself. ok is false if the crawl
// stopped before the share x of T.
func (t *Trial) Precision(of float64, resamples int, seed uint64) (i Interval, ok bool) {
	k := PagesAt(of, len(t.judge.pages))
	if k > len(t.order) || len(t.judge.pages) == 0 {
		return Interval{}, false
	}
	once := make([]uint32, len(t.judge.class))
	for _, p := range t.judge.pages {
		once[p] = 1
	}
	i = Interval{Mean: t.precision(once, k), N: resamples}
	if resamples < 2 {
		i.Low, i.High = i.Mean, i.Mean
		return i, true
	}
	r := rand.New(rand.NewPCG(seed, streamPrecision))
	values := make([]float64, resamples)
	for b := range values {
		clear(once)
		for range t.judge.pages {
			once[t.judge.pages[r.IntN(len(t.judge.pages))]]++
		}
		values[b] = t.precision(once, k)
	}
	i.SD = deviation(values, Sum(values)/float64(resamples))
	i.Low, i.High = middle95(values)
	return i, true
}

// precision returns the share of the first k fetches that are as important as the k-th
// best page or more, where page p counts as times[p] pages.
func (t *Trial) precision(times []uint32, k int) float64 {
	j, left := t.judge, k
	line := uint32(0)
	for _, p := range j.ranked {
		if left <= 0 {
			break
		}
		if times[p] > 0 {
			line = j.class[p]
			left -= int(times[p])
		}
	}
	left = k
	hot, seen := 0, 0
	for _, p := range t.order {
		n := min(int(times[p]), left)
		seen, left = seen+n, left-n
		if j.class[p] <= line {
			hot += n
		}
		if left == 0 {
			break
		}
	}
	return Share(hot, seen)
}

// A TopWhen holds when the best N pages of E were fetched, on average over those that
// were.
type TopWhen struct {
	N       int     `json:"n"`
	Fetched int     `json:"fetched"`
	Mean    float64 `json:"mean"`
}

// AverageWhen returns TopWhen for all N (Najork and Wiener, figure 2). when[i] is the day,
// or batch, or anything else, of fetch i.
func (t *Trial) AverageWhen(when []float64) ([]TopWhen, error) {
	if err := t.sameLength(len(when)); err != nil {
		return nil, err
	}
	j := t.judge
	fetch := make([]uint32, len(j.class)) // 1 for the first fetch, 0 for none
	for k, p := range t.order {
		fetch[p] = uint32(k + 1)
	}
	top := make([]TopWhen, len(j.ranked))
	var a adder
	fetched := 0
	for i, p := range j.ranked {
		if fetch[p] > 0 {
			fetched++
			a.add(when[fetch[p]-1])
		}
		top[i] = TopWhen{N: i + 1, Fetched: fetched, Mean: a.sum() / float64(max(fetched, 1))}
	}
	return top, nil
}

func (t *Trial) sameLength(n int) error {
	if n != len(t.order) {
		return fmt.Errorf("times of %d fetches for an order of %d", n, len(t.order))
	}
	return nil
}

// Overlap returns, for every N up to the length of the longer one, the share of the best
// N of one ranking that is among the best N of the other: Najork and Wiener's
// figure 3 for the ranks of a part of the crawl and of the whole. A ranking names a
// page once.
func Overlap(a, b []graph.Page) Curve {
	x := common(a, b)
	c := Curve{make([]float64, len(x)), len(x)}
	for i, n := range x {
		c.Y[i] = Share(int(n), i+1)
	}
	return c
}

// common returns, for every N up to the length of the longer ranking, the number of pages
// that are among the first N of both.
func common(a, b []graph.Page) []uint32 {
	const inA, inB = 1, 2
	size := 0
	for _, list := range [][]graph.Page{a, b} {
		for _, p := range list {
			size = max(size, int(p)+1)
		}
	}
	in := make([]uint8, size)
	x := make([]uint32, max(len(a), len(b)))
	both := uint32(0)
	mark := func(p graph.Page, list uint8) {
		if in[p] |= list; in[p] == inA|inB {
			both++
		}
	}
	for i := range x {
		if i < len(a) {
			mark(a[i], inA)
		}
		if i < len(b) {
			mark(b[i], inB)
		}
		x[i] = both
	}
	return x
}

// RankBiasedOverlap returns the extrapolated RBO of Webber, Moffat and Zobel (2010, formula
// 32) for 0 < p < 1: the expected overlap at a depth that a reader reaches who goes
// on from each place with probability p, so that the top counts most (a tenth of the
// weight is beyond about 2.3/(1-p) places). 1 for equal rankings, 0 for disjoint ones.
//
//	(1-p)/p [ Σ_{d=1..l} X_d/d p^d + Σ_{d=s+1..l} X_s (d-s)/(s d) p^d ]
//	    + ((X_l - X_s)/l + X_s/s) p^l
//
// with X_d pages common to the first d, s and l the lengths of the shorter and the
// longer ranking.
func RankBiasedOverlap(a, b []graph.Page, p float64) float64 {
	s, x := min(len(a), len(b)), common(a, b)
	if s == 0 {
		return 0
	}
	l, xs := len(x), float64(x[s-1])
	var terms adder
	power := 1.0 // p^d
	for d := 1; d <= l; d++ {
		power *= p
		terms.add(float64(float64(x[d-1]) / float64(d) * power))
		if d > s {
			terms.add(float64(xs * float64(d-s) / (float64(s) * float64(d)) * power))
		}
	}
	rest := (float64(x[l-1])-xs)/float64(l) + xs/float64(s)
	return float64((1-p)/p*terms.sum()) + float64(rest*power)
}

// LogGrid returns 1, ..., n with about perDecade numbers per decade, evenly spaced on a
// logarithmic axis; n is always the last.
func LogGrid(n, perDecade int) []int {
	var grid []int
	for i := 0; ; i++ {
		x := int(math.Round(math.Pow(10, float64(i)/float64(perDecade))))
		if x >= n {
			break
		}
		if len(grid) == 0 || x > grid[len(grid)-1] {
			grid = append(grid, x)
		}
	}
	if n < 1 {
		return grid
	}
	return append(grid, n)
}

// On returns the curve at the given numbers of pages, such as those of a LogGrid; those
// beyond its end are left out.
func (c Curve) On(grid []int) []Point {
	var points []Point
	for _, k := range grid {
		if k >= 1 && k <= len(c.Y) {
			points = append(points, Point{k, c.Y[k-1]})
		}
	}
	return points
}
