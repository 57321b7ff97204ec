package state

import (
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// Where the record is lost that made pages known, what a later sitemap says about them is left
// out: there is no room for pages that nobody knows.
func TestHintsOfLostPages(t *testing.T) {
	c := config.Default()
	c.Policy = "foresight"
	f := &folded{t: t, s: newStateBy(t, &c)}
	if !f.s.Seed(f.begin(event.Seed), "http://a.example/") {
		t.Fatal("no room for the seed")
	}
	f.apply()
	f.work(event.Resolve, 0, event.Resolved, func(*journal.Record) {})
	f.work(event.Robots, 0, event.Ruled, func(r *journal.Record) {
		r.Facts.Rules, _ = robots.Rules{}.AppendBinary(nil)
		r.Event.Files, r.Facts.Files = 1, []string{"http://a.example/s.xml"}
	})
	f.work(event.Sitemap, 0, event.Listed, func(r *journal.Record) {
		r.Facts.Hints = []event.Hint{{Page: 1, Above: 3}, {Page: 0, Above: 5}, {Page: math.MaxUint32 - 1, Above: 7}}
	})
	if got := f.r.Event.Hints; len(got) != 1 || got[0] != (event.Hint{Page: 0, Above: 5}) {
		t.Errorf("hints %v", got)
	}
}
