package freshness

import "math"

// Evidence is what visits have shown of the changes of a page, or of all pages of a place.
// Times are in seconds.
type Evidence struct {
	Changes   float64 // visits that found a change
	Changed   float64 // sum of the times before them, since the visits before
	Unchanged float64 // sum of the times before the other visits
}

// add counts a visit, t seconds after the one before.
func (e *Evidence) add(t float64, changed bool) {
	if changed {
		e.Changes++
		e.Changed += t
	} else {
		e.Unchanged += t
	}
}

// priorShape is the weight of what is expected beforehand, in changes.
const priorShape = 0.5

// Rate returns the most likely number of changes a second, if the visits were as in e and
// expected is the rate that one expects without them. It solves, for the rate r,
//
//	n m/(exp(r m)-1) + a/r = u + a/expected
//
// where n visits found a change, m is the mean time before them, u is the sum of the times
// that passed without a change, and a is the weight of the prior. The equation is that of
// Cho and Garcia-Molina (2003) for irregular visits, with all times before a change taken to
// be their mean, so that three numbers are enough.
func Rate(e Evidence, expected float64) float64 {
	return rateFrom(e, expected, rateFrom(e, expected, 0))
}

// rateFrom returns about Rate, exact as a code is, and faster if guess is near the solution; 0 is no
// guess.
func rateFrom(e Evidence, expected, guess float64) float64 {
	quiet := e.Unchanged + priorShape/expected
	if e.Changes == 0 {
		return priorShape / quiet
	}
	mean := max(1, e.Changed/e.Changes)
	r := guess
	if r <= 0 {
		r = (e.Changes + priorShape) / (quiet + e.Changed)
	}
	for range maxSteps {
		each, prior := mean/expm1(r*mean), priorShape/r
		excess := e.Changes*each + prior - quiet
		slope := e.Changes*each*(mean+each) + prior*prior/priorShape // falling
		next := min(max(r+excess/slope, r/maxFactor), r*maxFactor)
		if math.Abs(next-r) < 5e-2*r { // the error of next is about the square of that, as that of a code
			return next
		}
		r = next
	}
	return r
}

// expm1 returns exp(x)-1, exact to a few millionths of it. Most of the numbers that visits bring are
// small, and then it takes a quarter of the time of math.Expm1.
func expm1(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Exp(x) - 1
	}
	x2 := x * x
	return x + x2*((1.0/2+x*(1.0/6))+x2*((1.0/24+x*(1.0/120))+x2*(1.0/720)))
}

// Bounds of Newton's method: it takes three or four steps as a rule.
const (
	maxSteps  = 30
	maxFactor = 4
)
