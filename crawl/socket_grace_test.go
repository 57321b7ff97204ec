package crawl

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// Servers that take long do not keep a crawl from stopping at its limit: what is under
// way some seconds later is given up, and asked for again by the next run.
func TestLimitEndsInTime(t *testing.T) {
	for _, limit := range []func(*config.Config){
		func(c *config.Config) { c.Duration = config.Seconds(40) },
		func(c *config.Config) { c.Bytes = 30_000 },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, 300, 12, answer.Options{MinLatency: 10 * time.Second, MaxLatency: 12 * time.Second})
			w.o.Config.DelayFactor = 0 // at every moment something is under way
			limit(&w.o.Config)
			sum := w.run(t)
			if sum.Why != whyDuration && sum.Why != whyBytes {
				t.Fatalf("it %s", sum.Why)
			}
			if sum.Why == whyDuration {
				const last = 40 * time.Second
				if sum.Ran > last+grace+time.Second {
					t.Errorf("it ended after %v, want %v at most after its limit of %v", sum.Ran, grace, last)
				}
			}
			w.o.Config.Duration, w.o.Config.Bytes, w.o.Seeds = config.Duration{}, 0, nil
			if sum := w.run(t); sum.Why != whyFinished || sum.Fetched != 300 {
				t.Errorf("afterwards it %s with %d of 300 pages", sum.Why, sum.Fetched)
			}
		})
	}
}
