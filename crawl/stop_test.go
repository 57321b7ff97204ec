package crawl

import (
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// A crawl pauses when --stop-when holds, with the reason, and goes on without it (S22).
func TestStopWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTimelessWeb(t, "breadth-first", false)
		w.o.Config.StopWhen = "importance >= 0.8 and pages > 120"
		first := w.run(t)
		if first.Why != whyStopWhen || first.State != "paused" || first.Waiting == 0 {
			t.Fatalf("%s: %s with %d pages, %d wait", first.State, first.Why, first.Fetched, first.Waiting)
		}
		w.o.Seeds = nil
		if again := w.run(t); again.Why != whyStopWhen || again.Fetched != first.Fetched {
			t.Errorf("the same condition, again: %s with %d pages, and it had %d", again.Why, again.Fetched, first.Fetched)
		}
		w.o.Config.StopWhen = config.StopOff
		if last := w.run(t); last.Why != whyFinished || last.Fetched <= first.Fetched {
			t.Errorf("without it: %s with %d pages", last.Why, last.Fetched)
		}
	})
}

// A crawl that was interrupted stops at the page at which one that was not does: what the
// condition is about is read from the journal again.
func TestStopWhenResumed(t *testing.T) {
	for _, cond := range []string{"importance >= 0.8", "certain >= 0.5", "gain < 0.06"} {
		var whole int64
		synctest.Test(t, func(t *testing.T) {
			w := newTimelessWeb(t, "breadth-first", false)
			w.o.Config.StopWhen = cond
			sum := w.run(t)
			if whole = sum.Fetched; sum.Why != whyStopWhen || whole < 100 || whole > 340 {
				t.Fatalf("%s: %s with %d pages is no test", cond, sum.Why, whole)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			w := newTimelessWeb(t, "breadth-first", false)
			w.o.Config.StopWhen = cond
			for _, n := range []int64{40, 104} {
				w.o.Config.Pages = min(n, whole-10)
				w.run(t)
				w.o.Seeds = nil
			}
			w.o.Config.Pages = 0
			if sum := w.run(t); sum.Why != whyStopWhen || sum.Fetched != whole {
				t.Errorf("%s: %s with %d pages, want %d", cond, sum.Why, sum.Fetched, whole)
			}
		})
	}
}

// A crawl about something stops when no page was hot for a while, and one that was interrupted
// does so at the same page.
func TestStopSinceHot(t *testing.T) {
	var whole int64
	for _, pauses := range [][]int64{nil, {40, 90}} {
		synctest.Test(t, func(t *testing.T) {
			w := newTimelessWeb(t, "breadth-first", false)
			w.o.Config.StopWhen, w.o.Config.Query, w.o.Config.Hot = "since_hot > 8", "winter river", "0.85"
			for _, n := range pauses {
				w.o.Config.Pages = n
				w.run(t)
				w.o.Seeds = nil
			}
			w.o.Config.Pages = 0
			sum := w.run(t)
			if sum.Why != whyStopWhen || sum.Fetched < 95 {
				t.Fatalf("%s with %d pages", sum.Why, sum.Fetched)
			}
			if pauses != nil && sum.Fetched != whole {
				t.Errorf("with pauses it stopped after %d pages, want %d", sum.Fetched, whole)
			}
			whole = sum.Fetched
		})
	}
}

// A condition that cannot be read is refused before anything is made.
func TestStopWhenWrong(t *testing.T) {
	c := config.Default()
	c.StopWhen = "importance > "
	if err := c.Check(); err == nil {
		t.Error("no error")
	}
}
