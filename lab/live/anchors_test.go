package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// A recorded crawl that is simulated again has the anchors of the crawl, and the report
// counts them. Without the key there are none.
func TestReplayKnowsAnchors(t *testing.T) {
	for _, on := range []bool{true, false} {
		spec := fakeweb.Spec{Pages: 80, Sites: 4, Links: 600, Seed: 7}
		_, dir, _ := crawledAs(t, spec, 4, answer.Options{}, func(c *config.Config) { c.Anchors = on })
		r := mustRead(t, dir, "opic")
		want := anchorsOf(t, r)
		regions := map[event.Region]int{}
		for _, a := range want {
			regions[a.Region]++
			if (a.Words.Len() > 0) != on {
				t.Errorf("with anchors = %t a link has %d words", on, a.Words.Len())
			}
		}
		if (regions[event.Navigation] > 0 && regions[event.Content] > 0) != on || (regions[event.Elsewhere] == 0) != on {
			t.Errorf("with anchors = %t the regions of links are %v", on, regions)
		}
		if got := replayedAnchors(t, r, on); !slices.Equal(got, want) {
			t.Errorf("%d anchors in the replay, %d in the crawl, or others", len(got), len(want))
		}
		if rows := fmt.Sprint(r.figures().Table.Rows); strings.Contains(rows, "in the navigation of pages") != on {
			t.Errorf("figures with anchors = %t: %s", on, rows)
		}
	}
}

// anchorsOf returns the anchors of a crawl in the order of its journal.
func anchorsOf(t *testing.T, r *Report) (list []event.Anchor) {
	t.Helper()
	err := r.w.Crawl.EachLink(func(_, _ graph.Page, a event.Anchor) error {
		list = append(list, a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// replayedAnchors returns those of its simulation under its own policy.
func replayedAnchors(t *testing.T, r *Report, on bool) (list []event.Anchor) {
	t.Helper()
	own, err := policy.Choose(r.config.Policy)
	if err != nil {
		t.Fatal(err)
	}
	world := r.world.Sim
	world.Times = r.c.Times
	o := sim.Options{Policy: own, Setup: r.c.Setup, Record: func(_ time.Duration, e *event.Event) {
		if (len(e.Anchors) > 0) != on && len(e.Links) > 0 {
			t.Errorf("with anchors = %t: %d anchors of %d links", on, len(e.Anchors), len(e.Links))
		}
		list = append(list, e.Anchors...)
		if !on {
			list = append(list, make([]event.Anchor, len(e.Links))...)
		}
	}}
	if _, err := sim.Run(&world, o); err != nil {
		t.Fatal(err)
	}
	return list
}
