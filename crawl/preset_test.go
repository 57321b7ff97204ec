package crawl

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// The presets of the papers leave programs out, add that to what was left out before, and
// say so in the configuration.
func TestPresetsLeaveOutPrograms(t *testing.T) {
	for _, p := range config.Presets() {
		c := config.Default()
		c.Exclude = []string{"/calendar/"}
		p.Apply(&c)
		p.Apply(&c)
		text, err := c.Commented()
		if want := []string{"/calendar/", "/cgi-bin/"}; !slices.Equal(c.Exclude, want) || err != nil || !strings.Contains(string(text), "/cgi-bin/") {
			t.Errorf("%s leaves out %q (%v)", p.Name, c.Exclude, err)
		}
		synctest.Test(t, func(t *testing.T) {
			w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": ownPage("/cgi-bin/vote?for=me", "/x")}, "http://a.example/")
			if p.Apply(&w.o.Config); p.Topic {
				w.o.Config.Query = "web crawler"
			}
			if sum := w.run(t); sum.Fetched != 2 || countOf(w.asked, "http://a.example/cgi-bin/") > 0 {
				t.Errorf("%s asked for %v", p.Name, w.asked)
			}
		})
	}
}
