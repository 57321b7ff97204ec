package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A session that was killed loses what was under way, and hands out nothing until the next one
// begins. The time between does not count. A page is fetched once more than it was lost.
func TestRecordingSessions(t *testing.T) {
	const s = time.Second
	out := graph.ListsOf([][]graph.Page{{1, 2}, {}, {}})
	t.Cleanup(out.Free)
	times, err := Recorded("test", 1, []Observation{{FirstByteSeconds, 0, 1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(p graph.Page) event.Task { return event.Task{Kind: event.Fetch, Page: p} }
	r := NewRecording()
	r.Mark(Mark{Tasks: 2})
	r.Add(fetch(0), Answer{Took: s, At: s, Event: event.Event{Links: []graph.Page{1, 2}}})
	r.Mark(Mark{At: 3 * s / 2, Lose: true})
	r.Add(fetch(1), Answer{Lost: 1})
	r.Mark(Mark{At: 10 * s, Stopped: 17 * s / 2, Tasks: AnyTasks, Acts: []Act{{Event: event.Event{Kind: event.Session}}}})
	r.Add(fetch(1), Answer{Took: s, At: 11 * s})
	r.Add(fetch(2), Answer{Took: s, At: 12 * s})
	w := &World{Out: out, SiteOf: make([]graph.Site, 3), Sites: 1, Times: times, Recorded: r}
	for _, max := range []int{0, 2} {
		res, err := Run(w, Options{Policy: mustChoose(t, "breadth-first"), Setup: Setup{Seeds: []graph.Page{0}, MaxPages: max}})
		if err != nil {
			t.Fatal(err)
		}
		n := 3
		if max > 0 {
			n = max
		}
		if !slices.Equal(res.Order, []graph.Page{0, 1, 2}[:n]) || !slices.Equal(res.End, []time.Duration{s, 5 * s / 2, 7 * s / 2}[:n]) {
			t.Errorf("at most %d: pages %v end at %v", max, res.Order, res.End)
		}
	}
}

// While the crawler was cut off, one task at a time is handed out, and the number of pages
// after which it stopped holds back others while some are under way.
func TestRecordingMarks(t *testing.T) {
	const s = time.Second
	out := graph.ListsOf([][]graph.Page{{}, {}, {}, {}})
	t.Cleanup(out.Free)
	times, err := Recorded("test", 1, []Observation{{FirstByteSeconds, 0, 1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(marks ...Mark) []time.Duration {
		r := NewRecording()
		for _, m := range marks {
			r.Mark(m)
		}
		for p := range graph.Page(4) {
			r.Add(event.Task{Kind: event.Fetch, Page: p}, Answer{Took: s})
		}
		w := &World{Out: out, SiteOf: []graph.Site{0, 1, 2, 3}, Sites: 4, Times: times, Recorded: r}
		res, err := Run(w, Options{Policy: mustChoose(t, "breadth-first"), Setup: Setup{Seeds: []graph.Page{0, 1, 2, 3}, Fetchers: 4}})
		if err != nil {
			t.Fatal(err)
		}
		return res.Start
	}
	if got := run(Mark{At: 0, Tasks: 0}, Mark{At: 5 * s, Tasks: 1}, Mark{At: 9 * s, Tasks: AnyTasks}); !slices.Equal(got, []time.Duration{5 * s, 9 * s, 9 * s, 9 * s}) {
		t.Errorf("cut off until 9 s, pages are requested at %v", got)
	}
	if got := run(Mark{Tasks: AnyTasks, Pages: 2}); !slices.Equal(got, []time.Duration{0, 0, s, 2 * s}) {
		t.Errorf("with two pages allowed, pages are requested at %v", got)
	}
}
