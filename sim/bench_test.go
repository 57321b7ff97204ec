package sim

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/data"
	"github.com/winnow-crawler/winnow/policy"
)

// BenchmarkCrawl is the number of simulated pages per second, and the time for each link of
// them: the crawl loop alone, on one core. The bars are for breadth-first and opic: 500,000
// for pure order on cnr-2000; 150,000 on the generated web with 256 fetchers, latencies and
// politeness; 50,000 when they share a saturated line.
func BenchmarkCrawl(b *testing.B) {
	times, err := Preset("thesis2004", 1)
	if err != nil {
		b.Fatal(err)
	}
	polite := Options{Setup: Setup{Fetchers: 256, Frontier: frontier.Options{Delay: 15 * time.Second, Resolve: true, Robots: true}}}
	shared := polite
	shared.Bandwidth, shared.MaxPages = 1e6, 200_000
	if w := cnr2000(b); w != nil {
		benchmarkPolicies(b, "cnr-2000/order", w, Options{})
	} else {
		b.Log("cnr-2000 is not beside the checkout")
	}
	w := generated(b)
	benchmarkPolicies(b, "generated/order", w, Options{})
	w.Times = times
	benchmarkPolicies(b, "generated/polite", w, polite)
	benchmarkPolicies(b, "generated/shared-1MBps", w, shared)
}

func benchmarkPolicies(b *testing.B, name string, w *World, o Options) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	o.Seeds = []graph.Page{0}
	for _, p := range []string{"breadth-first", "opic", "xim", "mix:opic+xim", "hedge"} {
		b.Run(name+"/"+p, func(b *testing.B) {
			var err error
			if o.Policy, err = policy.Choose(p); err != nil {
				b.Fatal(err)
			}
			pages, links := 0, 0
			for range b.N {
				r, err := Run(w, o)
				if err != nil {
					b.Fatal(err)
				}
				pages += len(r.Order)
				for _, p := range r.Order {
					links += len(w.Out.List(p))
				}
			}
			b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(links), "ns/link")
		})
	}
}

// cnr2000 is the graph beside the checkout; its sites are unknown.
func cnr2000(b *testing.B) *World {
	edges, ok := data.File("cnr-2000", "cnr-2000.edges.zst")
	if !ok {
		return nil
	}
	path := filepath.Join(b.TempDir(), "cnr.wg")
	if _, err := graph.Import(context.Background(), graph.ImportOptions{Edges: edges, WriteOptions: graph.WriteOptions{Path: path}}); err != nil {
		b.Fatal(err)
	}
	g, err := graph.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	return &World{Out: g.Forward().Raw(2)}
}

// generated is a web of 1 M pages, 20 M links and 20,000 sites.
func generated(b *testing.B) *World {
	spec := fakeweb.Spec{Pages: 1_000_000, Links: 20_000_000, Sites: 20_000, Seed: 1}
	web, err := fakeweb.New(spec)
	if err != nil {
		b.Fatal(err)
	}
	w := &World{Out: graph.NewLists(spec.Pages, spec.Links), Sites: spec.Sites}
	n := uint64(0)
	err = web.Each(func(p graph.Page, links []graph.Page) error {
		n += uint64(copy(w.Out.To.Slice()[n:], links))
		w.Out.Off.Set(int(p)+1, n)
		w.SiteOf = append(w.SiteOf, web.SiteOf(p))
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return w
}
