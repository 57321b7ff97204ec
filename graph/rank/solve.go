package rank

import (
	"math"
	"sort"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank/kernel"
)

// A solver solves y = base + follow Pᵀ y for one system and one base.
type solver struct {
	*system
	o      *Options
	base   []float64 // one element a page, or one for all
	total  float64   // the sum of base over all pages
	y      []float64
	blocks []block // of Gauss-Seidel
	// z has one vector for each block of Gauss-Seidel; for Jacobi the present one and
	// the next.
	z []*graph.Column[float64]
}

// An outcome describes the end of a solve: y sums to sum, and the equation still fails by
// residual (see formula 3; before division by the sum).
type outcome struct {
	y             []float64
	sweeps        int
	sum, residual float64
}

// bound returns the right-hand side of formula (3).
func (u outcome) bound(follow float64) float64 { return u.residual / u.sum / (1 - follow) }

// promise returns the bound and what rounding may add to it: the residual is itself
// computed in double precision, each of its terms to some units in the last place,
// which formula (3) makes larger by 1/(1-follow). Sixteen units are more than was
// ever seen against a solution in higher precision; below 1e-13 they are what counts.
func (u outcome) promise(follow float64) float64 {
	return u.bound(follow) + rounding(follow)
}

// rounding returns the part of promise that allows for rounding.
func rounding(follow float64) float64 { return 16 * 0x1p-53 / (1 - follow) }

// goal returns the bound to sweep for so that the promise keeps the tolerance. Where
// rounding alone would take more than half of the tolerance it is half of it, and the promise
// that is reached decides whether the tolerance is.
func (v *solver) goal() float64 {
	return max(v.o.Tolerance-rounding(v.follow), v.o.Tolerance/2)
}

// A block is a range of pages that Gauss-Seidel sweeps in order: those of live from
// lo to hi, and of all pages from lo to hi of them.
type block struct {
	live   []graph.Page
	lo, hi int
}

// solve sweeps until the bound is below the tolerance. start may be nil.
func (s *system) solve(o *Options, base []float64, start []float64) (outcome, error) {
	v := &solver{system: s, o: o, base: base}
	v.total = base[0] * float64(s.world.pages)
	if len(base) > 1 {
		v.total = total(base)
	}
	defer v.free()
	v.begin(start)
	sweep := v.gaussSeidel
	if o.Method == Jacobi {
		sweep = v.jacobi
	}
	return v.run(sweep)
}

// run sweeps until the bound holds. A sweep that changes y by c in all leaves a residual of
// at most follow c: what is left is what the pages that changed hand to pages visited
// before them. The true residual is some fraction of that; it is measured when the goal
// seems reached by a guess of the fraction, and then the measured fraction replaces the
// guess.
func (v *solver) run(sweep func() (change, sum float64)) (outcome, error) {
	guess, goal := 1.0/3, v.goal()
	for n := 1; ; n++ {
		change, sum := sweep()
		limit := 2 * v.follow * change / ((1 - v.follow) * max(v.total, sum-v.follow*change))
		if v.o.Progress != nil {
			if err := v.o.Progress(n, limit); err != nil {
				return outcome{}, err
			}
		}
		if guess*limit > goal && n < v.o.MaxSweeps {
			continue
		}
		u := v.measure()
		u.sweeps = n
		bound := u.bound(v.follow)
		switch {
		case u.promise(v.follow) <= v.o.Tolerance:
			return u, nil
		case bound <= goal || n >= v.o.MaxSweeps:
			return u, &ToleranceError{n, u.promise(v.follow), v.o.Tolerance}
		}
		guess = bound / limit
	}
}

// baseOf returns the base of page p.
func (v *solver) baseOf(p int) float64 {
	if len(v.base) == 1 {
		return v.base[0]
	}
	return v.base[p]
}

// begin sets y and z. The start vector, or else the base, is scaled to the sum S
// that the solution would have if its live pages had the same share f of it:
// S = total + follow f S.
func (v *solver) begin(start []float64) {
	n := v.lists.Pages()
	v.y = make([]float64, n)
	for p := range v.y {
		switch {
		case start == nil:
			v.y[p] = v.baseOf(p)
		case v.world.has(graph.Page(p)):
			v.y[p] = start[p]
		}
	}
	live := 0.0
	for _, p := range v.live {
		live += v.y[p]
	}
	if sum := total(v.y); sum > 0 {
		scale := v.total / (sum - v.follow*live)
		for p := range v.y {
			v.y[p] *= scale
		}
	}
	v.divide()
	for i := range v.z {
		v.z[i] = graph.NewColumn[float64]("z", n*v.kinds())
		v.z[i].Grow(n * v.kinds())
		v.handOut(v.z[i].Slice())
	}
}

// divide makes the blocks: contiguous, with about the same number of links to live
// pages in each.
func (v *solver) divide() {
	if v.o.Method == Jacobi {
		v.z = make([]*graph.Column[float64], 2)
		return
	}
	work := make([]uint64, len(v.live)+1) // before each live page
	for i, p := range v.live {
		work[i+1] = work[i] + uint64(v.lists.Degree(p)) + 4
	}
	from, lo, n := 0, 0, v.lists.Pages()
	for b := range v.o.Blocks {
		goal := work[len(v.live)] / uint64(v.o.Blocks) * uint64(b+1)
		to, hi := sort.Search(len(v.live), func(i int) bool { return work[i] >= goal }), n
		if b == v.o.Blocks-1 {
			to = len(v.live)
		} else if to < len(v.live) {
			hi = int(v.live[to])
		}
		v.blocks = append(v.blocks, block{v.live[from:to], lo, hi})
		from, lo = to, hi
	}
	v.z = make([]*graph.Column[float64], v.o.Blocks)
}

// handOut computes z from y.
func (v *solver) handOut(z []float64) {
	kinds := v.kinds()
	for kind := range kinds {
		for p, w := range v.weight[kind] {
			z[p*kinds+kind] = w * v.y[p]
		}
	}
}

// gaussSeidel makes one sweep over the live pages and returns the sum of changes
// and what the sum of all y is, but for the residual. Every block has a z of its
// own, in which the values of the other blocks are those of the sweep before: so
// blocks can run side by side, and the result does not depend on whether they do.
func (v *solver) gaussSeidel() (change, sum float64) {
	changes, sums := make([]float64, len(v.blocks)), make([]float64, len(v.blocks))
	graph.Parallel(v.o.Threads, len(v.blocks), func(b int) {
		changes[b], sums[b] = v.gather.Relax(&kernel.Relaxation{
			Y: v.y, Z: v.z[b].Slice(), Base: v.base, Weight: v.weight, NoSelf: v.self != nil,
		}, v.blocks[b].live)
	})
	kinds := v.kinds()
	graph.Parallel(v.o.Threads, len(v.blocks), func(b int) {
		for c, other := range v.blocks {
			if c != b {
				copy(v.z[b].Slice()[other.lo*kinds:other.hi*kinds], v.z[c].Slice()[other.lo*kinds:])
			}
		}
	})
	return total(changes), v.total + float64(v.follow*total(sums))
}

// chunk is the number of sums that are gathered at a time: few enough to stay in the
// nearest cache until they are used.
const chunk = 256

// sums calls fn with the right-hand side of the equation for the pages of one part,
// a chunk at a time; page lo+i has rhs[i].
func (v *solver) sums(part int, z []float64, fn func(lo int, rhs []float64)) {
	var buffer [chunk]float64
	for lo := v.at[part]; lo < v.at[part+1]; lo += chunk {
		rhs := buffer[:min(chunk, v.at[part+1]-lo)]
		v.gather.Sum(rhs, z, lo)
		if v.self != nil {
			v.leaveOutSelf(lo, rhs, z)
		}
		fn(lo, rhs)
	}
}

// leaveOutSelf subtracts what pages pass to themselves from their sums, without a branch,
// which would be mispredicted.
func (v *solver) leaveOutSelf(lo int, rhs, z []float64) {
	kinds := v.kinds()
	for i := range rhs {
		p := lo + i
		bit := v.self[p/64] >> (p % 64) & 1
		rhs[i] -= math.Float64frombits(math.Float64bits(z[p*kinds]) & -bit)
	}
}

// jacobi makes one sweep of the power method over all pages. Its change is the true
// residual of the vector before.
func (v *solver) jacobi() (change, sum float64) {
	var changes, sums [parts]float64
	z, next := v.z[0].Slice(), v.z[1].Slice()
	graph.Parallel(v.o.Threads, parts, func(part int) {
		v.sums(part, z, func(lo int, rhs []float64) {
			c, s := v.take(lo, rhs, next)
			changes[part] += c
			sums[part] += s
		})
	})
	v.z[0], v.z[1] = v.z[1], v.z[0]
	return total(changes[:]), total(sums[:])
}

// take makes the right-hand sides of some pages their new y and updates z.
func (v *solver) take(lo int, rhs, z []float64) (change, sum float64) {
	y, kinds := v.y[lo:lo+len(rhs)], v.kinds()
	if len(v.base) == 1 {
		for i := range rhs {
			rhs[i] += v.base[0]
		}
	} else {
		for i, b := range v.base[lo : lo+len(rhs)] {
			rhs[i] += b
		}
	}
	if kinds == 1 {
		w, z := v.weight[0][lo:lo+len(rhs)], z[lo:lo+len(rhs)]
		for i, t := range rhs {
			change += math.Abs(t - y[i])
			sum += t
			y[i] = t
			z[i] = w[i] * t
		}
		return change, sum
	}
	for i, t := range rhs {
		change += math.Abs(t - y[i])
		sum += t
		y[i] = t
		z[2*(lo+i)] = v.weight[0][lo+i] * t
		z[2*(lo+i)+1] = v.weight[1][lo+i] * t
	}
	return change, sum
}

// measure sets y of the dangling pages, for which the equation then holds, and
// returns by how much it fails for the others.
func (v *solver) measure() outcome {
	var l1, signed, sums [parts]float64
	z := v.z[0].Slice()
	graph.Parallel(v.o.Threads, parts, func(part int) {
		v.sums(part, z, func(lo int, rhs []float64) {
			for i, t := range rhs {
				p := lo + i
				t += v.baseOf(p)
				if v.weight[0][p] == 0 && (v.weight[1] == nil || v.weight[1][p] == 0) {
					v.y[p] = t
				}
				r := t - v.y[p]
				l1[part] += math.Abs(r)
				signed[part] += r
				sums[part] += v.y[p]
			}
		})
	})
	return outcome{y: v.y, sum: total(sums[:]), residual: total(l1[:]) + math.Abs(total(signed[:]))}
}

func (v *solver) free() {
	for _, z := range v.z {
		z.Free()
	}
}
