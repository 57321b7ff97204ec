package partition

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A crawl with partitions fetches what one without fetches: every page once.
func TestCross(t *testing.T) {
	for _, n := range []int{1, 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestWeb(t, fakeweb.Spec{Pages: 300, Sites: 30, Links: 2400, Seed: 7}, answer.Options{})
				w.o.Config.Partitions = n
				w.o.Config.Policy = "opic"
				sum := w.run(t)
				if sum.Why != whyFinished || sum.Fetched < 250 {
					t.Errorf("it ended because of %s with %d pages of %d", sum.Why, sum.Fetched, sum.Known)
				}
				t.Log(sum.Known, sum.Fetched, sum.Foreign, sum.Seconds)
				w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(w.o.Config.MaxBody)})
			})
		})
	}
}
