package rank

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// outLists is a web written down as the out-links of each page.
type outLists [][]graph.Page

func (o outLists) lists(t testing.TB) *graph.Lists {
	links := 0
	for _, l := range o {
		links += len(l)
	}
	g := graph.NewLists(len(o), int64(links))
	t.Cleanup(g.Free)
	off, to := g.Off.Slice(), g.To.Slice()
	for p, l := range o {
		off[p+1] = off[p] + uint64(copy(to[off[p]:], l))
	}
	return g
}

// web is the web with both kinds of lists.
func (o outLists) web(t testing.TB) *Web {
	out := o.lists(t)
	in := Transpose(out)
	t.Cleanup(in.Free)
	return &Web{In: in, Out: out}
}

// withoutSelf drops self-links.
func (o outLists) withoutSelf() outLists {
	return o.keep(func(p, q graph.Page) bool { return p != q })
}

func (o outLists) keep(fn func(p, q graph.Page) bool) outLists {
	kept := make(outLists, len(o))
	for p, l := range o {
		for _, q := range l {
			if fn(graph.Page(p), q) {
				kept[p] = append(kept[p], q)
			}
		}
	}
	return kept
}

func (o outLists) reversed() outLists {
	rev := make(outLists, len(o))
	for p, l := range o {
		for _, q := range l {
			rev[q] = append(rev[q], graph.Page(p))
		}
	}
	return rev
}

// randomWeb has n pages of which the given share is dangling; the others have mean
// links on average, most to near pages, some to the same few popular pages, and one
// page in ten links to itself.
func randomWeb(r *rand.Rand, n int, mean, dangling float64) outLists {
	o := make(outLists, n)
	for p := range o {
		if r.Float64() < dangling {
			continue
		}
		for range 1 + int(r.ExpFloat64()*mean) {
			q := p + int(r.NormFloat64()*20)
			switch r.IntN(4) {
			case 0:
				q = r.IntN(n)
			case 1:
				q = int(math.Pow(r.Float64(), 4) * float64(n))
			}
			if q != p && q >= 0 && q < n {
				o[p] = append(o[p], graph.Page(q))
			}
		}
		if r.IntN(10) == 0 {
			o[p] = append(o[p], graph.Page(p))
		}
		slices.Sort(o[p])
		o[p] = slices.Compact(o[p])
	}
	return o
}

// randomSites puts pages on sites of up to 40 neighbours.
func randomSites(r *rand.Rand, n int) []graph.Site {
	sites := make([]graph.Site, 0, n)
	for s := graph.Site(0); len(sites) < n; s++ {
		for range 1 + r.IntN(40) {
			sites = append(sites, s)
		}
	}
	return sites[:n]
}

// A surfer is equation (1) taken literally: where each page leads, with which
// probability, and where the jumps go.
type surfer struct {
	links  outLists
	weight func(p, q graph.Page) float64 // of the link from p to q, sums to 1 for each page with links
	follow float64
	jump   []float64 // distributions of jumps, from any page
	stuck  []float64 // and from dangling ones; nil: even
}

func evenSurfer(links outLists, follow float64) surfer {
	return surfer{links: links, follow: follow, weight: func(p, _ graph.Page) float64 { return 1 / float64(len(links[p])) }}
}

func evenly(n int) []float64 {
	v := make([]float64, n)
	for p := range v {
		v[p] = 1 / float64(n)
	}
	return v
}

// rank is the naive power method in float64, run until nothing moves.
func (s surfer) rank() []float64 {
	n := len(s.links)
	if s.jump == nil {
		s.jump = evenly(n)
	}
	if s.stuck == nil {
		s.stuck = evenly(n)
	}
	x := evenly(n)
	for range 2000 {
		next := make([]float64, n)
		dangling := 0.0
		for p, l := range s.links {
			if len(l) == 0 {
				dangling += x[p]
			}
			for _, q := range l {
				next[q] += s.follow * x[p] * s.weight(graph.Page(p), q)
			}
		}
		for p := range next {
			next[p] += s.follow*dangling*s.stuck[p] + (1-s.follow)*s.jump[p]
		}
		change := l1(x, next)
		x = next
		if change < 1e-15 {
			break
		}
	}
	return x
}

func l1(a, b []float64) (d float64) {
	for i := range a {
		d += math.Abs(a[i] - b[i])
	}
	return d
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// solve fails the test on an error.
func solve(t testing.TB, w *Web, o Options) *Result {
	t.Helper()
	r, err := PageRank(w, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mustBeNear fails the test if the L1 distance is over limit.
func mustBeNear(t testing.TB, what string, got, want []float64, limit float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	if d := l1(got, want); !(d <= limit) {
		t.Errorf("%s: L1 distance %g, limit %g", what, d, limit)
	}
}
