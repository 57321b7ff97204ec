package crawl

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A directory that any version wrote can be read, verified and resumed. The last recorded one
// is of the formats of this version; of the others only snapshots of the same version can be
// used.
func TestVersions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "versions", "*.zip"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recorded directories, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".zip"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { openVersion(t, file, files[len(files)-1]) })
		})
	}
}

func openVersion(t *testing.T, file, last string) {
	temp := t.TempDir()
	readZip(t, file, temp)
	dir := filepath.Join(temp, "crawl")
	want, err := os.ReadFile(filepath.Join(temp, "pages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	pages := listPages(t, dir)
	if got := strings.Join(pages, "\n"); got != string(want) {
		t.Errorf("pages are\n%s\nthe version that wrote them listed\n%s", got, want)
	}
	fetched := int64(0)
	for _, line := range pages {
		if strings.Contains(line, " fetched ") {
			fetched++
		}
	}
	if s, err := history.ReadStatus(t.Context(), dir); err != nil || s.Fetched != fetched || s.State != history.StatePaused {
		t.Errorf("status: %+v (%v), want %d pages", s, err, fetched)
	}
	verifyVersion(t, dir)
	header, err := os.ReadFile(filepath.Join(dir, layout.JournalDir, "00000000.wj"))
	if err != nil {
		t.Fatal(err)
	}
	version := binary.LittleEndian.Uint32(header[4:])
	if links, anchors := countAnchors(t, dir); links == 0 || (anchors > 0) != (version >= 3) {
		t.Errorf("%d of %d links have an anchor in a journal of version %d", anchors, links, version)
	}
	warnings := resumeVersion(t, dir)
	verifyVersion(t, dir)
	switch rebuilt := strings.Contains(warnings, "rebuilt"); {
	case file == last && (rebuilt || version != journal.Version):
		t.Errorf("the formats have changed since %s: record a directory of this version, as testdata/versions/README.md says", file)
	case rebuilt != (snapshotOf(t, file) != snapshotOf(t, last)) || strings.Count(warnings, "\n") > 1:
		t.Errorf("warnings:\n%s", warnings)
	}
}

// countAnchors counts the links of a crawl, and those with an anchor.
func countAnchors(t *testing.T, dir string) (links, anchors int) {
	t.Helper()
	v, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	err = v.EachLink(func(_, _ graph.Page, a event.Anchor) error {
		if links++; a != (event.Anchor{}) {
			anchors++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return links, anchors
}

// snapshotOf returns the version of the snapshot in a recorded directory.
func snapshotOf(t *testing.T, file string) uint32 {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".wsnap") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			t.Fatal(err)
		}
		return binary.LittleEndian.Uint32(head[4:])
	}
	t.Fatalf("%s has no snapshot", file)
	return 0
}

// resumeVersion lets the crawl in a directory run to its end and returns its warnings. It
// must know in the end what a crawl knows that this version began.
func resumeVersion(t *testing.T, dir string) (warnings string) {
	t.Helper()
	time.Sleep(24 * time.Hour) // the clock of a test begins when the recorded crawl did
	w, fresh := newVersionWeb(t, dir), newVersionWeb(t, t.TempDir())
	var log bytes.Buffer
	w.o.Log, w.o.Seeds = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})), nil
	var err error
	if w.o.Config, _, err = history.ReadConfig(dir); err != nil {
		t.Fatal(err)
	}
	w.run(t)
	fresh.run(t)
	got, want := listPages(t, dir), listPages(t, fresh.o.Dir)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("resumed:\n%s\na crawl of this version:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return log.String()
}

func verifyVersion(t *testing.T, dir string) {
	t.Helper()
	f, err := history.Verify(t.Context(), dir, history.VerifyOptions{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range f.List {
		t.Errorf("verify: %+v", x)
	}
}

func readZip(t *testing.T, name, dir string) {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
}
