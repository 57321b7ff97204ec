package crawl

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// askedPages returns the requests for pages so far, sorted: no robots.txt, no sitemaps.
func (w *handWeb) askedPages() string {
	var list []string
	for _, url := range w.asked {
		if !strings.HasSuffix(url, "/robots.txt") && !strings.HasSuffix(url, ".xml") {
			list = append(list, strings.TrimPrefix(url, "http://"))
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// writtenSite returns a site of pages with texts of their own: by path, a robots.txt, a page with
// these links, or a redirect if the text begins with "to ".
func writtenSite(pages map[string]string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		text, known := pages[r.URL.Path]
		to, moved := strings.CutPrefix(text, "to ")
		switch {
		case !known:
			http.NotFound(rw, r)
		case moved:
			http.Redirect(rw, r, to, http.StatusMovedPermanently)
		case r.URL.Path == "/robots.txt" || strings.HasSuffix(r.URL.Path, ".xml"):
			fmt.Fprint(rw, text)
		default:
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<title>%s</title><p>a page about %s", r.URL.Path, r.URL.Path)
			for _, link := range strings.Fields(text) {
				fmt.Fprintf(rw, `<a href="%s">x</a>`, link)
			}
		}
	}
}

// The default scope is the site of the seed. Where the seed redirects to the same name with
// "www.", that is crawled, also by the next session; --pages counts pages alone.
func TestSeedMovesToWWW(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example":     writtenSite(map[string]string{"/": "to http://www.a.example/"}),
			"www.a.example": writtenSite(map[string]string{"/": "/1 http://b.example/ http://x.a.example/", "/1": "/2", "/2": "http://a.example/"}),
			"b.example":     writtenSite(map[string]string{"/": ""}),
			"x.a.example":   writtenSite(map[string]string{"/": ""}),
		}, "http://a.example/")
		w.o.Config.Scope = config.Default().Scope
		w.o.Config.Pages = 2
		if sum := w.run(t); sum.Why != whyPages || sum.Fetched-sum.Redirects != 2 || sum.Redirects != 1 {
			t.Errorf("%s, %d fetched, %d redirects", sum.Why, sum.Fetched, sum.Redirects)
		}
		w.o.Config.Pages, w.o.Seeds = 0, nil
		w.o.Config.Seeds = []string{"http://a.example/"}
		sum := w.run(t)
		if want := "a.example/ www.a.example/ www.a.example/1 www.a.example/2"; w.askedPages() != want || sum.RefusedBy["scope"] != 2 {
			t.Errorf("asked for %s, want %s; refused %v", w.askedPages(), want, sum.RefusedBy)
		}
	})
}

// --list fetches exactly the seeds: no link, no redirect, no sitemap, not against robots.txt,
// and not even what a rule file allows. Without it the crawl goes on.
func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": writtenSite(map[string]string{
				"/robots.txt": "Sitemap: http://a.example/s.xml\nUser-agent: *\nDisallow: /no", "/s.xml": "http://a.example/listed",
				"/1": "/2 /listed", "/2": "", "/listed": "", "/no": "", "/old": "to /2"}),
			"b.example": writtenSite(map[string]string{"/": "http://a.example/2"}),
		}, "http://a.example/1", "http://a.example/no", "http://a.example/old", "http://b.example/")
		w.o.Config.List = true
		w.o.Config.Exclude = []string{"/1"} // of no matter to seeds
		sum := w.run(t)
		if want := "a.example/1 a.example/old b.example/"; w.askedPages() != want || countOf(w.asked, "http://a.example/s.xml") != 0 {
			t.Errorf("asked for %s, want %s", w.asked, want)
		}
		if sum.RefusedBy["scope"] != 2 || sum.RefusedBy["robots"] != 1 || len(sum.Caps) > 0 {
			t.Errorf("refused %v, limits %v", sum.RefusedBy, sum.Caps)
		}
		w.o.Config.List = false
		if w.run(t); !strings.Contains(w.askedPages(), "a.example/2 a.example/listed") || countOf(w.asked, "http://a.example/s.xml") != 1 {
			t.Errorf("without --list: %s", w.askedPages())
		}
	})
}

// --sitemap-only fetches what sitemaps name, also with and without "www.", and follows
// redirects but no links. A file is requested where it lies.
func TestSitemapOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": writtenSite(map[string]string{
				"/robots.txt": "Sitemap: http://a.example/s.xml\nSitemap: http://www.a.example/no.xml\nSitemap: http://c.example/s.xml",
				"/s.xml":      "http://a.example/1\nhttp://a.example/old\nhttp://www.a.example/2\nhttp://c.example/\nhttp://a.example/not",
				"/no.xml":     "http://a.example/link",
				"/":           "/1 /link", "/1": "/link", "/old": "to /new", "/new": "/link", "/link": "", "/not": ""}),
			// Without a Sitemap line: it is at the usual place.
			"www.a.example": writtenSite(map[string]string{"/2": "/link", "/link": "", "/sitemap.xml": "http://www.a.example/3", "/3": "/link"}),
			"c.example":     writtenSite(map[string]string{"/": ""}),
		}, "http://a.example/")
		c := &w.o.Config
		c.Scope, c.SitemapOnly, c.Exclude = config.ScopeSeeds, true, []string{"/not"}
		w.run(t)
		const want = "a.example/1 a.example/new a.example/old www.a.example/2 www.a.example/3"
		if countOf(w.asked, "http://www.a.example/no.xml") != 1 || countOf(w.asked, "http://a.example/no.xml")+countOf(w.asked, "http://c.example/s.xml") != 0 {
			t.Errorf("asked for %s", w.asked)
		}
		if w.askedPages() != want {
			t.Errorf("asked for %s, want %s", w.askedPages(), want)
		}
		// Another limit that changes admits nothing that only links lead to.
		c.MaxDepth, w.o.Seeds, c.Seeds = 7, nil, []string{"http://a.example/"}
		if w.run(t); w.askedPages() != want {
			t.Errorf("with another limit: %s", w.askedPages())
		}
		c.SitemapOnly = false
		if w.run(t); w.askedPages() == want {
			t.Errorf("without --sitemap-only: %s", w.askedPages())
		}
	})
}

// --max-depth 0 is the seeds alone; --exclude holds for links, redirects and sitemaps, and
// not for seeds.
func TestSeedsAreExempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := map[string]string{
			"/robots.txt": "Sitemap: http://a.example/s.xml", "/s.xml": "http://a.example/x/listed\nhttp://a.example/listed",
			"/x/seed": "/x/link /link /moved", "/moved": "to /x/to", "/link": "", "/listed": "", "/x/link": "", "/x/listed": "", "/x/to": ""}
		for _, test := range []struct {
			set  func(*config.Config)
			want string
		}{
			{func(c *config.Config) { c.MaxDepth = 0 }, "a.example/x/seed"},
			{func(c *config.Config) { c.Exclude = []string{"/x/"} }, "a.example/link a.example/listed a.example/moved a.example/x/seed"},
		} {
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": writtenSite(site)}, "http://a.example/x/seed")
			test.set(&w.o.Config)
			if w.run(t); w.askedPages() != test.want {
				t.Errorf("asked for %s, want %s", w.askedPages(), test.want)
			}
		}
	})
}
