package group

import (
	"fmt"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

func TestDirectoryOf(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.example":                  "",
		"http://a.example/":                 "",
		"http://a.example?q=/x/y":           "",
		"http://a.example/b":                "",
		"http://a.example/b/":               "/b",
		"http://a.example/b/c.html#/d/e":    "/b",
		"http://a.example/b/c/d/e.html":     "/b/c/d",
		"http://a.example/b/c/d/e/f?g=/h/i": "/b/c/d",
		"http://a.example//b//c/d":          "//b/",
	} {
		if got := string(directoryOf([]byte(url))); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// oneSite holds the facts of pages of one site.
type oneSite struct{}

func (oneSite) Site(graph.Page) graph.Site { return 0 }
func (oneSite) From(graph.Page) graph.Page { return graph.NoPage }
func (oneSite) Depth(graph.Page) int       { return 0 }

// TestDirectories: directories are numbered in the order in which they become known, and
// found again.
func TestDirectories(t *testing.T) {
	const pages = 5000
	e := &order.Env{Facts: oneSite{}, MaxPages: pages}
	e.URL = func(b []byte, p graph.Page) []byte {
		return fmt.Appendf(b, "http://a.example/%d/%d", order.Hash(1, uint64(p))%1500, p)
	}
	d := NewDirectories(e, "test")
	defer d.Free()
	ids := map[string]int{}
	for p := range graph.Page(pages) {
		dir := string(directoryOf(e.URL(nil, p)))
		want, old := ids[dir]
		if !old {
			want = len(ids)
			ids[dir] = want
		}
		if got := d.Of(p, 0); got != want {
			t.Fatalf("page %d of %s has directory %d, want %d", p, dir, got, want)
		}
	}
	if d.Len() != len(ids) {
		t.Errorf("%d directories, want %d", d.Len(), len(ids))
	}
}
