package rank

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
)

// Options configures how a rank is computed. The zero value is PageRank by paper A: follow
// 0.9, to 1e-9, sum 1, without self-links.
type Options struct {
	// Follow is the probability of following a link; 0 means 0.9. Where a paper
	// states the probability of a jump, it is 1 minus that.
	Follow float64
	// Tolerance bounds the L1 distance of the sum-1 vector from the exact one; 0
	// means 1e-9. For HITS, where no such bound is known, it is that of two
	// successive steps.
	Tolerance float64
	Scale     Scale
	// SelfLinks keeps the links of pages to themselves.
	SelfLinks bool
	Uncrawled Uncrawled
	// Teleport is the distribution of the targets of jumps: one non-negative weight a page,
	// of any sum. If nil, it is uniform.
	Teleport []float64
	// DanglingToTeleport makes the surfer leave a dangling page by Teleport rather
	// than evenly.
	DanglingToTeleport bool
	// Start is an earlier vector to begin with, of any scale. Pages without a value
	// in it are 0.
	Start  []float64
	Method Method
	// Blocks is the number of parts that a Gauss-Seidel sweep treats side by side;
	// 0 means 2. Within a block values are fresh, those of other blocks are of the
	// sweep before, so the last bits of the result depend on it (and on Threads they
	// do not). Each block over the first costs 8 bytes a page. It is also the
	// largest number of threads the method can use.
	Blocks int
	// Threads is the number of threads; 0 means one for each processor.
	Threads int
	// MaxSweeps ends a solve that does not converge; 0 means as many as exact arithmetic
	// could need.
	MaxSweeps int
	// Progress, if not nil, is called after each sweep with the number of sweeps
	// and a bound of the error so far. An error stops the solve and is returned.
	Progress func(sweep int, bound float64) error
}

// Scale is the sum of the scores.
type Scale int

const (
	Sum  Scale = iota // 1
	Mean              // the number of pages, so that their mean is 1
)

// Method is a way to solve for PageRank.
type Method int

const (
	GaussSeidel Method = iota
	Jacobi             // the power method, less the dangling mass; for comparison
)

// Uncrawled is a treatment of pages that are known by links only.
type Uncrawled int

const (
	Dangling Uncrawled = iota // they have rank and no links
	Absent                    // they have no rank, and links to them do not count
)

// A Result is a rank with bounds of its error.
type Result struct {
	Score  []float64 // one for each page
	Pages  int       // pages that take part: all, or the crawled ones
	Sweeps int
	// Residual is the L1 norm by which the sum-1 vector fails the equation. For HITS it is
	// the last change.
	Residual float64
	// Bound is Residual/(1-follow) and what rounding may add: the sum-1 vector is no
	// farther than that from the exact one. It is 0 for counts and harmonic centrality,
	// which are exact, and for HITS, where no bound is known.
	Bound float64
}

// A ToleranceError reports that a solve ended before its tolerance was reached, which
// happens where the tolerance is near the rounding errors. The result returned with it is
// valid within its Bound.
type ToleranceError struct {
	Sweeps           int
	Bound, Tolerance float64
}

func (e *ToleranceError) Error() string {
	return fmt.Sprintf("tolerance %g not reached after %d sweeps: the error is at most %g", e.Tolerance, e.Sweeps, e.Bound)
}

// filled returns o with its defaults, or an error if it does not fit n pages.
func (o Options) filled(n int) (Options, error) {
	o.Follow, o.Tolerance = cmp.Or(o.Follow, 0.9), cmp.Or(o.Tolerance, 1e-9)
	o.Blocks, o.Threads = cmp.Or(o.Blocks, 2), cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	switch {
	case !(o.Follow > 0 && o.Follow < 1):
		return o, fmt.Errorf("follow %v is not between 0 and 1", o.Follow)
	case !(o.Tolerance > 0):
		return o, fmt.Errorf("tolerance %v is not above 0", o.Tolerance)
	case o.Blocks < 0 || o.Threads < 0 || o.MaxSweeps < 0:
		return o, fmt.Errorf("blocks %d, threads %d, sweeps %d: below 0", o.Blocks, o.Threads, o.MaxSweeps)
	}
	o.MaxSweeps = cmp.Or(o.MaxSweeps, sweepsNeeded(o.Follow, o.Tolerance))
	if err := checkWeights("teleport vector", o.Teleport, n); err != nil {
		return o, err
	}
	return o, checkWeights("start vector", o.Start, n)
}

// sweepsNeeded returns how many sweeps suffice in exact arithmetic. A sweep of either
// method multiplies the L1 norm of the error by follow at least as well as the power method
// does: split the first residual into its positive and its negative part; for each of them
// the iterates grow monotonically towards the solution, and those of Gauss-Seidel are never
// behind. The error relative to the sum is at most 2/(1-follow) at the start, the bound
// that is tested at most 2/(1-follow) times the error, and 20 more are a reserve.
func sweepsNeeded(follow, tolerance float64) int {
	goal := tolerance * (1 - follow) * (1 - follow) / 4
	return 20 + int(math.Ceil(math.Log(goal)/math.Log(follow)))
}

// checkWeights returns an error if a vector is not nil and no distribution, up to its sum,
// over n pages.
func checkWeights(name string, v []float64, n int) error {
	if v == nil {
		return nil
	}
	if len(v) != n {
		return fmt.Errorf("%s of %d pages for a graph of %d", name, len(v), n)
	}
	for p, w := range v {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("%s: value %v of page %d", name, w, p)
		}
	}
	if math.IsInf(total(v), 1) {
		return fmt.Errorf("%s: its sum is not a number", name)
	}
	return nil
}

// Normalise scales scores to the sum that s requires: 1, or pages. Scores of sum 0 do not
// change.
func Normalise(score []float64, s Scale, pages int) {
	sum := total(score)
	if sum == 0 {
		return
	}
	goal := 1.0
	if s == Mean {
		goal = float64(pages)
	}
	for p := range score {
		score[p] = score[p] / sum * goal
	}
}

// total returns the sum of v, added block by block so that rounding errors stay small.
func total(v []float64) (sum float64) {
	const block = 1024
	for len(v) > 0 {
		part := 0.0
		for _, x := range v[:min(block, len(v))] {
			part += x
		}
		sum += part
		v = v[min(block, len(v)):]
	}
	return sum
}
