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
// A fit is no proof: a distance well above 1/sqrt(Tail) shows that the tail is not quite a
// power law, which is the rule for degrees of real webs.
type Fit struct {
	Exponent float64 `json:"exponent"`
	Error    float64 `json:"error"` // standard error of it, Least being given
	Least    float64 `json:"least"` // the value at which the tail begins (their xmin)
	Tail     int64   `json:"tail"`  // number of pages in it
	Distance float64 `json:"distance"`
}

const (
	// leastTail: with fewer values than that an exponent means nothing.
	leastTail = 50

	// leastExponent to mostExponent is where exponents of discrete laws are sought.
	leastExponent, mostExponent = 1 + 1e-6, 20.0

	// mostMeant and mostError bound the fits that are called power laws.
	mostMeant, mostError = 6.0, 0.5

	// candidates is the number of beginnings tried for the tail. They are spaced
	// by the size of the tail, evenly in its logarithm.
	candidates = 64

	// checkpoints is the number of values at which a continuous fit is compared:
	// the distance is found up to 1/checkpoints.
	checkpoints = 4096
)

// PowerLaw fits the values of a distribution, which are whole numbers, by the
// exact discrete law p(x) = x^-s / zeta(s, xmin), zeta being Hurwitz's: s is where
//
//	-n ln zeta(s, xmin) - s sum ln x
//
// is largest (their equation 3.5). The usual approximation 1 + n / sum ln(x /
// (xmin-1/2)) is far off where degrees begin: it finds 2.5 as 2.0 at xmin = 1.
//
// ok is false if there is nothing to fit (fewer than 50 positive values or only one) or if
// the best fit has no meaning: with an exponent above 6 the tail ends like an exponential,
// and with a standard error above 0.5 it could be anything.
func (d Distribution) PowerLaw() (best Fit, ok bool) {
	if len(d) > 0 && d[0].Value == 0 {
		d = d[1:]
	}
	pages, logs := d.tails()
	best.Distance = math.Inf(1)
	for _, i := range pick(pages) {
		if d.Max() == d[i].Value || pages[i] < leastTail {
			continue
		}
		f := d[i:].fit(pages[i], logs[i])
		if f.Distance = d[i:].distance(f); f.Distance < best.Distance {
			best, ok = f, true
		}
	}
	return best.meant(ok)
}

// meant returns f, and whether ok is set and the fit has a meaning.
func (f Fit) meant(ok bool) (Fit, bool) {
	if !ok || f.Exponent > mostMeant || f.Error > mostError {
		return Fit{}, false
	}
	return f, true
}

// fit finds the exponent of all of d, with that number of pages and that sum of
// logarithms. The likelihood is largest where the law's mean of ln(x/least), which
// falls with s, is the one found. Its reciprocal is nearly a straight line (s-1
// for continuous values), so Newton's steps on that settle in a few; a step that
// would leave the interval known to hold the solution is a bisection instead. The
// variance of the logarithms is the information of one page about s.
func (d Distribution) fit(tail int64, logs float64) Fit {
	n, least := float64(tail), float64(d[0].Value)
	found := logs/n - math.Log(least)
	lo, hi := leastExponent, mostExponent
	w := law{s: min(max(1+1/found, lo), hi), least: least}
	var variance float64
	for range 60 {
		var mean float64
		if mean, variance = w.logs(); mean > found {
			lo = w.s
		} else {
			hi = w.s
		}
		next := w.s - (1/mean-1/found)*mean*mean/variance
		if math.Abs(next-w.s) < 1e-9 || lo == hi {
			break
		}
		if !(next >= lo && next <= hi) {
			next = (lo + hi) / 2
		}
		w.s = next
	}
	return Fit{Exponent: w.s, Error: 1 / math.Sqrt(n*variance), Least: least, Tail: tail}
}

// tails returns, for every value, the number of pages with that value or more, and the sum
// of the logarithms of their values.
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

// distance returns the largest difference between the share of the tail that has a
// value of x or more and the fitted share, zeta(s, x) / zeta(s, xmin), over all
// whole x. Between two values that occur the first does not change and the second
// falls, so the extremes are at values and right behind them.
//
// zeta(s, x+1) = zeta(s, x) - x^-s saves the sum for values that follow one
// another; what it loses is relative to zeta(s, xmin), which is what counts here.
func (d Distribution) distance(f Fit) (most float64) {
	all := hurwitz(f.Exponent, f.Least, f.Least)
	left, fitted := f.Tail, 1.0
	for i, c := range d {
		x := float64(c.Value)
		if i > 0 && d[i-1].Value+1 != c.Value {
			fitted = hurwitz(f.Exponent, x, f.Least) / all
		}
		most = max(most, math.Abs(float64(left)/float64(f.Tail)-fitted))
		left -= c.Pages
		fitted -= math.Pow(f.Least/x, f.Exponent) / all
		most = max(most, math.Abs(float64(left)/float64(f.Tail)-fitted))
	}
	return most
}

// PowerLaw fits values that are not whole numbers (ranks):
//
//	exponent = 1 + n / sum ln(x / xmin)
//
// (their equation 3.1), with standard error (exponent-1) / sqrt(n). Least is in the unit of
// the values: give ranks with mean 1 to compare graphs. Values that are not positive are
// left out. ok is false if there are fewer than 50 positive values or only one, or if the
// exponent is above 6 or its standard error above 0.5, for the reasons given at
// [Distribution.PowerLaw].
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
		over := sum - float64(n*math.Log(tail[0])) // sum ln(x / xmin)
		f := Fit{Exponent: 1 + n/over, Error: math.Sqrt(n) / over, Least: tail[0], Tail: int64(len(tail))}
		if f.Distance = distance(tail, f); f.Distance < best.Distance {
			best, ok = f, true
		}
	}
	return best.meant(ok)
}

// tailStarts returns where tails of the ascending x may begin: sizes evenly spaced in
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

// distance returns the largest difference between the share of the tail below a value
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

// zetaFrom is the value from which on the terms of a zeta sum are not added one by
// one. With exponents up to mostExponent the correction terms below then shrink
// at least tenfold from one to the next.
const zetaFrom = 25

// hurwitz returns a value of the Hurwitz zeta function in a unit, for s > 1 and a > 0:
//
//	zeta(s, a) unit^s = sum over k >= 0 of ((a+k) / unit)^-s
//
// With unit 1 it is zeta itself; with unit = a it is neither huge nor tiny for any a, while
// a^-s alone may be 0 in floating point. It is the formula of Euler and Maclaurin: with b =
// a+N not below zetaFrom
//
//	zeta(s, a) = sum over k < N of (a+k)^-s
//	           + b^-s ( b/(s-1) + 1/2 + sum over j of B_2j/(2j)! s(s+1)...(s+2j-2) b^(1-2j) )
//
// with the Bernoulli numbers B_2j up to j = 10. For s up to 20 the relative error
// is below 1e-12.
func hurwitz(s, a, unit float64) float64 {
	var sum float64
	b := a
	for ; b < zetaFrom; b++ {
		sum += math.Pow(unit/b, s)
	}
	rest := b/(s-1) + 0.5
	rising := s / b // s(s+1)...(s+2j-2) b^(1-2j)
	for j, c := range eulerMaclaurin() {
		term := float64(c * rising)
		if rest += term; math.Abs(term) < 1e-17*rest {
			break
		}
		k := s + float64(2*j)
		rising *= (k + 1) / b * ((k + 2) / b)
	}
	return sum + float64(math.Pow(unit/b, s)*rest)
}

// eulerMaclaurin returns B_2j / (2j)! for j = 1 to 10.
func eulerMaclaurin() [10]float64 {
	return [10]float64{
		1.0 / 6 / 2,
		-1.0 / 30 / 24,
		1.0 / 42 / 720,
		-1.0 / 30 / 40320,
		5.0 / 66 / 3628800,
		-691.0 / 2730 / 479001600,
		7.0 / 6 / 87178291200,
		-3617.0 / 510 / 20922789888000,
		43867.0 / 798 / 6402373705728000,
		-174611.0 / 330 / 2432902008176640000,
	}
}

// A law is the discrete power law from least on,
//
//	p(x) = x^-s / zeta(s, least)   for x = least, least+1, ...
type law struct{ s, least float64 }

// logs returns the mean and the variance of ln(x/least) under the law. With
// L(s) = ln(zeta(s, least) least^s) they are -L'(s) and L"(s), taken as differences
// of L: the step is relative to s-1 because L goes like -ln(s-1).
func (w law) logs() (mean, variance float64) {
	l := func(s float64) float64 { return math.Log(hurwitz(s, w.least, w.least)) }
	h := 1e-4 * (w.s - 1)
	mean = (l(w.s-h) - l(w.s+h)) / (2 * h)
	h *= 10
	variance = (l(w.s-h) - 2*l(w.s) + l(w.s+h)) / (h * h)
	return mean, variance
}
