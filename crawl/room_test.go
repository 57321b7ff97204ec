package crawl

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// many makes so many URLs of a kind.
func many(n int, kind string) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("/%s/%d", kind, i))
	}
	return urls
}

// A crawl that goes on with room for fewer pages than it knows has room for those: here
// under a policy that takes no more than 10,000 pages, which says so, and nothing is lost.
func TestLessRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": func(rw http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					linksTo(append([]string{"/more"}, many(6000, "x")...)...)(rw, r)
				case "/more":
					linksTo(many(6000, "y")...)(rw, r)
				default:
					http.NotFound(rw, r)
				}
			},
		}, "http://a.example/")
		w.o.Config.Policy, w.o.Config.Pages = "breadth-first", 2
		before := w.run(t)
		if before.Known != 12_002 {
			t.Fatalf("%d pages are known", before.Known)
		}
		w.o.Seeds = nil
		for range 2 {
			w.o.Config.Policy = "pagerank"
			if _, err := Run(t.Context(), w.o); err == nil || !strings.Contains(err.Error(), "at most 10000 pages") {
				t.Fatalf("a policy for 10,000 pages gives %v", err)
			}
			w.disk[layout.SnapshotDir] = disk.NewMemory() // and without one
		}
		w.o.Config.Policy = "breadth-first"
		if sum := w.run(t); sum.Known != before.Known || sum.Fetched != before.Fetched {
			t.Errorf("%d pages are known and %d fetched, before it were %d and %d", sum.Known, sum.Fetched, before.Known, before.Fetched)
		}
	})
}

// A crawl that knows as many pages as it has room for goes on with those; its snapshot is
// what its records make; and further seeds are refused with a word.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": func(rw http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					linksTo(append([]string{"/more"}, many(6000, "x")...)...)(rw, r)
				case "/more":
					linksTo(append(many(6000, "y"), many(10, "x")...)...)(rw, r)
				default:
					http.NotFound(rw, r)
				}
			},
		}, "http://a.example/", "http://a.example/more")
		w.o.Config.Policy, w.o.Config.Pages = "pagerank", 2
		if sum := w.run(t); sum.Known != 10_000 || sum.Fetched != 2 {
			t.Fatalf("%d pages are known, %d fetched", sum.Known, sum.Fetched)
		}
		if !bytes.Equal(w.restored(t, w.disk[layout.SnapshotDir]), w.restored(t, disk.NewMemory())) {
			t.Error("the snapshot is not what the records make")
		}
		w.o.Seeds, w.o.AddSeeds = []string{"http://b.example/"}, true
		if _, err := Run(t.Context(), w.o); err == nil || !strings.Contains(err.Error(), "no room for http://b.example/") {
			t.Errorf("another seed gives %v", err)
		}
	})
}

// restored is the saved state of the crawl, made from these snapshots and its journal.
func (w *testWeb) restored(t *testing.T, snapshots disk.Dir) []byte {
	t.Helper()
	var b bytes.Buffer
	w.withState(t, snapshots, func(s *state.State) {
		if err := s.Save(&b); err != nil {
			t.Fatal(err)
		}
	})
	return b.Bytes()
}
