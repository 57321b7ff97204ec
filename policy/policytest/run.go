package policytest

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/zeebo/xxh3"
)

// Run checks the policy with a name, which may include parameters.
func Run(t *testing.T, name string) {
	worlds := uint64(1)
	if os.Getenv("WINNOW_TORTURE") != "" {
		worlds = 4
	}
	for _, s := range Settings() {
		t.Run(s.Name, func(t *testing.T) {
			for seed := range worlds {
				w := NewWorld(seed, 120)
				first := crawl(t, w, s, name, "")
				if second := crawl(t, w, s, name, ""); !slices.Equal(first.Visits, second.Visits) {
					t.Fatalf("world %d: two runs differ", seed)
				}
				checkIdle(t, first)
				checkSaved(t, first)
				checkSession(t, first)
			}
		})
	}
	t.Run("reference", func(t *testing.T) { checkReference(t, name) })
	t.Run("sites", func(t *testing.T) { checkPairs(t, name) })
}

// crawl runs to the end, and checks the rules.
func crawl(t *testing.T, w *World, s Setting, page, site string) *Crawl {
	t.Helper()
	c := start(t, w, s, page, site).Run()
	if c.complete(); c.Err != nil {
		t.Fatalf("%s, sites by %q, world %d, %s: %v", page, site, w.Random, s.Name, c.Err)
	}
	return c
}

func start(t *testing.T, w *World, s Setting, page, site string) *Crawl {
	t.Helper()
	c, err := NewCrawl(w, s, page, site)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Free)
	return c
}

// checkIdle calls Next wherever it returns no task: what is handed out must stay the same,
// and so must the saved state after a second call at the same instant.
func checkIdle(t *testing.T, plain *Crawl) {
	c := start(t, plain.World, plain.Setting, plain.choices[0].Name, "")
	for c.Step() {
		if !c.idle() {
			continue
		}
		before := saved(t, c)
		if _, _, ok := c.F.Next(c.now); ok {
			t.Fatalf("%v: a page is handed out when asked twice", c.now)
		}
		if before != saved(t, c) {
			t.Fatalf("%v: to ask in vain changes the state", c.now)
		}
	}
	if !slices.Equal(c.Visits, plain.Visits) {
		t.Fatal("to ask in vain changes the order")
	}
}

// idle calls Next once and reports whether it returned no task. It starts a task that it
// gets.
func (c *Crawl) idle() bool {
	if len(c.flying) == c.Setting.Fetchers {
		return false
	}
	w, _, ok := c.F.Next(c.now)
	if ok {
		c.start(w)
	}
	return !ok
}

// saved returns a hash of the state as it is saved.
func saved(t *testing.T, c *Crawl) uint64 {
	t.Helper()
	h := xxh3.New()
	if err := c.F.Save(h); err != nil {
		t.Fatal(err)
	}
	return h.Sum64()
}

// checkSaved saves a crawl at a random step, loads it, and lets the copy continue.
func checkSaved(t *testing.T, whole *Crawl) {
	c := start(t, whole.World, whole.Setting, whole.choices[0].Name, "")
	for range policy.Hash(c.World.Random, 30) % uint64(len(whole.Visits)) {
		c.Step()
	}
	checkExplained(t, c)
	d, err := c.Copy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Free)
	if digest(t, c) != digest(t, d) {
		t.Fatal("what was loaded is not what was saved")
	}
	if d.Run(); !slices.Equal(d.Visits, whole.Visits) {
		t.Fatalf("%s: the order differs after loading at %v", whole.Setting.Name, c.now)
	}
	if digest(t, d) != digest(t, whole) {
		t.Fatal("the state at the end differs after loading")
	}
}

// checkExplained asks for the factors and scores of all pages: they are numbers, the shares of
// a page, or of each part of a mixed policy, add up to 1 or are 0, and nothing changes.
func checkExplained(t *testing.T, c *Crawl) {
	t.Helper()
	before := saved(t, c)
	for p := range graph.Page(c.F.Pages()) {
		shares := map[string]float64{}
		for _, f := range c.F.Ranks().Explain(p) {
			if shares[f.Of] += f.Share; f.Name == "" || math.IsNaN(f.Value) || math.IsNaN(f.Share) {
				t.Fatalf("page %d: %+v", p, f)
			}
		}
		for of, sum := range shares {
			if sum != 0 && math.Abs(sum-1) > 1e-6 {
				t.Fatalf("page %d: the shares of %q add up to %v: %+v", p, of, sum, c.F.Ranks().Explain(p))
			}
		}
		if math.IsNaN(c.F.Ranks().Score(p, 0)) {
			t.Fatalf("page %d has no score", p)
		}
	}
	if before != saved(t, c) {
		t.Fatal("to explain pages changes the state")
	}
}

// digest returns a hash of the state apart from places in heaps, which are made again by loading.
func digest(t *testing.T, c *Crawl) uint64 {
	t.Helper()
	h := xxh3.New()
	c.F.Columns(func(col graph.AnyColumn) {
		if strings.HasSuffix(col.Name(), " places") {
			return
		}
		if err := col.Save(h); err != nil {
			t.Fatal(err)
		}
	})
	return h.Sum64()
}

// Free releases the memory.
func (c *Crawl) Free() { c.F.Free() }

// tolerance returns how far below the best a page may be that a policy hands out: nothing,
// except for PageRank that is solved to a bound. A bound on the sum of all errors on
// the scale of sum 1 is the number of pages times that on the scale of mean 1.
func tolerance(name string, pages int) float64 {
	choice := mustChoose(name)
	for _, p := range choice.Parts {
		if some := tolerance(p.Choice.Name, pages); some > 0 {
			return some
		}
	}
	switch choice.Spec.Name {
	case "pagerank":
		return 1e-9 * float64(pages)
	case "batch-pagerank", "partial-pagerank":
		return 1e-4 * float64(pages)
	case "two-queue":
		if choice.Params["by"] == "pagerank" {
			return 1e-4 * float64(pages)
		}
	}
	return 0
}

// checkReference compares the pure order with the reference, page by page: each page
// must be the best one of the reference, or as good up to the tolerance. One world in four
// has no URLs, unless the policy needs them.
func checkReference(t *testing.T, name string) {
	made, ok := references()[name]
	if !ok {
		t.Log("compared in distribution only")
		return
	}
	urls := mustChoose(name).Spec.URLs
	for seed := range uint64(20) {
		w := NewWorld(100+seed, 60)
		if seed%4 == 3 && !urls {
			w.URL = nil
		}
		c := crawl(t, w, Settings()[0], name, "")
		v, r, allowed := newView(w), made(), tolerance(name, len(w.Out))
		for step, got := range c.Visits {
			of := r(v)
			want := best(v, of)
			if got.Page != want && !(math.Abs(of(got.Page)[0]-of(want)[0]) <= allowed && allowed > 0) {
				t.Fatalf("world %d, step %d: page %d with %v, want %d with %v", w.Random, step, got.Page, of(got.Page), want, of(want))
			}
			v.fetch(got.Page)
		}
		if len(v.open()) > 0 {
			t.Fatalf("world %d: %d pages are left", w.Random, len(v.open()))
		}
	}
}

// checkPairs runs the policy as the order of pages under every order of sites, and as
// the order of sites over pages that others order (O21).
func checkPairs(t *testing.T, name string) {
	w, all := NewWorld(7, 60), Settings()
	for _, s := range []Setting{all[0], all[4]} {
		for _, other := range policy.Specs() {
			crawl(t, w, s, name, other.Name)
		}
		for _, other := range []string{"opic", "random", "webbase-500"} {
			crawl(t, w, s, other, name)
		}
	}
}

// checkSession interrupts a crawl at a random step: what was under way is void, and
// the crawl continues with everything that is left.
func checkSession(t *testing.T, whole *Crawl) {
	c := start(t, whole.World, whole.Setting, whole.choices[0].Name, "")
	for range policy.Hash(c.World.Random, 31) % uint64(len(whole.Visits)) {
		c.Step()
	}
	c.Interrupt()
	if c.Run().complete(); c.Err != nil {
		t.Fatalf("after a new session: %v", c.Err)
	}
}
