package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// entries writes a sitemap. After each path follows its priority, - for none.
func entries(list ...string) string {
	b := "<urlset>"
	for i := 0; i < len(list); i += 2 {
		b += "<url><loc>http://a.example" + list[i] + "</loc>"
		if list[i+1] != "-" {
			b += "<priority>" + list[i+1] + "</priority>"
		}
		b += "</url>"
	}
	return b + "</urlset>"
}

// The record of a sitemap has the priorities of its pages less their mean, of those that wait.
// Where it does not say, the priority is 0.5. If it is the same for all, it says nothing.
func TestHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct{ sitemap, want string }{
			"several":  {entries("/1", "1.0", "/2", "0.5", "/3", "0.3"), "1 +40, 2 -10, 3 -30"},
			"the mean": {entries("/1", "0.9", "/2", "0.5", "/3", "0.7"), "1 +20, 2 -20"},
			"not all":  {entries("/1", "1", "/2", "-", "/3", "high", "/4", "-"), "1 +38, 2 -13, 3 -13, 4 -13"},
			"the same": {entries("/1", "0.8", "/2", "0.8"), ""},
			"the rule": {entries("/1", "0.5", "/2", "-"), ""},
			"none":     {entries("/1", "-", "/2", "-"), ""},
			"the seed": {entries("/2", "0", "/", "1"), "1 -50, 0 +50"},
		} {
			site := map[string]string{"/robots.txt": "Sitemap: http://a.example/s.xml", "/s.xml": test.sitemap, "/": "", "/1": "", "/2": "", "/3": "", "/4": ""}
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": writtenSite(site)}, "http://a.example/")
			w.o.Config.Policy = "foresight"
			w.o.Config.Scope = config.ScopeSeeds
			w.run(t)
			if got := w.hints(t); got != test.want {
				t.Errorf("%s: %q, want %q", name, got, test.want)
			}
			w.sameFromRecords(t)
			clean(t, w.verify(t))
		}
	})
}

// hints lists those of the journal.
func (w *testWeb) hints(t *testing.T) string {
	t.Helper()
	var list []string
	_, err := journal.Read(w.disk[layout.JournalDir], 0, func(r *journal.Record) error {
		for _, h := range r.Facts.Hints {
			if r.Event.Kind == event.Listed {
				list = append(list, fmt.Sprintf("%d %+d", h.Page, h.Above))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, ", ")
}
