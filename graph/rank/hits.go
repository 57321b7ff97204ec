package rank

import (
	"cmp"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank/kernel"
)

// HITS returns Kleinberg's pair of ranks over the whole graph: a good authority is
// linked to by good hubs, a good hub links to good authorities. They are the limits,
// from even hubs, of
//
//	authority(p) = sum of hub over the in-links of p
//	hub(p)       = sum of authority over the out-links of p
//
// with both scaled after each step. The scale is immaterial (the literature takes
// the L2 norm); it is the sum here, which is what scores are reported in and changes
// are measured in. Steps end when neither vector changes by more than the tolerance
// in L1. How far that is from the limit is not known: the error may be larger by
// 1/(1 - q), where q, the square of the ratio of the two largest singular values, is
// near 1 on some graphs.
//
// One tightly linked cluster takes nearly all of the rank, so HITS is easily
// deceived; it is here as a metric to compare with.
func HITS(w *Web, o Options) (authority, hub *Result, err error) {
	return hitsOf("HITS", w, o, func(*world) {})
}

// hitsOf returns HITS of what restrict leaves of a web.
func hitsOf(name string, w *Web, o Options, restrict func(*world)) (authority, hub *Result, err error) {
	o.MaxSweeps = cmp.Or(o.MaxSweeps, 10_000)
	v, o, err := prepared(name, w, o)
	if err != nil {
		return nil, nil, err
	}
	defer v.free()
	restrict(v)
	h, err := newHITS(v)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	defer h.free()
	sweeps, change, err := h.run(&o)
	if _, short := err.(*ToleranceError); err != nil && !short {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	result := func(x *graph.Column[float64]) *Result {
		r := &Result{Score: append([]float64{}, x.Slice()...), Pages: v.pages, Sweeps: sweeps, Residual: change}
		Normalise(r.Score, o.Scale, r.Pages)
		return r
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return result(h.authority.now), result(h.hub.now), err
}

// A side is one of the two vectors, and the lists along which it is gathered from
// the other.
type side struct {
	now, next *graph.Column[float64]
	gather    *kernel.Gather
	at        []int
	threads   int
}

type hits struct{ authority, hub side }

func newHITS(v *world) (*hits, error) {
	h := &hits{}
	if err := h.authority.make(v, v.in()); err != nil {
		return nil, err
	}
	if err := h.hub.make(v, v.out()); err != nil {
		h.free()
		return nil, err
	}
	even := 1 / float64(max(v.pages, 1))
	for p := range h.hub.now.Slice() {
		if v.has(graph.Page(p)) {
			h.hub.now.Set(p, even)
		}
	}
	return h, nil
}

func (s *side) make(v *world, l *graph.Lists) (err error) {
	if s.gather, err = v.gather(l); err != nil {
		return err
	}
	s.at, s.threads = bounds(l), v.threads
	s.now = graph.NewColumn[float64]("score", l.Pages())
	s.next = graph.NewColumn[float64]("score", l.Pages())
	s.now.Grow(l.Pages())
	s.next.Grow(l.Pages())
	return nil
}

// step computes the side from the other, scales it to sum 1 and returns by how much it has
// changed.
func (s *side) step(from *side) float64 {
	var sums, changes [parts]float64
	now, next := s.now.Slice(), s.next.Slice()
	graph.Parallel(s.threads, parts, func(part int) {
		piece := next[s.at[part]:s.at[part+1]]
		s.gather.Sum(piece, from.now.Slice(), s.at[part])
		sums[part] = total(piece)
	})
	sum := cmp.Or(total(sums[:]), 1) // without links everything is 0
	graph.Parallel(s.threads, parts, func(part int) {
		for p := s.at[part]; p < s.at[part+1]; p++ {
			next[p] /= sum
			changes[part] += math.Abs(next[p] - now[p])
		}
	})
	s.now, s.next = s.next, s.now
	return total(changes[:])
}

// leastChange is the smallest change that can be told from rounding: see promise. Vectors that
// change by less are as good as they become, and no smaller tolerance is ever reached.
const leastChange = 16 * 0x1p-53

func (h *hits) run(o *Options) (sweeps int, change float64, err error) {
	for {
		sweeps++
		change = h.authority.step(&h.hub)
		change = max(change, h.hub.step(&h.authority))
		if o.Progress != nil {
			if err := o.Progress(sweeps, change); err != nil {
				return sweeps, change, err
			}
		}
		switch {
		case change <= o.Tolerance && o.Tolerance >= leastChange:
			return sweeps, change, nil
		case sweeps >= o.MaxSweeps || o.Tolerance < leastChange && change <= leastChange:
			return sweeps, change, &ToleranceError{sweeps, max(change, leastChange), o.Tolerance}
		}
	}
}

func (h *hits) free() {
	for _, s := range []*side{&h.authority, &h.hub} {
		if s.now != nil {
			s.now.Free()
			s.next.Free()
		}
	}
}
