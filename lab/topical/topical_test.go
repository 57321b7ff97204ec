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

// The text world has what makes topics hard: words say of most pages what they are about, but not
// of all; stuffed pages look hot and are not; some hot pages have one backlink and some five.
func TestTruthAndHotPages(t *testing.T) {
	w := newWorld(t, 20_000)
	about, err := Query(0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Read(about, 2)
	if err != nil {
		t.Fatal(err)
	}
	near, hot := r.Similarities()
	var pages, on, both, stuffed, single, linked float64
	for p, is := range w.OnTopic(0) {
		if hot[p] && near[p] == 0 {
			t.Errorf("page %d is hot and has nothing of the topic", p)
		}
		if is {
			on++
		}
		if !hot[p] {
			continue
		}
		pages++
		if is {
			both++
		}
		if w.Answers.Web().Subject(graph.Page(p)).Stuffed == 0 {
			stuffed++
		}
		switch n := w.In.Degree(graph.Page(p)); {
		case n == 1:
			single++
		case n >= 5:
			linked++
		}
	}
	for _, x := range []struct {
		what           string
		got, low, high float64
	}{
		{"pages on the topic", on / 20_000, 0.04, 0.06}, {"hot pages among them", both / on, 0.6, 0.95}, {"pages on the topic among hot ones", both / pages, 0.8, 0.97},
		{"stuffed pages among hot ones", stuffed / pages, 0.03, 0.2}, {"with one backlink", single / pages, 0.1, 0.4}, {"with five", linked / pages, 0.3, 0.7},
	} {
		if x.got < x.low || x.got > x.high {
			t.Errorf("%s: %.3f, want %.2f to %.2f", x.what, x.got, x.low, x.high)
		}
	}
}
