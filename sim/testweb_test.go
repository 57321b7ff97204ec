package sim

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// variants are the policies that the tests of this package run: each of the table, in
// all its readings.
func variants() []string {
	return []string{
		"random",
		"breadth-first",
		"backlink-count",
		"pagerank",
		"batch-pagerank/k=150", "batch-pagerank/k=400/ramp=true",
		"partial-pagerank/k=150", "partial-pagerank",
		"opic", "opic/cash=all", "opic/remote=0.8",
		"xim",
		"larger-sites-first",
		"historical-pagerank", "historical-pagerank/new=parent/known=false",
		"historical-pagerank/new=random", "historical-pagerank/new=omniscient/known=false",
		"location",
		"score",
		"site-at-a-time/hosts=5", "site-at-a-time",
		"webbase-500/queues=7", "webbase-500",
		"mix:xim*2+batch-pagerank/k=150+random",
		"hedge",
		"foresight", "foresight/links=500", "mix:opic+foresight*2+xim",
		"omniscient",
		"horn",
	}
}

func TestVariantsHaveEveryPolicy(t *testing.T) {
	for _, s := range policy.Specs() {
		if !s.Topic && !slices.ContainsFunc(variants(), func(v string) bool {
			return strings.FieldsFunc(v, func(r rune) bool { return r == '/' || r == ':' })[0] == s.Name
		}) {
			t.Errorf("policy %s is not tested", s.Name)
		}
	}
}

// A testWeb is a generated web, what is true of it, and what an earlier crawl knew.
type testWeb struct {
	web        *fakeweb.Web
	out        *graph.Lists
	siteOf     []graph.Site
	importance []float64 // in-links, on the scale of mean 1
	place      []int     // an order that looks ahead: by importance and what lies behind
	prior      []float64 // negative: the page is new
}

func newTestWeb(t *testing.T, pages, sites int) *testWeb {
	t.Helper()
	spec := fakeweb.Spec{Pages: pages, Sites: sites, Links: int64(8 * pages), Seed: 7}
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	w := &testWeb{web: web, out: graph.NewLists(pages, spec.Links), importance: make([]float64, pages)}
	t.Cleanup(w.out.Free)
	n := 0
	err = web.Each(func(p graph.Page, links []graph.Page) error {
		w.siteOf = append(w.siteOf, web.SiteOf(p))
		n += copy(w.out.To.Slice()[n:], links)
		w.out.Off.Set(int(p)+1, uint64(n))
		for _, to := range links {
			w.importance[to] += float64(pages) / float64(spec.Links)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.judge()
	return w
}

// judge makes up the places and the earlier crawl.
func (w *testWeb) judge() {
	ahead := make([]float64, len(w.importance))
	order := make([]graph.Page, len(w.importance))
	for p, v := range w.importance {
		order[p], ahead[p] = graph.Page(p), v
		for _, to := range w.out.List(graph.Page(p)) {
			ahead[p] = max(ahead[p], w.importance[to]/2)
		}
		old := -1.0
		if h := policy.Hash(3, uint64(p)); h%4 != 0 {
			old = v * float64(h%1000) / 500
		}
		w.prior = append(w.prior, old)
	}
	slices.SortStableFunc(order, func(a, b graph.Page) int { return cmp.Compare(ahead[b], ahead[a]) })
	w.place = make([]int, len(order))
	for i, p := range order {
		w.place[p] = i
	}
}

func (w *testWeb) Importance(p graph.Page) float64 { return w.importance[p] }
func (w *testWeb) Place(p graph.Page) int          { return w.place[p] }

// old is the value of a page in the earlier crawl.
func (w *testWeb) old(p graph.Page) (float64, bool) { return max(0, w.prior[p]), w.prior[p] >= 0 }

// world makes a world of the web, with the times of a preset unless that is empty.
func (w *testWeb) world(t *testing.T, preset string, seed uint64) *World {
	t.Helper()
	world := &World{Out: w.out, SiteOf: w.siteOf, Sites: w.web.Sites(), URL: w.web.AppendURL, SiteName: w.web.SiteName}
	if preset != "" {
		world.Times = mustPreset(t, preset, seed)
	}
	return world
}

// A setting is how a test crawls.
type setting struct {
	name     string
	preset   string
	fetchers int
	max      int // pages; 0 all
	frontier frontier.Options
	site     string // site policy, or none
}

// options are those of a crawl of the web with a policy.
func (w *testWeb) options(t *testing.T, name string, s *setting, random uint64) Options {
	t.Helper()
	o := Options{
		Setup: Setup{
			Seeds:  []graph.Page{w.web.Home(3), w.web.Home(0), w.web.Home(11)},
			Random: random, Batch: 300, Fetchers: s.fetchers, MaxPages: s.max, Frontier: s.frontier,
		},
		Policy: mustChoose(t, name), Oracle: w,
	}
	if s.site != "" {
		o.SitePolicy = mustChoose(t, s.site)
	}
	var all []float64
	for p := range w.prior {
		if v, ok := w.old(graph.Page(p)); ok {
			all = append(all, v)
			if o.Policy.Params["known"] == "true" && p%2 == 0 {
				o.Known = append(o.Known, graph.Page(p))
			}
		}
	}
	o.Prior = &policy.Prior{Value: w.old, All: all}
	return o
}

func mustChoose(t *testing.T, name string) *policy.Choice {
	t.Helper()
	c, err := policy.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
