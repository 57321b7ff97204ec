// Package naming finds the pages and sites of a crawl by their URLs, and their URLs.
package naming

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// Names finds pages and sites by their URLs, and the URLs of pages.
type Names struct {
	Key   urltable.Key
	Table *urltable.Table
	URLs  *urltable.Log
	Err   error  // the first error of the URL log: no decision after it counts
	text  []byte // scratch of URL
	last  lastRead
}

// lastRead is the URL that was read last. A page that is handed out is read several times.
type lastRead struct {
	page graph.Page
	site graph.Site
	rest []byte
	ok   bool
}

// Read returns the site of p and the rest of its URL, which is valid until the next call.
// It sets Err if that fails.
func (n *Names) Read(p graph.Page) (site graph.Site, rest []byte, ok bool) {
	l := &n.last
	if l.ok && l.page == p {
		return l.site, l.rest, true
	}
	site, rest, err := n.URLs.Read(p, l.rest[:0])
	if l.ok = err == nil; !l.ok {
		n.Fail(fmt.Errorf("read the URL of page %d: %w", p, err))
		return 0, nil, false
	}
	l.page, l.site, l.rest = p, site, rest
	return site, rest, true
}

// AppendURL appends the URL of p to b.
func (n *Names) AppendURL(b []byte, p graph.Page) []byte {
	site, rest, ok := n.Read(p)
	if !ok {
		return b
	}
	return append(append(b, n.Table.Name(site)...), rest...)
}

// URL returns the URL of a site and a rest. It is valid until the next call.
func (n *Names) URL(site graph.Site, rest []byte) []byte {
	n.text = append(append(n.text[:0], n.Table.Name(site)...), rest...)
	return n.text
}

// Fail keeps the first error. The driver stops before it records anything more.
func (n *Names) Fail(err error) {
	if n.Err == nil {
		n.Err = err
	}
}

// Lookup returns the page with a URL, if it is known.
func (n *Names) Lookup(url string) (graph.Page, bool) {
	site, rest := page.Site([]byte(url))
	return n.Table.LookupPage(n.Key.Page(n.Key.Site(site), rest))
}

// LookupIn returns the page of a site with a path and query, if it is known.
func (n *Names) LookupIn(site graph.Site, rest []byte) (graph.Page, bool) {
	return n.Table.LookupPage(n.Key.Page(n.Key.Site(n.Table.Name(site)), rest))
}

// Twin returns the site of the same host under the other scheme, or NoSite. Sites with a
// port in their name have no twin: they are servers of their own.
func (n *Names) Twin(id graph.Site) graph.Site {
	name := n.Table.Name(id)
	host := page.Host(name)
	var other []byte
	switch string(name[:len(name)-len(host)]) {
	case "http://":
		other = append([]byte("https://"), host...)
	case "https://":
		other = append([]byte("http://"), host...)
	default:
		return graph.NoSite
	}
	t, _ := n.Table.LookupSite(n.Key.Site(other), other)
	return t
}
