package event

import "testing"

// Of two links to one page the better region counts, and the words of both while there is
// room.
func TestJoin(t *testing.T) {
	a := Anchor{Words{1, 2}, Footer}
	if got, want := a.Join(Anchor{Words{2, 3, 4, 5}, Content}), (Anchor{Words{1, 2, 3, 4}, Content}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := a.Join(Anchor{}); got != a {
		t.Errorf("%+v, want %+v", got, a)
	}
	if got := (Anchor{}).Join(a); got != a {
		t.Errorf("%+v, want %+v", got, a)
	}
	if w := (Words{1, 2, 3}); w.Len() != 3 || !w.Add(3) || w.Add(4) || w != (Words{1, 2, 3, 4}) || w.Len() != 4 || w.Add(5) {
		t.Errorf("%v", w)
	}
}

// Content is better than navigation, which is better than a footer.
func TestRegionOrder(t *testing.T) {
	for r, name := range []string{"other", "footer", "navigation", "content"} {
		if Region(r).String() != name {
			t.Errorf("region %d is %v, want %s", r, Region(r), name)
		}
	}
}
