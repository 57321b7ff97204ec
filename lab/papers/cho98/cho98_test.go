package cho98

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// TestClosedWorld (P7): links to and from outside of the site do not count.
func TestClosedWorld(t *testing.T) {
	// Site 0 is the pages 0, 2, 4; site 1 the pages 1, 3.
	w := &lab.World{Name: "w", Sim: experimenttest.Bare(experimenttest.Web(t, [][]graph.Page{{1, 2}, {0, 4}, {1, 3, 4}, {2}, {0}}))}
	w.Sim.SiteOf, w.Sim.Sites = []graph.Site{0, 1, 0, 1, 0}, 2
	p := &experiment.Place{World: w, Seeds: []graph.Page{1, 4}}
	d := closed(p, 0)
	defer d.free()
	want := [][]graph.Page{{1}, {2}, {0}}
	for q, l := range want {
		if got := d.World.Sim.Out.List(graph.Page(q)); !slices.Equal(got, l) {
			t.Errorf("page %d of the site links to %v, want %v", q, got, l)
		}
	}
	truth, err := experiment.ByBacklinks(&experiment.Bench{Context: context.Background()}, &d.Place, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(truth.Value, []float64{1, 1, 1}) {
		t.Errorf("backlinks within the site are %v", truth.Value)
	}
	if !slices.Equal(d.Seeds, []graph.Page{2}) {
		t.Errorf("the crawl starts at %v, want the seed in the site, 2", d.Seeds)
	}
}

func TestSmallSites(t *testing.T) {
	web := func(sizes ...int) *lab.World {
		w := &lab.World{}
		for s, n := range sizes {
			w.Sim.SiteOf = append(w.Sim.SiteOf, slices.Repeat([]graph.Site{graph.Site(s)}, n)...)
		}
		w.Sim.Sites = len(sizes)
		return w
	}
	for _, c := range []struct {
		sizes []int
		want  []graph.Site
	}{
		{[]int{300, 12_000, 900, 20, 400, 250, 260}, []graph.Site{2, 4, 0, 6}},
		{[]int{20, 30_000, 40}, []graph.Site{2}}, // none of 200 pages: the largest
		{[]int{30_000, 12_000, 15_000}, []graph.Site{1}},
	} {
		if got := smallSites(web(c.sizes...)); !slices.Equal(got, c.want) {
			t.Errorf("of sites with %v pages %v are chosen, want %v", c.sizes, got, c.want)
		}
	}
}

// TestWorseThanRandom: an order that has all hot pages at its end is worse than random
// nearly all the time, one that has them first never, a shuffled one hardly (X5).
func TestWorseThanRandom(t *testing.T) {
	const T, H = 1000, 100
	curve := func(hot func(k int) bool) measure.Curve {
		c, n := measure.Curve{Y: make([]float64, T), Reachable: T}, 0
		for k := range c.Y {
			if hot(k) {
				n++
			}
			c.Y[k] = measure.Share(n, H)
		}
		return c
	}
	late := worseThanRandom(curve(func(k int) bool { return k >= T-H }), H)
	if late.share < 0.9 || late.behind < 0.89 || late.at != 0.9 || late.behind <= late.chance {
		t.Errorf("hot pages at the end: %+v", late)
	}
	if first := worseThanRandom(curve(func(k int) bool { return k < H }), H); first.share != 0 || first.behind != 0 {
		t.Errorf("hot pages first: %+v", first)
	}
	// Of random orders, about one in a hundred may be called worse than random.
	wrong := 0
	for seed := range uint64(2000) {
		hot := rand.New(rand.NewPCG(seed, 2)).Perm(T)
		if w := worseThanRandom(curve(func(k int) bool { return hot[k] < H }), H); w.behind > w.chance {
			wrong++
		}
	}
	if wrong == 0 || wrong > 30 {
		t.Errorf("%d of 2000 random orders are worse than random, want about 20 at most", wrong)
	}
}

// On a domain whose home page links to 250 pages that nobody else links to, and whose 30 pages with
// many backlinks come behind the last of them, all orders of the paper are worse than random (X5).
func TestWorseThanRandomDomain(t *testing.T) {
	const leaves, hot = 250, 30
	n := 1 + leaves + hot
	out, site := make([][]graph.Page, n), make([]graph.Site, n)
	for p := 1; p <= leaves; p++ {
		out[0] = append(out[0], graph.Page(p))
	}
	for p := leaves; p < n; p++ {
		for q := leaves + 1; q < n; q++ {
			if p != q {
				out[p] = append(out[p], graph.Page(q))
			}
		}
	}
	w := &lab.World{Name: "domain", Sim: sim.World{Out: experimenttest.Web(t, out), SiteOf: site, Sites: 1, SiteName: func(graph.Site) string { return "http://a.example" }}}
	w.In = rank.Transpose(w.Sim.Out)
	t.Cleanup(w.In.Free)
	p := &experiment.Place{World: w, Seeds: []graph.Page{0}, SeedsName: "page 0"}
	r, err := experimenttest.Named(t, Experiments(), "cho98-graph5").Run(experimenttest.BenchOf(p))
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range []string{"breadth-first", "backlink-count"} { // both fetch 251 of 281 pages before the first hot one
		if want := order + " behind by 89.3 points at 89 %"; !strings.Contains(r.Verdict, want) {
			t.Errorf("the verdict does not say %q: %s", want, r.Verdict)
		}
	}
}

// TestBufferKnown compares with a buffer that is sorted anew at each step (P3).
func TestBufferKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 40 {
		out := experimenttest.Web(t, randomLinks(r, 5+r.IntN(60), 4))
		n := out.Pages()
		value := make([]float64, n)
		for p := range graph.Page(n) {
			for _, q := range out.List(p) {
				if p != q {
					value[q]++
				}
			}
		}
		value[0]++
		order := experimenttest.Shuffled(r, allPages(n))
		judge, err := measure.NewJudge(&measure.Truth{Metric: "test", Value: value, Pages: n}, allPages(n), measure.JudgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		trial, err := judge.Try(order)
		if err != nil {
			t.Fatal(err)
		}
		room := 1 + r.IntN(n)
		got := trial.BufferCrawl(room, judge.HotBest(room), measure.KnownBacklinks(out))
		experimenttest.Near(t, "P_BC", got, n, naiveKnown(order, out, value, room))
	}
}

// naiveKnown is P_BC after k fetches, by definition.
func naiveKnown(order []graph.Page, out *graph.Lists, value []float64, room int) func(k int) float64 {
	sorted := slices.Sorted(slices.Values(value))
	least := sorted[len(sorted)-room]
	return func(k int) float64 {
		known, kept := make([]int, len(value)), []graph.Page{}
		for _, p := range order[:k] {
			for _, q := range out.List(p) {
				if q != p {
					known[q]++
				}
			}
			kept = append(kept, p)
			if len(kept) > room { // the last one stored goes among equals
				worst := 0
				for i, q := range kept {
					if known[q] <= known[kept[worst]] {
						worst = i
					}
				}
				kept = slices.Delete(kept, worst, worst+1)
			}
		}
		hot := 0
		for _, p := range kept {
			if value[p] >= least {
				hot++
			}
		}
		return measure.Share(hot, room)
	}
}

// randomLinks returns n pages with about mean links each, more to small ids, some to the
// page itself.
func randomLinks(r *rand.Rand, n int, mean float64) [][]graph.Page {
	out := make([][]graph.Page, n)
	for p := range out {
		for range int(r.ExpFloat64() * mean) {
			out[p] = append(out[p], graph.Page(float64(n)*r.Float64()*r.Float64()))
		}
		slices.Sort(out[p])
		out[p] = slices.Compact(out[p])
	}
	return out
}

// allPages returns 0, 1... n-1.
func allPages(n int) []graph.Page {
	e := make([]graph.Page, n)
	for p := range e {
		e[p] = graph.Page(p)
	}
	return e
}

// TestGraph5SmallWorlds: a domain of which nothing can be reached is no world on which the
// finding fails.
func TestGraph5SmallWorlds(t *testing.T) {
	p := experimenttest.Small(t, "small", 900, 3, true)
	b := experimenttest.BenchOf(p)
	e := experimenttest.Named(t, Experiments(), "cho98-graph5")
	r, err := e.Run(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sections) != 1 || strings.Contains(r.Verdict, "not tested") {
		t.Errorf("of 900 pages: %d sections, %s", len(r.Sections), r.Verdict)
	}
	out := make([][]graph.Page, 268) // all links lead to page 0
	for q := range out[1:] {
		out[q+1] = []graph.Page{0}
	}
	w := &lab.World{Name: "one", Sim: experimenttest.Bare(experimenttest.Web(t, out))}
	w.In = rank.Transpose(w.Sim.Out)
	t.Cleanup(w.In.Free)
	if r, err = e.Run(experimenttest.BenchOf(&experiment.Place{World: w, Seeds: []graph.Page{0}})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Verdict, "Could not be tested here") || !strings.Contains(r.Verdict, "1 of 268 pages can be reached") || len(r.Sections) != 0 {
		t.Errorf("of one page: %s", r.Verdict)
	}
}
