package policytest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/policy"
)

// TestCashIsConserved (O7): the cash on the board, fetched pages included, is 1 at
// every step; with cash=all it is 1 for each page that handed on its own.
func TestCashIsConserved(t *testing.T) {
	for _, name := range []string{"opic", "opic/remote=0.7", "opic/cash=all", "opic/cash=all/remote=0.7"} {
		for _, s := range Settings() {
			c := start(t, NewWorld(11, 200), s, name, "")
			for c.Step() {
				want := 1.0
				if c.choices[0].Params["cash"] == "all" {
					want = float64(c.handedOn())
				}
				if got := c.cash(); math.Abs(got-want) > 1e-9 {
					t.Fatalf("%s, %s, %v: the cash is %v, want %v", name, s.Name, c.now, got, want)
				}
			}
		}
	}
}

func (c *Crawl) cash() (sum float64) {
	for id := range c.pages {
		sum += c.F.Value(c.ids[c.pages[id]], 0)
	}
	return sum
}

// handedOn returns the number of fetched pages that have links.
func (c *Crawl) handedOn() (n int) {
	for _, p := range c.pages {
		if c.F.State(c.ids[p]) == frontier.Fetched && len(c.World.Out[p]) > 0 {
			n++
		}
	}
	return n
}

// TestSolves (O5): there is one solve for every K pages, begun or whole.
func TestSolves(t *testing.T) {
	w := NewWorld(12, 150)
	for _, k := range []int{1, 7, 30, 1000} {
		for _, name := range []string{"batch-pagerank", "partial-pagerank"} {
			c := crawl(t, w, Settings()[0], fmt.Sprintf("%s/k=%d", name, k), "")
			want := (len(c.Visits) + k - 1) / k
			if got := solves(t, c); got != want {
				t.Errorf("%s: %d solves for %d pages with K = %d, want %d", name, got, len(c.Visits), k, want)
			}
		}
	}
	c := crawl(t, w, Settings()[0], "batch-pagerank/k=40/ramp=true", "") // at 3, 6, 12, 24, 40, 80, 120
	if got, want := solves(t, c), 4+(len(c.Visits)-1)/40; got != want {
		t.Errorf("%d solves for %d pages with a ramp, want %d", got, len(c.Visits), want)
	}
}

func solves(t *testing.T, c *Crawl) int {
	s, ok := c.Page.(interface{ Solves() int })
	if !ok {
		t.Fatalf("%T does not count its solves", c.Page)
	}
	return s.Solves()
}

// TestAverages: among pages of nearly equal rank the order hangs on rounding, but the
// average cumulative importance is that of exact solving (O4, O5, O6).
func TestAverages(t *testing.T) {
	for name, made := range map[string]func() reference{
		"pagerank":              func() reference { return batch(1, false) },
		"batch-pagerank/k=25":   func() reference { return batch(25, false) },
		"partial-pagerank/k=25": func() reference { return partial(25) },
	} {
		w := NewWorld(13, 300)
		c := crawl(t, w, Settings()[0], name, "")
		v, r := newView(w), made()
		for range c.Visits {
			v.fetch(best(v, r(v)))
		}
		var order []int
		for _, x := range c.Visits {
			order = append(order, x.Page)
		}
		if got, want := average(w, order), average(w, v.fetched); math.Abs(got-want) > 0.0005 {
			t.Errorf("%s: average %.6f, by exact solving %.6f", name, got, want)
		}
	}
}

// average returns the average cumulative importance of an order.
func average(w *World, order []int) float64 {
	sum, area := 0.0, 0.0
	for _, p := range order {
		sum += w.Truth[p]
		area += sum
	}
	return area / sum / float64(len(order))
}

// TestClusterTrap (X7, O3): figure 3 of Cho, Garcia-Molina, Page 1998. Page 1 is
// important, since many pages link to it, and only it links to page 2. The pages of
// cluster A link to each other, and the many pages lead into it. The order by
// backlinks enters A before page 2, and then stays there until it is done; the order
// by PageRank sees that page 2 is linked from where it counts.
func TestClusterTrap(t *testing.T) {
	for _, size := range []struct{ many, cluster int }{{4, 5}, {10, 20}, {30, 8}} {
		w := clusterTrap(size.many, size.cluster)
		place := func(name string) (two, first, last int) {
			c := crawl(t, w, Settings()[0], name, "")
			first = len(c.Visits)
			for i, v := range c.Visits {
				switch {
				case v.Page == 2:
					two = i
				case v.Page >= 3+size.many:
					first, last = min(first, i), i
				}
			}
			return two, first, last
		}
		if two, first, last := place("backlink-count"); two < last || last-first+1 != size.cluster {
			t.Errorf("%v: by backlinks page 2 goes at %d, and cluster A from %d to %d", size, two, first, last)
		}
		if two, first, _ := place("pagerank"); two > first {
			t.Errorf("%v: by PageRank page 2 goes at %d, and cluster A from %d on", size, two, first)
		}
	}
}

// clusterTrap has page 0, the seed, which links to page 1 and to many; page 1, which
// links to 2; the many, which link to 1 and into the cluster; and the cluster.
func clusterTrap(many, cluster int) *World {
	n := 3 + many + cluster
	w := &World{Out: make([][]int, n), Site: make([]int, n), URL: make([]string, n), Seeds: []int{0},
		Prior: make([]float64, n), Truth: make([]float64, n), Place: make([]int, n)}
	w.Out[0], w.Out[1] = []int{1}, []int{2}
	for p := 3; p < n; p++ {
		if p < 3+many {
			w.Out[0] = append(w.Out[0], p)
			w.Out[p] = []int{1}
		}
		for q := 3 + many; q < n; q++ {
			if q != p {
				w.Out[p] = append(w.Out[p], q)
			}
		}
	}
	return w
}

// TestRandomIsUniform (O9) counts, over many random seeds, which page goes when: the
// first five pages are known from the start, the other five are found with the first
// fetch. Each count has the mean expected of a uniform choice by chi-square, at a
// chance of 1 in 1000 for this test to fail.
func TestRandomIsUniform(t *testing.T) {
	const runs = 2000
	w := NewWorld(14, 10)
	w.Seeds = []int{0, 1, 2, 3, 4}
	for p := range w.Out {
		w.Out[p] = slices.DeleteFunc([]int{5, 6, 7, 8, 9}, func(q int) bool { return q == p })
	}
	counts := make([][10]float64, 10) // by step and page
	for seed := range uint64(runs) {
		w.Random = seed
		c := crawl(t, w, Settings()[0], "random", "")
		for step, v := range c.Visits {
			counts[step][v.Page]++
		}
		c.Free()
	}
	var first, second float64
	for p := range 5 {
		first += square(counts[0][p], runs/5.0)
	}
	for p := range 10 {
		want := runs / 9.0 // one of nine is chosen, whichever went first
		if p < 5 {
			want *= 4.0 / 5 // unless it did
		}
		second += square(counts[1][p], want)
	}
	if first > 18.47 || second > 27.88 { // 4 and 9 degrees of freedom
		t.Errorf("chi-square of the first choice %.2f, of the second %.2f", first, second)
	}
}

func square(got, want float64) float64 { return (got - want) * (got - want) / want }

// TestNoOracle (O1, L7): what a policy is given as facts does not know the truth.
func TestNoOracle(t *testing.T) {
	c := start(t, NewWorld(15, 20), Settings()[0], "breadth-first", "")
	if _, cheats := any(c.F).(policy.Oracle); cheats {
		t.Error("the frontier is an oracle")
	}
}
