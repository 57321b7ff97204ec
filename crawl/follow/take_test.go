package follow

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
)

// A course of statuses has what happened between two of them spread over the steps between, estimates
// while a status is not whole, and corrects that afterwards.
func TestTake(t *testing.T) {
	var c Course
	take := func(second int, fetched, failed int64, rate float64, whole bool) {
		c.Take(time.Duration(second)*time.Second, &history.Status{Fetched: fetched, Failed: failed, Rate: rate, Known: 500, Waiting: 500 - fetched, Active: 3, Waits: map[string]int{"unreachable": 2}}, whole)
	}
	take(0, 7, 1, 0, false)
	if len(c.Steps) != 0 {
		t.Errorf("it begins with a status that is not whole: %+v", c.Steps)
	}
	take(0, 100, 1, 0, true)
	take(1, 110, 2, 0, true)
	take(4, 140, 2, 0, true)
	take(5, 60, 0, 20.5, false) // some partitions are silent
	take(6, 70, 0, 20.5, false)
	take(7, 190, 2, 20, true)
	for i, want := range []struct{ fetched, total, failed int64 }{
		{0, 100, 0}, {10, 110, 1}, {10, 120, 0}, {10, 130, 0}, {10, 140, 0}, {20, 160, 0}, {21, 181, 0}, {9, 190, 0},
	} {
		if s := c.Steps[i]; s.Fetched != want.fetched || s.Total != want.total || s.Failed != want.failed || s.Sampled != (i != 5 && i != 6) {
			t.Errorf("step %d: %+v, want %+v", i, s, want)
		}
	}
	if s := c.Steps[7]; s.Waiting != 310 || s.Known != 500 || s.Active != 3 || s.Waits[len(s.Waits)-1] != 2 {
		t.Errorf("the last step: %+v", s)
	}
	for i := 8; i < 3*steps; i++ {
		take(i, 190+int64(i-7), 2, 1, true)
	}
	n, sum := len(c.Steps), int64(0)
	for _, s := range c.Steps {
		sum += s.Fetched
	}
	if c.Width != 4*time.Second || n > steps || c.Steps[n-1].Total != 100+sum {
		t.Errorf("width %v, %d steps, %d pages, and %d at the end", c.Width, n, sum, c.Steps[n-1].Total)
	}
}
