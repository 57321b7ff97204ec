package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// Pages that redirect in the browser have equal words and lead to different pages: all of
// these are found.
func TestCaseRedirectStubs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{"b.example": func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			switch {
			case r.URL.Path == "/robots.txt":
				http.NotFound(rw, r)
			case r.URL.Path == "/":
				linksTo(many(20, "old")...)(rw, r)
			case strings.HasPrefix(r.URL.Path, "/old/"):
				to := strings.Replace(r.URL.Path, "old", "new", 1)
				// jekyll-redirect-from, redirect.html
				fmt.Fprintf(rw, `<!DOCTYPE html><html lang="en-US"><meta charset="utf-8"><title>Redirecting&hellip;</title><link rel="canonical" href="%s"><script>location="%s"</script><meta http-equiv="refresh" content="0; url=%s"><meta name="robots" content="noindex"><h1>Redirecting&hellip;</h1><a href="%s">Click here if you are not redirected.</a></html>`, to, to, to, to)
			default:
				fmt.Fprintf(rw, "<title>%s</title><p>a page about %s", r.URL.Path, r.URL.Path)
			}
		}}, "http://b.example/")
		sum := w.run(t)
		if n := countOf(w.asked, "http://b.example/new/"); n != 20 {
			t.Errorf("%d of 20 pages behind stubs were found; outcomes %v, refused %v", n, sum.Outcomes, sum.RefusedBy)
		}
	})
}
