package explain_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// A page whose site is left idle for better pages says so. The status counts such sites, and the
// list of next pages has none of their pages before those.
func TestWaitsForBetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "backlink-count", answer.Options{})
		w.o.Config.WaitForBetter, w.o.Config.Duration = "1h", config.Seconds(40)
		w.run(t, 120)
		c := w.crawl(t)
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		left := s.PagesLeft()
		idle := map[graph.Site]bool{}
		for site := range graph.Site(s.Frontier.Sites()) {
			idle[site] = s.Frontier.BelowFloor(left, site)
		}
		said := 0
		for p := range graph.Page(s.Frontier.Pages()) {
			if !s.Frontier.Waits(p) {
				continue
			}
			x, err := explain.URL(c, string(s.AppendURL(nil, p)), explain.Options{Now: time.Now(), Status: &history.Status{State: history.StateRunning}, Visits: 3, Links: 3})
			if err != nil {
				t.Fatal(err)
			}
			says := strings.Contains(x.Sentence, "its site is left idle")
			if says != idle[s.Frontier.Site(p)] {
				t.Errorf("%d pages are left, its site is idle: %v, and %s", left, idle[s.Frontier.Site(p)], x.Sentence)
			}
			if says {
				said++
			}
		}
		if left <= 0 || said == 0 {
			t.Fatalf("%d pages are left, and %d wait for better ones", left, said)
		}
		next := handouts(t, c, 3)
		if len(next) != 3 || slices.ContainsFunc(next, func(x explain.Handout) bool { return x.By == "better" }) {
			t.Errorf("%+v", next)
		}
	})
}
