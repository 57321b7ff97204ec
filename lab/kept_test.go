package lab

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// P3: on small graphs the pages that a virtual crawl keeps, and P_BC of them for both
// definitions of hot, are those of a literal version, and of the experiment of the paper.
func TestKeptBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	for range 150 {
		n := 2 + r.IntN(40)
		out := webOf(t, randomLinks(r, n, 3))
		var seeds []graph.Page
		value := make([]float64, n)
		for p := range n {
			seeds, value[p] = append(seeds, graph.Page(p)), float64(r.IntN(6))
		}
		value[r.IntN(n)]++
		r.Shuffle(n, func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
		for _, name := range []string{"breadth-first", "backlink-count", "random"} {
			room := 1 + r.IntN(n+3)
			c := bufferOf(t, out, value, seeds, room)
			run := crawlOf(t, c, name)
			want := literalKept(run.Result.Order, out, room)
			if !slices.Equal(run.Result.Kept, want) {
				t.Fatalf("%v are kept, want %v", run.Result.Kept, want)
			}
			k := c.Kept(run)
			if got, want := *k.Best, literalShare(want, value, kth(value, min(room, n)), min(room, n)); got != want {
				t.Errorf("P_BC is %g, want %g", got, want)
			}
			for i, g := range c.Hot() {
				if got, want := k.Above[i], literalShare(want, value, g, min(room, n)); got != want {
					t.Errorf("P_BC for importance %g is %g, want %g", g, got, want)
				}
			}
			if curve := paperCurve(run.Trial, c.Judge.HotBest(room), out, room); curve.Y[len(curve.Y)-1] != *k.Best {
				t.Errorf("P_BC is %g, in the experiment of the paper %g", *k.Best, curve.Y[len(curve.Y)-1])
			}
		}
	}
}

// bufferOf returns a comparison over a web with true values, for a buffer.
func bufferOf(t *testing.T, out *graph.Lists, value []float64, seeds []graph.Page, room int) *Comparison {
	t.Helper()
	truth := &measure.Truth{Metric: measure.BacklinksMetric, Value: value, Pages: len(value)}
	e := slices.Sorted(slices.Values(seeds))
	j, err := measure.NewJudge(truth, e, measure.JudgeOptions{Hot: []float64{2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	set := Setting{Setup: sim.Setup{Seeds: seeds, Random: 1, KeepPages: room}, World: &World{Sim: sim.World{Out: out}}, Truth: truth}
	return &Comparison{Setting: set, Judge: j, Tree: &measure.Tree{Order: e}}
}

func crawlOf(t *testing.T, c *Comparison, name string) *Run {
	t.Helper()
	choice, err := policy.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(&c.World.Sim, sim.Options{Setup: c.Setup, Policy: choice})
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.Measure(name, res)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// literalKept stores the pages one after the other and throws out the one with fewest links
// from pages before, of several the last.
func literalKept(order []graph.Page, out *graph.Lists, room int) (kept []graph.Page) {
	in := map[graph.Page]int{}
	for _, p := range order {
		for _, q := range out.List(p) {
			if q != p {
				in[q]++
			}
		}
		if kept = append(kept, p); len(kept) > room {
			worst := 0
			for i, q := range kept {
				if in[q] <= in[kept[worst]] {
					worst = i
				}
			}
			kept = slices.Delete(kept, worst, worst+1)
		}
	}
	slices.Sort(kept)
	return kept
}

// kth returns the k-th highest value.
func kth(value []float64, k int) float64 {
	all := slices.Sorted(slices.Values(value))
	return all[len(all)-k]
}

func literalShare(kept []graph.Page, value []float64, least float64, room int) float64 {
	hot := 0
	for _, p := range kept {
		if value[p] >= least {
			hot++
		}
	}
	return measure.Share(hot, room)
}

// paperCurve is the experiment cho98-buffer, whose estimate is the number of links known.
func paperCurve(t *measure.Trial, hot measure.Hot, out *graph.Lists, room int) measure.Curve {
	known := make([]float64, out.Pages())
	return t.BufferCrawl(room, hot, func(p graph.Page, update func(graph.Page, float64)) float64 {
		for _, q := range out.List(p) {
			if q != p {
				known[q]++
				update(q, known[q])
			}
		}
		return known[p]
	})
}
