package lab

import (
	"fmt"
	"slices"
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

// TestMostActive reads in a report how many fetchers were active at most (S3): of 20 no more than
// there are sites, and all where there are fewer fetchers.
func TestMostActive(t *testing.T) {
	for fetchers, want := range map[int]float64{20: 6, 4: 4, 1: 1} {
		c := comparisonOf(t, 9, 60, func(s *Setting) {
			sites := make([]graph.Site, 60)
			for p := range sites {
				sites[p] = graph.Site(p % 6)
			}
			s.World.Sim.SiteOf, s.World.Sim.Sites = sites, 6
			s.Seeds = RandomSeeds(60, 30, 9, 1)
			s.Fetchers, s.Frontier.PerConnection = fetchers, 1
			var err error
			if s.Times, err = sim.Preset("thesis2004", 1); err != nil {
				t.Fatal(err)
			}
		})
		runs, err := c.All([]string{"breadth-first"}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		table := c.TimeTable(runs).Table
		i := slices.IndexFunc(table.Columns, func(c show.Column) bool { return c.Key == "active_most" })
		if got := table.Rows[0][i].Value(); got != want {
			t.Errorf("%d fetchers, six sites: %v active at most, want %v", fetchers, got, want)
		}
	}
}
