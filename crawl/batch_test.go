package crawl

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// A batch does not wait for a site that stops answering for days: its other pages are fetched,
// and the next batch is chosen among those that can be requested.
func TestBatchWithDeadSite(t *testing.T) {
	for _, mode := range []string{"thesis", "ahead"} {
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, map[string]http.HandlerFunc{"s0.example": siteOf(60), "s1.example": siteOf(60)}, "http://s0.example/", "http://s1.example/")
			w.o.Machine.Resolve = ownAddresses(24 * time.Hour)
			began := time.Now()
			w.cutOff(func(addr string) bool {
				at := time.Since(began)
				return at > time.Minute && at < 12*time.Hour && strings.HasPrefix(addr, publicAddr(1).String()+":")
			})
			c := &w.o.Config
			c.Batch, c.BatchMode, c.Delay, c.IPDelay = 20, mode, config.Seconds(4), config.Duration{}
			c.Duration = config.Duration{Duration: time.Hour}
			sum := w.run(t)
			if n := w.came(t, "s1.example"); n < 61 {
				t.Errorf("%s: %d pages of the site that answers in an hour, %d in all, stopped by %s", mode, n, sum.Fetched, sum.Why)
			}
			c.Duration = config.Duration{}
			w.o.Seeds = nil
			sum = w.run(t)
			for i := 0; i < 30 && sum.Why != whyFinished; i++ { // whoever runs it starts it again
				time.Sleep(6 * time.Hour)
				sum = w.run(t)
			}
			if sum.Fetched != 122 {
				t.Errorf("%s: %d pages at the end, stopped by %s", mode, sum.Fetched, sum.Why)
			}
		})
	}
}
