package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Streams of the random generators: the same seed gives each use its own numbers.
const (
	streamSample = iota + 1
	streamBootstrap
	streamPrecision
)

// An Interval is a mean with its 95 % bootstrap interval.
type Interval struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"` // of the values (over start sets), or of the resamples (Precision)
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	N    int     `json:"n"`
}

// resamples is the number of bootstrap means from which an interval over start sets is
// read.
const resamples = 10_000

// Summarise returns the mean and standard deviation of one measure over start sets, with
// the percentile bootstrap interval of the mean. For fewer than two values the
// interval is the mean itself.
func Summarise(x []float64, seed uint64) Interval {
	n := len(x)
	if n == 0 {
		return Interval{}
	}
	s := Interval{N: n, Mean: Sum(x) / float64(n)}
	s.Low, s.High = s.Mean, s.Mean
	if n == 1 {
		return s
	}
	s.SD = deviation(x, s.Mean)
	r := rand.New(rand.NewPCG(seed, streamBootstrap))
	means := make([]float64, resamples)
	for i := range means {
		var a adder
		for range n {
			a.add(x[r.IntN(n)])
		}
		means[i] = a.sum() / float64(n)
	}
	s.Low, s.High = middle95(means)
	return s
}

// Paired returns Summarise of a - b, where a[i] and b[i] come from the same start set: two
// policies differ if 0 is outside the interval. What start sets have in common
// cancels, so it is much narrower than the intervals of a and b suggest.
func Paired(a, b []float64, seed uint64) (Interval, error) {
	if len(a) != len(b) {
		return Interval{}, fmt.Errorf("paired difference of %d values and %d", len(a), len(b))
	}
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return Summarise(d, seed), nil
}

// deviation returns the sample standard deviation, with n-1.
func deviation(x []float64, mean float64) float64 {
	var squares adder
	for _, v := range x {
		squares.add(float64((v - mean) * (v - mean)))
	}
	return math.Sqrt(squares.sum() / float64(len(x)-1))
}

// middle95 returns the 2.5th and the 97.5th percentile, the values at ranks ceil(n/40) and
// n+1 minus that; it sorts x.
func middle95(x []float64) (low, high float64) {
	slices.Sort(x)
	i := (len(x)+39)/40 - 1
	return x[i], x[len(x)-1-i]
}

// OverGraphs returns the mean and the standard deviation of one value for each of a few
// graphs, with the 95 % interval of the mean by Student's distribution. A bootstrap of fewer
// than ten values is too narrow. For fewer than two values the interval is the mean itself.
func OverGraphs(x []float64) Interval {
	n := len(x)
	if n == 0 {
		return Interval{}
	}
	s := Interval{N: n, Mean: Sum(x) / float64(n)}
	s.Low, s.High = s.Mean, s.Mean
	if n > 1 {
		s.SD = deviation(x, s.Mean)
		half := student95(n-1) * s.SD / math.Sqrt(float64(n))
		s.Low, s.High = s.Mean-half, s.Mean+half
	}
	return s
}

// student95 returns the 97.5th percentile of Student's distribution. From 30 degrees of
// freedom on it is the first terms of its expansion around that of the normal one, which are
// right to 0.001.
func student95(freedom int) float64 {
	table := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	const z = 1.959964
	n := float64(freedom)
	return z + (z*z*z+z)/(4*n) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*n*n)
}
