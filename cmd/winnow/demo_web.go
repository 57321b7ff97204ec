package main

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/show"
)

// The built-in web: some of everything that a crawler has to get right, as
// answer.Mixed has it, but for what makes a crawl wait for minutes: a robots.txt or a
// name that cannot be had is asked for again and again, and after each failure of a
// page its site is left alone for some seconds.
func (o *demoOptions) serve() (*serve.Server, *serve.Net, error) {
	pages := max(int(o.pages), 100)
	web, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: max(1, pages/10), Links: 12 * int64(pages), Seed: o.seed})
	if err != nil {
		return nil, nil, &usageError{err}
	}
	so := answer.Mixed()
	so.Seed = o.seed
	so.Robots.Broken, so.Robots.Busy, so.DNS.Failing = 0, 0, 0
	so.Pages.Broken, so.Pages.Busy, so.Pages.Reset = 0, 0.0005, 0.0003
	so.Robots.MaxDelay, so.RetryAfter = 50*time.Millisecond, time.Second
	so.MinLatency, so.MaxLatency = time.Millisecond, 20*time.Millisecond
	if o.preset != "" { // 0.1 to 2 s on the Web: all that takes time is faster alike
		so.MinLatency, so.MaxLatency = o.hastened(100*time.Millisecond), o.hastened(2*time.Second)
	}
	so.MinSize, so.MaxSize = 1000, 20_000
	so.HTTPS = 0.3
	server, err := serve.New(web, so)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	net, err := server.Listen(serve.Listen{HTTP: "127.0.0.1:0", TLS: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	return server, net, err
}

// demoDelay is how long a site of the demo is left alone.
const demoDelay = 10 * time.Millisecond

// demoConfig is polite in the small: the servers are on this machine and wait for nobody.
func demoConfig() config.Config {
	c := config.Default()
	c.Delay.Duration, c.DelayFactor, c.IPDelay.Duration, c.IPCap = demoDelay, 0, 0, 0
	c.Fetchers, c.Retries = 16, 1
	c.RetryDelay.Duration, c.Patience.Duration = demoDelay, 5*time.Second
	c.AllowPrivate = true
	c.MaxMemory = 256 << 20
	return demoUnlimited(c)
}

// demoUnlimited takes away the limits that an endless Web needs: this one ends, and its
// server knows which pages have to come.
func demoUnlimited(c config.Config) config.Config {
	c.MaxDepth, c.MaxDepthDynamic, c.SitePages, c.DomainPages = config.NoDepth, config.NoDepth, 0, 0
	// A site waits for the commit of its last answer. At a delay of seconds that is nothing;
	// here it must not be longer than the delay, or large sites have another turn than
	// their policy wants.
	c.Commit.Duration = demoDelay
	if d := leastDelay(&c); d > 0 && d < demoDelay {
		c.Commit.Duration = d
	}
	return c
}

// leastDelay is how long every site is left alone, small or not.
func leastDelay(c *config.Config) time.Duration {
	if c.SmallSite > 0 {
		return min(c.Delay.Duration, c.SmallDelay.Duration)
	}
	return c.Delay.Duration
}

// config is that of every crawl of this demo, but for the policy.
func (o *demoOptions) config(u *ui) (config.Config, error) {
	c := demoConfig()
	c.RandomSeed = o.seed
	if o.preset != "" {
		p, err := findPreset(u, o.preset)
		if err != nil {
			return c, err
		}
		if !(o.faster >= 1) {
			return c, usagef("--faster %g: want 1 or more", o.faster)
		}
		p.Apply(&c)
		c.Delay.Duration, c.SmallDelay.Duration = o.hastened(c.Delay.Duration), o.hastened(c.SmallDelay.Duration)
		c.Sitemaps = false // which the papers did not have
		c = demoUnlimited(c)
	}
	if o.fetchers < 0 {
		return c, usagef("--fetchers %d: want 1 or more", o.fetchers)
	}
	if o.fetchers > 0 {
		c.Fetchers = o.fetchers
	}
	return c, nil
}

func (o *demoOptions) hastened(d time.Duration) time.Duration {
	return time.Duration(float64(d) / o.faster)
}

// compared are the policies of a demo without --policy: experiment 2 of the thesis is
// about two (X35).
func (o *demoOptions) compared(policy string) []string {
	if o.preset == "thesis-exp2" {
		return []string{"breadth-first", "larger-sites-first"}
	}
	return []string{policy}
}

// settings is the preset in a line, as it was applied; "" if there is none.
func (d *demoCrawl) settings(o *demoOptions) string {
	if o.preset == "" {
		return ""
	}
	c := &d.config
	delay := c.Delay.String()
	if c.SmallSite > 0 {
		delay += fmt.Sprintf(" (%s for sites below %d pages)", c.SmallDelay, c.SmallSite)
	}
	return fmt.Sprintf("%s, delays divided by %g: %s between two requests to a site, %s, batches of %s",
		o.preset, o.faster, delay, show.Counted(int64(c.Fetchers), "fetcher"), show.Grouped(int64(c.Batch)))
}
