package rank

import (
	"bytes"
	"container/heap"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A crawlOrder is the frontier of an OPIC crawl with the cash on the seed: pages by
// cash, then by discovery.
type crawlOrder struct {
	heap  []graph.Page
	place []int // in heap; -1 before and after
	found []int // discovery number; -1 if unknown
	cash  []float64
}

func (c *crawlOrder) Len() int { return len(c.heap) }
func (c *crawlOrder) Less(i, j int) bool {
	p, q := c.heap[i], c.heap[j]
	return c.cash[p] > c.cash[q] || c.cash[p] == c.cash[q] && c.found[p] < c.found[q]
}
func (c *crawlOrder) Swap(i, j int) {
	c.heap[i], c.heap[j] = c.heap[j], c.heap[i]
	c.place[c.heap[i]], c.place[c.heap[j]] = i, j
}
func (c *crawlOrder) Push(p any) {
	c.place[p.(graph.Page)] = len(c.heap)
	c.heap = append(c.heap, p.(graph.Page))
}
func (c *crawlOrder) Pop() any {
	p := c.heap[len(c.heap)-1]
	c.heap = c.heap[:len(c.heap)-1]
	c.place[p] = -1
	return p
}

// opicOrder is the order in which an OPIC crawl from the seed fetches pages.
func opicOrder(links outLists, seed graph.Page) (order []graph.Page) {
	c := &crawlOrder{place: make([]int, len(links)), found: make([]int, len(links)), cash: make([]float64, len(links))}
	for p := range links {
		c.place[p], c.found[p] = -1, -1
	}
	known := 1
	c.found[seed], c.cash[seed] = 0, 1
	for heap.Push(c, seed); c.Len() > 0; {
		p := heap.Pop(c).(graph.Page)
		order = append(order, p)
		if len(links[p]) == 0 {
			continue
		}
		part := c.cash[p] / float64(len(links[p]))
		c.cash[p] = 0
		for _, q := range links[p] {
			c.cash[q] += part
			if c.found[q] < 0 {
				c.found[q] = known
				known++
				heap.Push(c, q)
			} else if c.place[q] >= 0 {
				heap.Fix(c, c.place[q])
			}
		}
	}
	return order
}

// busiest is the page with the most links, a seed that reaches most of a random web.
func busiest(links outLists) (best graph.Page) {
	for p, l := range links {
		if len(l) > len(links[best]) {
			best = graph.Page(p)
		}
	}
	return best
}

// A crawl replays an order over a web. Its pages are numbered as a crawler numbers
// them, in the order in which they become known.
type crawl struct {
	links *graph.Lists
	order []graph.Page
	next  int // in order
	known int // pages
	done  []bool
	grow  *Growing
}

func newCrawl(t testing.TB, links outLists, seed graph.Page, follow float64) *crawl {
	found, order := byDiscovery(links, opicOrder(links, seed))
	c := &crawl{links: found.lists(t), order: order, known: 1, done: make([]bool, len(found))}
	grow, err := NewGrowing(follow, len(found), c.links.List)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(grow.Free)
	c.grow = grow
	return c
}

// byDiscovery renumbers the pages that a crawl in the given order finds. Links keep
// their order.
func byDiscovery(links outLists, order []graph.Page) (outLists, []graph.Page) {
	number := make(map[graph.Page]graph.Page)
	see := func(p graph.Page) graph.Page {
		if _, ok := number[p]; !ok {
			number[p] = graph.Page(len(number))
		}
		return number[p]
	}
	found, fetched := make(outLists, len(order)), make([]graph.Page, len(order))
	for i, p := range order {
		fetched[i] = see(p)
		for _, q := range links[p] {
			found[fetched[i]] = append(found[fetched[i]], see(q))
		}
	}
	return found, fetched
}

// fetch fetches n pages and says whether there are more.
func (c *crawl) fetch(n int) bool {
	for ; n > 0 && c.next < len(c.order); n-- {
		p := c.order[c.next]
		c.next++
		c.done[p] = true
		if c.grow != nil {
			c.grow.Fetched(p, c.links.List(p))
		}
		for _, q := range c.links.List(p) {
			c.known = max(c.known, int(q)+1)
		}
	}
	return c.next < len(c.order)
}

// seen makes the in-lists of what is known so far, by counting: what a crawler that
// wants to solve from scratch has to do each time.
func (c *crawl) seen() *Web {
	links := 0
	for p, done := range c.done {
		if done {
			links += c.links.Degree(graph.Page(p))
		}
	}
	in := graph.NewLists(c.known, int64(links))
	off, to := in.Off.Slice(), in.To.Slice()
	c.eachList(func(_ graph.Page, list []graph.Page) {
		for _, q := range list {
			off[q+1]++
		}
	})
	for p := range c.known {
		off[p+1] += off[p]
	}
	c.eachList(func(p graph.Page, list []graph.Page) {
		for _, q := range list {
			to[off[q]] = p
			off[q]++
		}
	})
	copy(off[1:], off[:c.known])
	off[0] = 0
	return &Web{In: in}
}

func (c *crawl) eachList(fn func(p graph.Page, list []graph.Page)) {
	for p, done := range c.done {
		if done {
			fn(graph.Page(p), c.links.List(graph.Page(p)))
		}
	}
}

// exact is PageRank over the known pages.
func (c *crawl) exact(t testing.TB, o Options) []float64 {
	w := c.seen()
	defer w.In.Free()
	return solve(t, w, o).Score
}

// error is the true L1 error of the growing ranks.
func (c *crawl) error(t testing.TB, follow float64) float64 {
	return l1(c.grow.Scores(nil), c.exact(t, Options{Follow: follow, Tolerance: 1e-8}))
}

// At every batch of a crawl the growing ranks are within their bound of a full solve
// of the graph known by then, and the bound is what was requested.
func TestGrowingFollowsFullSolves(t *testing.T) {
	for _, follow := range []float64{0.9, 6.0 / 7, 0.5} {
		for _, bound := range []float64{1e-1, 1e-3, 1e-6} {
			links := randomWeb(rand.New(rand.NewPCG(20, 1)), 3000, 6, 0.3).withoutSelf()
			c := newCrawl(t, links, busiest(links), follow)
			for more := true; more; {
				more = c.fetch(200)
				c.grow.Refresh(bound)
				err := c.error(t, follow)
				if err > c.grow.Bound()+1e-7 || c.grow.Bound() > bound {
					t.Fatalf("follow %v after %d pages: error %g, bound %g, asked for %g", follow, c.next, err, c.grow.Bound(), bound)
				}
			}
			if s := sum(c.grow.Scores(nil)); math.Abs(s-1) > 1e-9 {
				t.Errorf("follow %v, bound %g: scores sum to %v", follow, bound, s)
			}
		}
	}
}

// Without any refresh the equation still holds: what Bound says is true.
func TestGrowingBoundHoldsWithoutRefresh(t *testing.T) {
	links := randomWeb(rand.New(rand.NewPCG(21, 1)), 1000, 6, 0.3).withoutSelf()
	c := newCrawl(t, links, busiest(links), 0.9)
	for more := true; more; {
		more = c.fetch(100)
		if err := c.error(t, 0.9); err > c.grow.Bound()+1e-7 {
			t.Fatalf("after %d pages: error %g, bound %g", c.next, err, c.grow.Bound())
		}
	}
}

// Work in small slices does the same as one refresh, to the bit, and keeps to its
// budget.
func TestGrowingWorksInSlices(t *testing.T) {
	links := randomWeb(rand.New(rand.NewPCG(22, 1)), 3000, 6, 0.3).withoutSelf()
	whole, sliced := newCrawl(t, links, busiest(links), 0.9), newCrawl(t, links, busiest(links), 0.9)
	longest := 0
	for _, l := range links {
		longest = max(longest, len(l))
	}
	visits := 0
	sliced.grow.out = func(p graph.Page) []graph.Page { visits += sliced.links.Degree(p); return sliced.links.List(p) }
	for more := true; more; {
		more = whole.fetch(300)
		sliced.fetch(300)
		whole.grow.Refresh(1e-4)
		for again := true; again; {
			visits = 0
			again = sliced.grow.Work(1e-4, 50)
			if visits > 50+longest {
				t.Fatalf("a slice of 50 links visited %d", visits)
			}
		}
		if !slices.Equal(whole.grow.Scores(nil), sliced.grow.Scores(nil)) {
			t.Fatalf("after %d pages slices give other bits", whole.next)
		}
	}
}

// The columns are the whole state: saved and loaded into a new one, it continues with
// the same bits.
func TestGrowingColumnsAreItsState(t *testing.T) {
	links := randomWeb(rand.New(rand.NewPCG(23, 1)), 2000, 6, 0.3).withoutSelf()
	a := newCrawl(t, links, busiest(links), 0.9)
	a.fetch(700)
	a.grow.Work(1e-3, 2000)
	b, err := NewGrowing(0.9, len(links), a.grow.out)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	var saved bytes.Buffer
	a.grow.Columns(func(c graph.AnyColumn) {
		if err := c.Save(&saved); err != nil {
			t.Fatal(err)
		}
	})
	b.Columns(func(c graph.AnyColumn) {
		if err := c.Load(&saved); err != nil {
			t.Fatal(err)
		}
	})
	a.fetch(700)
	for _, p := range a.order[700:a.next] {
		b.Fetched(p, a.links.List(p))
	}
	a.grow.Refresh(1e-4)
	b.Refresh(1e-4)
	if !slices.Equal(a.grow.Scores(nil), b.Scores(nil)) {
		t.Error("a loaded state goes on otherwise")
	}
}

func TestGrowingSmall(t *testing.T) {
	g, err := NewGrowing(0.5, 10, func(p graph.Page) []graph.Page { return []graph.Page{1 - p} })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Free()
	g.Refresh(1e-3)
	if g.Score(0) != 0 || g.Bound() != 0 || len(g.Scores(nil)) != 0 {
		t.Error("an empty one has ranks")
	}
	g.Known(3)
	g.Known(3)
	if g.Score(3) != 1 || g.Score(2) != 0 || g.Score(9) != 0 {
		t.Errorf("one page: %v", g.Scores(nil))
	}
	g.Fetched(0, []graph.Page{1})
	g.Fetched(0, []graph.Page{1, 5}) // changes nothing: 5 does not become known
	g.Fetched(1, []graph.Page{0})
	g.Fetched(3, nil)
	g.Refresh(1e-12)
	want := []float64{0.4, 0.4, 0, 0.2} // y = 2, 2, none, 1
	mustBeNear(t, "two pages that link each other and one alone", g.Scores(nil), want, 1e-11)
	if g.Refresh(0); !(g.Bound() < 1e-11) { // and returns
		t.Errorf("bound %g", g.Bound())
	}
	if _, err := NewGrowing(1, 10, nil); err == nil {
		t.Error("follow 1 accepted")
	}
}

// BenchmarkGrowing is the experiment of the link-server issue: a crawl in OPIC order
// from page 0, follow 0.9, in batches of 1,000 pages and in 30 batches. It reports
// CPU-microseconds for each page and the worst true error at the end of a batch,
// and for 30 batches the CPU time in proportion to cold solves with in-lists built
// anew, all of them to a true L1 error of at most 1e-3.
func BenchmarkGrowing(b *testing.B) {
	links := realWeb(b, "cnr-2000").withoutSelf()
	const bound = 5e-3
	b.Run("batch=1000", func(b *testing.B) {
		for b.Loop() {
			c := newCrawl(b, links, 0, 0.9)
			spent, worst := c.run(b, 1000, 10, func() { c.grow.Refresh(bound) }, func() []float64 { return c.grow.Scores(nil) })
			b.ReportMetric(spent.Seconds()*1e6/float64(len(c.order)), "cpu-us/page")
			b.ReportMetric(worst, "worst-L1")
		}
	})
	b.Run("batches=30", func(b *testing.B) {
		for b.Loop() {
			c := newCrawl(b, links, 0, 0.9)
			batch := (len(c.order) + 29) / 30
			grown, worst := c.run(b, batch, 1, func() { c.grow.Refresh(bound) }, func() []float64 { return c.grow.Scores(nil) })
			b.ReportMetric(grown.Seconds(), "growing-cpu-s")
			b.ReportMetric(worst, "growing-worst-L1")
			b.ReportMetric(float64(c.grow.Visited())/1e6, "growing-Mlinks")
			for name, o := range map[string]Options{"gauss-seidel": {}, "power": {Method: Jacobi}} {
				o.Tolerance, o.Threads = 1e-3, 1
				c := newCrawl(b, links, 0, 0.9)
				c.grow = nil
				var score []float64
				cold, worst := c.run(b, batch, 1, func() { score = c.exact(b, o) }, func() []float64 { return score })
				b.ReportMetric(cold.Seconds(), name+"-cpu-s")
				b.ReportMetric(grown.Seconds()/cold.Seconds(), "of-"+name)
				b.ReportMetric(worst, name+"-worst-L1")
			}
		}
	})
}

// run crawls in batches and calls refresh after each. It returns the CPU time spent
// in fetching into the growing ranks and in refresh, and the worst true error of
// scores, looked at every so many batches and at the end.
func (c *crawl) run(b *testing.B, batch, every int, refresh func(), scores func() []float64) (spent time.Duration, worst float64) {
	// The collector runs between the batches, not in the time that is measured.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for i, more := 1, true; more; i++ {
		begin := cpu(b)
		more = c.fetch(batch)
		refresh()
		spent += cpu(b) - begin
		if i%20 == 0 {
			runtime.GC()
		}
		if i%every == 0 || !more {
			got := scores()
			worst = max(worst, l1(got, c.exact(b, Options{Tolerance: 1e-8})))
		}
	}
	return spent, worst
}

// cpu is the CPU time of this process so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
