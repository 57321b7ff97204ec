package rank

import (
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
)

// PageRank is the rank of Cho et al. (M8) and, with Follow 6/7, of Najork and Wiener
// (M16).
func PageRank(w *Web, o Options) (*Result, error) {
	return solved("PageRank", w, o, equalLinks)
}

// RemotePageRank counts only links from one site to another (M19): the others carry
// no weight, and a page that has no other is dangling.
func RemotePageRank(w *Web, o Options) (*Result, error) {
	return solved("remote PageRank", w, o, func(v *world, o *Options) (*system, error) {
		v.keep(func(from, to graph.Page) bool { return !v.local(from, to) })
		return equalLinks(v, o)
	})
}

// WeightedPageRank divides a page among its remote and its local links as split
// says (M20): Share(0.8) or Factor(4), for instance.
func WeightedPageRank(w *Web, o Options, split Split) (*Result, error) {
	return solved("weighted PageRank", w, o, func(v *world, o *Options) (*system, error) {
		return splitLinks(v, o, split)
	})
}

// ReversePageRank is PageRank with every link turned round: the weighted form of
// the forward-link count (M13). It finds pages from which much can be reached.
func ReversePageRank(w *Web, o Options) (*Result, error) {
	return solved("reverse PageRank", w, o, func(v *world, o *Options) (*system, error) {
		v.In, v.Out = v.Out, v.In
		return equalLinks(v, o)
	})
}

// solved makes the system of a web and solves it.
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

// evenBase is 1 for every page that takes part.
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

// teleportBase is the teleport vector over the pages that take part, scaled to their
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
