package crawl

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A snapshot for which there was no room is not left behind, nor is one of a crawl that
// was killed while it wrote it.
func TestCaseSnapshotTemp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 10, answer.Options{})
		w.o.Config.Pages = 50
		w.run(t)
		w.o.Config.Pages, w.o.Seeds = 100, nil
		w.disk[layout.SnapshotDir].FailWrite(2, syscall.ENOSPC)
		if _, err := Run(t.Context(), w.o); err == nil || !strings.Contains(err.Error(), "no room left") {
			t.Fatalf("a snapshot without room gives %v", err)
		}
		w.noTemp(t, "after an error")
		f, err := w.disk[layout.SnapshotDir].Open(snapshot.Temp, disk.Create)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		w.o.Config.Pages = 150
		w.o.Progress = func(*history.Status) { w.noTemp(t, "after a start") }
		if sum := w.run(t); sum.Fetched != 150 {
			t.Errorf("%d pages", sum.Fetched)
		}
	})
}

// noTemp demands that no snapshot is there that is not finished.
func (w *testWeb) noTemp(t *testing.T, when string) {
	t.Helper()
	list, err := w.disk[layout.SnapshotDir].List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name == snapshot.Temp {
			t.Errorf("%s: %s of %d bytes is there", when, e.Name, e.Size)
		}
	}
}
