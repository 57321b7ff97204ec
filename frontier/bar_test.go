package frontier

import "testing"

// TestBars: every bar has a name of its own, and what fits into a byte beside the state
// of a page comes out again.
func TestBars(t *testing.T) {
	names := map[string]bool{}
	for b := range Bar(Bars()) {
		names[b.String()] = true
	}
	if len(names) != Bars() || names[""] || Bars() > int(MaxBar)+1 {
		t.Errorf("%d names for %d bars: %v", len(names), Bars(), names)
	}
	if s := MaxBar.String(); s != "bar 31" {
		t.Errorf("a bar without a name is %q", s)
	}
	f := plain(t, Options{})
	for b := range MaxBar + 1 {
		if f.setBar(0, b); f.Bar(0) != b || f.State(0) != RefusedPage {
			t.Errorf("bar %v comes out as %v, %v", b, f.Bar(0), f.State(0))
		}
	}
}
