package crawl

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A directory whose sessions keep all pages, then some, fewer, more, and all again: status,
// pages, verify, the WARC files and their indexes agree on what is kept (P3).
func TestKeeperDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 160, 8, answer.Mixed())
		w.o.Dir, w.o.Machine.Disk, w.o.Config.KeepNoArchive = t.TempDir(), nil, true
		var log bytes.Buffer
		w.o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		last := int64(0)
		for _, x := range []struct {
			pages, room int64
			warns       bool
		}{{50, 0, false}, {80, 40, false}, {100, 10, false}, {120, 30, true}, {0, 0, true}} {
			w.o.Config.Pages, w.o.Config.KeepPages = x.pages, x.room
			log.Reset()
			sum := w.run(t)
			if warns := strings.Contains(log.String(), "stay dropped"); warns != x.warns {
				t.Errorf("%+v: the log is %q", x, log.String())
			}
			if x.room > 0 && sum.Kept != x.room {
				t.Errorf("%d pages are kept, want %d", sum.Kept, x.room)
			}
			if sum.Dropped < last {
				t.Errorf("%d pages were dropped after %d", sum.Dropped, last)
			}
			last = sum.Dropped
			checkKeptDirectory(t, w.o.Dir, x.room, sum)
		}
		if last == 0 {
			t.Error("no page was dropped")
		}
	})
}

// checkKeptDirectory compares the parts of a directory. With a room of 0 nothing limits the
// archive.
func checkKeptDirectory(t *testing.T, dir string, room int64, sum *Summary) {
	t.Helper()
	verifyVersion(t, dir)
	lines := indexLines(t, dir)
	answers, stored := 0, map[string]bool{}
	for url, n := range lines {
		answers += n
		stored[url] = true
	}
	if room > 0 && int64(answers) > room+room/4 {
		t.Errorf("%d answers are in the archive, with room for %d pages", answers, room)
	}
	dropped := int64(0)
	v, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	err = v.Pages(&history.PageFilter{State: "fetched"}, func(p *history.PageInfo) error {
		if p.Dropped {
			dropped++
		}
		if (p.Class == "ok" || p.Class == "duplicate") && !p.Dropped && !stored[p.URL] {
			t.Errorf("%s was not dropped, and is not in the archive", p.URL)
		}
		if p.Dropped != (p.Why == "dropped") {
			t.Errorf("%+v", p)
		}
		return nil
	})
	if err != nil || dropped != sum.Dropped {
		t.Errorf("%d pages are marked as dropped, want %d (%v)", dropped, sum.Dropped, err)
	}
}

// indexLines counts the lines of the indexes by URL. Each must be of a WARC file that is there
// and has the answer, and each WARC file must have an index, and no other file.
func indexLines(t *testing.T, dir string) map[string]int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, layout.ArchiveDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	lines, files, indexes := map[string]int{}, 0, 0
	for _, name := range names {
		if strings.HasSuffix(name, archive.Suffix) {
			files++
			continue
		}
		indexes++
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			var x struct {
				URL      string `json:"url"`
				Filename string `json:"filename"`
				Offset   int64  `json:"offset,string"`
			}
			if err := json.Unmarshal([]byte(line[strings.IndexByte(line, '{'):]), &x); err != nil {
				t.Fatal(err)
			}
			lines[x.URL]++
			readAt(t, filepath.Join(dir, layout.ArchiveDir, x.Filename), x.Offset, x.URL)
		}
	}
	if files != indexes {
		t.Errorf("%d WARC files, %d indexes: %v", files, indexes, names)
	}
	return lines
}

// readAt demands that the answer for a URL is at an offset of a WARC file.
func readAt(t *testing.T, name string, offset int64, url string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, err := archive.NewReaderAt(f, offset, name).Next()
	if err == nil {
		err = x.Verify()
	}
	if err != nil || x.URL != url {
		t.Errorf("at %s:%d is not %s: %v", name, offset, url, err)
	}
}

// With --keep-pages pages that have not changed are stored whole, so that nothing refers to
// what may be dropped. What an earlier session without it had stored as a revisit refers to an
// original that is kept as long as the page is. A dropped page is requested without
// conditions.
func TestKeeperRevisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRevisitWeb(t)
		c := &w.o.Config
		c.Duration = config.Seconds(3 * 3600)
		w.run(t)
		c.Duration, c.KeepPages = config.Seconds(20*3600), 2
		w.run(t)
		clean(t, w.verify(t))
		kept := w.keptURLs(t)
		if len(kept) != 2 {
			t.Fatalf("%v are kept", kept)
		}
		for _, url := range kept {
			whole := 0
			for _, x := range w.stored(t, url) {
				if x.Type == "response" && x.Get("WARC-Payload-Digest") != "" {
					whole++
				}
			}
			if whole == 0 {
				t.Errorf("%s is kept, but its content is not in the archive", url)
			}
		}
		w.eachStored(t, func(x *archive.Record) {
			if x.Type == "revisit" {
				t.Errorf("%s of %v is still a revisit", x.URL, x.Time)
			}
		})
	})
}
