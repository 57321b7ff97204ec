package crawl

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/event"
)

// refSite has pages that every other page links to with a parameter of its own, which
// changes a word of the text and is carried on into no link. header or head names the page
// without it as canonical, if named.
func refSite(pages int, named bool) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		path, from := r.URL.Path, r.URL.Query().Get("ref")
		links := []string{}
		for i := range pages {
			if to := fmt.Sprintf("/p%d", i); to != path {
				links = append(links, to+"?ref="+strings.TrimPrefix(path, "/"))
			}
		}
		switch {
		case path == "/":
			links = numbered("/p%d?ref=home", pages-1)
		case !strings.HasPrefix(path, "/p"):
			http.NotFound(rw, r)
			return
		case named && from != "" && len(from)%2 == 0:
			rw.Header().Set("Link", "<"+path+`>; rel="canonical"`)
		case named:
			fmt.Fprintf(rw, "<head><link rel=canonical href=%s></head>", path)
		}
		writePage(rw, "Page "+path, words(path, 600)+from, links...)
	}
}

// Variants of a page that name it as canonical are duplicates of it as soon as it was
// fetched; without that name they are near duplicates. All pages come, and a replay of the
// journal gives the same state.
func TestCanonicalVariants(t *testing.T) {
	const pages = 12
	for _, named := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": refSite(pages, named)}, "http://a.example/")
			w.run(t)
			w.sameFromRecords(t)
			came := w.cameAs(t)
			duplicates, wrong := 0, 0
			for rest, f := range came {
				path, _, variant := strings.Cut(rest, "?")
				if f.class != event.Duplicate {
					continue
				}
				if duplicates++; !variant || came[path].class != event.OK || came[path].order > f.order || f.links > 0 || !f.near {
					wrong++
				}
			}
			if named != (duplicates > pages) || wrong > 0 {
				t.Errorf("named %v: %d of %d pages are duplicates, %d of them of nothing", named, duplicates, len(came), wrong)
			}
			for _, p := range w.listed(t) {
				if path, _, _ := strings.Cut(p.URL, "?"); p.Class == event.Duplicate.String() && p.Like != path {
					t.Errorf("%s is like %q", p.URL, p.Like)
				}
			}
			for i := range pages {
				if _, ok := came[fmt.Sprintf("/p%d", i)]; ok != named {
					t.Errorf("/p%d came: %v", i, ok)
				}
			}
		})
	}
}

// canonicalCase is a site of pages that name others as canonical.
type canonicalCase struct {
	name  string
	pages map[string]canonicalPage
	want  map[string]event.Class // of some of them
}

type canonicalPage struct {
	text, canonical string // a text that begins with "> " is a redirect
	links           []string
}

func (c *canonicalCase) serve(rw http.ResponseWriter, r *http.Request) {
	p, ok := c.pages[r.URL.RequestURI()]
	to, moved := strings.CutPrefix(p.text, "> ")
	switch {
	case !ok:
		http.NotFound(rw, r)
		return
	case moved:
		http.Redirect(rw, r, to, http.StatusFound)
		return
	case p.canonical != "":
		rw.Header().Set("Link", "<"+p.canonical+">; rel=canonical")
	}
	writePage(rw, p.text, words(p.text, 300), p.links...)
}

// What a page names as canonical costs nothing, whatever becomes of that.
func TestCanonicalCases(t *testing.T) {
	leaf := canonicalPage{text: "leaf"}
	for _, c := range []canonicalCase{
		{"missing", map[string]canonicalPage{
			"/": {"home", "", []string{"/v"}}, "/v": {"v", "/gone", []string{"/leaf"}}, "/leaf": leaf,
		}, map[string]event.Class{"/v": event.OK, "/gone": event.HTTPError, "/leaf": event.OK}},
		{"redirects back", map[string]canonicalPage{
			"/": {"home", "", []string{"/v"}}, "/v": {"v", "/c", []string{"/leaf"}}, "/c": {text: "> /v"}, "/leaf": leaf,
		}, map[string]event.Class{"/v": event.OK, "/c": event.Redirect, "/leaf": event.OK}},
		{"names each other", map[string]canonicalPage{
			"/": {"home", "", []string{"/v"}}, "/v": {"v", "/w", []string{"/leaf"}}, "/w": {"v", "/v", []string{"/leaf"}}, "/leaf": leaf,
		}, map[string]event.Class{"/v": event.OK, "/w": event.Duplicate, "/leaf": event.OK}},
		{"names a third", map[string]canonicalPage{
			"/": {"home", "", []string{"/v"}}, "/v": {"v", "/w", []string{"/leaf"}},
			"/w": {"v", "/x", []string{"/leaf", "/more"}}, "/x": {"v", "/x", []string{"/leaf"}}, "/leaf": leaf, "/more": {text: "more"},
		}, map[string]event.Class{"/v": event.OK, "/w": event.OK, "/x": event.OK, "/leaf": event.OK, "/more": event.OK}},
		{"another text", map[string]canonicalPage{
			"/": {"home", "", []string{"/c"}}, "/c": {"c", "", []string{"/v", "/leaf"}}, "/v": {"v", "/c", []string{"/leaf"}}, "/leaf": leaf,
		}, map[string]event.Class{"/c": event.OK, "/v": event.OK}},
		{"another link", map[string]canonicalPage{
			"/": {"home", "", []string{"/c"}}, "/c": {"c", "", []string{"/v"}}, "/v": {"c", "/c", []string{"/leaf"}}, "/leaf": leaf,
		}, map[string]event.Class{"/c": event.OK, "/v": event.OK, "/leaf": event.OK}},
		{"a shorter path", map[string]canonicalPage{
			"/": {"home", "", []string{"/article/title"}}, "/article/title": {"c", "/article/title", []string{"/?p=5"}}, "/?p=5": {"c", "/article/title", []string{"/?p=5"}},
		}, map[string]event.Class{"/article/title": event.OK, "/?p=5": event.Duplicate}},
		{"found later", map[string]canonicalPage{
			"/": {"home", "", []string{"/v"}}, "/v": {"c", "/article/title", []string{"/leaf"}}, "/article/title": {"c", "/article/title", []string{"/leaf"}},
			"/leaf": {"leaf", "", []string{"/u"}}, "/u": {"c", "/article/title", []string{"/leaf"}},
		}, map[string]event.Class{"/v": event.OK, "/article/title": event.OK, "/u": event.Duplicate, "/leaf": event.OK}},
		{"of another site", map[string]canonicalPage{
			"/": {"home", "", []string{"/c"}}, "/c": {"c", "", []string{"/v", "/leaf"}}, "/v": {"c", "http://b.example/c", []string{"/leaf"}}, "/leaf": leaf,
		}, map[string]event.Class{"/c": event.OK, "/v": event.OK, "/leaf": event.OK}},
		{"links to the canonical page", map[string]canonicalPage{
			"/": {"home", "", []string{"/c"}}, "/c": {"c", "", []string{"/v"}}, "/v": {"c", "/c", []string{"/c"}},
		}, map[string]event.Class{"/c": event.OK, "/v": event.Duplicate}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": c.serve}, "http://a.example/")
				w.o.Config.Policy = "breadth-first"
				w.run(t)
				w.sameFromRecords(t)
				came := w.cameAs(t)
				for rest, want := range c.want {
					if got, ok := came[rest]; !ok || got.class != want {
						t.Errorf("%s came as %v (%v), want %v", rest, got.class, ok, want)
					}
				}
			})
		})
	}
}

// Without the comparison no page is a duplicate of its canonical page.
func TestCanonicalOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": refSite(5, true)}, "http://a.example/")
		w.o.Config.Duplicates = false
		w.run(t)
		for rest, f := range w.cameAs(t) {
			if f.class == event.Duplicate {
				t.Errorf("%s is a duplicate", rest)
			}
		}
	})
}

// Sites that name their first page as canonical on every page, or every page without its
// query, come whole, like any other.
func TestCanonicalMistakes(t *testing.T) {
	kinds := []string{"blog-numbers", "forum", "slide-program", "gallery", "pictures-only", "framesets", "pages-parameter", "language-parameter", "facets", "short-links"}
	for _, name := range []func(url string) string{
		func(string) string { return "/" },
		func(url string) string { path, _, _ := strings.Cut(url, "?"); return path },
	} {
		for _, kind := range honestKinds {
			if !slices.Contains(kinds, kind.name) {
				continue
			}
			t.Run(kind.name, func(t *testing.T) {
				s := honest("a", kind.make)
				for url, html := range s.pages {
					if !strings.HasPrefix(html, "> ") {
						s.pages[url] = "<link rel=canonical href=" + name(url) + ">" + html
					}
				}
				crawlHonest(t, honestPolicies()[0], s)
			})
		}
	}
}

// Where every link carries the parameter of the visit on, one copy of the site is enough:
// the canonical pages come, and few of their variants.
func TestCanonicalCarried(t *testing.T) {
	const pages, visits = 20, 8
	site := func(named bool) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			var n int
			if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &n); r.URL.Path == "/" {
				linksTo(numbered("/p1?ref=%d", visits)...)(rw, r)
				return
			} else if err != nil {
				http.NotFound(rw, r)
				return
			}
			query := ""
			if r.URL.RawQuery != "" {
				query = "?" + r.URL.RawQuery
			}
			if named {
				fmt.Fprintf(rw, "<head><link rel=canonical href=%s></head>", r.URL.Path)
			}
			writePage(rw, words(r.URL.Path, 3), words(r.URL.Path, 80), fmt.Sprintf("/p%d%s", (2*n)%pages, query), fmt.Sprintf("/p%d%s", (2*n+1)%pages, query))
		}
	}
	asked := map[bool]int{}
	for _, named := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": site(named)}, "http://a.example/")
			w.run(t)
			came := w.cameAs(t)
			asked[named] = len(came)
			for i := range pages {
				if _, ok := came[fmt.Sprintf("/p%d", i)]; named && !ok {
					t.Errorf("/p%d is missing", i)
				}
			}
		})
	}
	if asked[true] > 2*pages || asked[true] >= asked[false] {
		t.Errorf("with canonical pages %d requests, without %d", asked[true], asked[false])
	}
}

// Pages that only a Link header leads to come, too.
func TestLinkHeaderChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 10
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": func(rw http.ResponseWriter, r *http.Request) {
			n := 0
			fmt.Sscanf(r.URL.Path, "/list/%d", &n)
			rw.Header().Add("Link", "</style.css>; rel=preload; as=style")
			if n < pages {
				rw.Header().Add("Link", fmt.Sprintf(`<http://a.example/>; rel="first start", </list/%d>; rel="next"; title="a, b"`, n+1))
			}
			fresh(rw, r)
		}}, "http://a.example/")
		w.run(t)
		if came := w.cameAs(t); len(came) != pages+1 || came["/list/10"].class != event.OK {
			t.Errorf("%d pages came: %v", len(came), came)
		}
	})
}
