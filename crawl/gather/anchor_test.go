package gather

import (
	"testing"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// A target that a page has several times has one anchor: the best region, the first words.
// Redirects, link elements and headers have none.
func TestAnchors(t *testing.T) {
	html := `<link rel=next href=/next><nav><a href="#top">self</a><a href=/a>Menu entry</a></nav>
		<p><a href=/a#x>More about entry</a> <a href=/b>word</a> <a href=/next></a></p>
		<footer><a href=/b>one two three four</a><a href=/c><img alt="Last one"></a></footer>`
	want := []struct {
		rest, words string
		region      event.Region
	}{
		{"/head", "", event.Elsewhere},
		{"/next", "", event.Content},
		{"/a", "menu entry more about", event.Content},
		{"/b", "word one two three", event.Content},
		{"/c", "last one", event.Footer},
	}
	o := options()
	for _, o.Anchors = range []bool{true, false} {
		g, f := New(o), new(Found)
		g.Page(home, answered(200, html, "Content-Type", "text/html", "Link", "</head>; rel=prev"), noon, f)
		if f.Links.Len() != len(want) {
			t.Fatalf("%d links, want %d", f.Links.Len(), len(want))
		}
		for i, x := range want {
			a := event.Anchor{}
			if o.Anchors {
				a = event.Anchor{Words: page.Words([]byte(x.words)), Region: x.region}
			}
			if got := f.Links.At(i); got.Anchor != a || string(f.Links.Rest(i)) != x.rest {
				t.Errorf("anchors %t: link %s has %+v, want %s %+v", o.Anchors, f.Links.Rest(i), got.Anchor, x.rest, a)
			}
		}
		moved := answered(301, "")
		moved.Class, moved.Location = event.Redirect, "/elsewhere"
		if g.Page(home, moved, noon, f); f.Links.Len() != 1 || f.Links.At(0).Anchor != (event.Anchor{}) {
			t.Errorf("a redirect: %d links, %+v", f.Links.Len(), f.Links.At(0))
		}
	}
}
