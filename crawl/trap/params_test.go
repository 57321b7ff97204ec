package trap

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/frontier"
)

// A parameter under which the same pages come again and again is known after some of
// them: from then on a page is asked for with one value only. A parameter that makes
// pages is left as it is.
func TestIdleParameter(t *testing.T) {
	g := New([16]byte{1}, 1000, 10)
	g.AddSite([]byte("a.example"), 0, "a.example")
	came := func(exact bool, format string, args ...any) {
		p := Page{Rest: fmt.Appendf(nil, format, args...)}
		g.Asked(&p)
		g.Came(&p, News{Exact: exact, Same: exact, Ends: true})
	}
	judge := func(format string, args ...any) frontier.Bar {
		return g.Judge(&Page{Rest: fmt.Appendf(nil, format, args...)})
	}
	for i := range 10 {
		came(false, "/show?id=%d&zx=%d", i, 100+i)
	}
	for i := range idleLeast {
		if b := judge("/show?id=%d&zx=%d", i, 200+i); b != frontier.NoBar {
			t.Fatalf("barred as %v after %d repeats", b, i)
		}
		came(true, "/show?id=%d&zx=%d", i, 200+i)
	}
	if b := judge("/show?id=5&zx=300"); b != frontier.BarDuplicate {
		t.Errorf("another session of a page that came: %v", b)
	}
	if b := judge("/show?id=11&zx=300"); b != frontier.NoBar {
		t.Errorf("a page that did not come: %v", b)
	}
	if b := judge("/show?id=5"); b != frontier.NoBar {
		t.Errorf("without the parameter: %v", b)
	}
}
