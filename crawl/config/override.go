package config

import (
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
)

// An Override is a [[site]] table of the configuration: what differs for the hosts that
// it matches. What it leaves out is as for all sites.
type Override struct {
	Match         string    `toml:"match" help:"a host, or a domain with all hosts below it"`
	Delay         *Duration `toml:"delay,omitempty" help:"instead of delay, also for small sites; crawl-delay and Retry-After still hold"`
	PerConnection int       `toml:"per_connection,omitempty" help:"instead of per_connection"`
	Header        []string  `toml:"header,omitempty" help:"request headers for these sites, after those for all"`
	MaxPages      int       `toml:"max_pages,omitempty" help:"instead of site_pages"`
}

// OverrideFor returns the override of a host: the one whose match has the most labels, of
// two with as many the first; nil if there is none. The host is in normal form, without
// port.
func (c *Config) OverrideFor(host string) *Override {
	var best *Override
	for i := range c.Site {
		o := &c.Site[i]
		if matchesHost(o.Match, host) && (best == nil || len(o.Match) > len(best.Match)) {
			best = o
		}
	}
	return best
}

// matchesHost reports whether host is the name itself or one below it. All matches of one
// host are ends of it, so that the longest has the most labels.
func matchesHost(name, host string) bool {
	above, found := strings.CutSuffix(host, name)
	return found && (above == "" || strings.HasSuffix(above, "."))
}

// Overrides are the exceptions of a configuration, asked for by site. A crawl has few
// of them or none.
type Overrides struct {
	c       *Config
	Headers *SiteHeaders
}

func NewOverrides(c *Config) Overrides { return Overrides{c: c, Headers: NewSiteHeaders(c)} }

// of returns the override of a site, nil if there is none.
func (o *Overrides) of(site []byte) *Override {
	if len(o.c.Site) == 0 {
		return nil
	}
	return o.c.OverrideFor(string(page.Host(site)))
}

// PerConnection returns how many pages one connection to a site may serve.
func (o *Overrides) PerConnection(site []byte) int {
	if x := o.of(site); x != nil && x.PerConnection > 0 {
		return min(o.c.PerConnection, x.PerConnection)
	}
	return o.c.PerConnection
}

func (o *Overrides) Pages(site []byte) int {
	if x := o.of(site); x != nil {
		return x.MaxPages
	}
	return 0
}

// Delay returns the delay of a site, and whether the configuration has one of its own for
// it.
func (o *Overrides) Delay(site []byte) (time.Duration, bool) {
	if x := o.of(site); x != nil && x.Delay != nil {
		return x.Delay.Duration, true
	}
	return 0, false
}
