package event

import "testing"

// The words of two links to one page are joined while there is room.
func TestWordsJoin(t *testing.T) {
	for _, c := range []struct{ a, b, want Words }{
		{Words{1, 2}, Words{2, 3, 4, 5}, Words{1, 2, 3, 4}},
		{Words{}, Words{5, 6}, Words{5, 6}},
		{Words{5, 6}, Words{}, Words{5, 6}},
	} {
		if c.a.Join(c.b); c.a != c.want {
			t.Errorf("%v, want %v", c.a, c.want)
		}
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
