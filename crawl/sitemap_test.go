package crawl

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// sitemapOnly returns a web whose crawl fetches only the pages of sitemaps.
func sitemapOnly(t *testing.T, hosts map[string]http.HandlerFunc, seeds ...string) *handWeb {
	w := newHandWeb(t, hosts, seeds...)
	w.o.Config.Scope, w.o.Config.SitemapOnly = config.ScopeSeeds, true
	return w
}

// A sitemap may lie on the host with or without "www.": named by robots.txt, by a robots.txt
// that moved there, by an index, or found by a redirect. It is requested there, once, and its
// pages are fetched. The seed is fetched only if a sitemap lists it.
func TestSitemapElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		www := map[string]string{
			"/robots.txt": "Sitemap: http://www.a.example/s.xml", "/s.xml": "http://www.a.example/1\nhttp://a.example/2",
			"/": "/no", "/1": "/no", "/no": "",
		}
		for name, test := range map[string]struct {
			apex map[string]string
			www  map[string]string
			want string
		}{
			"robots.txt names it":   {map[string]string{"/robots.txt": "Sitemap: http://www.a.example/s.xml", "/": "", "/2": "/no"}, www, "a.example/2 www.a.example/1"},
			"robots.txt moved":      {map[string]string{"/robots.txt": "to http://www.a.example/robots.txt", "/": "to http://www.a.example/", "/2": ""}, www, "a.example/2 www.a.example/1"},
			"an index names it":     {map[string]string{"/sitemap.xml": "<sitemapindex><sitemap><loc>http://www.a.example/s.xml</loc></sitemap></sitemapindex>", "/": "", "/2": ""}, www, "a.example/2 www.a.example/1"},
			"the file moved":        {map[string]string{"/sitemap.xml": "to http://www.a.example/s.xml", "/": "", "/2": ""}, www, "a.example/2 www.a.example/1"},
			"the seed is listed":    {map[string]string{"/sitemap.xml": "http://a.example/\nhttp://a.example/2", "/": "/no", "/2": ""}, nil, "a.example/ a.example/2"},
			"the file is forbidden": {map[string]string{"/robots.txt": "Sitemap: http://www.a.example/s.xml", "/": ""}, map[string]string{"/robots.txt": "User-agent: *\nDisallow: /s.xml", "/s.xml": www["/s.xml"]}, ""},
			"there is none":         {map[string]string{"/": "/no", "/no": ""}, nil, ""},
			"it names itself":       {map[string]string{"/sitemap.xml": "to http://www.a.example/s.xml"}, map[string]string{"/s.xml": "to http://a.example/sitemap.xml"}, ""},
		} {
			w := sitemapOnly(t, map[string]http.HandlerFunc{"a.example": writtenSite(test.apex)}, "http://a.example/")
			if test.www != nil {
				w.hosts["www.a.example"] = writtenSite(test.www)
			}
			w.run(t)
			if w.askedPages() != test.want {
				t.Errorf("%s: asked for %s, want %s", name, w.askedPages(), test.want)
			}
			if n := countOf(w.asked, "http://www.a.example/s.xml"); n > 1 || n == 0 && test.want == "a.example/2 www.a.example/1" {
				t.Errorf("%s: the file was requested %d times: %s", name, n, w.asked)
			}
			clean(t, w.verify(t))
		}
	})
}

// A seed may be a sitemap itself: it and no other is read.
func TestSeedIsSitemap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := sitemapOnly(t, map[string]http.HandlerFunc{"a.example": writtenSite(map[string]string{
			"/robots.txt": "Sitemap: /other.xml", "/other.xml": "http://a.example/other", "/mine.xml": "http://a.example/1", "/1": "", "/other": ""}),
		}, "http://a.example/mine.xml")
		w.run(t)
		if w.askedPages() != "a.example/1" || countOf(w.asked, "http://a.example/mine.xml") != 1 || countOf(w.asked, "http://a.example/other.xml") != 0 {
			t.Errorf("asked for %s", w.asked)
		}
		clean(t, w.verify(t))
	})
}

// A crawl that is resumed with --sitemap-only finds sitemaps of sites without a waiting page,
// and without robots.txt at the usual place.
func TestSitemapOnlyLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": writtenSite(map[string]string{"/": "", "/sitemap.xml": "http://a.example/1", "/1": ""})}, "http://a.example/")
		w.run(t)
		w.o.Config.SitemapOnly, w.o.Seeds, w.o.Config.Seeds = true, nil, w.o.Seeds
		if w.run(t); w.askedPages() != "a.example/ a.example/1" {
			t.Errorf("asked for %s", w.asked)
		}
		clean(t, w.verify(t))
		w = sitemapOnly(t, w.hosts, "http://a.example/")
		w.o.Config.Robots = false
		if w.run(t); w.askedPages() != "a.example/1" {
			t.Errorf("without robots.txt: %s", w.asked)
		}
	})
}
