package stats

import (
	"math"
	"slices"
	"sort"
)

// A Fit is a power law p(x) ~ x^-Exponent fitted to the tail of a distribution:
// Clauset, Shalizi and Newman, Power-law distributions in empirical data, SIAM
// Review 51 (2009). Where the tail begins is chosen so that the largest distance
// between fitted and found cumulative distribution (Kolmogorov-Smirnov) is
// smallest.
//
// A fit is no proof: a distance well above 1/sqrt(Tail) says that the tail is not
// quite a power law, which is the rule for degrees of real webs.
type Fit struct {
	Exponent float64 `json:"exponent"`
	Error    float64 `json:"error"` // standard error, (Exponent-1) / sqrt(Tail)
	Least    float64 `json:"least"` // the value at which the tail begins (their xmin)
	Tail     int64   `json:"tail"`  // number of pages in it
	Distance float64 `json:"distance"`
}

const (
	// leastTail: with fewer values than that an exponent means nothing.
	leastTail = 50

	// candidates is the number of beginnings tried for the tail. They are spaced
	// by the size of the tail, evenly in its logarithm.
	candidates = 64

	// checkpoints is the number of values at which a continuous fit is compared:
	// the distance is found up to 1/checkpoints.
	checkpoints = 4096
)

// PowerLaw fits the values of a distribution, which are whole numbers:
//
//	exponent = 1 + n / sum ln(x / (xmin - 1/2))
//
// (their equation 3.7, an approximation that is good from xmin = 6 on and biased
// below: 2.5 is found as 2.0 at xmin = 1, but then the distance is large). It is
// not ok if there are fewer than 50 positive values or only one.
func (d Distribution) PowerLaw() (best Fit, ok bool) {
	if len(d) > 0 && d[0].Value == 0 {
		d = d[1:]
	}
	pages, logs := d.tails()
	best.Distance = math.Inf(1)
	for _, i := range pick(pages) {
		least := float64(d[i].Value)
		n := float64(pages[i])
		sum := logs[i] - float64(n*math.Log(least-0.5))
		if d.Max() == d[i].Value || pages[i] < leastTail {
			continue
		}
		f := newFit(least, pages[i], sum)
		if f.Distance = d[i:].distance(f); f.Distance < best.Distance {
			best, ok = f, true
		}
	}
	if !ok {
		return Fit{}, false
	}
	return best, true
}

func newFit(least float64, tail int64, sum float64) Fit {
	n := float64(tail)
	return Fit{Exponent: 1 + n/sum, Error: math.Sqrt(n) / sum, Least: least, Tail: tail}
}

// tails is, for every value, the number of pages with that value or more, and the
// sum of the logarithms of theirs.
func (d Distribution) tails() (pages []int64, logs []float64) {
	pages, logs = make([]int64, len(d)), make([]float64, len(d))
	var n int64
	var sum float64
	for i := len(d) - 1; i >= 0; i-- {
		n += d[i].Pages
		sum += float64(float64(d[i].Pages) * math.Log(float64(d[i].Value)))
		pages[i], logs[i] = n, sum
	}
	return pages, logs
}

// pick chooses where tails may begin, given the sizes of all (falling): all of
// them if they are few, else about evenly spaced in the logarithm of the size.
func pick(sizes []int64) []int {
	var at []int
	if len(sizes) == 0 {
		return at
	}
	ratio := math.Pow(float64(sizes[0])/leastTail, 1.0/candidates)
	next := float64(sizes[0])
	for i, n := range sizes {
		if float64(n) <= next || len(sizes) <= candidates {
			at = append(at, i)
			next = float64(n) / max(ratio, 1)
		}
	}
	return at
}

// distance is the largest difference between the share of the tail that has a
// value of x or more and the fitted share, ((x-1/2) / (xmin-1/2))^(1-exponent),
// over all whole x. Between two values that occur the first does not change and
// the second falls, so the extremes are at values and right behind them.
func (d Distribution) distance(f Fit) (most float64) {
	fitted := func(x float64) float64 { return math.Pow((x-0.5)/(f.Least-0.5), 1-f.Exponent) }
	left := f.Tail
	for _, c := range d {
		x := float64(c.Value)
		most = max(most, math.Abs(float64(left)/float64(f.Tail)-fitted(x)))
		left -= c.Pages
		most = max(most, math.Abs(float64(left)/float64(f.Tail)-fitted(x+1)))
	}
	return most
}

// PowerLaw fits values that are not whole numbers (ranks):
//
//	exponent = 1 + n / sum ln(x / xmin)
//
// (their equation 3.1). Least is in the unit of the values: give ranks with mean 1
// to compare graphs. Values that are not positive are left out. It is not ok if
// there are fewer than 50 positive values or only one.
func PowerLaw(values []float64) (best Fit, ok bool) {
	x := slices.Clone(values)
	slices.Sort(x)
	x = x[sort.Search(len(x), func(i int) bool { return x[i] > 0 }):]
	best.Distance = math.Inf(1)
	var sum float64 // of ln x over x[from:]
	from := len(x)
	starts := tailStarts(x)
	for k := len(starts) - 1; k >= 0; k-- {
		for ; from > starts[k]; from-- {
			sum += math.Log(x[from-1])
		}
		tail := x[from:]
		n := float64(len(tail))
		f := newFit(tail[0], int64(len(tail)), sum-float64(n*math.Log(tail[0])))
		if f.Distance = distance(tail, f); f.Distance < best.Distance {
			best, ok = f, true
		}
	}
	if !ok {
		return Fit{}, false
	}
	return best, true
}

// tailStarts is where tails of the ascending x may begin: sizes evenly spaced in
// their logarithm, moved to the first of equal values.
func tailStarts(x []float64) []int {
	var at []int
	ratio := math.Pow(float64(len(x))/leastTail, 1.0/candidates)
	for size := float64(len(x)); size >= leastTail; size = min(size-1, size/max(ratio, 1)) {
		v := x[len(x)-int(size)]
		i := sort.SearchFloat64s(x, v)
		if v < x[len(x)-1] && (len(at) == 0 || i > at[len(at)-1]) {
			at = append(at, i)
		}
	}
	return at
}

// distance is the largest difference between the share of the tail below a value
// and the fitted share, at up to checkpoints places of it.
func distance(tail []float64, f Fit) (most float64) {
	n := len(tail)
	step := max(1, n/checkpoints)
	for i := 0; i < n; i += step {
		fitted := 1 - math.Pow(tail[i]/f.Least, 1-f.Exponent)
		most = max(most, math.Abs(float64(i)/float64(n)-fitted), math.Abs(float64(i+1)/float64(n)-fitted))
	}
	return most
}
