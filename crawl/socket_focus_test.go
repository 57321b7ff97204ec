package crawl

import (
	"runtime"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/focus"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
)

// A crawl about a topic that stops after a tenth of the pages has at least twice as many about it
// as breadth-first, by the truth of the web: with all sites behind one address, and with an address
// for each site, where every site could always be requested.
func TestSocketsFocused(t *testing.T) {
	t.Parallel()
	for name, addresses := range map[string]int{"one address": 1, "an address for each site": 0} {
		if addresses == 0 && runtime.GOOS != "linux" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, focused := harvestRate(t, addresses, ""), harvestRate(t, addresses, subject.Name(0))
			t.Logf("harvest rate %.3f, breadth-first %.3f", focused, plain)
			if focused < 2*plain {
				t.Errorf("the harvest rate is %.3f, that of breadth-first %.3f", focused, plain)
			}
		})
	}
}

// harvestRate crawls a tenth of a web with topics, and returns the share of the pages that are on
// the first one. Without a query the order is breadth-first.
func harvestRate(t *testing.T, addresses int, query string) float64 {
	t.Helper()
	const pages, sites = 3000, 150
	w := newSocketWeb(t, sockets{pages: pages, sites: sites, addresses: addresses, topics: fakeweb.SomeTopics(), serve: answer.Options{MaxSize: 4000}})
	c := &w.o.Config
	c.Pages, c.Query, c.Policy = pages/10, query, "breadth-first"
	c.DelayFactor, c.IPDelay, c.IPCap = 0, config.Duration{}, 8
	if query != "" {
		c.Policy = "topical"
		made, err := focus.Make(t.Context(), c, "")
		if err != nil {
			t.Fatal(err)
		}
		c.Topic = made.Text()
	}
	w.run(t, 0)
	found := w.server.Counter().Topic(0)
	if found.Answers < pages/10 {
		t.Fatalf("%+v: want %d answers", found, pages/10)
	}
	return found.Harvest
}
