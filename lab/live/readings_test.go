package live

import (
	"context"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/topical"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// A crawl of the synthetic web with topics records the readings that the text world has, link by
// link, and a virtual crawl of the recorded world equals one of the text world: what the
// laboratory knows of text is what a crawler knows.
func TestReadingsOfCrawlAndTextWorld(t *testing.T) {
	spec := fakeweb.Spec{Pages: 400, Sites: 10, Links: 4000, Seed: 3, Topics: fakeweb.SomeTopics()}
	spec.Topics.Share = 0.15
	options := answer.Options{MinSize: 2000, MaxSize: 8000}
	_, dir, _ := crawledWith(t, spec, 3, options, func(o *crawl.RunOptions) { o.Config.Query = "computer compiler" })
	c, err := OpenWorld(context.Background(), dir, WorldOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	recorded := lab.NewWorld("crawl", c.Graph, false, 1)
	defer recorded.Free()
	if err := c.Read(recorded); err != nil || recorded.Readings == nil {
		t.Fatalf("no readings: %v", err)
	}
	text, err := topical.New("text", spec, options)
	if err != nil {
		t.Fatal(err)
	}
	want, err := text.Read(recorded.Readings.Topic, 1)
	if err != nil {
		t.Fatal(err)
	}
	to := compareReadings(t, recorded, text, want)
	text.SetReadings(want)
	for _, name := range []string{"two-queue", "best-first", "topical"} {
		got, expected := focusedOrder(t, recorded, to[0], name), focusedOrder(t, text.World, 0, name)
		if len(got) != spec.Pages || len(expected) != spec.Pages {
			t.Errorf("%s: %d and %d of %d pages", name, len(got), len(expected), spec.Pages)
		}
		// Ids, by which ties are broken, differ between the two worlds, and so do orders.
		_, hot := want.Similarities()
		a, b := 0, 0
		for i := range 100 {
			if hot[expected[i]] {
				a++
			}
			if hot[slices.Index(to, got[i])] {
				b++
			}
		}
		if a < 10 || b < 2*a/3 || b > 3*a/2 {
			t.Errorf("%s: %d hot pages among the first 100 of the recorded world, %d of the text world", name, b, a)
		}
	}
}

// compareReadings compares the pages of two worlds, and returns the page of the first for each of
// the second.
func compareReadings(t *testing.T, recorded *lab.World, text *topical.World, want *lab.Readings) []graph.Page {
	t.Helper()
	ids := map[string]graph.Page{}
	for p := range graph.Page(recorded.Pages()) {
		ids[recorded.PageName(p)] = p
	}
	to := make([]graph.Page, text.Pages())
	for p := range to {
		var ok bool
		if to[p], ok = ids[text.Answers.URL(graph.Page(p))]; !ok {
			t.Fatalf("the crawl does not know %s", text.Answers.URL(graph.Page(p)))
		}
	}
	hits := 0
	var a, b event.Reading
	for p := range graph.Page(text.Pages()) {
		want.Read(p, &a)
		recorded.Readings.Read(to[p], &b)
		if a.Words != b.Words || a.Norm != b.Norm || !slices.Equal(a.Matches, b.Matches) || len(a.Hits) != len(b.Hits) {
			t.Fatalf("page %d: the crawl read %+v, want %+v", p, b, a)
		}
		by := map[graph.Page]event.Hit{}
		for _, h := range b.Hits {
			by[recorded.Sim.Out.List(to[p])[h.Link]] = h
		}
		for _, h := range a.Hits {
			got := by[to[text.Sim.Out.List(p)[h.Link]]]
			if hits++; got.Anchor != h.Anchor || got.Around != h.Around {
				t.Fatalf("page %d, link %d: the crawl read %+v, want %+v", p, h.Link, got, h)
			}
		}
	}
	if hits < 100 {
		t.Errorf("%d hits at links", hits)
	}
	return to
}

// focusedOrder returns the order of a virtual crawl.
func focusedOrder(t *testing.T, w *lab.World, seed graph.Page, name string) []graph.Page {
	t.Helper()
	s := lab.Setting{World: w, Setup: sim.Setup{Seeds: []graph.Page{seed}, Random: 1, Batch: policy.DefaultBatch}}
	s.Frontier.Topic = w.Readings.Topic
	c, err := s.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Simulate(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Result.Order
}
