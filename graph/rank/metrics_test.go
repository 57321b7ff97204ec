package rank

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"pgregory.net/rapid"
)

// counts computes the three counts.
func counts(t testing.TB, w *Web, o Options) (in, out, sites []float64) {
	for _, m := range []struct {
		to *[]float64
		fn func(*Web, Options) (*Result, error)
	}{{&in, Backlinks}, {&out, Outlinks}, {&sites, BacklinkSites}} {
		r, err := m.fn(w, o)
		if err != nil {
			t.Fatal(err)
		}
		*m.to = r.Score
	}
	return in, out, sites
}

// Counts against a plain recount, from either kind of lists (M6, M13).
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 1))
	all := randomWeb(r, 500, 5, 0.3)
	sites := randomSites(r, len(all))
	for i := len(sites) - 1; i > 0; i-- { // sites need not be ranges of ids
		j := r.IntN(i + 1)
		sites[i], sites[j] = sites[j], sites[i]
	}
	for _, self := range []bool{false, true} {
		links := all
		if !self {
			links = all.withoutSelf()
		}
		in, out, from := make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all))
		linking := make([]map[graph.Site]bool, len(all))
		for p, l := range links {
			out[p] = float64(len(l))
			for _, q := range l {
				in[q]++
				if linking[q] == nil {
					linking[q] = map[graph.Site]bool{}
				}
				linking[q][sites[p]] = true
			}
		}
		for p := range from {
			from[p] = float64(len(linking[p]))
		}
		for name, w := range map[string]*Web{"both": all.web(t), "in": {In: all.reversed().lists(t)}, "out": {Out: all.lists(t)}} {
			w.Sites = sites
			gotIn, gotOut, gotFrom := counts(t, w, Options{SelfLinks: self})
			if !slices.Equal(gotIn, in) || !slices.Equal(gotOut, out) || !slices.Equal(gotFrom, from) {
				t.Errorf("lists %s, self-links %v: counts differ from a recount", name, self)
			}
		}
		if _, _, alone := counts(t, all.web(t), Options{SelfLinks: self}); !slices.Equal(alone, in) {
			t.Errorf("self-links %v: with every page its own site the sites are not the pages", self)
		}
	}
}

func TestCountsOfUncrawled(t *testing.T) {
	w := outLists{{1, 2, 3}, {0, 2}, {0, 1}, {0}}.web(t)
	w.Fetched = func(p graph.Page) bool { return p != 2 }
	in, out, _ := counts(t, w, Options{})
	if !slices.Equal(in, []float64{2, 1, 2, 1}) || !slices.Equal(out, []float64{3, 2, 0, 1}) {
		t.Errorf("dangling: in %v, out %v", in, out)
	}
	in, out, _ = counts(t, w, Options{Uncrawled: Absent})
	if !slices.Equal(in, []float64{2, 1, 0, 1}) || !slices.Equal(out, []float64{2, 1, 0, 1}) {
		t.Errorf("absent: in %v, out %v", in, out)
	}
}

// denseHITS is the definition with a full matrix and the L2 norm.
func denseHITS(links outLists, steps int) (authority, hub []float64) {
	n := len(links)
	matrix := make([][]float64, n)
	for p := range matrix {
		matrix[p] = make([]float64, n)
		for _, q := range links[p] {
			matrix[p][q] = 1
		}
	}
	authority, hub = make([]float64, n), make([]float64, n)
	for p := range hub {
		hub[p] = 1
	}
	for range steps {
		for q := range n {
			authority[q] = 0
			for p := range n {
				authority[q] += matrix[p][q] * hub[p]
			}
		}
		unit(authority)
		for p := range n {
			hub[p] = 0
			for q := range n {
				hub[p] += matrix[p][q] * authority[q]
			}
		}
		unit(hub)
	}
	Normalise(authority, Sum, n)
	Normalise(hub, Sum, n)
	return authority, hub
}

func unit(v []float64) {
	square := 0.0
	for _, x := range v {
		square += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(square)
	}
}

func TestHITSAgreesWithDenseReference(t *testing.T) {
	links := randomWeb(rand.New(rand.NewPCG(31, 1)), 300, 6, 0.2)
	wantA, wantH := denseHITS(links.withoutSelf(), 500)
	w := links.web(t)
	for _, threads := range []int{1, 3} {
		a, h, err := HITS(w, Options{Tolerance: 1e-12, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		mustBeNear(t, "authority", a.Score, wantA, 1e-8) // M21
		mustBeNear(t, "hub", h.Score, wantH, 1e-8)
	}
	a, h, err := HITS(w, Options{Scale: Mean})
	if err != nil || math.Abs(sum(a.Score)-300) > 1e-9 || math.Abs(sum(h.Score)-300) > 1e-9 {
		t.Errorf("mean 1: sums %v and %v, error %v", sum(a.Score), sum(h.Score), err)
	}
}

func TestHITSSameBitsWithAnyThreads(t *testing.T) {
	w := randomWeb(rand.New(rand.NewPCG(32, 1)), 3000, 8, 0.2).web(t)
	one, oneHub, err := HITS(w, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 3, 7} {
		many, manyHub, err := HITS(w, Options{Threads: threads})
		if err != nil || !slices.Equal(one.Score, many.Score) || !slices.Equal(oneHub.Score, manyHub.Score) {
			t.Errorf("%d threads give other bits (error %v)", threads, err)
		}
	}
}

// HITS continues until both vectors stand still. The web is two stars: one page that
// links to T others, and S < T pages that link to one. The rank of the second star
// over that of the first, in authority, is (S/T)^k after k steps; in hubs, where
// the S pages get what the first page of the other star gets once, it is S times
// that. So authority is within the tolerance log2(8) = 3 steps before hubs. With all
// links turned round it is 1/T times that, and hubs are the first.
func TestHITSWaitsForTheSlowerSide(t *testing.T) {
	const S, T, tolerance = 8, 16, 1e-6
	links := make(outLists, 1+T+1+S)
	for i := range T {
		links[0] = append(links[0], graph.Page(1+i))
	}
	for i := range S {
		links[2+T+i] = []graph.Page{1 + T}
	}
	for _, c := range []struct {
		name  string
		links outLists
		hub   float64 // ratio of the stars in hubs over that in authority
	}{{"hub", links, S}, {"authority", links.reversed(), 1. / T}} {
		ratio := func(k int) float64 { return math.Pow(float64(S)/T, float64(k)) }
		// change of a vector in step k: what the second star loses the first one gains
		change := func(scale float64, k int) float64 {
			share := func(k int) float64 { return scale * ratio(k) / (1 + scale*ratio(k)) }
			return 2 * (share(k-1) - share(k))
		}
		ends := func(scale float64) int {
			k := 2
			for change(scale, k) > tolerance {
				k++
			}
			return k
		}
		slower, faster := max(ends(1), ends(c.hub)), min(ends(1), ends(c.hub))
		a, h, err := HITS(c.links.web(t), Options{Tolerance: tolerance})
		if err != nil || slower == faster {
			t.Fatalf("%s: error %v; the sides end after %d and %d steps", c.name, err, slower, faster)
		}
		want := max(change(1, slower), change(c.hub, slower))
		if a.Sweeps != slower || h.Sweeps != slower || math.Abs(h.Residual-want) > 1e-12 {
			t.Errorf("the %s is slower: %d steps, last change %g; want %d, %g", c.name, a.Sweeps, h.Residual, slower, want)
		}
	}
}

func TestHITSEnds(t *testing.T) {
	a, h, err := HITS(outLists{nil, nil}.web(t), Options{})
	if err != nil || sum(a.Score) != 0 || sum(h.Score) != 0 {
		t.Errorf("without links: %v, %v, error %v", a, h, err)
	}
	var short *ToleranceError
	a, _, err = HITS(outLists{{1}, {0, 2}, {0}}.web(t), Options{MaxSweeps: 2})
	if !errors.As(err, &short) || a == nil {
		t.Errorf("two sweeps: %v, error %v", a, err)
	}
	enough := errors.New("enough")
	if _, _, err = HITS(outLists{{1}, {0, 2}, {0}}.web(t), Options{Progress: func(int, float64) error { return enough }}); !errors.Is(err, enough) {
		t.Errorf("stopped with %v", err)
	}
}

// naiveHarmonic searches from every page along the out-links.
func naiveHarmonic(links outLists) []float64 {
	score := make([]float64, len(links))
	for y := range links {
		distance := map[graph.Page]int{graph.Page(y): 0}
		for queue := []graph.Page{graph.Page(y)}; len(queue) > 0; queue = queue[1:] {
			p := queue[0]
			for _, q := range links[p] {
				if _, ok := distance[q]; !ok {
					distance[q] = distance[p] + 1
					score[q] += 1 / float64(distance[q])
					queue = append(queue, q)
				}
			}
		}
	}
	return score
}

func TestHarmonicAgreesWithNaiveSearch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 700).Draw(rt, "pages")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 33))
		links := randomWeb(r, n, rapid.Float64Range(0, 4).Draw(rt, "mean"), 0.3)
		got, err := Harmonic(&Web{In: links.reversed().lists(t)}, Options{Threads: rapid.IntRange(1, 3).Draw(rt, "threads")})
		if err != nil {
			rt.Fatal(err)
		}
		want := naiveHarmonic(links)
		if d := l1(got.Score, want); d > 1e-9*(1+sum(want)) {
			rt.Errorf("L1 distance %g of sum %g", d, sum(want))
		}
	})
}

// A path 0 -> 1 -> 2: H(2) = 1 + 1/2.
func TestHarmonicByHand(t *testing.T) {
	got, err := Harmonic(outLists{{1}, {2}, nil}.web(t), Options{})
	if err != nil || !slices.Equal(got.Score, []float64{0, 1, 1.5}) {
		t.Errorf("%v, error %v", got, err)
	}
	w := outLists{{1}, {2}, nil}.web(t)
	w.Fetched = func(p graph.Page) bool { return p != 1 }
	got, err = Harmonic(w, Options{})
	if err != nil || !slices.Equal(got.Score, []float64{0, 1, 0}) {
		t.Errorf("the middle not crawled: %v, error %v", got, err)
	}
}

func TestHarmonicSameBitsWithAnyThreads(t *testing.T) {
	w := randomWeb(rand.New(rand.NewPCG(34, 1)), 3000, 4, 0.2).web(t)
	one, err := Harmonic(w, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 3, 7} {
		if many, err := Harmonic(w, Options{Threads: threads}); err != nil || !slices.Equal(one.Score, many.Score) {
			t.Errorf("%d threads give other bits (error %v)", threads, err)
		}
	}
	enough := errors.New("enough")
	if _, err := Harmonic(w, Options{Progress: func(int, float64) error { return enough }}); !errors.Is(err, enough) {
		t.Errorf("stopped with %v", err)
	}
}
