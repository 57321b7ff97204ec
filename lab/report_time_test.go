package lab

import (
	"fmt"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// The time to a share of the recall is the end of the fetch with which it is reached; pages that
// cannot be reached do not count, and what is not reached has no time.
func TestRecallTime(t *testing.T) {
	c := &Comparison{Tree: &measure.Tree{Order: []graph.Page{0, 1, 2, 3, 4}}}
	hot := []bool{false, true, false, true, true, true} // page 5 cannot be reached
	r := &Run{Result: &sim.Result{Order: []graph.Page{0, 3, 2, 1}, End: []time.Duration{1e9, 3e9, 4e9, 7e9}}}
	for _, test := range []struct {
		level float64
		want  show.Cell
	}{{0.3, show.Num(3, 1)}, {0.5, show.Num(7, 1)}, {0.8, show.None()}} {
		if got := c.recallTime(r, hot, test.level); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v of the hot pages after %v, want %v", test.level, got, test.want)
		}
	}
}
