package files

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFunction: what a user writes into a file is made explicit. What the crawl has already, be it
// of a version in which bare names meant values, means what it meant.
func TestFunction(t *testing.T) {
	file := filepath.Join(t.TempDir(), "score.txt")
	if err := os.WriteFile(file, []byte("0.7*pagerank\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, file, want string }{
		{"", file, "0.7*q(pagerank)"},
		{"0.7*q(pagerank)", file, "0.7*q(pagerank)"},
		{"0.7*pagerank", file, "0.7*pagerank"},
		{"0.7*pagerank", "", "0.7*pagerank"},
	} {
		f, err := Function(c.text, c.file)
		if err != nil || f.String() != c.want {
			t.Errorf("%q, %q: %v, %v; want %s", c.text, c.file, f, err, c.want)
		}
	}
	for text, want := range map[string]string{"depth": "q(depth)", "dept": "dept", "": ""} {
		if got := Explicit(text, ""); got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
	if got := Explicit("depth", "depth"); got != "depth" {
		t.Errorf("the expression of before means %q", got)
	}
}
