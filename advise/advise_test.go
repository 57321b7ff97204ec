package advise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A web is a graph for tests.
type web [][]graph.Page

func (w web) out(p graph.Page) []graph.Page { return w[p] }

// drawWeb returns a web in which pages prefer to link to those with low numbers, and some have
// no link.
func drawWeb(pages int, seed uint64) web {
	r := rand.New(rand.NewPCG(seed, 1))
	w := make(web, pages)
	for p := range w {
		for range r.IntN(12) {
			q := int(float64(pages) * math.Pow(r.Float64(), 3))
			if q != p {
				w[p] = append(w[p], graph.Page(q))
			}
		}
		w[p] = append(w[p], graph.Page((p+1)%pages))
		if r.IntN(5) == 0 && p > 20 {
			w[p] = nil
		}
		slices.Sort(w[p])
		w[p] = slices.Compact(w[p])
	}
	return w
}

// breadthFirst returns the order of a crawl.
func (w web) breadthFirst(seeds ...graph.Page) []graph.Page {
	order, seen := slices.Clone(seeds), map[graph.Page]bool{}
	for _, p := range seeds {
		seen[p] = true
	}
	for i := 0; i < len(order); i++ {
		for _, q := range w[order[i]] {
			if !seen[q] {
				seen[q] = true
				order = append(order, q)
			}
		}
	}
	return order
}

// personal returns PageRank with jumps to the seeds, also from pages without links, by the
// power method.
func (w web) personal(seeds []graph.Page) []float64 {
	x := make([]float64, len(w))
	for range 400 {
		next, jump := make([]float64, len(w)), 1.0
		for p, links := range w {
			for _, q := range links {
				next[q] += follow * x[p] / float64(len(links))
				jump -= follow * x[p] / float64(len(links))
			}
		}
		for _, p := range seeds {
			next[p] += jump / float64(len(seeds))
		}
		x = next
	}
	return x
}

func (w web) course(order []graph.Page, seeds ...graph.Page) *Course {
	return &Course{Pages: len(w), Seeds: seeds, Order: order, Out: w.out}
}

// The certain share is never above the truth, and comes near it (S22).
func TestCertain(t *testing.T) {
	for seed := range uint64(20) {
		w := drawWeb(300, seed)
		seeds := []graph.Page{graph.Page(seed), 250}
		order, truth := w.breadthFirst(seeds...), w.personal(seeds)
		for _, n := range []int{1, 2, 10, len(order) / 3, len(order) / 2, len(order)} {
			a, err := Ask(w.course(order[:n], seeds...))
			if err != nil {
				t.Fatal(err)
			}
			have := 0.0
			for _, p := range order[:n] {
				have += truth[p]
			}
			if a.Certain > have {
				t.Errorf("web %d, %d of %d pages: certain %v, and the truth is %v", seed, n, len(order), a.Certain, have)
			}
			if n == len(order) && a.Certain < 0.999 {
				t.Errorf("web %d: certain %v when all is fetched", seed, a.Certain)
			}
		}
	}
}

// Two pages that link to each other and to one that waits: 1 -> 2, 3 and 2 -> 1. Visits before
// the next start are y1 = 1 + 0.9 y2, y2 = 0.45 y1, so y1 = 1/0.595 and V = 1.45 y1.
func TestCertainByHand(t *testing.T) {
	w := web{{1, 2}, {0}, nil}
	a, err := Ask(w.course([]graph.Page{0, 1}, 0))
	if want := 0.1 * 1.45 / 0.595; err != nil || math.Abs(a.Certain-want) > 1e-4 {
		t.Errorf("certain %v, error %v, want %v", a.Certain, err, want)
	}
	// The page without links ends the walk; if its links are not known, it may not.
	order := []graph.Page{0, 1, 2}
	all, err := Ask(w.course(order, 0))
	if err != nil || all.Certain < 0.999 || all.Verdict != Over {
		t.Errorf("certain %v, verdict %v, error %v", all.Certain, all.Verdict, err)
	}
	c := w.course(order, 0)
	c.Blind = func(p graph.Page) bool { return p == 2 }
	blind, err := Ask(c)
	if want := 0.1 * 1.9 / 0.595; err != nil || math.Abs(blind.Certain-want) > 1e-4 {
		t.Errorf("certain %v with a blind page, error %v, want %v", blind.Certain, err, want)
	}
}

// A forecast has its budgets, an interval around the gain, and no more pages than wait.
func TestForecast(t *testing.T) {
	w := drawWeb(3000, 7)
	order := w.breadthFirst(0)
	n := len(order) / 2
	c := w.course(order[:n], 0)
	for i := range n {
		c.End, c.Bytes = append(c.End, time.Duration(i+1)*time.Minute), append(c.Bytes, 1000)
	}
	a, err := Ask(c)
	if err != nil || len(a.Next) != int(Budgets) {
		t.Fatalf("%d forecasts, error %v", len(a.Next), err)
	}
	for b, f := range a.Next {
		if f.Budget != Budget(b) || !(0 < f.Low && f.Low < f.Gain && f.Gain < f.High && f.High < 1) || f.Pages < 1 || f.Pages > a.Waiting {
			t.Errorf("forecast %+v", f)
		}
	}
	if got, want := a.Next[Hours].More, float64(n)/600; math.Abs(got-want) > 1e-9 {
		t.Errorf("a tenth of the time is %v h, want %v", got, want)
	}
	if a.Next[Bytes].High/a.Next[Bytes].Low <= a.Next[Pages].High/a.Next[Pages].Low {
		t.Error("the interval by bytes is not wider than that by pages")
	}
}

// Where pages about the topic link to each other, a crawl that has many of them waiting is told
// to expect more than one that has none, the interval is of whole numbers within the pages that
// wait, and nothing is said without a topic.
func TestHot(t *testing.T) {
	w := make(web, 4000) // pages 0 to 1999 link ahead; from 2000 on they are about the topic
	for p := range w {
		w[p] = []graph.Page{graph.Page((p + 1) % len(w)), graph.Page((p*3 + 7) % 2000)}
		if p >= 1500 {
			w[p] = append(w[p], graph.Page(2000+p*7%2000), graph.Page(2000+p*11%2000))
		}
	}
	var order []graph.Page
	for p := range graph.Page(3000) {
		order = append(order, p)
	}
	ask := func(n int, hot func(graph.Page) bool) *Advice {
		c := w.course(order[:n], 0)
		c.Hot = hot
		a, err := Ask(c)
		if err != nil || len(a.Next) == 0 {
			t.Fatalf("%d forecasts, error %v", len(a.Next), err)
		}
		return a
	}
	hot := func(p graph.Page) bool { return p >= 2000 }
	early, late := ask(1400, hot), ask(3000, hot)
	if early.Hot != 0 || late.Hot != 1000 || !late.Topic {
		t.Errorf("%d and %d pages about the topic", early.Hot, late.Hot)
	}
	a, b := early.Next[0].Hot, late.Next[0].Hot
	if a.Low != 0 || a.High > 30 || a.Last != 0 || b.Low <= a.High || b.Last != 3000-2728 {
		t.Errorf("before the topic %+v, within it %+v", a, b)
	}
	for _, c := range []Count{a, b} {
		if c.Low != math.Round(c.Low) || c.High != math.Round(c.High) || c.Low > c.Pages+0.5 || c.High < c.Pages-0.5 {
			t.Errorf("%+v", c)
		}
	}
	if high := b.High; high > float64(late.Next[0].Pages) {
		t.Errorf("%v of %d pages", high, late.Next[0].Pages)
	}
	if late.Verdict != GoOn {
		t.Errorf("a crawl within its topic: %v", late.Verdict)
	}
	if x := ask(3000, nil); x.Topic || x.Next[0].Hot.High != 0 {
		t.Errorf("without a topic %+v", x.Next[0].Hot)
	}
}

// The interval is wider where more new pages become known, all else being equal: there the crawl
// has seen little of its web.
func TestGrowthWidens(t *testing.T) {
	w := drawWeb(6000, 8)
	k, err := newWalk(w.course(w.breadthFirst(0)[:1500], 0))
	if err != nil {
		t.Fatal(err)
	}
	defer k.free()
	s, v := k.survey()[0], k.view()
	before, ok := s.forecast(k, v)
	for i := 1; i < len(s.known); i++ {
		s.known[i] -= 3000
	}
	after, _ := s.forecast(k, v)
	if !ok || after.Gain != before.Gain || after.High/after.Low < 1.2*before.High/before.Low {
		t.Errorf("%+v, with more new pages %+v", before, after)
	}
}

// Every end of a crawl has its verdict.
func TestVerdicts(t *testing.T) {
	w := drawWeb(400, 3)
	order := w.breadthFirst(0)
	for n, want := range map[int]Verdict{0: Early, 20: Early, len(order): Over} {
		if a, err := Ask(w.course(order[:n], 0)); err != nil || a.Verdict != want || len(a.Next) > 0 {
			t.Errorf("after %d pages: %v, error %v, want %v", n, a.Verdict, err, want)
		}
	}
	for low, want := range map[float64]Verdict{0.02: GoOn, 0.001: Unsure} {
		a := &Advice{Fetched: 500, Waiting: 9, Next: []Forecast{{Low: low, High: 0.03}}}
		if got := a.judge(); got != want {
			t.Errorf("from %v: %v, want %v", low, got, want)
		}
	}
	if a := (&Advice{Waiting: 9, Next: []Forecast{{Low: 0.001, High: 0.009}}}); a.judge() != Stop {
		t.Errorf("a gain of at most 0.009 is %v", a.judge())
	}
}

// A site that takes nearly all requests for pages that few link to is wasted; with as many
// requests as it is worth it is not.
func TestWasted(t *testing.T) {
	w := make(web, 400) // pages from 4 on link to the first four, and page 3 to all of them
	w[0], w[1], w[2] = []graph.Page{1, 2, 3}, []graph.Page{2}, []graph.Page{1}
	for p := 4; p < len(w); p++ {
		w[p], w[3] = []graph.Page{1, 2, 3}, append(w[3], graph.Page(p))
	}
	c := w.course(w.breadthFirst(0), 0)
	c.Site = func(p graph.Page) graph.Site { return graph.Site(min(p/4, 1)) }
	for _, test := range []struct {
		requests []int64
		wasted   int
	}{{[]int64{4, 2000}, 1}, {[]int64{860, 140}, 0}} {
		c.Requests = test.requests
		a, err := Ask(c)
		if err != nil || len(a.Wasted) != test.wasted {
			t.Errorf("requests %v: %+v, error %v", test.requests, a.Wasted, err)
		}
		if len(a.Wasted) > 0 && (a.Wasted[0].Site != 1 || a.Wasted[0].Importance >= 0.5) {
			t.Errorf("%+v", a.Wasted[0])
		}
	}
}
