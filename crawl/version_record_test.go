package crawl

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/render/offline"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// newVersionWeb makes the web that the recorded crawls are crawls of.
func newVersionWeb(t *testing.T, dir string) *testWeb {
	t.Helper()
	so := answer.Mixed()
	so.Seed, so.MinSize, so.MaxSize, so.HTTPS, so.Sitemaps, so.Encodings = 5, 150, 300, 0.3, 0.7, nil
	so.Pages.NotFound, so.Pages.Busy, so.Pages.Redirect, so.Robots.Rules, so.Robots.Moved = 0.1, 0.1, 0.1, 0.4, 0.3
	so.Shown = true
	w := newTestWeb(t, 30, 4, so)
	w.o.Dir, w.o.Machine.Disk = dir, nil
	return w
}

// TestRecordVersion records a crawl directory of this version and the list of its pages as
// testdata/versions/$WINNOW_RECORD.zip. The first session ends at a limit. The second is
// copied while it runs, as if it were killed at that moment; it keeps three pages. The crawl has a
// topic, and the first session fetches requisites, some of which still wait, and lets a browser show
// pages.
func TestRecordVersion(t *testing.T) {
	name := os.Getenv("WINNOW_RECORD")
	if name == "" {
		t.Skip("set WINNOW_RECORD=NAME to record a crawl directory of this version")
	}
	synctest.Test(t, func(t *testing.T) {
		dir, out := t.TempDir(), t.TempDir()
		w := newVersionWeb(t, dir)
		w.o.Version, w.o.Config.Pages, w.o.Config.Query = name, 4, "winter river"
		w.o.Machine.Sizes.Replay = 1 // a snapshot as often as possible
		w.o.Config.Requisites, w.o.Config.Bytes = true, 12_000
		w.o.Config.Render = config.RenderAlways
		w.o.Machine.Browser = func() offline.Browser { return &fakeBrowser{passes: map[string]int{}} }
		w.run(t)
		w.o.Config.Pages, w.o.Config.KeepPages = 0, 3
		w.o.Config.Requisites, w.o.Config.Bytes, w.o.Config.Render = false, 0, config.RenderOff
		ctx, stop := context.WithCancel(t.Context())
		w.o.Progress = func(s *history.Status) {
			if s.Fetched < 9 || ctx.Err() != nil {
				return
			}
			if err := os.CopyFS(filepath.Join(out, "crawl"), os.DirFS(dir)); err != nil {
				t.Error(err)
			}
			stop()
		}
		if _, err := Run(ctx, w.o); err != nil {
			t.Fatal(err)
		}
		keepNewest(t, filepath.Join(out, "crawl", layout.SnapshotDir))
		list := strings.Join(listPages(t, filepath.Join(out, "crawl")), "\n")
		if err := os.WriteFile(filepath.Join(out, "pages.txt"), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		writeZip(t, filepath.Join("testdata", "versions", name+".zip"), out)
	})
}

// listPages lists the pages of a crawl: URL, state, status and, if it failed or was refused, why.
func listPages(t *testing.T, dir string) (list []string) {
	t.Helper()
	v, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	err = v.Pages(&history.PageFilter{}, func(p *history.PageInfo) error {
		line := fmt.Sprintf("%s %v %d", p.URL, recordedWord(p.State), p.Status)
		if p.State == history.PageFailed || p.State == history.PageSkipped {
			line += " " + p.Why
		}
		list = append(list, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// keepNewest removes all files of a directory but the last by name.
func keepNewest(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	for i := 0; err == nil && i+1 < len(list); i++ {
		err = os.Remove(filepath.Join(dir, list[i].Name()))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeZip(t *testing.T, name, dir string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	if err := z.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// recordedWord returns the word that recorded lists have for a state: earlier versions called
// pages that wait known, and those that are skipped refused.
func recordedWord(state string) string {
	switch state {
	case history.PageWaiting:
		return "known"
	case history.PageSkipped:
		return "refused"
	}
	return state
}
