package live

import (
	"context"
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
// Retry-After, retries, addresses, delays of sites and kept connections are in its journal.
func TestReplayEqualsCrawl(t *testing.T) {
	for _, test := range replaySettings() {
		t.Run(test.name, func(t *testing.T) {
			test.web.Times = unevenTimes()
			spec := fakeweb.Spec{Pages: 150, Sites: 8, Links: 1200, Seed: 7}
			_, dir, _ := crawledWith(t, spec, 3, test.web, func(o *crawl.RunOptions) { test.set(&o.Config) }, test.pauses...)
			r := mustRead(t, dir)
			compareCourses(t, r)
		})
	}
}

// A replaySetting is a web and how it is crawled.
type replaySetting struct {
	name   string
	web    answer.Options
	set    func(*config.Config)
	pauses []pause
}

func replaySettings() []replaySetting {
	plain := func(*config.Config) {}
	delays := answer.Options{Agent: "winnow", Robots: answer.RobotsShares{Delay: 0.6, MaxDelay: 9 * time.Second}}
	busy := answer.Options{Pages: answer.PageShares{Busy: 0.05, Broken: 0.05, Reset: 0.05, NotFound: 0.05}}
	hanging := answer.Options{Pages: answer.PageShares{Hang: 0.03, Drip: 0.03, CutBody: 0.03}, Robots: answer.RobotsShares{Hanging: 0.2}}
	stops := []pause{{after: 5 * time.Second, off: time.Minute}, {after: 40 * time.Second, off: time.Hour}}
	kills := []pause{{after: 6 * time.Second, off: time.Second, kill: true}, {after: 23 * time.Second, off: time.Minute, kill: true}}
	return []replaySetting{
		{"stopped", answer.Mixed(), plain, stops},
		{"killed", answer.Mixed(), plain, kills},
		{"killed, foresight", answer.Mixed(), func(c *config.Config) { c.Policy = "foresight" }, kills},
		{"killed, hedge", answer.Hostile(), func(c *config.Config) { c.Policy = "hedge:opic+xim" }, kills},
		{"plain", answer.Options{}, plain, nil},
		{"Crawl-delay", delays, plain, nil},
		{"retries", busy, plain, nil},
		{"time-outs", hanging, plain, nil},
		{"sitemaps", answer.Options{Sitemaps: 0.7, SitemapShare: 0.5}, plain, nil},
		{"closed connections", answer.Options{NoKeepAlive: 0.5}, func(c *config.Config) { c.Delay = config.Seconds(1) }, nil},
		{"no kept connections", delays, func(c *config.Config) { c.KeepAlive, c.PerConnection = config.Duration{}, 3 }, nil},
		{"few fetchers", answer.Mixed(), func(c *config.Config) { c.Fetchers, c.KeepMost = 2, 1 }, nil},
		{"addresses", answer.Mixed(), func(c *config.Config) { c.IPCap, c.IPDelay = 1, config.Seconds(1.5) }, nil},
		{"delays of sites", answer.Mixed(), func(c *config.Config) {
			five, none := config.Seconds(5), config.Seconds(0)
			c.Site = []config.Override{{Match: "s0.example", Delay: &five, PerConnection: 1}, {Match: "s3.example", Delay: &none}}
			c.PerConnection = 4
		}, nil},
		{"some pages", answer.Mixed(), func(c *config.Config) { c.Pages = 60 }, nil},
		{"opic", answer.Mixed(), func(c *config.Config) { c.Policy = "opic" }, nil},
		{"mixed", answer.Mixed(), plain, nil},
		{"hostile", answer.Hostile(), plain, nil},
	}
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
	if len(got.Order) != len(want.Order) || len(want.Order) < 50 {
		t.Errorf("%d pages are fetched in the simulation, %d in the crawl", len(got.Order), len(want.Order))
	}
}
