package measure

import (
	"math"
	"sort"
)

// A Curve is a measure after each fetch: Y[k-1] after k of them. Reachable is T, of
// which shares of the crawl are taken, also where the crawl stopped earlier.
type Curve struct {
	Y         []float64
	Reachable int
}

// Point is one point of a thinned curve.
type Point struct {
	Pages int     `json:"pages"`
	Value float64 `json:"value"`
}

// Cumulative returns C(k), the share of the importance of E that the first k fetches
// have. It never falls and ends at 1 when all of E was fetched. Where all of E has
// importance 0 every page counts the same.
func (t *Trial) Cumulative() Curve { return t.cumulative(t.room()) }

// room returns room for a curve.
func (t *Trial) room() []float64 { return make([]float64, len(t.order)) }

// cumulative returns C(k) in y.
func (t *Trial) cumulative(y []float64) Curve {
	j := t.judge
	c := Curve{y, len(j.pages)}
	var sofar adder
	for k, p := range t.order {
		sofar.add(j.truth.Value[p])
		c.Y[k] = j.shareOf(sofar.sum(), k+1)
	}
	return c
}

// shareOf returns the importance of k pages as a share of that of E.
func (j *Judge) shareOf(importance float64, k int) float64 {
	if j.total == 0 {
		return Share(k, len(j.pages))
	}
	return min(importance/j.total, 1)
}

// Ideal returns C(k) of E sorted by importance, frontier ignored: no order is above it.
// It stops after the given number of fetches.
func (j *Judge) Ideal(pages int) Curve {
	t := Trial{j, j.ranked[:pages]}
	return t.Cumulative()
}

// Ideal returns C(k) of the best order of all pages that the trial could have fetched.
func (t *Trial) Ideal() Curve { return t.judge.Ideal(len(t.judge.pages)) }

// Random returns k/T, the share of the importance and of the hot pages that a random order
// of E is expected to have after k fetches.
func Random(reachable, pages int) Curve {
	return IdealFound(reachable, reachable, pages)
}

// IdealFound returns P_ST of a crawler that fetches the H hot pages first: min(1, k/H).
func IdealFound(hot, reachable, pages int) Curve {
	c := Curve{make([]float64, pages), reachable}
	for k := range c.Y {
		c.Y[k] = min(1, Share(k+1, hot))
	}
	return c
}

// Mean returns the mean over all fetches; of C(k) it is the average cumulative
// importance.
func (c Curve) Mean() float64 {
	if len(c.Y) == 0 {
		return 0
	}
	return Sum(c.Y) / float64(len(c.Y))
}

// MeanTo returns the mean over the first fetches, up to a share of T, at least one; ok is
// false if the crawl stopped before.
func (c Curve) MeanTo(of float64) (mean float64, ok bool) {
	k := PagesAt(of, c.Reachable)
	if k > len(c.Y) || k == 0 {
		return 0, false
	}
	return Sum(c.Y[:k]) / float64(k), true
}

// At returns the value after a share of T was fetched; ok is false if the crawl stopped
// before.
func (c Curve) At(of float64) (value float64, ok bool) {
	k := PagesAt(of, c.Reachable)
	if k > len(c.Y) || k == 0 {
		return 0, false
	}
	return c.Y[k-1], true
}

// PagesFor returns the share of T after which a curve that never falls reached a level
// for the first time; ok is false if it did not.
func (c Curve) PagesFor(level float64) (of float64, ok bool) {
	k := sort.Search(len(c.Y), func(k int) bool { return c.Y[k] >= level-slack })
	if k == len(c.Y) {
		return 0, false
	}
	return Share(k+1, c.Reachable), true
}

// slack is the most that rounding takes from a sum of shares: a level that is reached
// exactly in the reals counts as reached.
const slack = 1e-12

// PagesAt returns the number of pages in a share of T of them, rounded up, at least 1.
func PagesAt(of float64, reachable int) int {
	return min(reachable, max(1, int(math.Ceil(float64(of*float64(reachable))-1e-9))))
}

// Thin returns the curve at no more than m >= 2 places, as evenly spaced as whole fetches
// allow, the first and the last fetch among them.
func (c Curve) Thin(m int) []Point {
	n := len(c.Y)
	m = min(m, n)
	points := make([]Point, m)
	for i := range points {
		k := n - 1
		if m > 1 {
			k = i * (n - 1) / (m - 1)
		}
		points[i] = Point{k + 1, c.Y[k]}
	}
	return points
}

// adder sums with the rounding errors carried along (Neumaier 1974), so that the importance
// of a set of pages is the same for any order of fetching, but for the last bit.
type adder struct{ high, low float64 }

func (a *adder) add(x float64) {
	s := a.high + x
	if math.Abs(a.high) >= math.Abs(x) {
		a.low += (a.high - s) + x
	} else {
		a.low += (x - s) + a.high
	}
	a.high = s
}

func (a *adder) sum() float64 { return a.high + a.low }

// Sum adds up values with their rounding errors carried along.
func Sum(x []float64) float64 {
	var a adder
	for _, v := range x {
		a.add(v)
	}
	return a.sum()
}

// A Hot is a set of hot pages of E: all that are at least as important as some page
// or threshold, ties included.
type Hot struct {
	// G is the least importance of a hot page, on the mean-1 scale if the truth has
	// it.
	G     float64
	Pages int // H
	limit uint32
}

// nearly allows for the rounding of values that were scaled to the mean 1: on a ring
// of pages, all of which have importance 1, all are hot for G = 1.
const nearly = 1 - 1e-9

// HotAbove returns the pages with importance at least g.
func (j *Judge) HotAbove(g float64) Hot {
	least := g
	if j.truth.MeanScale {
		least = g * nearly
	}
	return j.hotFirst(g, sort.Search(len(j.ranked), func(i int) bool {
		return j.truth.Value[j.ranked[i]]*j.scale < least
	}))
}

// HotBest returns the pages at least as important as the k-th best of E: I(R_K) of Crawl &
// Stop, I(R_B) of the limited buffer.
func (j *Judge) HotBest(k int) Hot {
	k = min(k, len(j.ranked))
	if k <= 0 {
		return Hot{}
	}
	kth := j.ranked[k-1]
	return j.hotFirst(j.truth.Value[kth]*j.scale, sort.Search(len(j.ranked), func(i int) bool {
		return j.class[j.ranked[i]] > j.class[kth]
	}))
}

// HotTop returns the best share of E: a threshold by percentile instead of an absolute one.
func (j *Judge) HotTop(of float64) Hot { return j.HotBest(PagesAt(of, len(j.pages))) }

// hotFirst returns the best h pages, after which no class continues.
func (j *Judge) hotFirst(g float64, h int) Hot {
	if h == len(j.ranked) {
		return Hot{g, h, uint32(j.classes)}
	}
	return Hot{g, h, j.class[j.ranked[h]]}
}

// Found returns P_ST(k), the share of all hot pages that is among the first k fetches
// (Crawl & Stop with Threshold); 0 when no page is hot.
func (t *Trial) Found(h Hot) Curve { return t.found(h, t.room()) }

// found returns P_ST(k) in y.
func (t *Trial) found(h Hot, y []float64) Curve {
	c := Curve{y, len(t.judge.pages)}
	found := 0
	for k, p := range t.order {
		if t.judge.class[p] < h.limit {
			found++
		}
		c.Y[k] = Share(found, h.Pages)
	}
	return c
}

// CrawlStop returns P_CS(k), the share of the first k fetches that are at least as
// important as the k-th best page of E (Crawl & Stop).
//
// From one k to the next the line between hot and not falls and one page is added,
// so it takes no more than counting the pages fetched in each class below the line.
func (t *Trial) CrawlStop() Curve { return t.crawlStop(t.room()) }

// crawlStop returns P_CS(k) in y.
func (t *Trial) crawlStop(y []float64) Curve {
	j := t.judge
	c := Curve{y, len(j.pages)}
	below := make([]uint32, j.classes) // fetched pages of each class that is not hot yet
	line, hot := uint32(0), 0          // classes before line are hot
	for k, p := range t.order {
		for ; line <= j.class[j.ranked[k]]; line++ {
			hot += int(below[line])
		}
		if class := j.class[p]; class < line {
			hot++
		} else {
			below[class]++
		}
		c.Y[k] = Share(hot, k+1)
	}
	return c
}
