package partition

import (
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// Seeds of all partitions are crawled, and scopes hold in all of them: as many pages are fetched as
// with one partition.
func TestSeeds(t *testing.T) {
	fetched := map[int]int64{}
	for _, n := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1600, Seed: 7}, answer.Options{})
			c := &w.o.Config
			c.Partitions, c.Fetchers, c.Scope, c.MaxMemory = n, 5, config.ScopeSeeds, 1<<30
			for i := range 40 {
				w.o.Seeds = append(w.o.Seeds, w.server.URL(graph.Page(i)))
			}
			sum := w.run(t)
			if sum.Why != whyFinished {
				t.Errorf("it ended because of %s with %d pages of %d", sum.Why, sum.Fetched, sum.Known)
			}
			fetched[n] = sum.Fetched
		})
	}
	if fetched[4] != fetched[1] || fetched[1] < 40 {
		t.Errorf("%d pages with four partitions, %d with one", fetched[4], fetched[1])
	}
}
