package config

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
)

// SiteHeaders holds the further request headers of a configuration by site. A secret is
// only for servers that the user named: it goes to the sites of the seeds and to no other,
// not even after links and redirects, unless header_scope is "any". Headers, cookies and
// credentials of a [[site]] table go to the sites of that table, secrets among them over
// https only, unless secrets_over_http is set.
type SiteHeaders struct {
	c      *Config
	tables tables
	seeds  map[string]bool           // sites that may have secrets
	made   map[headersOf]http.Header // those of Of so far
	bare   bool                      // no site has headers of its own
}

// headersOf is the key by which the headers of sites are kept.
type headersOf struct {
	trusted bool
	table   *Override
	open    bool // others can read what is sent: no secrets of the table
}

// NewSiteHeaders reads them. The configuration must not change afterwards.
func NewSiteHeaders(c *Config) *SiteHeaders {
	h := &SiteHeaders{c: c, tables: newTables(c), seeds: map[string]bool{}, made: map[headersOf]http.Header{}, bare: len(c.Site) == 0}
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
	of := headersOf{trusted: h.seeds[string(site)], table: h.tables.of(site)}
	of.open = of.table != nil && !of.table.OverHTTP && bytes.HasPrefix(site, []byte("http:"))
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
	lines := append(slices.Clone(of.table.Header), of.table.credentials()...)
	for _, line := range lines {
		out.Del(headerName(line))
	}
	for _, line := range lines {
		if !of.open || !fetch.SecretHeader(headerName(line)) {
			addHeader(out, line)
		}
	}
	return out
}

// credentials returns the header lines of cookies and credentials.
func (o *Override) credentials() (lines []string) {
	if cookies := slices.Concat(o.Cookie, o.found.cookies); len(cookies) > 0 {
		lines = append(lines, "Cookie: "+strings.Join(cookies, "; "))
	}
	if o.User != "" {
		pair := o.User + ":" + cmp.Or(o.Password, o.found.password)
		lines = append(lines, "Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	if token := cmp.Or(o.Token, o.found.token); token != "" {
		lines = append(lines, "Authorization: Bearer "+token)
	}
	return lines
}

// Unsent returns the seeds that do not get the secrets of their table, because they are
// requested over http.
func (h *SiteHeaders) Unsent() (seeds []string) {
	for _, seed := range h.c.Seeds {
		site, _ := page.Site([]byte(seed))
		if o := h.tables.of(site); o != nil && !o.OverHTTP && strings.HasPrefix(seed, "http:") && o.hasSecrets() {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

func (o *Override) hasSecrets() bool {
	return len(o.credentials()) > 0 || slices.ContainsFunc(o.Header, func(line string) bool { return fetch.SecretHeader(headerName(line)) })
}

func addHeader(h http.Header, line string) {
	name, value, _ := strings.Cut(line, ":")
	h.Add(name, strings.TrimSpace(value))
}
