package config

import (
	"net/http"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
)

// SiteHeaders are the further request headers of a configuration by site. A secret is for
// the servers that somebody named: it goes to the sites of the seeds and to no other,
// whatever links and redirects say, unless header_scope is "any". Headers of a [[site]]
// table go to the sites of that table.
type SiteHeaders struct {
	c     *Config
	seeds map[string]bool           // sites that may have secrets
	made  map[headersOf]http.Header // those of Of so far
	bare  bool                      // no site has headers of its own
}

// headersOf is what the headers of a site depend on.
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
