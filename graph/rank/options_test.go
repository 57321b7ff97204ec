package rank

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"pgregory.net/rapid"
)

func TestProgressMayStop(t *testing.T) {
	w := randomWeb(rand.New(rand.NewPCG(12, 1)), 1000, 6, 0.2).web(t)
	enough := errors.New("enough")
	last, sweeps := math.Inf(1), 0
	_, err := PageRank(w, Options{Progress: func(sweep int, bound float64) error {
		if sweep != sweeps+1 || !(bound < 2*last) {
			t.Errorf("sweep %d after %d, bound %g after %g", sweep, sweeps, bound, last)
		}
		sweeps, last = sweep, bound
		if sweep == 5 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || sweeps != 5 {
		t.Errorf("stopped after %d sweeps with %v", sweeps, err)
	}
}

func TestToleranceNotReached(t *testing.T) {
	w := randomWeb(rand.New(rand.NewPCG(13, 1)), 1000, 6, 0.2).web(t)
	got, err := PageRank(w, Options{MaxSweeps: 3})
	var short *ToleranceError
	if !errors.As(err, &short) || got == nil || got.Bound != short.Bound || got.Sweeps != 3 {
		t.Fatalf("result %v, error %v", got, err)
	}
	if _, err := PageRank(w, Options{Tolerance: 1e-20}); !errors.As(err, &short) {
		t.Errorf("tolerance 1e-20: error %v", err)
	}
	// Below what rounding may add, no luck of a small residual makes it reached.
	reached := 0
	for _, follow := range []float64{0.5, 0.9, 0.99} {
		for _, method := range []Method{GaussSeidel, Jacobi} {
			for tolerance := 1e-11; tolerance > 1e-16; tolerance /= 3 {
				got, err := PageRank(w, Options{Follow: follow, Method: method, Tolerance: tolerance, MaxSweeps: 3000})
				if ok := err == nil; ok != (got.Bound <= tolerance) {
					t.Errorf("follow %g, tolerance %g: the error is at most %g, and the solve says %v", follow, tolerance, got.Bound, err)
				} else if ok {
					reached++
				}
			}
		}
	}
	for _, tolerance := range []float64{1e-14, 1e-15, 1e-18} {
		a, h, err := HITS(w, Options{Tolerance: tolerance})
		if ok := err == nil; ok != (tolerance > leastChange) || a == nil || h == nil || !ok && !errors.As(err, &short) {
			t.Errorf("HITS with tolerance %g: %v", tolerance, err)
		}
	}
	if reached < 10 {
		t.Errorf("only %d tolerances were reached", reached)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	w := outLists{{1}, {0}}.web(t)
	bad := outLists{{1}, {2}}.lists(t)
	for want, try := range map[string]func() (*Result, error){
		"follow":      func() (*Result, error) { return PageRank(w, Options{Follow: 1}) },
		"tolerance":   func() (*Result, error) { return PageRank(w, Options{Tolerance: math.NaN()}) },
		"below 0":     func() (*Result, error) { return PageRank(w, Options{Threads: -1}) },
		"of 3 pages":  func() (*Result, error) { return PageRank(w, Options{Start: make([]float64, 3)}) },
		"sum is 0":    func() (*Result, error) { return PageRank(w, Options{Teleport: []float64{0, 0}}) },
		"value -1":    func() (*Result, error) { return PageRank(w, Options{Teleport: []float64{2, -1}}) },
		"value NaN":   func() (*Result, error) { return PageRank(w, Options{Start: []float64{2, math.NaN()}}) },
		"without":     func() (*Result, error) { return PageRank(&Web{}, Options{}) },
		"name page 2": func() (*Result, error) { return PageRank(&Web{In: bad}, Options{}) },
		"sites of 1": func() (*Result, error) {
			return RemotePageRank(&Web{In: w.In, Sites: make([]graph.Site, 1)}, Options{})
		},
		"not a divi":    func() (*Result, error) { return WeightedPageRank(w, Options{}, Factor(-2)) },
		"out-lists of ": func() (*Result, error) { return PageRank(&Web{In: w.In, Out: outLists{{1}}.lists(t)}, Options{}) },
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// The links of a web are looked through once; lists that were copied anew.
func TestGatherIsKept(t *testing.T) {
	v, err := outLists{{0, 1}, {0}}.web(t).view(&Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer v.free()
	if in, out := v.seen[0], v.seen[1]; len(v.seen) != 2 || in.lists != v.In || out.lists != v.Out {
		t.Fatalf("looked through: %v", v.seen)
	}
	if g, err := v.gather(v.in()); g != v.seen[0].gather || err != nil {
		t.Errorf("the in-lists were looked through again (error %v)", err)
	}
	v.withoutSelf()
	if g, err := v.gather(v.in()); err != nil || g == v.seen[0].gather || g.Offset(g.Pages()) != 2 {
		t.Errorf("after a link was dropped the Gather is still that of all links (error %v)", err)
	}
}

func TestTinyWebs(t *testing.T) {
	for name, links := range map[string]outLists{"none": {}, "one": {nil}, "itself": {{0}}, "three alone": {nil, nil, nil}} {
		got := solve(t, links.web(t), Options{})
		mustBeNear(t, name, got.Score, evenly(len(links)), 1e-12)
	}
}

// For any small web and any options: the bound holds, the sum is 1, and the ranks
// are those of the naive loop.
func TestPageRankProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(rt, "pages")
		seed := rapid.Uint64().Draw(rt, "seed")
		r := rand.New(rand.NewPCG(seed, 14))
		links := randomWeb(r, n, rapid.Float64Range(0, 6).Draw(rt, "mean"), rapid.Float64Range(0, 1).Draw(rt, "dangling"))
		o := Options{
			Follow:    rapid.Float64Range(0.01, 0.97).Draw(rt, "follow"),
			Tolerance: math.Pow(10, -rapid.Float64Range(1, 11).Draw(rt, "digits")),
			Blocks:    rapid.IntRange(1, 40).Draw(rt, "blocks"),
			Method:    Method(rapid.IntRange(0, 1).Draw(rt, "method")),
			SelfLinks: rapid.Bool().Draw(rt, "self"),
		}
		s := evenSurfer(links, o.Follow)
		if !o.SelfLinks {
			s = evenSurfer(links.withoutSelf(), o.Follow)
		}
		if rapid.Bool().Draw(rt, "teleport") {
			o.Teleport = make([]float64, n)
			for p := range o.Teleport {
				o.Teleport[p] = float64(r.IntN(3))
			}
			o.Teleport[r.IntN(n)]++
			s.jump = slices.Clone(o.Teleport)
			Normalise(s.jump, Sum, n)
			if o.DanglingToTeleport = rapid.Bool().Draw(rt, "stuck"); o.DanglingToTeleport {
				s.stuck = s.jump
			}
		}
		got, err := PageRank(links.web(t), o)
		if err != nil {
			rt.Fatal(err)
		}
		if d := l1(got.Score, s.rank()); d > got.Bound+1e-13 || got.Bound > o.Tolerance || math.Abs(sum(got.Score)-1) > 1e-12 {
			rt.Errorf("error %g, bound %g, tolerance %g, sum %v", d, got.Bound, o.Tolerance, sum(got.Score))
		}
	})
}
