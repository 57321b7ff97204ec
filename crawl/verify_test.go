package crawl

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// verify verifies the crawl of a web.
func (w *testWeb) verify(t *testing.T) *history.Findings {
	t.Helper()
	c := w.history(t)
	defer c.Close()
	f, err := c.Verify(history.VerifyOptions{Version: w.o.Version, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// clean demands that nothing was found.
func clean(t *testing.T, f *history.Findings) {
	t.Helper()
	for _, x := range f.List {
		t.Errorf("%+v", x)
	}
	if f.Count() != int64(len(f.List)) {
		t.Errorf("in all: %v", f.Kinds)
	}
}

// Idle connections count towards ip_cap, as far as the journal knows: here one fetcher has
// idle connections to four sites at one address.
func TestVerifyIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 60, 4, answer.Options{})
		w.server.SetAddresses(1)
		w.o.Config.Fetchers, w.o.Config.IPCap, w.o.Config.IPDelay = 1, 4, config.Duration{}
		w.run(t)
		clean(t, w.verify(t))
		configured("", "", func(c *config.Config) { c.IPCap = 2 }).change(t, w.disk)
		if f := w.verify(t); f.Kinds[history.FindAddress] == 0 {
			t.Errorf("found %v, want %s", f.Kinds, history.FindAddress)
		}
	})
}

// A crawl of all that the Web has on a usual day keeps its promises, in several
// settings and over restarts.
func TestVerifyClean(t *testing.T) {
	long(t)
	for i, test := range []struct {
		name string
		set  func(*config.Config) // before each session
		stop int64                // pages of each session but the last
	}{
		{"usual", func(*config.Config) {}, 0},
		{"restarted", func(*config.Config) {}, 100},
		{"many files", func(*config.Config) {}, 150},
		{"follower", func(*config.Config) {}, 150},
		{"keep-alive", func(c *config.Config) { c.PerConnection = 5 }, 200},
		{"small sites", func(c *config.Config) { c.SmallSite, c.SmallDelay = 20, config.Seconds(7) }, 300},
		{"links only", func(c *config.Config) { c.Store = config.StoreLinks }, 0},
		{"other delays", func(c *config.Config) {
			c.Delay, c.IPDelay = config.Duration{Duration: c.Delay.Duration * 3 / 2}, config.Duration{Duration: 2 * c.IPDelay.Duration}
			c.PerConnection++
		}, 200},
		{"shorter delays", func(c *config.Config) {
			c.Delay, c.DelayFactor = config.Duration{Duration: c.Delay.Duration / 2}, c.DelayFactor/2
		}, 200},
		{"other policies", func(c *config.Config) {
			c.Policy = map[string]string{"default": "breadth-first", "breadth-first": "opic", "opic": "foresight", "foresight": "breadth-first"}[c.Policy]
		}, 200},
		{"delay of a site", func(c *config.Config) {
			d := config.Seconds(9)
			c.Site = []config.Override{{Match: "s03.example", Delay: &d, PerConnection: 1}}
		}, 300},
		{"without robots.txt", func(c *config.Config) { c.Robots = false }, 0},
		{"recrawl", func(c *config.Config) { c.Recrawl, c.Duration = config.Seconds(3600), config.Seconds(2*3600) }, 0},
		{"two boards", func(c *config.Config) { c.SitePolicy = "larger-sites-first" }, 250},
	} {
		if testing.Short() && i%4 != 3 { // the follower, other delays, no robots.txt
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestWeb(t, 400, 30, answer.Mixed())
				switch sizes := &w.o.Machine.Sizes; test.name {
				case "many files":
					sizes.Archive, sizes.Journal, sizes.Replay = 100<<10, 20<<10, time.Millisecond
				case "follower":
					sizes.Journal, sizes.Replay, sizes.Copy = 20<<10, time.Millisecond, 1
				}
				for n := test.stop; n > 0 && n < 400; n += test.stop {
					test.set(&w.o.Config)
					w.o.Config.Pages = n
					w.run(t)
				}
				test.set(&w.o.Config)
				w.o.Config.Pages = 0
				sum := w.run(t)
				f := w.verify(t)
				clean(t, f)
				if f.Requests != sum.Requests || f.Pages != sum.Known || f.Stored == 0 && test.name != "links only" || f.Snapshots == 0 {
					t.Errorf("verified %+v", f)
				}
			})
		})
	}
}

// A site with a Crawl-delay, whose connection serves one request after the other, each after
// the delay, has one request at a time, also if per_connection allows rows.
func TestVerifyKeptWithDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 20, 1, answer.Options{Robots: answer.RobotsShares{Delay: 1, MaxDelay: 10 * time.Second}})
		w.o.Config.PerConnection, w.o.Config.IPCap = 4, 1
		w.run(t)
		clean(t, w.verify(t))
	})
}
