package recut_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// Crawls of all kinds are split and go on: with several policies, limits that change, batches, visits
// to fetched pages, and two to ten partitions.
func TestSplitTorture(t *testing.T) {
	if os.Getenv("WINNOW_TORTURE") == "" {
		t.Skip("200 crawls, for make torture")
	}
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			dir := filepath.Join(t.TempDir(), "old")
			out := filepath.Join(filepath.Dir(dir), "new")
			synctest.Test(t, func(t *testing.T) {
				so := []answer.Options{{}, answer.Mixed(), answer.Hostile(), webs()["shown"]}[rng.IntN(4)]
				so.Seed = seed
				if so.CrowdLinks > 0 {
					so.CrowdLinks, so.MaxSize = 2000, 4000
				}
				w := newTestWeb(t, dir, fakeweb.Spec{Pages: 300, Sites: 10 + rng.IntN(40), Links: 2400, Seed: seed}, so)
				c := &w.o.Config
				c.Requisites = so.Shown
				c.Policy = []string{"opic", "foresight", "breadth-first", "backlink-count", "pagerank", "larger-sites-first"}[rng.IntN(6)]
				c.Scope = []string{config.ScopeAny, config.ScopeSeeds}[rng.IntN(2)]
				for range rng.IntN(20) {
					w.o.Seeds = append(w.o.Seeds, w.server.URL(graph.Page(rng.IntN(200))))
				}
				if rng.IntN(3) == 0 {
					c.MaxDepth = 2
				}
				if rng.IntN(3) == 0 {
					c.SitePages = 7
				}
				if rng.IntN(4) == 0 {
					c.Batch = 20
				}
				if rng.IntN(3) == 0 {
					c.Recrawl.Duration = time.Minute
					c.Duration.Duration = 90 * time.Second
				}
				for range 1 + rng.IntN(3) {
					c.Pages += int64(1 + rng.IntN(80))
					if rng.IntN(3) == 0 {
						c.MaxDepth = config.Depth(rng.IntN(3))
					}
					if rng.IntN(4) == 0 {
						c.Scope = config.ScopeAny
					}
					w.run(t)
				}
				t.Log(c.Policy, c.Scope, c.MaxDepth, c.SitePages, c.Batch, c.Recrawl)
				p := 2 + rng.IntN(9)
				d, err := recut.Split(t.Context(), recut.SplitOptions{Dir: dir, Out: out, Partitions: p, Version: "test"})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v", d)
				verify(t, out)
				whole, err := history.Open(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				defer whole.Close()
				all, err := history.OpenAll(t.Context(), out)
				if err != nil {
					t.Fatal(err)
				}
				defer all.Close()
				want := pagesOf(t, whole)
				same(t, pagesOf(t, all.Crawls...), want)
				same(t, partsOf(t, all.Crawls...), partsOf(t, whole))
				one, err := recut.Open(t.Context(), out)
				if err != nil {
					t.Fatal(err)
				}
				defer one.Close()
				same(t, pagesOf(t, one), want)
				same(t, partsOf(t, one), partsOf(t, whole))
				if t.Failed() {
					return
				}
				conf, _, err := history.ReadConfig(out)
				if err != nil {
					t.Fatal(err)
				}
				w.o.Dir, w.o.Seeds, w.o.Config = out, nil, conf
				w.o.Config.Pages = 3000
				if conf.Recrawl.Duration > 0 {
					w.o.Config.Duration.Duration = 3 * time.Minute
				}
				sum := w.run(t)
				t.Log(sum.Fetched, sum.Known, sum.Why)
				verify(t, out)
			})
		})
	}
}
