package crawl

import (
	"bytes"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A record is lost that made the last pages known, and no record after it tells of their
// ids. The crawl goes on all the same, and finds them again.
func TestLastPagesLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": func(rw http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					linksTo("/second")(rw, r)
				case "/second":
					linksTo("/last", "http://b.example/there")(rw, r)
				default:
					linksTo()(rw, r)
				}
			},
			"b.example": linksTo(),
		}, "http://a.example/")
		w.o.Config.Pages = 2
		w.run(t)
		spoil(t, w.disk, "there")
		w.disk[layout.SnapshotDir], w.disk[layout.URLDir] = disk.NewMemory(), disk.NewMemory()
		w.o.Config.Pages, w.o.Seeds = 0, nil
		if sum := w.run(t); sum.Why != whyFinished || sum.Fetched != 4 || sum.Known != 6 {
			t.Errorf("it ended by %s with %d of %d pages", sum.Why, sum.Fetched, sum.Known)
		}
		w.o.Config.Pages = 9
		w.run(t) // from the snapshot
		w.disk[layout.SnapshotDir] = disk.NewMemory()
		if sum := w.run(t); sum.Fetched != 4 || sum.Known != 6 {
			t.Errorf("after a replay it has %d of %d pages", sum.Fetched, sum.Known)
		}
	})
}

// spoil damages the record of the journal in which a text stands first.
func spoil(t *testing.T, d memoryDisk, text string) {
	t.Helper()
	f, err := d[layout.JournalDir].Open("00000000.wj", disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, _ := f.Size()
	b := make([]byte, n)
	if _, err := f.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(text))
	if at < 0 {
		t.Fatalf("no %q in the journal", text)
	}
	if _, err := f.WriteAt([]byte{b[at] ^ 0x55}, int64(at)); err != nil {
		t.Fatal(err)
	}
}
