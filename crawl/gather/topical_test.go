package gather

import (
	"reflect"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/topic"
)

// about returns a topic of the words of a text.
func about(t testing.TB, text string) *topic.Topic {
	t.Helper()
	q, err := topic.Parse(text, text, topic.Rule{})
	if err != nil {
		t.Fatal(err)
	}
	about, err := topic.New([]topic.Query{q}, topic.Rule{}, topic.Hot{})
	if err != nil {
		t.Fatal(err)
	}
	return about
}

// A page is read with its title, and its links with their texts and the words around them. A
// target that occurs twice joins what both have.
func TestTopic(t *testing.T) {
	html := `<title>Web crawlers</title><link rel=next href=/next>
		<p>A crawler orders pages. <a href=/a>The order</a> one two three four five six seven eight nine ten
		eleven <a href=/b title=crawler><img src=x></a> <a href="#">crawler</a>
		<map><area href=/c alt="an order"></map> <a href=/a#x>web</a>`
	o := options()
	o.Topic, o.Anchors = about(t, "web crawler order"), false
	const web, crawler, order = 1, 2, 4
	g, f := New(o), new(Found)
	for range 2 { // the second time with buffers
		g.Page(home, answered(200, html, "Content-Type", "text/html", "Link", "</head>; rel=prev"), noon, f)
	}
	want := event.Reading{Words: 19, Matches: []event.Match{{Term: 0, Title: 1, Body: 1}, {Term: 1, Body: 2}, {Term: 2, Body: 1}}}
	got := f.Read
	if got.Hits = nil; !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	terms := map[string]Terms{}
	for i := range f.Links.Len() {
		terms[string(f.Links.Rest(i))] = f.Links.Terms(i)
		if f.Links.At(i).Anchor != (event.Anchor{}) {
			t.Errorf("%s has an anchor", f.Links.Rest(i))
		}
	}
	if want := (map[string]Terms{"/head": {}, "/next": {}, "/a": {web | order, crawler}, "/b": {crawler, web | crawler}, "/c": {order, 0}}); !reflect.DeepEqual(terms, want) {
		t.Errorf("links have %v, want %v", terms, want)
	}
	moved := answered(301, "")
	moved.Class, moved.Location = event.Redirect, "/elsewhere"
	if g.Page(home, moved, noon, f); f.Read.Words != 0 || f.Links.Len() != 1 || f.Links.Terms(0) != (Terms{}) {
		t.Errorf("a redirect: %+v, %d links, %v", f.Read, f.Links.Len(), f.Links.Terms(0))
	}
	o.Topic = nil
	if New(o).Page(home, answered(200, html, "Content-Type", "text/html"), noon, f); f.Read.Words != 0 || f.Links.Terms(0) != (Terms{}) {
		t.Errorf("without a topic: %+v", f.Read)
	}
}
