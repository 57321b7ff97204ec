package live

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// A crawl that is simulated again under its own policy, in its own world and with its own
// times, fetches the same pages in the same order at the same instants: Crawl-delay,
// Retry-After, retries, addresses, delays of sites, kept connections, mirrors, sessions and
// outages are in its journal. Another policy fetches the same pages in another order.
func TestReplayEqualsCrawl(t *testing.T) {
	for i, test := range replaySettings() {
		if testing.Short() && i%4 != 0 {
			continue // the race detector takes eight times as long, and the others start the same goroutines
		}
		t.Run(test.name, func(t *testing.T) {
			r := mustRead(t, test.crawl(t), "random")
			compareCourses(t, r)
			if got, want := len(r.Runs[1].Result.Order), len(r.Real.Result.Order); got != want {
				t.Errorf("in random order %d of %d pages are fetched", got, want)
			}
		})
	}
}

// A replaySetting is a web and how it is crawled.
type replaySetting struct {
	name   string
	web    answer.Options
	set    func(*crawl.RunOptions)
	pauses []pause
	stored bool   // pages in WARC files
	seed   uint64 // of the graph; 0: 7
	pages  int    // of it; 0: 100
}

func (x *replaySetting) crawl(t *testing.T) (dir string) {
	x.web.Times = unevenTimes()
	n := cmp.Or(x.pages, 100)
	spec := fakeweb.Spec{Pages: n, Sites: max(8, n/20), Links: int64(8 * n), Seed: cmp.Or(x.seed, 7)}
	_, dir, _ = crawledWith(t, spec, 3, x.web, func(o *crawl.RunOptions) {
		if !x.stored {
			o.Config.Store = config.StoreLinks // WARC files take half of the time, and nothing here reads them
		}
		x.set(o)
	}, x.pauses...)
	return dir
}

// with returns a change of the configuration.
func with(change func(*config.Config)) func(*crawl.RunOptions) {
	return func(o *crawl.RunOptions) { change(&o.Config) }
}

// under returns the choice of a policy.
func under(policy string) func(*crawl.RunOptions) {
	return with(func(c *config.Config) { c.Policy = policy })
}

// about returns a crawl with a topic, which visits pages again if that is given, in seconds.
func about(policy, query string, again float64) func(*crawl.RunOptions) {
	return with(func(c *config.Config) {
		c.Policy, c.Query, c.Similarity, c.Hot = policy, query, "cosine", "0.05"
		if again > 0 {
			c.Recrawl, c.Revisit, c.Duration = config.Seconds(again), "default", config.Seconds(2*again)
		}
	})
}

func replaySettings() []replaySetting {
	plain := under("breadth-first")
	delays := answer.Options{Agent: "winnow", Robots: answer.RobotsShares{Delay: 0.6, MaxDelay: 9 * time.Second}}
	busy := answer.Options{Pages: answer.PageShares{Busy: 0.05, Broken: 0.05, Reset: 0.05, NotFound: 0.05}}
	shownBusy := busy
	shownBusy.Shown = true
	hanging := answer.Options{Pages: answer.PageShares{Hang: 0.03, Drip: 0.03, CutBody: 0.03}, Robots: answer.RobotsShares{Hanging: 0.2}}
	stops := []pause{{after: 5 * time.Second, off: time.Minute}, {after: 40 * time.Second, off: time.Hour}}
	kills := []pause{{after: 6 * time.Second, off: time.Second, kill: true}, {after: 23 * time.Second, off: time.Minute, kill: true}}
	return []replaySetting{
		{name: "plain", stored: true, set: plain},
		{name: "Crawl-delay", web: delays, set: plain},
		{name: "retries", web: busy, set: plain},
		{name: "time-outs", web: hanging, set: plain},
		{name: "sitemaps", web: answer.Options{Sitemaps: 0.7, SitemapShare: 0.5}, set: plain},
		{name: "priorities", web: answer.Options{Sitemaps: 1, SitemapShare: 0.7, Priorities: answer.PriorityShares{Typed: 0.3, False: 0.6}}, set: under("foresight"), pages: 250},
		{name: "sitemaps only", web: answer.Options{Sitemaps: 1, SitemapShare: 0.8}, set: everySite(func(c *config.Config) { c.SitemapOnly = true })},
		{name: "twins", web: answer.Options{HTTPS: 0.5}, set: everySite(func(c *config.Config) { c.KeepAlive = config.Duration{} })},
		{name: "closed connections", web: answer.Options{NoKeepAlive: 0.5}, set: with(func(c *config.Config) { c.Delay = config.Seconds(1) })},
		{name: "no kept connections", web: delays, set: with(func(c *config.Config) { c.KeepAlive, c.PerConnection = config.Duration{}, 3 })},
		{name: "few fetchers", web: answer.Mixed(), set: with(func(c *config.Config) { c.Fetchers, c.KeepMost = 2, 1 })},
		{name: "addresses", web: answer.Mixed(), set: with(func(c *config.Config) { c.IPCap, c.IPDelay = 1, config.Seconds(1.5) })},
		{name: "delays of sites", web: answer.Mixed(), set: with(func(c *config.Config) {
			five, none := config.Seconds(5), config.Seconds(0)
			c.Site = []config.Override{{Match: "s0.example", Delay: &five, PerConnection: 1}, {Match: "s3.example", Delay: &none}}
			c.PerConnection = 4
		})},
		{name: "some pages", web: busy, set: with(func(c *config.Config) { c.Pages, c.Policy = 60, "opic" })},
		{name: "some time", web: answer.Mixed(), set: with(func(c *config.Config) { c.Duration = config.Seconds(25) })},
		{name: "some bytes", stored: true, web: answer.Mixed(), set: with(func(c *config.Config) { c.Bytes = 400_000 })},
		{name: "stopped", web: answer.Mixed(), set: plain, pauses: stops},
		{name: "killed", stored: true, web: answer.Mixed(), set: under("foresight"), pauses: kills},
		{name: "killed by pages", web: busy, set: with(func(c *config.Config) { c.Pages, c.Policy = 80, "hedge:opic+xim" }), pauses: kills},
		{name: "cut off", set: cutOff(func() (net.Conn, error) { return nil, errors.New("no route to host") })},
		{name: "portal", set: cutOff(portal)},
		{name: "mix", web: answer.Mixed(), set: under("mix:opic+xim")},
		{name: "hostile", stored: true, web: answer.Hostile(), set: under("foresight")},
		{name: "recrawl", web: answer.Mixed(), set: with(func(c *config.Config) {
			c.Recrawl, c.Revisit, c.Duration = config.Seconds(40), "each", config.Seconds(120)
		})},
		{name: "revisit", web: answer.Mixed(), set: with(func(c *config.Config) {
			c.Recrawl, c.Revisit, c.Duration = config.Seconds(40), "default", config.Seconds(120)
		})},
		{name: "revisit, killed", stored: true, web: answer.Mixed(), set: with(func(c *config.Config) {
			c.Recrawl, c.Revisit, c.Duration = config.Seconds(40), "default", config.Seconds(120)
		}), pauses: kills},
		{name: "balance", web: busy, set: with(func(c *config.Config) {
			c.Recrawl, c.Balance, c.Duration = config.Seconds(100), "volume=40,quality=40,freshness=20", config.Seconds(60)
		})},
		{name: "about something", stored: true, web: answer.Mixed(), set: about("topical", "winter river", 0)},
		{name: "about something, killed", web: answer.Mixed(), set: about("two-queue", "mountain garden", 0), pauses: kills},
		{name: "about something, again", web: busy, set: about("best-first", "winter", 60)},
		{name: "requisites", stored: true, web: answer.Options{Shown: true}, set: shown(func(c *config.Config) {})},
		{name: "requisites, one host for all", stored: true, web: answer.Options{Shown: true}, set: shown(func(c *config.Config) {
			c.Policy, c.Scope, c.Fetchers = "foresight", "regexp:^http://s[0-6]\\.", 3
		})},
		{name: "requisites, some pages", stored: true, web: shownBusy, set: shown(func(c *config.Config) { c.Pages = 60 })},
		{name: "requisites, killed", stored: true, web: shownBusy, set: shown(func(c *config.Config) { c.IPCap, c.IPDelay = 1, config.Seconds(1.5) }), pauses: kills},
		{name: "requisites, in batches", stored: true, web: answer.Options{Shown: true}, set: shown(func(c *config.Config) { c.Batch, c.BatchMode = 10, "thesis" })},
		{name: "requisites, about something", stored: true, web: answer.Options{Shown: true}, set: func(o *crawl.RunOptions) {
			about("topical", "winter river", 0)(o)
			o.Config.Requisites, o.Config.Pages = true, 60
		}},
		{name: "mirrors", web: answer.Options{Copies: answer.CopyShares{Mirrors: 1}}, set: under("backlink-count")},
	}
}

// shown fetches the requisites of pages, too.
func shown(change func(*config.Config)) func(*crawl.RunOptions) {
	return with(func(c *config.Config) {
		c.Requisites = true
		change(c)
	})
}

// everySite makes the homes of all sites seeds, under both schemes.
func everySite(change func(*config.Config)) func(*crawl.RunOptions) {
	return func(o *crawl.RunOptions) {
		change(&o.Config)
		for i := range 8 {
			o.Seeds = append(o.Seeds, fmt.Sprintf("http://s%d.example/", i), fmt.Sprintf("https://s%d.example/", i))
		}
	}
}

// cutOff lets something else answer in the place of all sites for some minutes.
func cutOff(dial func() (net.Conn, error)) func(*crawl.RunOptions) {
	return func(o *crawl.RunOptions) {
		began, real := time.Now(), o.Machine.Dial
		o.Config.Policy, o.Config.KeepAlive = "opic", config.Duration{}
		o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if d := time.Since(began); d > 10*time.Second && d < 5*time.Minute {
				return dial()
			}
			return real(ctx, network, addr)
		}
	}
}

// portal returns a connection that answers everything with the same page.
func portal() (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		if _, err := http.ReadRequest(bufio.NewReader(far)); err == nil {
			io.WriteString(far, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Log in</title>Log in to use this network.")
		}
	}()
	return near, nil
}

// unevenTimes lets every request take a time of its own, so that no two end at one instant.
func unevenTimes() answer.Times {
	spread := func(most time.Duration, a, b uint32) time.Duration {
		return time.Duration(policy.Hash(3, uint64(a), uint64(b)) % uint64(most))
	}
	return answer.Times{
		Resolve: func(s graph.Site, n uint32) time.Duration {
			return time.Millisecond + spread(50*time.Millisecond, uint32(s), n)
		},
		Connect: func(_ context.Context, s graph.Site, n uint32) time.Duration {
			return time.Millisecond + spread(90*time.Millisecond, uint32(s)+1<<30, n)
		},
		FirstByte: func(s graph.Site, p graph.Page, n uint32) time.Duration {
			return 10*time.Millisecond + spread(200*time.Millisecond, uint32(p)+uint32(s)<<20, n)
		},
	}
}

// compareCourses compares the crawl with the simulation of its own policy, page by page.
func compareCourses(t *testing.T, r *Report) {
	t.Helper()
	got, want := r.Runs[0].Result, r.Real.Result
	for i := range min(len(got.Order), len(want.Order)) {
		if got.Order[i] != want.Order[i] || got.Start[i] != want.Start[i] || got.End[i] != want.End[i] {
			t.Fatalf("fetch %d of %d is page %d from %v to %v, in the crawl page %d from %v to %v", i, len(want.Order),
				got.Order[i], got.Start[i], got.End[i], want.Order[i], want.Start[i], want.End[i])
		}
	}
	if got.Requests != want.Requests {
		t.Errorf("%d requests in the simulation, %d in the crawl", got.Requests, want.Requests)
	}
	if len(got.Order) != len(want.Order) || len(want.Order) < 50 {
		t.Errorf("%d pages are fetched in the simulation, %d in the crawl", len(got.Order), len(want.Order))
	}
}
