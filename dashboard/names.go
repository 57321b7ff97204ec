package dashboard

import (
	"net/url"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/graph"
)

// pageURL returns the URL of a page.
func pageURL(v *follow.View, p graph.Page) string { return string(v.S.AppendURL(nil, p)) }

// pageLink returns the address of the page about a URL.
func pageLink(base, u string) string { return base + "page?url=" + url.QueryEscape(u) }

// siteLink returns the address of the page about a site.
func siteLink(base, name string) string { return base + "site?name=" + url.QueryEscape(name) }

// with returns the address of the present page with other parameters. An empty value removes one.
func (a *asked) with(changes ...string) string {
	q := a.URL.Query()
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			q.Del(changes[i])
		} else {
			q.Set(changes[i], changes[i+1])
		}
	}
	return "?" + q.Encode()
}
