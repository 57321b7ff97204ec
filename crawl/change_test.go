package crawl

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// askedSince counts the requests to a site after an instant of the server.
func (w *testWeb) askedSince(s int, at time.Duration) (n int) {
	for _, q := range w.server.Counter().Requests(graph.Site(s)) {
		if q.Start > at {
			n++
		}
	}
	return n
}

// A host that is put on the deny list is no longer requested from then on, also with the pages
// that wait already, in the running crawl and in the next.
func TestDenyWhileRunning(t *testing.T) {
	list := filepath.Join(t.TempDir(), "deny.txt")
	if err := os.WriteFile(list, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 600, 6, answer.Options{})
		w.o.Config.Deny, w.o.Config.Duration = list, config.Duration{Duration: 3 * time.Minute}
		host := w.web.SiteName(1)[len("http://"):]
		changed := time.Duration(0)
		w.o.Progress = func(s *history.Status) {
			if s.Ran > time.Minute && changed == 0 {
				if err := os.WriteFile(list, []byte(host+"\n"), 0o644); err != nil {
					t.Error(err)
				}
				changed = w.server.Counter().Now()
			}
		}
		w.run(t)
		if n := w.askedSince(1, 0); n < 10 {
			t.Fatalf("the site was asked %d times before: no test", n)
		}
		if n := w.askedSince(1, changed+2*denyEvery); n > 0 {
			t.Errorf("a denied site was asked %d times", n)
		}
		again := w.server.Counter().Now()
		w.o.Config.Duration, w.o.Seeds = config.Duration{}, nil
		sum := w.run(t)
		if n := w.askedSince(1, again); n > 0 || sum.Why != whyFinished {
			t.Errorf("after a restart it was asked %d times; the crawl %s", n, sum.Why)
		}
	})
}

// A narrower scope holds for pages that wait.
func TestNarrowerScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		w.o.Config.Pages = 60
		w.run(t)
		at := w.server.Counter().Now()
		w.o.Config.Pages, w.o.Config.Scope, w.o.Seeds = 0, config.ScopeSeeds, nil
		if sum := w.run(t); sum.Why != whyFinished || sum.Refused == 0 {
			t.Errorf("it %s with %d refused pages", sum.Why, sum.Refused)
		}
		for s := range w.web.Sites() {
			if n := w.askedSince(s, at); n > 0 && !strings.HasPrefix(w.server.URL(0), w.web.SiteName(graph.Site(s))) {
				t.Errorf("site %d outside the scope was asked %d times", s, n)
			}
		}
	})
}

// --recrawl may be switched on and off from one session to the next.
func TestRecrawlSwitched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 100, 10, answer.Options{})
		c := &w.o.Config
		w.run(t)
		first := w.statuses(t)[200]
		c.Recrawl, c.Duration = config.Duration{Duration: time.Hour}, config.Duration{Duration: 3 * time.Hour}
		w.o.Seeds = nil
		w.run(t)
		on := w.statuses(t)
		if on[200]+on[304] < first+100 {
			t.Errorf("with --recrawl %v answers after %d", on, first)
		}
		c.Recrawl, c.Duration = config.Duration{}, config.Duration{}
		if sum := w.run(t); sum.Why != whyFinished {
			t.Errorf("it %s", sum.Why)
		}
		if off := w.statuses(t); off[200]+off[304] != on[200]+on[304] {
			t.Errorf("without --recrawl again %v answers, before %v", off, on)
		}
	})
}

// When we are cut off no page and no site is given up.
func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 1200, 150, answer.Options{})
		w.o.Config.KeepAlive = config.Duration{} // open connections would outlive the outage
		began := time.Now()
		off := func() bool { d := time.Since(began); return d > 15*time.Second && d < 16*time.Minute }
		dial := w.o.Machine.Dial
		w.o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if off() {
				return nil, errors.New("network is unreachable")
			}
			return dial(ctx, network, addr)
		}
		sum := w.run(t)
		if sum.Why != whyFinished || sum.Fetched != 1200 {
			t.Errorf("it %s with %d of 1200 pages, %d failed, %d refused", sum.Why, sum.Fetched, sum.Failed, sum.Refused)
		}
	})
}

// A crawl that can reach nothing at all pauses.
func TestEndlessOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 1200, 150, answer.Options{})
		w.o.Config.KeepAlive = config.Duration{} // open connections would outlive the outage
		began := time.Now()
		dial := w.o.Machine.Dial
		w.o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if time.Since(began) > 15*time.Second {
				return nil, errors.New("network is unreachable")
			}
			return dial(ctx, network, addr)
		}
		if sum := w.run(t); sum.Why != whyUnreachable || sum.State != "paused" || sum.Ran > 2*time.Hour {
			t.Errorf("it ended by %s after %v", sum.Why, sum.Ran)
		}
	})
}
