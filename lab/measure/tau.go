package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Tau returns Kendall's tau-b of the order against descending importance, over all pages
// fetched: 1 when more important pages always come earlier, -1 when later.
func (t *Trial) Tau() float64 { return tauOfOrder(t.values(t.room()), t.room()) }

// values returns in v the importance of the pages in the order of their fetches.
func (t *Trial) values(v []float64) []float64 {
	for k, p := range t.order {
		v[k] = t.judge.truth.Value[p]
	}
	return v
}

// TauSample returns Tau on a uniform sample of the pages fetched, 5000 unless JudgeOptions
// has another number, or on all if they are no more. It is drawn from one shuffle of E
// (math/rand/v2 PCG), so that complete orders are compared on the same pages.
func (t *Trial) TauSample() float64 {
	j := t.judge
	if len(t.order) <= j.sample {
		return t.Tau()
	}
	const not, fetched, drawn = 0, 1, 2
	state := make([]uint8, len(j.class))
	for _, p := range t.order {
		state[p] = fetched
	}
	left := j.sample
	for _, p := range j.draw {
		if left > 0 && state[p] == fetched {
			state[p] = drawn
			left--
		}
	}
	v := make([]float64, 0, j.sample)
	for _, p := range t.order {
		if state[p] == drawn {
			v = append(v, j.truth.Value[p])
		}
	}
	return tauOfOrder(v, make([]float64, len(v)))
}

// tauOfOrder returns tau-b of the places 1, 2... of v, none of which are tied, against
// descending v. Of n0 = n(n-1)/2 pairs, n1 are tied in v and d are discordant, with
// the smaller value first:
//
//	tau = (n0 - n1 - 2d) / sqrt(n0 (n0 - n1))
//
// It is 0 when all values are equal. v is sorted in passing, by way of a buffer of its length.
func tauOfOrder(v, buffer []float64) float64 {
	d := discordant(v, buffer)
	n0, n1 := pairs(len(v)), tiedPairs(len(v), func(i, k int) bool { return v[i] == v[k] })
	return tau(n0, 0, n1, 0, d)
}

// TauB returns Kendall's tau-b of two rankings of the same things, with ties in both, by
// the method of Knight (1966): 0 when either is all ties. It compares an early
// estimate of importance with the truth.
func TauB(x, y []float64) (float64, error) {
	if len(x) != len(y) {
		return 0, fmt.Errorf("tau of %d values and %d", len(x), len(y))
	}
	by := make([]int, len(x))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(i, k int) int { return cmp.Or(cmp.Compare(x[k], x[i]), cmp.Compare(y[k], y[i])) })
	sameX := func(i, k int) bool { return x[by[i]] == x[by[k]] }
	n1 := tiedPairs(len(by), sameX)
	n3 := tiedPairs(len(by), func(i, k int) bool { return sameX(i, k) && y[by[i]] == y[by[k]] })
	v := make([]float64, len(by))
	for i, k := range by {
		v[i] = y[k]
	}
	d := discordant(v, make([]float64, len(v)))
	n2 := tiedPairs(len(v), func(i, k int) bool { return v[i] == v[k] })
	return tau(pairs(len(by)), n1, n2, n3, d), nil
}

// tau returns tau-b of n0 pairs of which n1 are tied in one ranking, n2 in the other, n3
// in both, and d are discordant.
func tau(n0, n1, n2, n3, d int64) float64 {
	if n0 == n1 || n0 == n2 {
		return 0
	}
	return float64(n0-n1-n2+n3-2*d) / (math.Sqrt(float64(n0-n1)) * math.Sqrt(float64(n0-n2)))
}

func pairs(n int) int64 { return int64(n) * int64(n-1) / 2 }

// tiedPairs counts the pairs of equal elements among n that lie side by side.
func tiedPairs(n int, same func(i, k int) bool) (tied int64) {
	for i, k := 0, 0; i < n; i = k {
		for k = i + 1; k < n && same(i, k); k++ {
		}
		tied += pairs(k - i)
	}
	return tied
}

// discordant sorts v in descending order by merging and counts the pairs in which the
// smaller value was first. Small runs are sorted by insertion, which is how many
// moves it takes.
func discordant(v, buffer []float64) (d int64) {
	const run = 16
	for lo := 0; lo < len(v); lo += run {
		d += insert(v[lo:min(lo+run, len(v))])
	}
	from, to := v, buffer
	for width := run; width < len(v); width *= 2 {
		for lo := 0; lo < len(v); lo += 2 * width {
			mid, hi := min(lo+width, len(v)), min(lo+2*width, len(v))
			d += merge(to[lo:hi], from[lo:mid], from[mid:hi])
		}
		from, to = to, from
	}
	copy(v, from)
	return d
}

// insert sorts v in descending order and returns the number of moves.
func insert(v []float64) (moves int64) {
	for i := 1; i < len(v); i++ {
		x, k := v[i], i
		for ; k > 0 && v[k-1] < x; k-- {
			v[k] = v[k-1]
		}
		v[k] = x
		moves += int64(i - k)
	}
	return moves
}

// merge merges two descending runs and returns the number of pairs with the smaller
// value in the first: every b that goes before the rest of a.
func merge(to, a, b []float64) (d int64) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0] >= b[0] {
			to[i], a = a[0], a[1:]
		} else {
			d += int64(len(a))
			to[i], b = b[0], b[1:]
		}
	}
	return d
}
