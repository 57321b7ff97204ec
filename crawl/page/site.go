package page

import (
	"bytes"
	"net/netip"

	"golang.org/x/net/publicsuffix"

	"github.com/winnow-crawler/winnow/graph"
)

// Site splits a normal form into its site (scheme, host and port, the bytes before
// the third slash, as in package graph) and the rest, path and query. Both are parts
// of url. The two halves are the keys of the URL table: most links stay inside the
// site, whose number is at hand (W22).
func Site(url []byte) (site, rest []byte) {
	site = graph.SiteOfURL(url)
	return site, url[len(site):]
}

// Host is the host of a normal form or of a site, without port; IPv6 addresses keep
// their brackets.
func Host(url []byte) []byte {
	host, _ := Site(url)
	if i := bytes.Index(host, []byte("://")); i >= 0 {
		host = host[i+3:]
	}
	if colon := bytes.LastIndexByte(host, ':'); colon > bytes.LastIndexByte(host, ']') {
		host = host[:colon]
	}
	return host
}

// Domain is the registered domain of a host: the public suffix and one label more.
// Suffixes under which anybody gets a name (github.io, blogspot.com) count as public:
// their customers are strangers to each other. An IP address, a public suffix and a
// name without dots are their own domain.
//
// It costs more than resolving a link: ask once per site and keep the answer.
func Domain(host []byte) string {
	name := string(host)
	if len(name) == 0 || name[0] == '[' {
		return name
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return name
	}
	return domain
}
