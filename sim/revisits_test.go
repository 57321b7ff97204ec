package sim

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A visitor counts what a crawl fetches, and looks whether it was polite.
type visitor struct {
	t         *testing.T
	delay     time.Duration
	ended     map[graph.Site]time.Duration // of the last request
	first     int
	visits    []int // by page of the world
	same      int
	points    int
	freshness float64 // sum over the pages, at the last point
}

func (v *visitor) Fetched(_ time.Duration, p graph.Page, saved int64) {
	if v.visits[p]++; v.visits[p] == 1 {
		v.first++
	}
	if saved >= 0 {
		v.same++
	}
}

func (v *visitor) Next() time.Duration { return time.Duration(v.points+1) * 24 * time.Hour }

func (v *visitor) Pass(fresh func(graph.Page) float64) {
	v.points++
	v.freshness = 0
	for p := range v.visits {
		v.freshness += fresh(graph.Page(p))
	}
}

func (v *visitor) record(now time.Duration, e *event.Event) {
	switch e.Kind {
	case event.Took:
		if end, ok := v.ended[e.Site]; ok && e.Task.Kind == event.Fetch && now < end+v.delay {
			v.t.Errorf("site %d is requested %v after the last answer", e.Site, now-end)
		}
	case event.Done:
		v.ended[e.Site] = now
	}
}

// Under every policy pages are visited again beside new ones, at the pace of the plan, as
// politely, and those that change more often than the others.
func TestRevisits(t *testing.T) {
	const day, pages, every, days = 24 * time.Hour, 240, 4, 20
	w := newTestWeb(t, pages, 12)
	a, err := freshness.Choose("default")
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range []string{"", "modern"} {
		for _, name := range variants() {
			t.Run(preset+"/"+name, func(t *testing.T) {
				s := setting{preset: preset, fetchers: 4, frontier: frontier.Options{Delay: time.Minute}}
				o, world := w.options(t, name, &s, 6), w.world(t, preset, 3)
				v := &visitor{t: t, delay: time.Minute, ended: map[graph.Site]time.Duration{}, visits: make([]int, pages)}
				o.Record, o.Witness, o.Duration = v.record, v, days*day
				o.Revisits = &Revisits{Allocation: a, Every: every * day}
				world.Version = func(p graph.Page, at time.Duration) uint32 { // every other page changes
					return uint32(p%2) * uint32(at/(5*day))
				}
				res, err := Run(world, o)
				if err != nil {
					t.Fatal(err)
				}
				sum := [2]int{}
				for p, n := range v.visits {
					sum[p%2] += n
				}
				if all, want := sum[0]+sum[1], v.first*(1+days/every); v.first != len(res.Order) || all < want*9/10 || all > want*11/10 {
					t.Errorf("%d first visits of %d pages, and %d in all, want about %d", v.first, len(res.Order), all, want)
				}
				if sum[1] < sum[0]*13/10 || v.same < sum[0]/3 {
					t.Errorf("%d visits of pages that change, %d of others; %d not modified", sum[1], sum[0], v.same)
				}
				if v.points != days || v.freshness < 1 || v.freshness > float64(v.first) || res.Took != days*day {
					t.Errorf("%d points, freshness %v, took %v", v.points, v.freshness, res.Took)
				}
			})
		}
	}
}

// While there are new pages, visits have their share of the hand-outs.
func TestRevisitShare(t *testing.T) {
	const pages = 400
	w := newTestWeb(t, pages, 12)
	a, err := freshness.Choose("uniform")
	if err != nil {
		t.Fatal(err)
	}
	s := setting{fetchers: 1, frontier: frontier.Options{Delay: time.Hour}, max: 200}
	o := w.options(t, "opic", &s, 1)
	v := &visitor{t: t, visits: make([]int, pages)}
	o.Witness, o.Duration = v, 1000*time.Hour
	o.Revisits = &Revisits{Allocation: a, Every: 1e6 * time.Hour, Division: freshness.Division{Shared: true, Share: 0.25}}
	if _, err := Run(w.world(t, "", 0), o); err != nil {
		t.Fatal(err)
	}
	if v.first < 145 || v.first > 155 {
		t.Errorf("%d of 200 requests are for new pages, want 150", v.first)
	}
}

// Without an end a crawl with visits is refused.
func TestRevisitsNeedDuration(t *testing.T) {
	w := newTestWeb(t, 100, 12)
	o := w.options(t, "opic", &setting{fetchers: 1}, 1)
	o.Revisits = &Revisits{Every: time.Hour}
	if _, err := Run(w.world(t, "", 0), o); err == nil {
		t.Error("it runs for ever")
	}
}
