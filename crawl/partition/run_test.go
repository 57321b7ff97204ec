package partition

import (
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// Partitions between which nothing happens crawl their sites and end together.
func TestApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1600, Seed: 7}, answer.Options{})
		w.o.Config.Partitions = 4
		w.o.Config.Fetchers = 5
		w.o.Config.Scope = config.ScopeSeeds
		for i := range 40 {
			w.o.Seeds = append(w.o.Seeds, w.server.URL(graph.Page(i)))
		}
		sum := w.run(t)
		if sum.Why != whyFinished || sum.Fetched < 50 {
			t.Errorf("it ended because of %s with %d pages of %d", sum.Why, sum.Fetched, sum.Known)
		}
	})
}
