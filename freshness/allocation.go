package freshness

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Copy is what a gain is computed from: the copy of a page that was visited before.
type Copy struct {
	Weight float64 // what the page is worth
	Rate   float64 // changes a second
	Age    float64 // seconds since the last visit
	Every  float64 // seconds between visits, as adaptive has it, or as periodic plans it
}

// An Allocation divides the visits among the pages: those that gain most are visited first.
type Allocation struct {
	Name string
	What string // one line for lists and help

	gain func(Copy) float64
	// marginal reports whether the gain is marginalGain.
	marginal bool
	// contagion reports whether the rates of pages depend on what visits nearby found.
	contagion bool
	// planned reports whether Copy.Every is the interval of the best periodic plan.
	planned bool
	alpha   float64 // of WIRE's value; 0 means 1
}

// Marginal reports whether the numbers of the allocation are what visits gain in the long run,
// weight times time, so that they can be compared with other gains.
func (a *Allocation) Marginal() bool { return a.marginal }

// Alpha returns the alpha with which the allocation values copies: see Value.
func (a *Allocation) Alpha() float64 { return cmp.Or(a.alpha, 1) }

// DefaultAllocation is the one that has the least stale pages on the logs of real changes
// that we know: docs/freshness.md.
const DefaultAllocation = "contagion"

// DefaultName is what users may call it.
const DefaultName = "default"

// Allocations returns all of them, in the order in which lists show them.
func Allocations() []Allocation {
	return []Allocation{
		{Name: "uniform", What: "every page as often", gain: func(c Copy) float64 { return c.Age }},
		{Name: "importance", What: "as often as the page is worth", gain: func(c Copy) float64 { return c.Weight * c.Age }},
		{Name: "proportional", What: "as often as the page changes", gain: func(c Copy) float64 { return c.Rate * c.Age }},
		{Name: "adaptive", What: "sooner after a change, later without one, as other crawlers do", gain: func(c Copy) float64 { return c.Age / c.Every }},
		wireGain(1),
		{Name: "periodic", What: "the best fixed interval for each page", gain: func(c Copy) float64 { return c.Age / c.Every }, planned: true},
		{Name: "marginal", What: "what another visit adds to the time that copies are up to date", gain: marginalGain, marginal: true},
		{Name: "contagion", What: "marginal, with rates that follow what visits nearby found", gain: marginalGain, marginal: true, contagion: true},
	}
}

// wireGain returns the allocation of WIRE: the value of a copy is its weight times its
// freshness to the power of 1/alpha, and a visit raises it to its weight.
func wireGain(alpha float64) Allocation {
	return Allocation{
		Name:  "wire-gain",
		What:  "what a visit adds to the value of the collection now; wire-gain/alpha=A, 1 by default",
		alpha: alpha,
		gain:  func(c Copy) float64 { return c.Weight - Value(c.Weight, Fresh(c.Rate, c.Age), alpha) },
	}
}

// Fresh returns the probability that a copy of some age, in seconds, is up to date.
func Fresh(rate, age float64) float64 { return math.Exp(-rate * age) }

// Value returns what a copy is worth in the collection: equation 1 of Baeza-Yates and
// Castillo 2002.
func Value(score, fresh, alpha float64) float64 { return score * math.Pow(fresh, 1/alpha) }

// marginalGain is the gain of one more visit in the long run. If a page is visited whenever
// its gain reaches a fixed bound, no other division of as many visits keeps more of the
// weight up to date.
func marginalGain(c Copy) float64 {
	if c.Rate <= 0 {
		return 0
	}
	return c.Weight / c.Rate * gained(c.Rate*c.Age)
}

// gained returns 1-exp(-x)(1+x).
func gained(x float64) float64 {
	if x < 1e-3 {
		return x * x * (0.5 - x/3)
	}
	return -x - expm1(-x)*(1+x)
}

// reached returns the age at which the marginal gain of a page reaches a bound, +Inf if it
// never does.
func reached(weight, rate, bound float64) float64 {
	y := bound * rate / weight
	if !(y < 1) {
		return math.Inf(1)
	}
	x := math.Sqrt(2 * y) // below the solution: gained(x) <= x*x/2
	for range maxSteps {
		next := x + (y-gained(x))/(x*math.Exp(-x))
		next = min(max(next, x/maxFactor), x*maxFactor)
		if math.Abs(next-x) < 1e-6*x {
			break
		}
		x = next
	}
	return x / rate
}

// Choose returns the allocation that a text names: a name of Allocations, "default", or
// wire-gain/alpha=A.
func Choose(text string) (Allocation, error) {
	name, param, given := strings.Cut(text, "/")
	if name == DefaultName || name == "" {
		name = DefaultAllocation
	}
	list := Allocations()
	i := slices.IndexFunc(list, func(a Allocation) bool { return a.Name == name })
	switch {
	case i < 0:
		var names []string
		for _, a := range list {
			names = append(names, a.Name)
		}
		return Allocation{}, fmt.Errorf("unknown allocation %q: it can be %s or default", text, strings.Join(names, ", "))
	case !given:
		return list[i], nil
	}
	key, value, _ := strings.Cut(param, "=")
	if name != "wire-gain" || key != "alpha" {
		return Allocation{}, fmt.Errorf("allocation %q: it has no parameter %q", text, key)
	}
	alpha, err := strconv.ParseFloat(value, 64)
	if err != nil || !(alpha > 0 && alpha <= maxAlpha) {
		return Allocation{}, fmt.Errorf("allocation %q: %w", text, errAlpha)
	}
	a := wireGain(alpha)
	a.Name = text
	return a, nil
}

const maxAlpha = 1000

var errAlpha = errors.New("alpha must be a number above 0 and at most 1000")
