package graph

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// feedOf is a feed of pages 0 to n-1 of which the given ones were fetched.
func feedOf(n int, fetched []Page, links [][2]Page) *Feed {
	return &Feed{
		Name: "test",
		Links: func(add func(from, to Page) error, tell func(done, total int64) error) error {
			for i, l := range links {
				if err := add(l[0], l[1]); err != nil {
					return err
				}
				if err := tell(int64(i), int64(len(links))); err != nil {
					return err
				}
			}
			return nil
		},
		Pages: func() int { return n },
		Fetched: func() []uint64 {
			bits := make([]uint64, (n+63)/64)
			for _, p := range fetched {
				bits[p/64] |= 1 << (p % 64)
			}
			return bits
		},
		URLs: func(emit func([]byte) error) error {
			for i := range n {
				if err := emit(fmt.Appendf(nil, "http://s%d.example/%d", i%2, i)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func importFeed(t *testing.T, f *Feed, minIn int) (*Graph, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "feed.wg")
	_, err := Import(t.Context(), ImportOptions{Feed: f, FrontierMinInLinks: minIn, WriteOptions: WriteOptions{Path: path}})
	if err != nil {
		return nil, err
	}
	g, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g, nil
}

// A feed gives links in any order and more than once; pages that were only seen are
// there without links, or left out on request, and then the ids of the others stay.
func TestFeed(t *testing.T) {
	links := [][2]Page{{3, 1}, {0, 3}, {0, 1}, {3, 4}, {0, 3}, {0, 0}}
	g, err := importFeed(t, feedOf(5, []Page{0, 3}, links), 0)
	if err != nil {
		t.Fatal(err)
	}
	if g.Pages() != 5 || g.Links() != 5 || g.Sites() != 2 || g.Fetched(1) || !g.Fetched(3) {
		t.Errorf("%d pages, %d links, %d sites, fetched: page 1 %t, page 3 %t", g.Pages(), g.Links(), g.Sites(), g.Fetched(1), g.Fetched(3))
	}
	if l := g.Forward().Reader().List(0); !slices.Equal(l, []Page{0, 1, 3}) {
		t.Errorf("links of page 0: %v", l)
	}
	g, err = importFeed(t, feedOf(5, []Page{0, 3}, links), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if g.Pages() != 2 || g.Links() != 2 || g.ID(1) != 3 || string(g.AppendURL(nil, 1)) != "http://s1.example/3" {
		t.Errorf("fetched only: %d pages, %d links, page 1 is %d %s", g.Pages(), g.Links(), g.ID(1), g.AppendURL(nil, 1))
	}
}

func TestFeedErrors(t *testing.T) {
	if _, err := importFeed(t, feedOf(2, []Page{0}, [][2]Page{{0, 2}}), 0); err == nil || !strings.Contains(err.Error(), "page 2") {
		t.Errorf("a link to nowhere: %v", err)
	}
	if _, err := importFeed(t, feedOf(2, []Page{0}, [][2]Page{{1, 0}}), 0); err == nil || !strings.Contains(err.Error(), "not fetched") {
		t.Errorf("a link of a page that did not come: %v", err)
	}
	f := feedOf(2, []Page{0}, nil)
	f.Pages = func() int { return 3 }
	if _, err := importFeed(t, f, 0); err == nil || !strings.Contains(err.Error(), "2 of 3 URLs") {
		t.Errorf("a URL is missing: %v", err)
	}
	want := errors.New("gone")
	f = feedOf(2, []Page{0}, nil)
	f.Links = func(func(Page, Page) error, func(int64, int64) error) error { return want }
	if _, err := importFeed(t, f, 0); !errors.Is(err, want) {
		t.Errorf("error of the feed: %v", err)
	}
}
