package live

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A crawl with the values of an earlier crawl is repeated by its replay, too, stopped
// or not. The values are in its journal: those of the earlier crawl are not read
// again.
func TestReplayWithHistory(t *testing.T) {
	few := replaySetting{web: answer.Mixed(), set: with(func(c *config.Config) { c.Pages = 80 })}
	old := few.crawl(t)
	stops := []pause{{after: 6 * time.Second, off: time.Second}, {after: 23 * time.Second, off: time.Minute}}
	for _, test := range []struct {
		policy string
		known  bool // pages of the earlier crawl are known from the start
		pauses []pause
	}{
		{"historical-pagerank/new=parent/known=false", false, stops},
		{"historical-pagerank/new=random", true, stops},
		{"mix:opic+historical-pagerank", true, nil},
	} {
		t.Run(test.policy, func(t *testing.T) {
			x := replaySetting{web: answer.Mixed(), pauses: test.pauses, set: with(func(c *config.Config) { c.Policy, c.History = test.policy, old })}
			r := mustRead(t, x.crawl(t), "random")
			compareCourses(t, r)
			if n := len(r.w.Trail.Old); (n > 40) != test.known {
				t.Errorf("%d pages of the earlier crawl are known from the start", n)
			}
			if h := r.c.History; h.Old < 70 || len(h.Prior.All) != h.Old+h.Gone {
				t.Errorf("%d values of pages of the world, %d others, %d in all", h.Old, h.Gone, len(h.Prior.All))
			}
		})
	}
}
