package trap

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// A parameter under which the same pages come again and again is known after some of
// them: from then on a page is requested with one value only. A parameter that makes
// pages is left as it is.
func TestIdleParameter(t *testing.T) {
	g := New([16]byte{1}, 1000, 10)
	g.AddSite([]byte("a.example"), 0, "a.example")
	came := func(exact bool, format string, args ...any) {
		p := Page{Rest: fmt.Appendf(nil, format, args...)}
		g.Requested(&p)
		g.Fetched(&p, News{Exact: exact, Same: exact, Ends: true})
	}
	judge := func(format string, args ...any) event.Bar {
		return g.Judge(&Page{Rest: fmt.Appendf(nil, format, args...)})
	}
	for i := range 10 {
		came(false, "/show?id=%d&zx=%d", i, 100+i)
	}
	for i := range idleLeast {
		if b := judge("/show?id=%d&zx=%d", i, 200+i); b != event.NoBar {
			t.Fatalf("barred as %v after %d repeats", b, i)
		}
		came(true, "/show?id=%d&zx=%d", i, 200+i)
	}
	if b := judge("/show?id=5&zx=300"); b != event.BarDuplicate {
		t.Errorf("another session of a page that came: %v", b)
	}
	if b := judge("/show?id=11&zx=300"); b != event.NoBar {
		t.Errorf("a page that did not come: %v", b)
	}
	if b := judge("/show?id=5"); b != event.NoBar {
		t.Errorf("without the parameter: %v", b)
	}
}

// A directory that is an id is such a parameter; a page whose name is one is not, nor are
// directories under which pages differ.
func TestIdleDirectory(t *testing.T) {
	g := New([16]byte{1}, 1000, 10)
	g.AddSite([]byte("a.example"), 0, "a.example")
	id := func(i int) string { return fmt.Sprintf("s-%010xa1b2", i) }
	came := func(exact bool, format string, args ...any) {
		p := Page{Rest: fmt.Appendf(nil, format, args...)}
		g.Requested(&p)
		g.Fetched(&p, News{Exact: exact, Same: exact, Ends: true})
	}
	for i := range 10 {
		came(false, "/%s/p%d.html", id(1), i)
		came(i > 0, "/x/%s", id(i))
		came(false, "/v/%s/p.html", id(i))
	}
	for i := range idleLeast {
		came(true, "/%s/p%d.html", id(2), i)
	}
	for rest, want := range map[string]event.Bar{
		"/" + id(3) + "/p9.html":   event.BarDuplicate,
		"/" + id(3) + "/p10.html":  event.NoBar, // did not come
		"/x/" + id(30):             event.NoBar,
		"/v/" + id(30) + "/p.html": event.NoBar,
	} {
		if bar := g.Judge(&Page{Rest: []byte(rest)}); bar != want {
			t.Errorf("%s is judged %v, want %v", rest, bar, want)
		}
	}
}
