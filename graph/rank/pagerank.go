package rank

import (
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
)

// PageRank returns the rank of Cho et al. and, with Follow 6/7, of Najork and Wiener.
func PageRank(w *Web, o Options) (*Result, error) {
	return solved("PageRank", w, o, equalLinks)
}

// RemotePageRank counts only links from one site to another: the others carry no weight,
// and a page without remote links is dangling.
func RemotePageRank(w *Web, o Options) (*Result, error) {
	return solved("remote PageRank", w, o, func(v *world, o *Options) (*system, error) {
		v.keep(func(from, to graph.Page) bool { return !v.local(from, to) })
		return equalLinks(v, o)
	})
}

// WeightedPageRank divides the rank of a page among its remote and its local links by
// split: Share(0.8) or Factor(4), for instance.
func WeightedPageRank(w *Web, o Options, split Split) (*Result, error) {
	return solved("weighted PageRank", w, o, func(v *world, o *Options) (*system, error) {
		return splitLinks(v, o, split)
	})
}

// ReversePageRank returns PageRank with every link turned round: the weighted form of
// the forward-link count. It finds pages from which much can be reached.
func ReversePageRank(w *Web, o Options) (*Result, error) {
	return solved("reverse PageRank", w, o, func(v *world, o *Options) (*system, error) {
		v.In, v.Out = v.Out, v.In
		return equalLinks(v, o)
	})
}

// solved builds the system of a web and solves it.
func solved(name string, w *Web, o Options, build func(*world, *Options) (*system, error)) (*Result, error) {
	fail := func(err error) (*Result, error) { return nil, fmt.Errorf("%s: %w", name, err) }
	o, err := o.filled(w.Pages())
	if err != nil {
		return fail(err)
	}
	v, err := w.view(&o)
	if err != nil {
		return fail(err)
	}
	defer v.free()
	if v.pages == 0 {
		return &Result{Score: make([]float64, w.Pages())}, nil
	}
	s, err := build(v, &o)
	if err != nil {
		return fail(err)
	}
	u, err := s.rank(&o)
	if u.y == nil {
		return fail(err)
	}
	r := &Result{Score: u.y, Pages: v.pages, Sweeps: u.sweeps, Residual: u.residual / u.sum, Bound: u.promise(o.Follow)}
	Normalise(r.Score, o.Scale, r.Pages)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// rank solves for PageRank, up to scale.
func (s *system) rank(o *Options) (outcome, error) {
	if o.Teleport == nil {
		return s.solve(o, s.evenBase(), o.Start)
	}
	base, err := s.teleportBase(o.Teleport)
	if err != nil {
		return outcome{}, err
	}
	if o.DanglingToTeleport {
		return s.solve(o, base, o.Start)
	}
	return s.personal(o, base)
}

// evenBase returns 1 for every page that takes part.
func (s *system) evenBase() []float64 {
	if s.world.present == nil {
		return []float64{1}
	}
	base := make([]float64, s.lists.Pages())
	for p := range base {
		if s.world.has(graph.Page(p)) {
			base[p] = 1
		}
	}
	return base
}

// teleportBase returns the teleport vector over the pages that take part, scaled to their
// number.
func (s *system) teleportBase(teleport []float64) ([]float64, error) {
	base := make([]float64, s.lists.Pages())
	for p := range base {
		if s.world.has(graph.Page(p)) {
			base[p] = teleport[p]
		}
	}
	if total(base) == 0 {
		return nil, fmt.Errorf("teleport vector: its sum is 0")
	}
	Normalise(base, Mean, s.world.pages)
	return base, nil
}

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

// danglingMass returns D(y): the sum of y over dangling pages.
func (s *system) danglingMass(y []float64) float64 {
	live := 0.0
	for _, p := range s.live {
		live += y[p]
	}
	return total(y) - live
}

// startOfPersonal returns where the solve for b begins when an earlier x is given: at
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
