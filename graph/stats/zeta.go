package stats

import "math"

// zetaFrom is the value from which on the terms of a zeta sum are not added one by
// one. With exponents up to mostExponent the correction terms below then shrink
// at least tenfold from one to the next.
const zetaFrom = 25

// hurwitz is the Hurwitz zeta function in a unit, for s > 1 and a > 0:
//
//	zeta(s, a) unit^s = sum over k >= 0 of ((a+k) / unit)^-s
//
// With unit 1 it is zeta itself; with unit = a it is neither huge nor tiny whatever
// a is, where a^-s alone may be 0 in floating point. It is the formula of Euler and
// Maclaurin: with b = a+N not below zetaFrom
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

// eulerMaclaurin is B_2j / (2j)! for j = 1 to 10.
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

// logs is the mean and the variance of ln(x/least) under the law. With
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
