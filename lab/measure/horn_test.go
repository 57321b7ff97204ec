package measure

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// exhaustive is the largest sum of C(k) over all orders of n pages, given as the set
// of fetched pages that make each page known: by dynamic programming over the sets of
// fetched pages, which is the same as trying all orders.
func exhaustive(value []float64, from []uint32, seeds uint32) float64 {
	n := len(value)
	best := make([]float64, 1<<n) // of the fetches that led to the set; -1: impossible
	for s := uint32(1); s < 1<<n; s++ {
		best[s] = -1
		got := 0.0
		for p := range n {
			if s>>p&1 != 0 {
				got += value[p]
			}
		}
		for p := range n {
			before := s &^ (1 << p)
			if s>>p&1 != 0 && best[before] >= 0 && (seeds>>p&1 != 0 || from[p]&before != 0) {
				best[s] = max(best[s], best[before]+got)
			}
		}
	}
	return best[1<<n-1]
}

// possibleCrawl checks that no page is fetched twice or before a page that links to it.
func possibleCrawl(t *testing.T, out *graph.Lists, seeds, order []graph.Page) {
	t.Helper()
	known, fetched := make([]bool, out.Pages()), make([]bool, out.Pages())
	for _, p := range seeds {
		known[p] = true
	}
	for i, p := range order {
		if !known[p] || fetched[p] {
			t.Fatalf("fetch %d: page %d is unknown or was fetched before", i+1, p)
		}
		fetched[p] = true
		for _, q := range out.List(p) {
			known[q] = true
		}
	}
}

// A hornCase is a random web of 4 to 9 pages, all reachable, as places in its tree.
type hornCase struct {
	out    *graph.Lists
	seeds  []graph.Page
	tree   *Tree
	value  []float64 // by page, sum 1
	byTree []uint32  // by place: its parent
	byLink []uint32  // by place: all pages that link to it
	roots  uint32
}

func randomHornCase(r *rand.Rand) hornCase {
	n := 4 + r.IntN(6)
	links := randomLinks(r, n, 1)
	c := hornCase{seeds: []graph.Page{0, 1}[:1+r.IntN(2)]}
	for q := len(c.seeds); q < n; q++ { // some smaller page leads to every page
		p := r.IntN(q)
		links[p] = append(links[p], graph.Page(q))
		slices.Sort(links[p])
		links[p] = slices.Compact(links[p])
	}
	c.out = graph.ListsOf(links)
	c.tree = Reach(c.out, c.seeds)
	c.value = fewValues(r, n)
	if r.IntN(2) == 0 {
		for p := range c.value {
			c.value[p] = r.ExpFloat64()
		}
	}
	c.value[0] += 0.1
	total := Sum(c.value)
	for p := range c.value {
		c.value[p] /= total
	}
	c.setFrom(links)
	return c
}

// setFrom says what makes each page known.
func (c *hornCase) setFrom(links [][]graph.Page) {
	place := make([]int, len(links))
	c.byTree, c.byLink = make([]uint32, len(links)), make([]uint32, len(links))
	for i, p := range c.tree.Order {
		place[p] = i
		if c.tree.Parent[i] == NoParent {
			c.roots |= 1 << i
		} else {
			c.byTree[i] = 1 << c.tree.Parent[i]
		}
	}
	for p, l := range links {
		for _, q := range l {
			c.byLink[place[q]] |= 1 << place[p]
		}
	}
}

// Horn is the optimum of the tree, which is no better than that of the web and hardly
// worse.
func TestHornIsTheOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	const cases = 600
	var loss, largest float64
	for range cases {
		c := randomHornCase(r)
		n := len(c.value)
		order := Horn(c.tree, c.value)
		possibleCrawl(t, c.out, c.seeds, order)
		c.out.Free()
		byPlace := make([]float64, n)
		for i, p := range c.tree.Order {
			byPlace[i] = c.value[p]
		}
		tree := exhaustive(byPlace, c.byTree, c.roots) / float64(n)
		web := exhaustive(byPlace, c.byLink, c.roots) / float64(n)
		trial := trialOf(t, c.value, c.tree.Order, order, JudgeOptions{})
		horn, bound := trial.Cumulative().Mean(), trial.judge.Ideal(n).Mean()
		near(t, "average of Horn", horn, tree)
		if horn > web+1e-12 || web > bound+1e-12 {
			t.Fatalf("Horn %v, best crawl %v, bound %v", horn, web, bound)
		}
		loss += (web - horn) / cases
		largest = max(largest, web-horn)
	}
	t.Logf("%d webs: Horn loses %.4f of the average on average, %.4f at most, against the best crawl", cases, loss, largest)
	if loss > 0.01 {
		t.Errorf("Horn loses %v on average against the best crawl", loss)
	}
}

// On a larger web the order is a crawl of all of E, and no worse than the
// breadth-first order it shares the tree with.
func TestHornLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	out := webOf(t, randomLinks(r, 20_000, 4))
	seeds := []graph.Page{17, 5, 19_999}
	tree := Reach(out, seeds)
	value := make([]float64, out.Pages())
	for p := range value {
		value[p] = float64(1 + bits.Len(uint(r.IntN(1<<12)))) // many ties
	}
	order := Horn(tree, value)
	possibleCrawl(t, out, seeds, order)
	if len(order) != len(tree.Order) {
		t.Fatalf("%d pages of %d", len(order), len(tree.Order))
	}
	if again := Horn(tree, value); !slices.Equal(order, again) {
		t.Error("a second run gives another order")
	}
	horn := trialOf(t, value, tree.Order, order, JudgeOptions{}).Cumulative().Mean()
	breadth := trialOf(t, value, tree.Order, tree.Order, JudgeOptions{}).Cumulative().Mean()
	if !(horn > breadth) {
		t.Errorf("Horn has %v, breadth-first %v", horn, breadth)
	}
}

// Equal blocks go by discovery, so that with even importance Horn is breadth-first.
func TestHornTies(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 20 {
		out := webOf(t, randomLinks(r, 30, 2))
		tree := Reach(out, []graph.Page{2, 0})
		value := make([]float64, 30)
		for p := range value {
			value[p] = 0.5
		}
		if order := Horn(tree, value); !slices.Equal(order, tree.Order) {
			t.Fatalf("order %v, want %v", order, tree.Order)
		}
	}
	if order := Horn(&Tree{}, nil); len(order) != 0 {
		t.Errorf("nothing gives %v", order)
	}
}
