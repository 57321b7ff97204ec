package topical

import (
	"reflect"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/topic"
)

func newWorld(t testing.TB, pages int) *World {
	t.Helper()
	w, err := New("text", fakeweb.Spec{Pages: pages, Sites: pages / 100, Links: 10 * int64(pages), Seed: 1, Topics: fakeweb.SomeTopics()}, answer.Options{MinSize: 2000, MaxSize: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The readings are those of the pages that are served, as the scanner of the crawler reads them.
func TestReadingsAreThoseOfTheServedPages(t *testing.T) {
	w := newWorld(t, 2000)
	q, err := topic.Parse("", "computer admission the volcano compiler", topic.Rule{Measure: topic.Cosine})
	if err != nil {
		t.Fatal(err)
	}
	about, err := topic.New([]topic.Query{q}, topic.Rule{Measure: topic.Cosine}, topic.PaperHot())
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Read(about, 2)
	if err != nil {
		t.Fatal(err)
	}
	scanner, reader := page.NewScanner(page.ScanOptions{}), about.NewReader()
	var p page.Page
	var one, want event.Reading
	for id := range graph.Page(w.Pages()) {
		scanner.Scan(w.Answers.HTML(nil, id), &p)
		reader.Page(p.Title, p.Text, &want)
		got.Read(id, &one)
		hits := slices.Clone(one.Hits)
		one.Hits = nil
		if !reflect.DeepEqual(one, event.Reading{Words: want.Words, Norm: want.Norm, Matches: slices.Clone(want.Matches)}) && len(want.Matches) > 0 || one.Words != want.Words {
			t.Fatalf("page %d: %+v, want %+v", id, one, want)
		}
		if len(p.Links) != w.Sim.Out.Degree(id) {
			t.Fatalf("page %d has %d links, want %d", id, len(p.Links), w.Sim.Out.Degree(id))
		}
		if !slices.IsSortedFunc(hits, func(a, b event.Hit) int { return int(a.Link) - int(b.Link) }) {
			t.Fatalf("page %d: hits %v", id, hits)
		}
	}
}

func TestStats(t *testing.T) {
	w := newWorld(t, 20_000)
	about, _ := Query(0)
	r, err := w.Read(about, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, hot := r.Similarities()
	on := w.OnTopic(0)
	var h, o, both, spam, one, hits, five int
	var x event.Reading
	for p := range hot {
		if hot[p] {
			h++
			if w.In.Degree(graph.Page(p)) == 1 {
				one++
			}
			if w.In.Degree(graph.Page(p)) >= 5 {
				five++
			}
		}
		if on[p] {
			o++
		}
		if on[p] && hot[p] {
			both++
		}
		if hot[p] && w.Answers.Web().Subject(graph.Page(p)).Stuffed == 0 {
			spam++
		}
		r.Read(graph.Page(p), &x)
		hits += len(x.Hits)
	}
	t.Logf("hot %d on %d both %d spam %d one backlink %d five %d hits %d", h, o, both, spam, one, five, hits)
}
