package recut_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A crawl that is split in the middle has the pages that it had, and in the end those that it would
// have had in one piece, each fetched once, by the server's count.
func TestSplit(t *testing.T) {
	for name, so := range map[string]answer.Options{"honest": {}, "hostile": answer.Hostile()} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "old")
			out := filepath.Join(filepath.Dir(dir), "new")
			synctest.Test(t, func(t *testing.T) {
				so.Seed, so.CrowdLinks, so.MaxSize = 5, 2000, 4000
				w := newTestWeb(t, dir, fakeweb.Spec{Pages: 300, Sites: 30, Links: 2400, Seed: 7}, so)
				w.o.Config.Pages = 60
				w.run(t)
				w.o.Config.Pages = 120
				w.run(t)
				d, err := recut.Split(t.Context(), recut.SplitOptions{Dir: dir, Out: out, Partitions: 4, Version: "test"})
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
				same(t, pagesOf(t, all.Crawls...), pagesOf(t, whole))
				c, _, err := history.ReadConfig(out)
				if err != nil {
					t.Fatal(err)
				}
				w.o.Dir, w.o.Seeds, w.o.Config = out, nil, c
				w.o.Config.Pages = 3000
				w.run(t)
				w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody), MaxDepth: max(0, int(c.MaxDepth))})
				verify(t, out)
			})
		})
	}
}
