package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"import", "export", "generate", "stats", "links", "extract"}
	for typed, want := range map[string]string{
		"improt":  "import", // neighbours swapped
		"imort":   "import",
		"exprt":   "export",
		"stat":    "stats",
		"link":    "links",
		"gen":     "generate", // a beginning
		"extr":    "extract",
		"import":  "import",
		"IMPORT":  "import", // whatever the case
		"Gen":     "generate",
		"generic": "generate",
		"linked":  "links",
		"xyzzy":   "",
		"i":       "",
		"":        "",
	} {
		if got, ok := Nearest(typed, names); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", typed, got, ok, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abc", "acb", 1}, {"ab", "ba", 1}, {"abcd", "badc", 2},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2},
	} {
		if got := edits(test.a, test.b); got != test.want {
			t.Errorf("edits(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := edits(test.b, test.a); got != test.want {
			t.Errorf("edits(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
