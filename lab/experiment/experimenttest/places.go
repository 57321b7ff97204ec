// Package experimenttest has small worlds for tests of experiments, and what their tests share.
package experimenttest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// Small returns a small synthetic web that is crawled from its first page.
func Small(t testing.TB, name string, pages, sites int, knownSites bool) *experiment.Place {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: sites, Links: int64(6 * pages), Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]graph.Page, pages)
	for p := range out {
		out[p] = web.Links(nil, graph.Page(p))
	}
	w := &lab.World{Name: name, Sim: sim.World{Out: Web(t, out)}}
	w.In = rank.Transpose(w.Sim.Out)
	t.Cleanup(w.In.Free)
	if knownSites {
		w.Sim.Sites, w.Sim.SiteName, w.Sim.SiteOf = sites, web.SiteName, make([]graph.Site, pages)
		for p := range w.Sim.SiteOf {
			w.Sim.SiteOf[p] = web.SiteOf(graph.Page(p))
		}
	}
	return &experiment.Place{World: w, Seeds: []graph.Page{0}, SeedsName: "first page"}
}

func BenchOf(places ...*experiment.Place) *experiment.Bench {
	return &experiment.Bench{Context: context.Background(), Places: places, Random: 3, Threads: 2}
}

// Bench has two places with sites and one without anything but links.
func Bench(t testing.TB, starts, threads int) *experiment.Bench {
	fake := Fake(t, fakeweb.Spec{Pages: 2010, Sites: 12, Links: 5000, Seed: 4})
	bare := Fake(t, fakeweb.Spec{Pages: 500, Sites: 9, Links: 2000, Seed: 5})
	bare.World.Name = "bare"
	bare.World.Sim.SiteOf, bare.World.Sim.URL, bare.World.Sim.SiteName = nil, nil, nil
	return &experiment.Bench{Context: context.Background(), Random: 1, Threads: threads, Starts: starts, TextPages: 1000, Places: []*experiment.Place{fake, Wiki(t), bare}}
}

// Fake returns a synthetic web with an earlier crawl of it, started at its first page.
func Fake(t testing.TB, spec fakeweb.Spec) *experiment.Place {
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]graph.Page, spec.Pages)
	sites := make([]graph.Site, spec.Pages)
	for p := range out {
		out[p], sites[p] = web.Links(nil, graph.Page(p)), web.SiteOf(graph.Page(p))
	}
	w := &lab.World{Name: fmt.Sprintf("fakeweb-%d", spec.Pages), Sim: sim.World{Out: Web(t, out), SiteOf: sites, Sites: web.Sites(), URL: web.AppendURL, SiteName: web.SiteName}}
	return withHistory(t, w)
}

// Wiki returns a web of another kind: one site of 1,000 articles. Everybody links to
// the main page; an article links to a handful of others, half of them drawn from all
// and half from those near it in the alphabet, and every twentieth is a list of the
// articles after it. One in ten has no links, and the last twenty are linked by nobody.
func Wiki(t testing.TB) *experiment.Place {
	const n = 1000
	draw := func(x ...uint64) int { return int(policy.Hash(77, x...) % n) }
	out := make([][]graph.Page, n)
	for p := range out {
		var links []graph.Page
		switch x := uint64(p); {
		case p == 0:
			for i := range uint64(12) {
				links = append(links, graph.Page(20*draw(x, i)/n*20))
			}
		case p%20 == 0:
			for q := p + 1; q <= p+30; q++ {
				links = append(links, graph.Page(q))
			}
		case draw(x) < n/10: // a dead end
		default:
			links = append(links, 0)
			for i := range uint64(2 + draw(x, 1)%5) {
				far, near := draw(x, 2, i)*draw(x, 3, i)/n, p-15+draw(x, 4, i)%30
				links = append(links, graph.Page(far), graph.Page(max(0, near)))
			}
		}
		slices.Sort(links)
		links = slices.DeleteFunc(slices.Compact(links), func(q graph.Page) bool { return q >= n-20 || int(q) == p })
		out[p] = links
	}
	w := &lab.World{Name: "wiki-1000", Sim: sim.World{Out: Web(t, out), SiteOf: make([]graph.Site, n), Sites: 1,
		URL: wikiURL, SiteName: func(graph.Site) string { return "https://wiki.example" }}}
	return withHistory(t, w)
}

// wikiURL has lists a level up and some articles behind a query.
func wikiURL(b []byte, p graph.Page) []byte {
	switch {
	case p == 0:
		return append(b, "https://wiki.example/"...)
	case p%20 == 0:
		return fmt.Appendf(b, "https://wiki.example/lists/%d", p)
	case p%7 == 0:
		return fmt.Appendf(b, "https://wiki.example/index?title=A%d", p)
	}
	return fmt.Appendf(b, "https://wiki.example/wiki/a/A%d", p)
}

// withHistory makes a place of a world: its links backward, and what a crawl knew when
// there were three fifths of the pages and, besides, ten that are gone.
func withHistory(t testing.TB, w *lab.World) *experiment.Place {
	t.Helper()
	w.In = rank.Transpose(w.Sim.Out)
	t.Cleanup(w.In.Free)
	var old []graph.Page
	for p := range graph.Page(w.Pages()) {
		if p == 0 || policy.Hash(5, uint64(p))%5 < 3 {
			old = append(old, p)
		}
	}
	then, err := measure.PageRankTruth(w.Web(), measure.TruthOptions{Within: old})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, w.Pages())
	for p := range values {
		values[p] = math.NaN()
	}
	for _, p := range old {
		values[p] = then.Value[p]
	}
	gone := slices.Repeat([]float64{1 / float64(len(old))}, 10)
	h, err := lab.NewHistory(values, gone)
	if err != nil {
		t.Fatal(err)
	}
	return &experiment.Place{World: w, Seeds: []graph.Page{0}, SeedsName: "page 0", History: h}
}

// Web returns the out-lists of a web given as the out-links of each page.
func Web(t testing.TB, out [][]graph.Page) *graph.Lists {
	g := graph.ListsOf(out)
	t.Cleanup(g.Free)
	return g
}

func Shuffled(r *rand.Rand, pages []graph.Page) []graph.Page {
	s := slices.Clone(pages)
	r.Shuffle(len(s), func(i, k int) { s[i], s[k] = s[k], s[i] })
	return s
}

// What the papers say, section by section, as tests.
//
//	A: Cho, Garcia-Molina, Page 1998
//	B: Najork, Wiener 2001
//	D: Castillo 2004, chapter 4

// Mid returns a synthetic web of middle size.
func Mid(t testing.TB) *experiment.Place {
	return Fake(t, fakeweb.Spec{Pages: 20_000, Sites: 200, Links: 200_000, Seed: 3})
}

// Bare returns links alone as a world.
func Bare(out *graph.Lists) sim.World { return sim.World{Out: out} }
