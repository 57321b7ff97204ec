package crawl

import (
	"net/http"
	"testing"
	"testing/synctest"
)

// A link that was left out because the page without its parameter was known is followed if
// that page fails for good: once, whatever the number of pages with such links, and not if
// that page is fetched.
func TestPlainPageFails(t *testing.T) {
	site := &canonicalCase{pages: map[string]canonicalPage{
		"/":      {text: "home", links: []string{"/a", "/a?s=1", "/a?s=2"}},
		"/a":     {text: "the first", links: []string{"/b", "/c"}},
		"/a?s=1": {text: "the first", canonical: "/a", links: []string{"/b?s=1", "/c?s=1"}},
		"/a?s=2": {text: "the first", canonical: "/a", links: []string{"/b?s=2", "/c?s=2"}},
		"/b?s=1": {text: "second"}, "/b?s=2": {text: "another"},
		"/c": {text: "third"}, "/c?s=1": {text: "third", canonical: "/c"},
	}}
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": site.serve}, "http://a.example/")
		w.o.Config.Policy = "breadth-first"
		for range 2 { // the second session finds nothing to do
			w.run(t)
			for path, want := range map[string]int{"/b": 1, "/b?s=1": 1, "/b?s=2": 0, "/c": 1, "/c?s=2": 0, "/a?s=1": 2, "/a?s=2": 1} {
				n := 0
				for _, url := range w.asked {
					if url == "http://a.example"+path {
						n++
					}
				}
				if n != want {
					t.Errorf("%s was requested %d times, want %d", path, n, want)
				}
			}
			w.sameFromRecords(t)
		}
		clean(t, w.verify(t))
		site.pages["/b"] = canonicalPage{text: "second"}
		w = newHandWeb(t, w.hosts, "http://a.example/")
		w.o.Config.Policy = "breadth-first"
		if w.run(t); countOf(w.asked, "http://a.example/a?s=1") != 1 || countOf(w.asked, "http://a.example/b?s=1") != 0 {
			t.Errorf("although /b is fetched: %v", w.asked)
		}
	})
}
