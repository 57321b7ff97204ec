// Package demo makes a synthetic web for a crawl over real sockets, with the configuration
// of the crawl, and checks the crawl against the server's count.
package demo

import (
	"fmt"
	"github.com/winnow-crawler/winnow/graph"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/show"
)

// Options configure the web and its crawl.
type Options struct {
	Pages    int
	Seed     uint64
	Preset   string  // name of a preset, "" for none
	Faster   float64 // with a preset, delays and latencies are divided by it
	Fetchers int     // 0 for those of the preset, or 16
}

// Serve serves the web on this machine. It has some of everything that a crawler must
// handle, as answer.Mixed has, but nothing that makes a crawl wait for minutes: failures of
// robots.txt and DNS are requested again and again, and after each failure of a page its
// site is skipped for some seconds.
func (o *Options) Serve() (*serve.Server, *serve.Net, error) {
	pages := max(o.Pages, leastPages)
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(1, pages/10), Links: 12 * int64(pages), Seed: o.Seed})
	if err != nil {
		return nil, nil, err
	}
	so := answer.Mixed()
	so.Seed = o.Seed
	so.Robots.Broken, so.Robots.Busy, so.DNS.Failing = 0, 0, 0
	so.Pages.Broken, so.Pages.Busy, so.Pages.Reset = 0, 0.0005, 0.0003
	so.Robots.MaxDelay, so.RetryAfter = 50*time.Millisecond, time.Second
	so.MinLatency, so.MaxLatency = time.Millisecond, 20*time.Millisecond
	if o.Preset != "" { // 0.1 to 2 s on the Web
		so.MinLatency, so.MaxLatency = o.divided(100*time.Millisecond), o.divided(2*time.Second)
	}
	so.MinSize, so.MaxSize = 1000, 20_000
	so.HTTPS = 0.3
	server, err := serve.New(web, so)
	if err != nil {
		return nil, nil, err
	}
	net, err := server.Listen(serve.Listen{HTTP: "127.0.0.1:0", TLS: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	return server, net, err
}

// leastPages is the size of the smallest web.
const leastPages = 100

// thesisBatches is the number of batches in which the thesis' experiment 1 crawled: 3 million
// pages by 100,000.
const thesisBatches = 30

// thesis reports whether this is an experiment of the thesis, section 4.5.
func (o *Options) thesis() bool { return strings.HasPrefix(o.Preset, "thesis-") }

// Seeds returns where the crawl begins: at the first page, from which all can be reached; in the
// experiments of the thesis at the home page of every site, as those began with all registered
// domains (4.5.1).
func (o *Options) Seeds(s *serve.Server) []string {
	if !o.thesis() {
		return []string{s.URL(0)}
	}
	web := s.Web()
	seeds := make([]string, web.Sites())
	for i := range seeds {
		seeds[i] = s.URL(web.Home(graph.Site(i)))
	}
	return seeds
}

func (o *Options) divided(d time.Duration) time.Duration {
	return time.Duration(float64(d) / o.Faster)
}

// Delay is the delay between two requests to a site without a preset.
const Delay = 10 * time.Millisecond

// Config returns the configuration of the crawl.
func (o *Options) Config() config.Config {
	c := config.Default()
	c.Scope = config.ScopeAny
	c.Delay.Duration, c.DelayFactor, c.IPDelay.Duration, c.IPCap = Delay, 0, 0, 0
	c.Fetchers, c.Retries = 16, 1
	c.RetryDelay.Duration, c.Patience.Duration = Delay, 5*time.Second
	c.AllowPrivate, c.MaxMemory, c.RandomSeed = true, 1<<30, o.Seed
	if p, ok := config.FindPreset(o.Preset); ok {
		p.Apply(&c)
		c.Delay.Duration, c.SmallDelay.Duration = o.divided(c.Delay.Duration), o.divided(c.SmallDelay.Duration)
		c.Sitemaps = false // the papers had none
		if o.thesis() {
			c.Batch = max(1, max(o.Pages, leastPages)/thesisBatches)
		}
	}
	if o.Fetchers > 0 {
		c.Fetchers = o.Fetchers
	}
	// This web ends, and its server knows which pages a crawl has to fetch.
	c.MaxDepth, c.MaxDepthDynamic, c.SitePages, c.DomainPages = config.NoDepth, config.NoDepth, 0, 0
	// A site waits for the commit of its last answer. That must not take longer than the
	// delay, or large sites get another turn than their policy wants.
	c.Commit.Duration = Delay
	if d := leastDelay(&c); d > 0 && d < Delay {
		c.Commit.Duration = d
	}
	return c
}

// leastDelay returns the delay between two requests to any site, small or large.
func leastDelay(c *config.Config) time.Duration {
	if c.SmallSite > 0 {
		return min(c.Delay.Duration, c.SmallDelay.Duration)
	}
	return c.Delay.Duration
}

// Settings describes a configuration in a line, "" without a preset.
func (o *Options) Settings(c *config.Config) string {
	if o.Preset == "" {
		return ""
	}
	delay := c.Delay.String()
	if c.SmallSite > 0 {
		delay += fmt.Sprintf(" (%s for sites below %d pages)", c.SmallDelay, c.SmallSite)
	}
	return fmt.Sprintf("%s, delays divided by %g: %s between two requests to a site, %s, batches of %s",
		o.Preset, o.Faster, delay, show.Counted(c.Fetchers, "fetcher"), show.Grouped(c.Batch))
}

// Violations returns what the server found wrong with a crawl: broken rules and pages that
// were not fetched as they should have been.
func Violations(s *serve.Server, c *config.Config) []count.Violation {
	found := s.Counter().Check(count.Demands{Delay: leastDelay(c), PerConnection: c.PerConnection})
	wanted := s.Wanted(answer.Limits{Sitemaps: c.Sitemaps, MaxBody: int(c.MaxBody)})
	return append(found, s.Counter().CheckWanted(wanted)...)
}
