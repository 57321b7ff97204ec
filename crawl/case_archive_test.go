package crawl

import (
	"bytes"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// logTo lets a crawl log into a buffer.
func (w *testWeb) logTo(b *bytes.Buffer) { w.o.Log = slog.New(slog.NewTextHandler(b, nil)) }

// An older copy of the journal: nothing that was fetched is deleted, a message says what
// was set aside, and that is done once.
func TestCaseJournalTailLost(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		w.o.Machine.Sizes = Sizes{Journal: 30_000, Archive: 50_000}
		w.o.Config.Pages = 300
		w.run(t)
		before := bytesIn(t, w.disk[layout.ArchiveDir])
		all, _ := w.disk[layout.JournalDir].List()
		for _, e := range all[len(all)/2:] {
			w.disk[layout.JournalDir].Remove(e.Name)
		}
		w.o.Config.Pages, w.o.Seeds = 1, nil
		for i, want := range []bool{true, false, false} {
			var log bytes.Buffer
			w.logTo(&log)
			w.run(t)
			if got := strings.Contains(log.String(), "set aside"); got != want {
				t.Errorf("start %d: it is said that files were set aside: %t, want %t\n%s", i, got, want, log.String())
			}
			if after := bytesIn(t, w.disk[layout.ArchiveDir]); after != before {
				t.Errorf("start %d: the archive has %d bytes, it had %d", i, after, before)
			}
		}
		w.o.Config.Pages = 0
		if sum := w.run(t); sum.Fetched != 400 {
			t.Errorf("%d of 400 pages were fetched in the end", sum.Fetched)
		}
		f := w.verify(t)
		clean(t, f)
		if notes := fmt.Sprint(f.Notes); !strings.Contains(notes, "set aside") {
			t.Errorf("verify says %q", notes)
		}
	})
}

// Finished WARC files that were moved away are not needed to go on, and verify says that
// they are not there.
func TestCaseArchiveMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		w.o.Machine.Sizes.Archive = 50_000
		w.o.Config.Pages = 100
		w.run(t)
		moved, _ := w.disk[layout.ArchiveDir].List()
		w.disk[layout.ArchiveDir] = disk.NewMemory()
		w.o.Config.Pages, w.o.Seeds = 0, nil
		if sum := w.run(t); sum.Fetched != 400 {
			t.Errorf("%d of 400 pages", sum.Fetched)
		}
		w.check(t, answer.Limits{})
		f := w.verify(t)
		clean(t, f)
		if want := fmt.Sprintf("%d WARC files .*missing.* 0-%d;", len(moved), len(moved)-1); f.Absent != int64(len(moved)) || !regexp.MustCompile(want).MatchString(fmt.Sprint(f.Notes)) {
			t.Errorf("%d files are absent, notes %q; want %q", f.Absent, f.Notes, want)
		}
	})
}

// After a power loss without syncs the last WARC file may be shorter than the journal
// says. The crawl goes on in the next one; verify still finds what is missing.
func TestArchiveTooShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 200, 12, answer.Options{})
		w.o.Config.Pages = 100
		w.run(t)
		all, _ := w.disk[layout.ArchiveDir].List()
		f, err := w.disk[layout.ArchiveDir].Open(all[0].Name, disk.Change)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(all[0].Size / 2); err != nil {
			t.Fatal(err)
		}
		f.Close()
		var log bytes.Buffer
		w.logTo(&log)
		w.o.Config.Pages, w.o.Seeds = 0, nil
		if sum := w.run(t); sum.Fetched != 200 || !strings.Contains(log.String(), "shorter than") {
			t.Errorf("%d of 200 pages; said: %s", sum.Fetched, log.String())
		}
		if n := w.verify(t).Kinds[history.FindArchive]; n == 0 {
			t.Error("verify finds nothing wrong")
		}
	})
}

// A WARC file with its final name never changes: each session begins its own.
func TestFinalFilesStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 200, 12, answer.Options{})
		final := map[string][]byte{}
		for i := range 3 {
			w.o.Config.Pages = int64(50 * (i + 1))
			w.run(t)
			w.o.Seeds = nil
			all, _ := w.disk[layout.ArchiveDir].List()
			if len(all) != i+1 {
				t.Errorf("%d files after %d sessions", len(all), i+1)
			}
			for _, e := range all {
				b, err := disk.ReadFile(w.disk[layout.ArchiveDir], e.Name)
				if old, ok := final[e.Name]; err != nil || ok && !bytes.Equal(b, old) {
					t.Errorf("%s has changed: %v", e.Name, err)
				}
				final[e.Name] = b
			}
		}
		clean(t, w.verify(t))
	})
}

// A journal that is older than the follower's file of URLs and its snapshots: the state is
// what the records make.
func TestCaseStaleFollower(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 20, answer.Options{})
		w.o.Machine.Sizes = Sizes{Journal: 15_000, Copy: 1, Replay: 1, URLs: 1}
		w.o.Config.Pages = 150
		w.run(t)
		all, _ := w.disk[layout.JournalDir].List()
		for _, e := range all[len(all)/3:] {
			w.disk[layout.JournalDir].Remove(e.Name)
		}
		w.o.Config.Pages, w.o.Seeds = 300, nil
		w.o.Config.Policy = "breadth-first"
		w.run(t)
		w.sameFromRecords(t)
	})
}

// Names of files that were set aside are not those of WARC files.
func TestAsideNames(t *testing.T) {
	const name = "winnow-20260131235959-00000.warc.gz"
	for suffix, want := range map[string]bool{"": false, ".open": false, ".beyond-1": true, ".beyond-12": true, ".beyond-1.tmp": false} {
		if got := archive.IsAside(name + suffix); got != want {
			t.Errorf("%s: %t", suffix, got)
		}
		if _, warc := archive.FileNumber(name + suffix); warc != (suffix == "" || suffix == ".open") {
			t.Errorf("%s: a WARC file: %t", suffix, warc)
		}
	}
}
