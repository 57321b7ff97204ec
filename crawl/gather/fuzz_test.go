package gather

import (
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// checkLinks holds for the links of whatever page: each is a normal form with the right
// hashes, none is there twice, and none is the page.
func checkLinks(t *testing.T, url string, f *Found) {
	t.Helper()
	self, _ := page.Site([]byte(url))
	seen := map[string]bool{url: true}
	var r page.Resolver
	for i := range f.Links.Len() {
		u, site, rest := f.Links.URL(i), f.Links.Site(i), f.Links.Rest(i)
		if seen[string(u)] || string(site)+string(rest) != string(u) {
			t.Errorf("link %d: %q is %q and %q, or there before", i, u, site, rest)
		}
		seen[string(u)] = true
		if again, v := r.Resolve(nil, u); v != page.OK || string(again) != string(u) {
			t.Errorf("%q is no normal form: %q, %v", u, again, v)
		}
		hash := key.Site(site)
		want := Link{SiteHash: hash, Hash: key.Page(hash, rest), Local: string(site) == string(self), Bar: f.Links.At(i).Bar, Since: f.Links.At(i).Since}
		if got := f.Links.At(i); got != want {
			t.Errorf("%q: %+v, want %+v", u, got, want)
		}
	}
}

// FuzzPage: no body and no header upsets a gatherer that is used again and again, or
// makes records that cannot be read.
func FuzzPage(f *testing.F) {
	f.Add([]byte("<base href=//x/y><a href=z><a href=../?q#f rel=nofollow><meta name=robots content=none>"), "text/html", "", "/a", uint16(200))
	f.Add([]byte("\x1f\x8b\x08"), "text/html; charset=shift_jis", "gzip, br", "a:b", uint16(302))
	f.Add([]byte("\xff\xfe<\x00a\x00"), "", "identity", "", uint16(404))
	f.Add([]byte("a/a/a/a?b&b&b&b"), "application/xml", "\r\nx", "//u:p@h", uint16(304))
	f.Add([]byte("<head><link rel=canonical href=/c?b><link rel=up href=?><a href=x?a&b>"), "text/html", "", `<c?b>; rel="canonical next", <//x>; rel=prev`, uint16(200))
	g, found := New(options()), new(Found)
	f.Fuzz(func(t *testing.T, body []byte, contentType, coding, location string, status uint16) {
		a := answered(int(status%1000), string(body), "Content-Type", contentType, "Content-Encoding", coding, "Location", location, "Link", location)
		if a.Status < 100 {
			a.Status, a.Class = 0, event.Timeout
		}
		g.Page(home, a, noon, found)
		checkLinks(t, home, found)
		if found.Class == event.Redirect && found.Links.Len() != 1 || found.Class.Failed() && found.Links.Len() != 0 {
			t.Errorf("%v with %d links", found.Class, found.Links.Len())
		}
		if types, _, _ := stored(t, found.Records); (types == nil) != (a.Status == 0) {
			t.Errorf("status %d: records %q", a.Status, types)
		}
	})
}

// FuzzSitemap: no file upsets the reader, and no site speaks for another.
func FuzzSitemap(f *testing.F) {
	f.Add([]byte("<urlset><url><loc>https://site.example/a&amp;b</loc></url><!-- x --></urlset>"))
	f.Add([]byte("<sitemapindex><sitemap><loc><![CDATA[https://site.example/x]]></loc>"))
	f.Add([]byte("https://site.example/a\n/b\n"))
	f.Add([]byte("<x:url><x:loc><![CDATA[<<"))
	f.Add([]byte(pressed("<urlset><url><loc>/a</loc>")))
	f.Add([]byte("<rss><item><link>/a</link><pubDate>Tue, 10 Mar 2026 11:00:00 GMT</pubDate></item>"))
	f.Add([]byte("<feed><entry><link rel=x href='/b'/><link href=\"/a\"/><updated>2026-03-10T10:00:00Z</updated>"))
	g, found := New(signalling()), new(Found)
	f.Fuzz(func(t *testing.T, body []byte) {
		g.Sitemap(mapURL, answered(200, string(body)), noon, found)
		checkLinks(t, mapURL, found)
		for i := range found.Links.Len() {
			if !SameName(found.Links.Site(i), []byte("https://site.example")) {
				t.Errorf("%q is of another name", found.Links.URL(i))
			}
		}
		for _, file := range found.Files {
			if site, _ := page.Site([]byte(file)); !SameName(site, []byte("https://site.example")) {
				t.Errorf("file %q is of another name", file)
			}
		}
	})
}
