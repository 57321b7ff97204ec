package crawl

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
)

// A panic while an answer is parsed fails the page, and nothing else: it is in the log
// with its URL and in the journal with its reason, and is not asked for again.
func TestParserCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": ownPage("/1", "/bad", "/2", "http://b.example/", "http://c.example/"),
			"b.example": func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					rw.Write([]byte("Sitemap: /sitemap.txt"))
					return
				}
				ownPage("/3")(rw, r)
			},
			"c.example": ownPage("/4"),
		}, "http://a.example/")
		bad := []string{"http://a.example/bad", "http://b.example/sitemap.txt", "http://c.example/robots.txt"}
		w.o.Machine.Read = func(url string) {
			if slices.Contains(bad, url) {
				explode(url)
			}
		}
		var log bytes.Buffer
		w.logTo(&log)
		sum := w.run(t)
		if sum.Why != whyUnreachable || sum.FailedBy[event.Crashed.String()] != 1 {
			t.Errorf("%s, %d pages failed so", sum.Why, sum.FailedBy[event.Crashed.String()])
		}
		for _, url := range []string{"http://a.example/1", "http://a.example/2", "http://b.example/3"} {
			if countOf(w.asked, url) != 1 {
				t.Errorf("%s was asked for %d times", url, countOf(w.asked, url))
			}
		}
		if n := countOf(w.asked, "http://c.example/4"); n > 0 {
			t.Errorf("a page was asked for %d times whose robots.txt could not be read", n)
		}
		for _, url := range bad {
			if !strings.Contains(log.String(), "url="+url+` why="parser crashed: a bad byte in `) {
				t.Errorf("the log does not name %s:\n%s", url, log.String())
			}
		}
		if !strings.Contains(log.String(), `stack="crawl.explode:`) {
			t.Errorf("the log does not say where:\n%s", log.String())
		}
		clean(t, w.verify(t))
		asked := countOf(w.asked, bad[0])
		w.o.Seeds = nil
		w.run(t)
		if asked != 1 || countOf(w.asked, bad[0]) != 1 {
			t.Errorf("the page was asked for %d times, and after another start %d", asked, countOf(w.asked, bad[0]))
		}
		for _, p := range w.listed(t) {
			if p.URL == bad[0] && (p.State != "failed" || p.Why != "parser-crash" || !strings.HasPrefix(p.Note, "parser crashed")) {
				t.Errorf("winnow pages says %v, %s, %q", p.State, p.Why, p.Note)
			}
		}
	})
}

func explode(url string) { panic("a bad byte in " + url) }

// listed is what winnow pages lists.
func (w *testWeb) listed(t *testing.T) (list []history.PageInfo) {
	t.Helper()
	err := w.history(t).Pages(&history.PageFilter{}, func(x *history.PageInfo) error { list = append(list, *x); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return list
}
