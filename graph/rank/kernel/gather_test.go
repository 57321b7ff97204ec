package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// listsOf makes Lists of the given lists.
func listsOf(lists [][]graph.Page) *graph.Lists {
	links := 0
	for _, l := range lists {
		links += len(l)
	}
	out := graph.NewLists(len(lists), int64(links))
	off, to := out.Off.Slice(), out.To.Slice()
	for p, l := range lists {
		off[p+1] = off[p] + uint64(copy(to[off[p]:], l))
	}
	return out
}

// randomLists has lists of every short length, many empty ones and a few long
// ones; ids below span.
func randomLists(r *rand.Rand, pages, span int) [][]graph.Page {
	lists := make([][]graph.Page, pages)
	for p := range lists {
		k := r.IntN(10)
		if r.IntN(20) == 0 {
			k = r.IntN(200)
		}
		if r.IntN(4) == 0 {
			k = 0
		}
		for range k {
			lists[p] = append(lists[p], graph.Page(r.IntN(span)))
		}
		slices.Sort(lists[p])
		lists[p] = slices.Compact(lists[p])
	}
	return lists
}

func randomVector(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.Float64()
	}
	return v
}

func TestGatherSumEqualsPlainLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, pages := range []int{1, 2, 3, 7, 100, 1000} {
		for trial := range 20 {
			lists := randomLists(r, pages, pages)
			if trial == 0 { // the lists end early, then nothing: the tail of the ids is read at the last list
				lists[pages-1] = []graph.Page{0}
			}
			l := listsOf(lists)
			g, err := NewGather(l)
			if err != nil {
				t.Fatal(err)
			}
			z := randomVector(r, pages)
			lo := r.IntN(pages)
			sum := make([]float64, r.IntN(pages-lo+1))
			g.Sum(sum, z, lo)
			for i, s := range sum {
				if want := sumList(lists[lo+i], z); s != want {
					t.Fatalf("%d pages, list %d (%d links): %v, want %v", pages, lo+i, len(lists[lo+i]), s, want)
				}
			}
			l.Free()
		}
	}
}

// naiveRelax is the definition of a Gauss-Seidel sweep.
func naiveRelax(lists [][]graph.Page, r *Relaxation, pages []graph.Page) (change, sum float64) {
	step := 1
	if r.Weight[1] != nil {
		step = 2
	}
	for _, p := range pages {
		base := r.Base[0]
		if len(r.Base) > 1 {
			base = r.Base[p]
		}
		y := base
		for _, q := range lists[p] {
			if r.NoSelf && int(q) == int(p)*step {
				continue
			}
			y += r.Z[q]
		}
		change += math.Abs(y - r.Y[p])
		sum += y
		r.Y[p] = y
		for kind := range step {
			r.Z[int(p)*step+kind] = r.Weight[kind][p] * y
		}
	}
	return change, sum
}

func TestRelaxEqualsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		n, step := 1+r.IntN(60), 1+trial%2
		lists := randomLists(r, n, n*step)
		l := listsOf(lists)
		g, err := NewGather(l)
		if err != nil {
			t.Fatal(err)
		}
		a := &Relaxation{Y: randomVector(r, n), Z: randomVector(r, n*step), Base: randomVector(r, n), NoSelf: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			a.Base = a.Base[:1]
		}
		for kind := range step {
			a.Weight[kind] = randomVector(r, n)
		}
		b := *a
		b.Y, b.Z = slices.Clone(a.Y), slices.Clone(a.Z)
		var pages []graph.Page
		for p := range n {
			if r.IntN(4) > 0 {
				pages = append(pages, graph.Page(p))
			}
		}
		change, sum := g.Relax(a, pages)
		wantChange, wantSum := naiveRelax(lists, &b, pages)
		for name, pair := range map[string][2][]float64{
			"y": {a.Y, b.Y}, "z": {a.Z, b.Z}, "change and sum": {{change, sum}, {wantChange, wantSum}},
		} {
			if d := distance(pair[0], pair[1]); d > 1e-9*(1+wantSum) {
				t.Fatalf("trial %d, %d pages: %s differs by %g", trial, n, name, d)
			}
		}
		l.Free()
	}
}

func distance(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func TestGatherRefusesBadLists(t *testing.T) {
	descending := listsOf([][]graph.Page{{0}, {1}, {2}})
	descending.Off.Set(1, 3)
	descending.Off.Set(2, 1)
	beyond := listsOf([][]graph.Page{{0}, {1}})
	beyond.Off.Set(2, 3)
	for name, l := range map[string]*graph.Lists{"descending offsets": descending, "offset beyond the links": beyond} {
		if _, err := NewGather(l); err == nil {
			t.Errorf("%s: accepted", name)
		}
		l.Free()
	}
}

// A vector that is too short, or a range outside the lists, must panic before the
// loop without bounds checks is entered.
func TestGatherPanicsOutOfRange(t *testing.T) {
	l := listsOf([][]graph.Page{{0, 9}, {1}, {2}, {3, 4, 5}})
	defer l.Free()
	g, err := NewGather(l)
	if err != nil {
		t.Fatal(err)
	}
	ten := make([]float64, 10)
	relax := func(y, z int, pages ...graph.Page) func() {
		return func() {
			g.Relax(&Relaxation{Y: ten[:y], Z: ten[:z], Base: ten[:1], Weight: [2][]float64{ten[:4], nil}}, pages)
		}
	}
	for name, fn := range map[string]func(){
		"short vector":   func() { g.Sum(ten[:4], ten[:9], 0) },
		"range too long": func() { g.Sum(ten[:5], ten, 0) },
		"negative":       func() { g.Sum(ten[:1], ten, -1) },
		"short y":        relax(3, 10, 0),
		"short z":        relax(4, 9, 0),
		"unknown page":   relax(4, 10, 0, 4),
		"huge page":      relax(4, 10, graph.NoPage),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			fn()
		}()
	}
}

// Spread against its definition: magnitudes grow, signs stay, blocks above the
// threshold are marked and no others.
func TestSpreadEqualsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := 1 + r.IntN(300)
		open, waiting := make([]float64, n), make([]uint8, (n-1)/64+2)
		for p := range open {
			if open[p] = r.Float64(); r.IntN(3) == 0 {
				open[p] = -open[p] - 1
			}
		}
		links := randomLists(r, 1, n)[0]
		want, marks, negative := slices.Clone(open), make([]uint8, len(waiting)), 0
		for _, q := range links {
			if want[q] < 0 {
				want[q] -= 0.25
				negative++
			} else if want[q] += 0.25; want[q] > 1 {
				marks[q/64+1] = 1
			}
		}
		got := Spread(open, waiting, links, 0.25, 1)
		if got != negative || !slices.Equal(open, want) || !slices.Equal(waiting[1:], marks[1:]) {
			t.Fatalf("%d pages, %d links: %d negative, want %d; or other values", n, len(links), got, negative)
		}
	}
}

func TestSpreadPanicsOutOfRange(t *testing.T) {
	for name, fn := range map[string]func(){
		"unknown page":   func() { Spread(make([]float64, 64), make([]uint8, 2), []graph.Page{64}, 1, 0) },
		"too few blocks": func() { Spread(make([]float64, 65), make([]uint8, 2), []graph.Page{0}, 1, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			fn()
		}()
	}
}

// BenchmarkGather is one sweep over lists of about 12 links that mostly stay near,
// as those of real webs do; ns/link is the figure to look at.
func BenchmarkGather(b *testing.B) {
	const pages = 200_000
	r := rand.New(rand.NewPCG(5, 6))
	lists := make([][]graph.Page, pages)
	for p := range lists {
		for range r.IntN(24) {
			q := (p + r.IntN(2000) - 1000 + pages) % pages
			lists[p] = append(lists[p], graph.Page(q))
		}
		slices.Sort(lists[p])
		lists[p] = slices.Compact(lists[p])
	}
	l := listsOf(lists)
	defer l.Free()
	g, err := NewGather(l)
	if err != nil {
		b.Fatal(err)
	}
	z, sum, all := randomVector(r, pages), make([]float64, pages), make([]graph.Page, pages)
	for p := range all {
		all[p] = graph.Page(p)
	}
	small := make([]float64, pages)
	for i := range small {
		small[i] = 0.03
	}
	perLink := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(l.Links()), "ns/link")
	}
	b.Run("sum", func(b *testing.B) {
		for b.Loop() {
			g.Sum(sum, z, 0)
		}
		perLink(b)
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			for p := range sum {
				sum[p] = sumList(g.List(graph.Page(p)), z)
			}
		}
		perLink(b)
	})
	b.Run("relax", func(b *testing.B) {
		rel := &Relaxation{Y: sum, Z: z, Base: []float64{1}, Weight: [2][]float64{small, nil}, NoSelf: true}
		for b.Loop() {
			g.Relax(rel, all)
		}
		perLink(b)
	})
}

func ExampleGather_Sum() {
	l := listsOf([][]graph.Page{{1, 2}, {0}, {}})
	defer l.Free()
	g, _ := NewGather(l)
	sum := make([]float64, 3)
	g.Sum(sum, []float64{1, 10, 100}, 0)
	fmt.Println(sum)
	// Output: [110 1 0]
}
