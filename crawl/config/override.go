package config

import (
	"net/http"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
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

// Overrides holds the exceptions of a configuration, by site. A crawl has few of them or
// none.
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

// SiteHeaders holds the further request headers of a configuration by site. A secret is
// only for servers that the user named: it goes to the sites of the seeds and to no other,
// not even after links and redirects, unless header_scope is "any". Headers of a [[site]]
// table go to the sites of that table.
type SiteHeaders struct {
	c     *Config
	seeds map[string]bool           // sites that may have secrets
	made  map[headersOf]http.Header // those of Of so far
	bare  bool                      // no site has headers of its own
}

// headersOf is the key by which the headers of sites are kept.
type headersOf struct {
	trusted bool
	table   *Override
}

// NewSiteHeaders reads them. The configuration must not change afterwards.
func NewSiteHeaders(c *Config) *SiteHeaders {
	h := &SiteHeaders{c: c, seeds: map[string]bool{}, made: map[headersOf]http.Header{}, bare: len(c.Site) == 0}
	for _, line := range c.Header {
		h.bare = h.bare && !h.secret(headerName(line))
	}
	for _, seed := range c.Seeds {
		if url, err := page.ParseSeed(seed); err == nil {
			site, _ := page.Site([]byte(url))
			h.trust(string(site))
		}
	}
	return h
}

// trust lets a site have secrets, also with "www." or without. What goes to http goes to
// https of the same host, too, but not the other way: anybody on the way could read it.
func (h *SiteHeaders) trust(site string) {
	scheme, host, _ := strings.Cut(site, "://")
	for _, name := range []string{host, "www." + host, strings.TrimPrefix(host, "www.")} {
		h.seeds[scheme+"://"+name] = true
		if scheme == "http" && len(page.Host([]byte(site))) == len(host) {
			h.seeds["https://"+name] = true
		}
	}
}

// secret reports whether a header goes to the sites of the seeds only.
func (h *SiteHeaders) secret(name string) bool {
	switch h.c.HeaderScope {
	case HeadersAny:
		return false
	case HeadersSeeds:
		return true
	}
	return fetch.SecretHeader(name)
}

// Withheld reports whether a header is not to be stored. One that is a secret by its name
// is not, wherever it goes.
func (h *SiteHeaders) Withheld(name string) bool {
	if fetch.SecretHeader(name) {
		return true
	}
	for _, line := range h.c.Header {
		if strings.EqualFold(headerName(line), name) {
			return h.secret(name)
		}
	}
	return false
}

// Exposed returns the names of secrets that go to every site.
func (h *SiteHeaders) Exposed() (names []string) {
	for _, line := range h.c.Header {
		if name := headerName(line); fetch.SecretHeader(name) && !h.secret(name) {
			names = append(names, name)
		}
	}
	return names
}

func headerName(line string) string { name, _, _ := strings.Cut(line, ":"); return name }

// All returns the headers that go to every site.
func (h *SiteHeaders) All() http.Header { return h.make(headersOf{}) }

// Of returns the headers of a site, All included; nil where it has no others. They must not be
// changed.
func (h *SiteHeaders) Of(site []byte) http.Header {
	if h.bare {
		return nil
	}
	of := headersOf{trusted: h.seeds[string(site)], table: h.c.OverrideFor(string(page.Host(site)))}
	if of == (headersOf{}) {
		return nil
	}
	made, ok := h.made[of]
	if !ok {
		made = h.make(of)
		h.made[of] = made
	}
	return made
}

// make gathers headers: those for all sites, then those of a table, which replace them
// name by name.
func (h *SiteHeaders) make(of headersOf) http.Header {
	out := http.Header{}
	for _, line := range h.c.Header {
		if of.trusted || !h.secret(headerName(line)) {
			addHeader(out, line)
		}
	}
	if of.table == nil {
		return out
	}
	for _, line := range of.table.Header {
		out.Del(headerName(line))
	}
	for _, line := range of.table.Header {
		addHeader(out, line)
	}
	return out
}

func addHeader(h http.Header, line string) {
	name, value, _ := strings.Cut(line, ":")
	h.Add(name, strings.TrimSpace(value))
}
