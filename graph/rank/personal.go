package rank

import "errors"

// personal solves for a teleport distribution t while the jumps from dangling pages
// stay even. Let A be the inverse of I - follow Pᵀ, u the even distribution, a = A u
// and b = A t. Equation (1) reads
//
//	x = α a + β b   with   α = follow D(x),   β = 1 - follow,
//
// and taking D of both sides, D(x) = β D(b) / (1 - follow D(a)). So two solves give
// the answer. (Taking D(x) from the sweep before, in a single solve, would couple
// all pages to all and lose Gauss-Seidel's advantage.)
//
// The error: let r_a and r_b be the residuals of approximate a and b, ρ = α r_a + β
// r_b, and σ the sum of x = α a + β b. Then M x - x = ρ + β (σ - 1) t, whose sum is 0
// because M is stochastic, so β (σ - 1) = -Σρ and
//
//	|M x - x| <= |ρ| + |Σρ| <= α (|r_a| + |Σr_a|) + β (|r_b| + |Σr_b|).
//
// As α Σa + β Σb = σ, the bound of x/σ is the mean of the bounds of a and b, weighted
// by what each contributes: both to the tolerance suffices.
func (s *system) personal(o *Options, base []float64) (outcome, error) {
	a, errA := s.solve(o, s.evenBase(), nil)
	if a.y == nil {
		return a, errA
	}
	inner := *o
	if o.Progress != nil {
		inner.Progress = func(sweep int, bound float64) error { return o.Progress(a.sweeps+sweep, bound) }
	}
	b, err := s.solve(&inner, base, s.startOfPersonal(o, a))
	if b.y == nil {
		return b, err
	}
	beta := 1 - o.Follow
	alpha := o.Follow * beta * s.danglingMass(b.y) / (float64(s.world.pages) - float64(o.Follow*s.danglingMass(a.y)))
	x := outcome{
		y:        b.y,
		sweeps:   a.sweeps + b.sweeps,
		sum:      float64(alpha*a.sum) + float64(beta*b.sum),
		residual: float64(alpha*a.residual) + float64(beta*b.residual),
	}
	for p := range x.y {
		x.y[p] = float64(alpha*a.y[p]) + float64(beta*b.y[p])
	}
	return x, errors.Join(errA, err)
}

// danglingMass is D(y): what y has on pages that hand nothing on.
func (s *system) danglingMass(y []float64) float64 {
	live := 0.0
	for _, p := range s.live {
		live += y[p]
	}
	return total(y) - live
}

// startOfPersonal is where the solve for b begins when an earlier x is given: at
// (x - α a)/β with α from the earlier D(x), where that is not negative. Nil when
// there is none.
func (s *system) startOfPersonal(o *Options, a outcome) []float64 {
	sum := total(o.Start)
	if sum == 0 {
		return nil
	}
	alpha := o.Follow * s.danglingMass(o.Start) / sum / float64(s.world.pages)
	b := make([]float64, len(o.Start))
	for p, x := range o.Start {
		b[p] = max(0, x/sum-float64(alpha*a.y[p]))
	}
	return b
}
