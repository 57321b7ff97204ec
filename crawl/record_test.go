package crawl

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// Statistics count pages that are under way, and the bytes that this session archived,
// however long the files are.
func TestStatsWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 30, answer.Options{MinLatency: 100 * time.Millisecond, MaxLatency: 2 * time.Second})
		w.o.Machine.Sizes.Archive = 50_000
		var most, archived int64
		w.o.Progress = func(s *history.Status) {
			most, archived = max(most, s.Acquired), s.Archive
			if n := s.Waiting + s.Fetched + s.Failed + s.Refused; n != s.Known || s.Acquired > s.Waiting {
				t.Errorf("%d pages by state, %d known, %d of %d waiting ones under way", n, s.Known, s.Acquired, s.Waiting)
			}
		}
		sum := w.run(t)
		stored := int64(0)
		for name, size := range w.archiveFiles(t) {
			if strings.HasSuffix(name, ".warc.gz") {
				stored += size
			}
		}
		if most < 2 || archived == 0 || sum.Archive != stored {
			t.Errorf("%d pages under way at most; %d bytes archived, %d in the files", most, sum.Archive, stored)
		}
	})
}

// archiveFiles returns the sizes of the files of the archive by name.
func (w *testWeb) archiveFiles(t *testing.T) map[string]int64 {
	t.Helper()
	list, err := w.disk[layout.ArchiveDir].List()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, e := range list {
		sizes[e.Name] = e.Size
	}
	return sizes
}

// history opens the crawl for reading.
func (w *testWeb) history(t *testing.T) *history.Crawl {
	t.Helper()
	p, err := layout.Open(w.disk.open)
	if err != nil {
		t.Fatal(err)
	}
	c, err := history.OpenParts(t.Context(), "memory", p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A reader names the reason of each refusal, also of those that were decided when a page was
// about to be handed out.
func TestHistoryOfTraps(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		h := hostileCrawl{pages: 1500, sites: 30, seed: 25, serve: hostileServe()}
		w, sum := h.crawl(t)
		x, err := w.history(t).Status()
		if err != nil {
			t.Fatal(err)
		}
		if sum.RefusedBy[event.BarNoNews.String()] == 0 || !maps.Equal(x.RefusedBy, sum.RefusedBy) {
			t.Errorf("refused pages by reason: %v, the crawl says %v", x.RefusedBy, sum.RefusedBy)
		}
	})
}
