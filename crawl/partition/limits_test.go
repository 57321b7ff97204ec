package partition

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// The limits of a crawl are those of all partitions together: pages are never exceeded, not even
// over restarts, and all stop for the same reason.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, fakeweb.Spec{Pages: 200, Sites: 20, Links: 1600, Seed: 7}, answer.Options{})
		c := &w.o.Config
		c.Partitions, c.Policy, c.Pages, c.MaxMemory = 4, "opic", 33, 1<<30
		if sum := w.run(t); sum.Why != whyPages || sum.Fetched-sum.Redirects != 33 {
			t.Errorf("%d pages, because of %s", sum.Fetched-sum.Redirects, sum.Why)
		}
		c.Pages = 60
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		sum, err := Run(ctx, w.o)
		if err != nil {
			t.Fatal(err)
		}
		n := sum.Fetched - sum.Redirects
		if n < 33 || n > 55 {
			t.Errorf("%d pages after another run", n)
		}
		c.Pages = n + 3 // less than was granted
		if sum := w.run(t); sum.Why != whyPages || sum.Fetched-sum.Redirects != n+3 {
			t.Errorf("%d pages, because of %s", sum.Fetched-sum.Redirects, sum.Why)
		}
		c.Pages = 60
		if sum := w.run(t); sum.Why != whyPages || sum.Fetched-sum.Redirects != 60 {
			t.Errorf("%d pages, because of %s", sum.Fetched-sum.Redirects, sum.Why)
		}
		c.Pages, c.Bytes = 0, config.Size(sum.Bytes+20_000)
		if sum := w.run(t); sum.Why != whyBytes || sum.Fetched >= 200 {
			t.Errorf("%d pages, because of %s", sum.Fetched, sum.Why)
		}
		w.checkGrants(t, 4, 60)
		c.Bytes = 0
		if sum := w.run(t); sum.Why != whyFinished || sum.Fetched-sum.Redirects != 200 {
			t.Errorf("%d pages, because of %s", sum.Fetched-sum.Redirects, sum.Why)
		}
	})
}

// checkGrants adds up the grants in the journals: partition 0 decides all of them, the others know
// what they have got, and none has fetched more. A grant of an earlier limit has gone back.
func (w *testWeb) checkGrants(t *testing.T, n int, limit int64) {
	t.Helper()
	granted, held := make([]int64, n), int64(0)
	for i := range n {
		p, _ := w.parts(t, layout.PartitionName(i)+"/")
		_, err := journal.Read(p.Journal, 0, func(r *journal.Record) error {
			switch e := &r.Event; {
			case e.Kind == event.Granted && i == 0:
				granted[e.Part] += e.Pages
			case e.Kind == event.Granted:
				t.Errorf("partition %d grants pages", i)
			case e.Kind == event.Wanted:
				granted[i] -= e.Pages
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w.withState(t, i, func(s *state.State) {
			if b := &s.Budget; b.Allowed > granted[i] || s.Fetched() > b.Allowed || b.Limit != limit {
				t.Errorf("partition %d has fetched %d pages, may fetch %d of %d, and was granted %d", i, s.Fetched(), b.Allowed, b.Limit, granted[i])
			}
			held += s.Budget.Allowed
		})
	}
	if held > limit {
		t.Errorf("%d pages are granted, of %d", held, limit)
	}
}

// A crawl that is killed does not fetch more pages than it may: what was granted to a partition and
// not fetched is granted again.
func TestLimitsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFaultWeb(t, 3)
		c := &w.o.Config
		c.Partitions, c.Pages = 4, 40
		kills := 0
		for n := 60; ; n += 20 {
			w.root.Stop(n)
			sum, _, err := w.crawl(t.Context())
			if err == nil {
				if sum.Why != whyPages || sum.Fetched-sum.Redirects != 40 {
					t.Errorf("%d pages, because of %s", sum.Fetched-sum.Redirects, sum.Why)
				}
				break
			}
			if !errors.Is(err, disk.ErrStopped) {
				t.Fatal(err)
			}
			kills++
			w.root = w.root.Kill()
			w.root.Stop(-1)
		}
		w.checkGrants(t, 4, 40)
		if w.verify(t, 4); kills < 3 {
			t.Errorf("killed %d times", kills)
		}
	})
}

// The number of partitions is fixed, and what does not work with several is refused.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, fakeweb.Spec{Pages: 20, Sites: 4, Links: 100, Seed: 7}, answer.Options{})
		refused := func(says string) {
			t.Helper()
			var x *hint.Error
			if _, err := Run(t.Context(), w.o); !errors.As(err, &x) || !strings.Contains(x.Text, says) || x.Hint == "" {
				t.Errorf("it says %v, want %s", err, says)
			}
		}
		w.o.Config.Partitions, w.o.Config.KeepPages = 2, 1
		refused("keep_pages cannot be used")
		w.o.Config.KeepPages, w.o.Config.StopWhen = 0, "importance > 0.5"
		refused("stop_when cannot be used")
		w.o.Config.StopWhen = ""
		w.run(t)
		w.o.Config.Partitions = 3
		refused("has 2 partitions, not 3")
	})
}

// A hostile web costs with several partitions what it costs with one, by the server's count: every
// wanted page comes, the traps get hardly more requests, and rules of politeness hold. Farms lie in
// several partitions, and so do sites to which a robots.txt moved.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("two crawls of a hostile web; TestFaults has fewer pages and all goroutines")
	}
	traps := map[int]float64{}
	for _, n := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			so := answer.Hostile()
			so.Seed, so.CrowdLinks, so.MaxSize = 5, 2000, 4000
			w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 800, Sites: 70, Links: 6400, Seed: 5}, so)}
			c := &w.o.Config
			c.Partitions, c.MaxMemory, c.Pages = n, 1<<30, 3200
			if sum := w.run(t); sum.Why != whyUnreachable {
				t.Errorf("it ended because of %s", sum.Why)
			}
			w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody), MaxDepth: max(0, int(c.MaxDepth))})
			if n > 1 {
				w.verify(t, n)
			}
			s := w.server.Counter().Summary()
			if traps[n] = s.TrapShare * float64(s.Requests); s.TrapKinds["farm"] < 20 {
				t.Errorf("there is no farm: %v", s.TrapKinds)
			}
		})
	}
	t.Logf("requests in traps: %.0f with one partition, %.0f with four", traps[1], traps[4])
	if traps[4] > 1.25*traps[1] {
		t.Errorf("%.0f requests in traps with four partitions, %.0f with one", traps[4], traps[1])
	}
}
