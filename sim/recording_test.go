package sim

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A virtual crawl ends even if the recorded one was stopped when a robots.txt had moved: where
// it moved to is not known to answer.
func TestRecordingEndsAtHop(t *testing.T) {
	out := graph.ListsOf([][]graph.Page{{}})
	t.Cleanup(out.Free)
	times, err := Recorded("test", 1, []Observation{{FirstByteSeconds, 0, 1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecording()
	r.Add(event.Task{Kind: event.Robots}, Answer{Event: event.Event{Hop: true, To: 1}, Took: time.Second})
	r.Add(event.Task{Kind: event.Fetch, Page: 0}, Answer{Took: time.Second})
	w := &World{Out: out, SiteOf: make([]graph.Site, 1), Sites: 2, Times: times, Recorded: r}
	turns := 0
	res, err := Run(w, Options{
		Policy: mustChoose(t, "breadth-first"), Setup: Setup{Seeds: []graph.Page{0}, Frontier: frontier.Options{Robots: true}},
		Record: func(time.Duration, *event.Event) {
			if turns++; turns > 1000 {
				panic("the crawl does not end")
			}
		},
	})
	if err != nil || len(res.Order) != 0 || res.Requests != 2 {
		t.Errorf("%+v, error %v", res, err)
	}
}
