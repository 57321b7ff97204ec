package sim

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
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

// A noting policy is breadth-first, and notes the anchors of the links that it is told of.
type noting struct {
	policy.Policy
	anchors map[graph.Page]event.Anchor // by target
}

func (n *noting) Done(now time.Duration, p graph.Page, o *event.Outcome, links []graph.Page) {
	for i, to := range links {
		n.anchors[to] = o.Anchors[i]
	}
	n.Policy.Done(now, p, o, links)
}

// A policy is told the anchors that a crawl recorded, in the order of the links.
func TestRecordedAnchors(t *testing.T) {
	out := graph.ListsOf([][]graph.Page{{1, 2}, {}, {}})
	t.Cleanup(out.Free)
	times, err := Recorded("test", 1, []Observation{{FirstByteSeconds, 0, 1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecording()
	menu, text := event.Anchor{Words: event.Words{7}, Region: event.Navigation}, event.Anchor{Words: event.Words{8, 9}, Region: event.Content}
	r.Add(event.Task{Kind: event.Fetch}, Answer{Event: event.Event{Links: []graph.Page{2, 1}, Anchors: []event.Anchor{menu, text}}, Took: time.Second})
	for p := range graph.Page(2) {
		r.Add(event.Task{Kind: event.Fetch, Page: p + 1}, Answer{Took: time.Second})
	}
	choice, noted := *mustChoose(t, "breadth-first"), &noting{anchors: map[graph.Page]event.Anchor{}}
	spec := *choice.Spec
	choice.Spec = &spec
	spec.New = func(e *policy.Env, p policy.Params) (_ policy.Policy, err error) {
		noted.Policy, err = mustChoose(t, "breadth-first").Spec.New(e, p)
		return noted, err
	}
	w := &World{Out: out, SiteOf: make([]graph.Site, 3), Sites: 1, Times: times, Recorded: r}
	res, err := Run(w, Options{Policy: &choice, Setup: Setup{Seeds: []graph.Page{0}}})
	if err != nil || len(res.Order) != 3 {
		t.Fatalf("%+v, error %v", res, err)
	}
	// In this crawl page 2 becomes known before page 1, so its id is 1.
	if noted.anchors[1] != menu || noted.anchors[2] != text {
		t.Errorf("%+v", noted.anchors)
	}
}
