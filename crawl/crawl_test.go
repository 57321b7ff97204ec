package crawl

import (
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A whole crawl of a web where nothing is odd.
func TestPlainWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		sum := w.run(t)
		if sum.Why != whyFinished || sum.Fetched != 400 {
			t.Errorf("it %s with %d of 400 pages", sum.Why, sum.Fetched)
		}
		w.check(t, answer.Limits{})
	})
}

// Everything that the Web has on a usual day.
func TestMixedWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 1000, 60, answer.Mixed())
		sum := w.run(t)
		t.Logf("%+v", sum)
		w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(w.o.Config.MaxBody)})
	})
}
