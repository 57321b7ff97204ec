package papers

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// quickPolicies is those of the golden files but PageRank at each step, which is
// batch-pagerank with K = 1 and takes as long as all others together.
func quickPolicies() []string {
	return slices.DeleteFunc(goldenPolicies(), func(n string) bool { return n == "pagerank" })
}

// A 2.3 and M8: IR(P) = (1-d) + d Σ IR(Ti)/ci. Of the three pages 0 <-> 1 <- ... with
// 2 -> 0, IR(2) = 0.1, IR(1) = 0.1 + 0.9 IR(0), IR(0) = 0.1 + 0.9 (IR(1) + 0.1), so
// IR(0) = 0.28/0.19. B 2 and M16: the same with d/T and a jump of 1/7.
func TestPaperPageRankOfAKnownGraph(t *testing.T) {
	lists := experimenttest.Web(t, [][]graph.Page{{1}, {0}, {0}})
	place := &experiment.Place{World: &lab.World{Sim: experimenttest.Bare(lists)}}
	for _, c := range []struct{ follow, ir0 float64 }{
		{0.9, 0.28 / 0.19},
		// jump j = 1/7, f = 6/7: x0 = j + f(x1 + j), x1 = j + f x0.
		{6.0 / 7, (1.0/7 + 6.0/7*(2.0/7)) / (1 - 36.0/49)},
	} {
		truth, err := measure.PageRankTruth(place.World.Web(), measure.TruthOptions{Follow: c.follow})
		if err != nil {
			t.Fatal(err)
		}
		scale := truth.Scale()
		want := []float64{c.ir0, (1 - c.follow) + c.follow*c.ir0, 1 - c.follow}
		for p := range want {
			if got := truth.Value[p] * scale; math.Abs(got-want[p]) > 1e-9 {
				t.Errorf("follow %v: IR(%d) is %v, want %v", c.follow, p, got, want[p])
			}
		}
	}
}

// A 6, figure 2(1), and O2: breadth-first fetches pages in the order in which they are
// discovered.
func TestPaperBreadthFirstByHand(t *testing.T) {
	//   0 -> 3, 5    3 -> 1, 2    5 -> 2, 4    1 -> 6    4 -> 0, 6
	lists := experimenttest.Web(t, [][]graph.Page{{3, 5}, {6}, {}, {1, 2}, {0, 6}, {2, 4}, {}, {0}})
	p := &experiment.Place{World: &lab.World{Sim: experimenttest.Bare(lists)}, Seeds: []graph.Page{0}}
	got := experimenttest.Crawled(t, experimenttest.Prepared(t, p), "breadth-first").Result.Order
	if want := []graph.Page{0, 3, 5, 1, 2, 4, 6}; !slices.Equal(got, want) {
		t.Errorf("breadth-first fetches %v, want %v", got, want)
	}
}

// A 3, Crawl & Stop, and P1, P5: the ideal crawler has 100 % at all times, and no order
// has more importance after k pages than the ideal one (P9).
func TestPaperIdeal(t *testing.T) {
	for _, p := range []*experiment.Place{experimenttest.Fake(t, fakeweb.Spec{Pages: 2000, Sites: 40, Links: 16000, Seed: 1}), experimenttest.Wiki(t)} {
		c := experimenttest.Prepared(t, p)
		ideal, err := c.Judge.Try(c.Judge.Ranked())
		if err != nil {
			t.Fatal(err)
		}
		experimenttest.Near(t, "P_CS of the ideal", ideal.CrawlStop(), c.Judge.Reachable(), func(int) float64 { return 1 })
		bound := c.Judge.Ideal(c.Judge.Reachable()).Y
		for _, name := range quickPolicies() {
			for k, y := range experimenttest.Crawled(t, c, name).Trial.Cumulative().Y {
				if y > bound[k]+1e-12 {
					t.Fatalf("%s has %v of the importance after %d pages, more than the ideal %v", name, y, k+1, bound[k])
				}
			}
		}
	}
}

// A 3 and P6: a random crawler has K/T of the hot pages and of the importance after K
// pages, with revisits (visits are counted, hot ones again) and without. Ten seeds, to
// 1 %.
func TestPaperRandomIsTheDiagonal(t *testing.T) {
	experimenttest.Long(t)
	c := experimenttest.Prepared(t, experimenttest.Mid(t))
	hot := c.Judge.HotTop(0.1)
	T := c.Judge.Reachable()
	var found, again, gathered [10][]float64
	for seed := range 10 {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		trial, err := c.Judge.Try(experimenttest.Shuffled(r, c.Tree.Order))
		if err != nil {
			t.Fatal(err)
		}
		found[seed], gathered[seed] = hundred(trial.Found(hot)), hundred(trial.Cumulative())
		again[seed] = hundred(measure.Curve{Y: revisiting(r, c, hot), Reachable: T})
	}
	for _, m := range []struct {
		what string
		runs [10][]float64
	}{{"P_ST", found}, {"P_ST with revisits", again}, {"C", gathered}} {
		for k := range 100 {
			mean := 0.0
			for _, y := range m.runs {
				mean += y[k] / 10
			}
			if line := float64(k+1) / 100; math.Abs(mean-line) > 0.01 {
				t.Errorf("%s of a random crawler is %.4f after %d %%, want %.2f", m.what, mean, k+1, line)
			}
		}
	}
}

// hundred is a curve after 1, 2... 100 % of the pages.
func hundred(c measure.Curve) []float64 {
	y := make([]float64, 100)
	for i := range y {
		y[i], _ = c.At(float64(i+1) / 100)
	}
	return y
}

// revisiting is P_ST of a crawler that draws any page each time.
func revisiting(r *rand.Rand, c *lab.Comparison, hot measure.Hot) []float64 {
	T := c.Judge.Reachable()
	y, n, scale := make([]float64, T), 0, c.Truth.Scale()
	for k := range y {
		if p := c.Tree.Order[r.IntN(T)]; c.Truth.Value[p]*scale >= hot.G {
			n++
		}
		y[k] = measure.Share(n, hot.Pages)
	}
	return y
}

// The policy random of D 4.3.1 is not the random crawler of A 3: it chooses among known
// pages, and a page with many links is known early. So it gathers hot pages before the
// diagonal does, which is why reports show both.
func TestPaperRandomPolicyIsNotTheDiagonal(t *testing.T) {
	experimenttest.Long(t)
	c := experimenttest.Prepared(t, experimenttest.Mid(t))
	r := experimenttest.Crawled(t, c, "random")
	if got := r.Trial.Found(c.Judge.HotTop(0.1)).Mean(); got < 0.52 {
		t.Errorf("mean P_ST of the policy random is %.3f: no better than the diagonal", got)
	}
}

// A 5 ("based its crawling decisions only on the pages it saw for itself"), D 4.3.3 and
// O14: the omniscient crawler knows all ranks but fetches only pages that it has
// discovered, and so does every other policy, unless an earlier crawl told it more.
func TestPaperOnlyDiscoveredPages(t *testing.T) {
	p := experimenttest.Fake(t, fakeweb.Spec{Pages: 2000, Sites: 40, Links: 16000, Seed: 1})
	c := experimenttest.Prepared(t, p)
	for _, name := range quickPolicies() {
		told := strings.HasPrefix(name, "historical-pagerank") && !strings.Contains(name, "known=false")
		if got := onlyDiscovered(p, experimenttest.Crawled(t, c, name).Result.Order); got == told {
			t.Errorf("%s: all pages were discovered before they were fetched: %v", name, got)
		}
	}
	if onlyDiscovered(p, c.Judge.Ranked()) {
		t.Error("the ideal order passes for a crawl, so the test proves nothing")
	}
}

// onlyDiscovered reports whether each page is a seed or linked to by a page fetched before.
func onlyDiscovered(p *experiment.Place, order []graph.Page) bool {
	known := make([]bool, p.World.Pages())
	for _, q := range p.Seeds {
		known[q] = true
	}
	for _, q := range order {
		if !known[q] {
			return false
		}
		for _, r := range p.World.Sim.Out.List(q) {
			known[r] = true
		}
	}
	return true
}

// D 4.3.3 and 4.3.4, O14: the omniscient crawler leads early. It is greedy, so it need
// not lead at the end, and an order that an earlier crawl told of pages may be ahead.
func TestPaperOmniscientLeadsEarly(t *testing.T) {
	for _, p := range []*experiment.Place{experimenttest.Fake(t, fakeweb.Spec{Pages: 2000, Sites: 40, Links: 16000, Seed: 1}), experimenttest.Wiki(t)} {
		c := experimenttest.Prepared(t, p)
		best := *experimenttest.Crawled(t, c, "omniscient").Measures.AUC10
		for _, name := range quickPolicies() {
			if name == "omniscient" || name == "horn" || strings.HasPrefix(name, "historical") {
				continue
			}
			if got := *experimenttest.Crawled(t, c, name).Measures.AUC10; got >= best {
				t.Errorf("%s: %s has %.4f over the first tenth, omniscient %.4f", p.World.Name, name, got, best)
			}
		}
	}
}

// D 4.3.1 and O7: OPIC. All cash is dealt to the seeds, a page hands all of it to its
// links, so it is 1 at every step; the page with the most goes next, the one discovered
// first among equals. The ledger here is its own; the order must be the one it implies.
func TestPaperOPICConservesCash(t *testing.T) {
	p := experimenttest.Wiki(t)
	p.Seeds = []graph.Page{0, 20, 333}
	order := experimenttest.Crawled(t, experimenttest.Prepared(t, p), "opic").Result.Order
	cash := make([]float64, p.World.Pages())
	known := slices.Clone(p.Seeds) // in the order of discovery
	found, fetched := make([]bool, len(cash)), make([]bool, len(cash))
	for _, q := range known {
		found[q], cash[q] = true, 1.0/3
	}
	for k, q := range order {
		best := graph.NoPage
		for _, x := range known {
			if !fetched[x] && (best == graph.NoPage || cash[x] > cash[best]) {
				best = x
			}
		}
		if q != best {
			t.Fatalf("fetch %d is page %d with cash %v, richest is page %d with %v", k+1, q, cash[q], best, cash[best])
		}
		fetched[q] = true
		links := p.World.Sim.Out.List(q)
		if len(links) > 0 {
			part := cash[q] / float64(len(links))
			cash[q] = 0
			for _, x := range links {
				cash[x] += part
				if !found[x] {
					found[x], known = true, append(known, x)
				}
			}
		}
		if total := measure.Sum(cash); math.Abs(total-1) > 1e-9 {
			t.Fatalf("after fetch %d there is cash of %v", k+1, total)
		}
	}
}

// A 6, figure 2(2), and O3: backlink order hands out, at each step, a page to which most
// of the fetched ones link.
func TestPaperBacklinkOrderIsGreedy(t *testing.T) {
	p := experimenttest.Wiki(t)
	order := experimenttest.Crawled(t, experimenttest.Prepared(t, p), "backlink-count").Result.Order
	links := make([]int, p.World.Pages())
	left := map[graph.Page]bool{0: true}
	for k, q := range order {
		for x := range left {
			if links[x] > links[q] {
				t.Fatalf("fetch %d is page %d with %d known backlinks, but page %d has %d", k+1, q, links[q], x, links[x])
			}
		}
		links[q] = -1
		delete(left, q)
		for _, x := range p.World.Sim.Out.List(q) {
			if links[x] >= 0 {
				links[x]++
				left[x] = true
			}
		}
	}
}
