package crawl

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

func TestSignalsLive(t *testing.T) {
	const day, pages = 24 * time.Hour, 400
	for _, name := range []string{"none", "sitemaps", "today", "feeds", "false feeds"} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			clock := func() time.Duration { return time.Since(began) }
			o := answer.Options{Changes: answer.Changes{Clock: clock, Began: began, Median: 8 * day, Noise: 0.3}}
			switch name {
			case "today":
				o.Changes.Dates.Today = 1
				fallthrough
			case "sitemaps":
				o.Sitemaps = 1
			case "false feeds":
				o.Changes.FalseFeeds = 1
				fallthrough
			case "feeds":
				o.Changes.Feeds = 1
			}
			w := newTestWeb(t, pages, 10, o)
			c := &w.o.Config
			c.Recrawl, c.Revisit, c.Duration = config.Duration{Duration: 4 * day}, "default", config.Duration{Duration: 30 * day}
			w.o.Machine.Sizes.Status = time.Hour
			w.run(t)
			weight := w.linksIn()
			got := w.server.Counter().Freshness(func(p graph.Page) float64 { return weight[p] }, 10*day, 30*day, 0)
			w.polite(t)
			clean(t, w.verify(t))
			t.Logf("%s: fresh %.4f, %d requests", name, got.Fresh, got.Requests)
		})
	}
}
