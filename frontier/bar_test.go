package frontier

import (
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// TestBars: every bar has a name of its own, and what fits into a byte beside the state
// of a page comes out again.
func TestBars(t *testing.T) {
	names := map[string]bool{}
	for b := range event.Bar(event.Bars()) {
		names[b.String()] = true
	}
	if len(names) != event.Bars() || names[""] || event.Bars() > int(event.MaxBar)+1 {
		t.Errorf("%d names for %d bars: %v", len(names), event.Bars(), names)
	}
	if s := event.MaxBar.String(); s != "bar 31" {
		t.Errorf("a bar without a name is %q", s)
	}
	f := plain(t, Options{})
	for b := range event.MaxBar + 1 {
		if f.pages.setBar(0, b); f.Bar(0) != b || f.State(0) != RefusedPage {
			t.Errorf("bar %v comes out as %v, %v", b, f.Bar(0), f.State(0))
		}
	}
}
