package crawl

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// A trapCase is a small web of one kind, and what a crawl must do there.
type trapCase struct {
	hosts map[string]http.HandlerFunc
	seeds []string
	set   func(*config.Config)
	// trap tells which URLs lie in a trap; at most most of them are asked for.
	trap func(url string) bool
	most int
	// wanted are pages that must come.
	wanted []string
}

// run crawls the web, and looks at what was asked for.
func (c *trapCase) run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, c.hosts, c.seeds...)
		if c.set != nil {
			c.set(&w.o.Config)
		}
		w.o.Config.Pages = 20_000 // an end for a test that fails
		sum := w.run(t)
		if sum.Why != whyFinished {
			t.Errorf("it ended because of %s", sum.Why)
		}
		asked, in := map[string]int{}, []string(nil)
		for _, url := range w.asked {
			if asked[url]++; c.trap != nil && c.trap(url) {
				in = append(in, url)
			}
		}
		if len(in) > c.most {
			t.Errorf("%d requests in the trap, want at most %d: %v", len(in), c.most, in[:min(len(in), 60)])
		}
		missing := slices.DeleteFunc(slices.Clone(c.wanted), func(url string) bool { return asked[url] == 1 })
		if n := len(missing); n > 0 {
			fates := w.fates(t)
			t.Errorf("%d of %d pages did not come once: %s (%s)", n, len(c.wanted), missing[0], fates[missing[0]])
			t.Logf("%v", missing[:min(n, 10)])
		}
		robots := 0
		for _, url := range in {
			if strings.HasSuffix(url, "/robots.txt") {
				robots++
			}
		}
		t.Logf("%d requests, %d in the trap (%d of them for robots.txt); refused %s", sum.Requests, len(in), robots, byCount(sum.RefusedBy))
		clean(t, w.verify(t))
	})
}

// words is a text of n words that is another for each key.
func words(key string, n int) string {
	h := fnv.New64a()
	h.Write([]byte(key))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	var b strings.Builder
	for range n {
		for range 1 + r.IntN(3) {
			b.WriteByte("bdfgklmnprstvz"[r.IntN(14)])
			b.WriteByte("aeiou"[r.IntN(5)])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// writePage writes a page.
func writePage(rw http.ResponseWriter, title, text string, links ...string) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(rw, "<!doctype html><title>%s</title><h1>%s</h1><p>%s</p><ul>", title, title, text)
	for _, u := range links {
		fmt.Fprintf(rw, `<li><a href="%s">more</a>`, strings.ReplaceAll(u, "&", "&amp;"))
	}
}

// fresh answers with a page with a text of its own.
func fresh(rw http.ResponseWriter, r *http.Request, links ...string) {
	url := r.Host + r.URL.RequestURI()
	writePage(rw, words("title"+url, 3), words(url, 80), links...)
}

// A siteMap has the pages of a host by path and query, with their links; each has a text
// of its own. What is not there is not found, unless other answers.
type siteMap struct {
	pages map[string][]string
	text  func(rw http.ResponseWriter, rest string, links []string) // nil: fresh
	other http.HandlerFunc                                          // nil: not found
}

func (s siteMap) serve(rw http.ResponseWriter, r *http.Request) {
	rest := r.URL.RequestURI()
	links, ok := s.pages[rest]
	switch {
	case rest == "/robots.txt" || !ok && s.other == nil:
		http.NotFound(rw, r)
	case !ok:
		s.other(rw, r)
	case s.text != nil:
		s.text(rw, rest, links)
	default:
		fresh(rw, r, links...)
	}
}

// urls are all pages of a site.
func (s siteMap) urls(site string) (list []string) {
	for _, rest := range slices.Sorted(maps.Keys(s.pages)) {
		list = append(list, site+rest)
	}
	return list
}

// doors is a site whose first page links to a few real pages, and to a trap.
func doors(trap string, other http.HandlerFunc) siteMap {
	s := siteMap{pages: map[string][]string{}, other: other}
	for i := range 10 {
		s.pages[fmt.Sprintf("/real/%d.html", i)] = []string{"/"}
		s.pages["/"] = append(s.pages["/"], fmt.Sprintf("/real/%d.html", i))
	}
	s.pages["/"] = append(s.pages["/"], trap)
	return s
}

// oneTrap is the case of a site with a trap below a path.
func oneTrap(door, below string, other http.HandlerFunc) trapCase {
	s := doors(door, other)
	return trapCase{
		hosts: map[string]http.HandlerFunc{"a.example": s.serve}, seeds: []string{"http://a.example/"},
		trap:   func(url string) bool { return strings.HasPrefix(url, "http://a.example"+below) },
		wanted: s.urls("http://a.example"), most: 30,
	}
}
