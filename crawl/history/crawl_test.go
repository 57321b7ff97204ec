package history_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// digest is all that a directory holds.
func digest(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintln(h, path, len(b))
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// readStatus reads a status, which must leave the directory as it was.
func readStatus(t *testing.T, dir string) *history.Status {
	t.Helper()
	before := digest(t, dir)
	s, err := history.ReadStatus(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if digest(t, dir) != before {
		t.Error("reading changed the directory")
	}
	return s
}

// without removes a part of the directory; what reads it then is the journal.
func without(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// sameStatus compares what does not depend on the moment.
func sameStatus(t *testing.T, what string, got, want *history.Status) {
	t.Helper()
	g, w := *got, *want
	for _, s := range []*history.Status{&g, &w} {
		s.Why, s.Seconds, s.Rate, s.Active, s.Fetchers, s.Waits = "", 0, 0, 0, 0, nil
		s.Columns, s.Memory, s.Counts, s.Acquired = nil, 0, frontier.Counts{}, 0
		s.Delays, s.Fetching, s.LastFailure = nil, nil, nil
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("%s: %+v, want %+v", what, g, w)
	}
}

// Status is right in each state of a crawl, and says the same whatever it is read from:
// the file that the crawl left, a snapshot, or the journal alone.
func TestReadStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 150, 10, answer.Mixed())
		dir := w.inDir(t)
		w.run(t, 40)
		paused := readStatus(t, dir)
		if paused.State != history.StatePaused || paused.Why != "pages" || paused.Fetched < 40 || paused.Waiting == 0 || paused.Largest.Pages == 0 {
			t.Errorf("%+v", paused)
		}
		for _, part := range []string{layout.StatusFile, layout.SnapshotDir, layout.URLDir} {
			without(t, dir, part)
			sameStatus(t, "without "+part, readStatus(t, dir), paused)
		}
		lock, err := layout.Lock(filepath.Join(dir, layout.LockFile))
		if err != nil {
			t.Fatal(err)
		}
		if s := readStatus(t, dir); s.State != history.StateRunning {
			t.Errorf("locked: %s", s.State)
		}
		lock.Close()

		w.run(t, 0)
		finished := readStatus(t, dir)
		if finished.State != history.StateFinished || finished.Waiting != 0 {
			t.Errorf("%+v", finished)
		}
		without(t, dir, layout.StatusFile)
		sameStatus(t, "finished", readStatus(t, dir), finished)
	})
}

// The status file of a crawl that was killed is not believed.
func TestStatusAfterKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 100, 6, answer.Options{})
		dir := w.inDir(t)
		w.run(t, 40)
		want := readStatus(t, dir)
		path := filepath.Join(dir, layout.StatusFile)
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.Replace(string(b), `"state":"paused"`, `"state":"running"`, 1)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		sameStatus(t, "killed", readStatus(t, dir), want)
	})
}

// Pages are those of the status, each with what its state says.
func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 12, answer.Mixed())
		dir := w.inDir(t)
		w.run(t, 150)
		want := readStatus(t, dir)
		v, err := history.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		n := map[string]int64{}
		err = v.Pages(&history.PageFilter{}, func(p *history.PageInfo) error {
			n[p.State]++
			if p.Withheld != "" {
				n["withheld"]++
			}
			checkPage(t, p)
			return nil
		})
		if err != nil || n["fetched"] != want.Fetched || n["failed"] != want.Failed || n["skipped"] != want.Refused || n["withheld"] != want.Withheld || n["withheld"] == 0 {
			t.Errorf("%v pages (%v), want those of %+v", n, err, want)
		}
		checkFilter(t, v, want)
	})
}

// checkPage looks for what the state of a page must or must not have.
func checkPage(t *testing.T, p *history.PageInfo) {
	t.Helper()
	ok := strings.HasPrefix(p.URL, "http") && p.Depth < 20
	switch p.State {
	case "fetched":
		ok = ok && slices.Contains([]string{"ok", "redirect", "duplicate", "not-html"}, p.Class) && p.Status != 0 && *p.Seconds > 0 && (p.Why == "withheld") == (p.Withheld != "")
	case "failed":
		ok = ok && p.Why != "" && (p.Class == "" && p.Note != "" || p.Class == p.Why)
	case "skipped":
		ok = ok && p.Why != "" && p.Why != "none"
	default:
		ok = ok && p.State == "waiting" && p.Why == ""
	}
	if !ok {
		t.Errorf("%+v", p)
	}
}

// checkFilter lists the pages of a site, some of them, and those of none.
func checkFilter(t *testing.T, v *history.Crawl, want *history.Status) {
	t.Helper()
	n := int64(0)
	count := func(p *history.PageInfo) error {
		if !strings.HasPrefix(p.URL, want.Largest.Site+"/") {
			t.Errorf("%s is not of %s", p.URL, want.Largest.Site)
		}
		n++
		return nil
	}
	site := strings.TrimPrefix(want.Largest.Site, "http://")
	if err := v.Pages(&history.PageFilter{Site: site}, count); err != nil || n != want.Largest.Pages {
		t.Errorf("%d pages of %s (%v), want %d", n, site, err, want.Largest.Pages)
	}
	n = 0
	if err := v.Pages(&history.PageFilter{Site: want.Largest.Site, Limit: 3}, count); err != nil || n != 3 {
		t.Errorf("%d pages (%v), want 3", n, err)
	}
	n = 0
	if err := v.Pages(&history.PageFilter{State: "failed"}, func(*history.PageInfo) error { n++; return nil }); err != nil || n != want.Failed {
		t.Errorf("%d failed pages (%v), want %d", n, err, want.Failed)
	}
	var none *hint.Error
	if err := v.Pages(&history.PageFilter{Site: "nowhere.example"}, count); !errors.As(err, &none) {
		t.Errorf("a site that is not known: %v", err)
	}
}

// What cannot be read is said, with what to do about it.
func TestOpenErrors(t *testing.T) {
	empty, other, begun := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(begun, filepath.FromSlash(layout.JournalDir)), 0o755); err != nil {
		t.Fatal(err)
	}
	locked := t.TempDir()
	if err := os.WriteFile(filepath.Join(locked, layout.LockFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, want string }{
		{filepath.Join(empty, "none"), "no crawl "},
		{empty, "not a crawl"},
		{other, "not a crawl.*letter.txt"},
		{filepath.Join(other, "letter.txt"), "letter.txt: "},
		{begun, "nothing.*committed"},
		{locked, "nothing.*committed"},
	} {
		for name, read := range map[string]func(context.Context, string) error{
			"status": func(ctx context.Context, dir string) error { _, err := history.ReadStatus(ctx, dir); return err },
			"open":   func(ctx context.Context, dir string) error { _, err := history.Open(ctx, dir); return err },
			"verify": func(ctx context.Context, dir string) error {
				_, err := history.Verify(ctx, dir, history.VerifyOptions{})
				return err
			},
		} {
			var e *hint.Error
			if err := read(t.Context(), test.dir); !errors.As(err, &e) || !strings.Contains(err.Error(), test.dir) || !regexp.MustCompile(test.want).MatchString(err.Error()) || e.Hint == "" {
				t.Errorf("%s of %s: %v, want %q and a hint", name, test.dir, err, test.want)
			}
		}
	}
}

// Pages reads the URLs of a crawl that was stopped from its file, and makes its own where
// there is no snapshot that it belongs to; both know the same, and neither changes anything.
func TestURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 200, 10, answer.Options{})
		dir := w.inDir(t)
		w.run(t, 60)
		want := urlsIn(t, dir, false)
		if len(want) < 100 {
			t.Fatalf("%d pages are no test", len(want))
		}
		without(t, dir, layout.SnapshotDir)
		if got := urlsIn(t, dir, true); !slices.Equal(got, want) {
			t.Errorf("without a snapshot %d URLs, with one %d", len(got), len(want))
		}
		w.run(t, 60)
		f := filepath.Join(dir, layout.URLDir, layout.URLFile)
		if err := os.Truncate(f, 100); err != nil {
			t.Fatal(err)
		}
		if got := urlsIn(t, dir, false); !slices.Equal(got, want) { // what is missing stays in memory
			t.Errorf("with a damaged file %d URLs, with a whole one %d", len(got), len(want))
		}
	})
}

// urlsIn lists the URLs of a crawl, for which a file of its own is made or not.
func urlsIn(t *testing.T, dir string, own bool) (urls []string) {
	t.Helper()
	before := digest(t, dir)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	v, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	err = v.Pages(&history.PageFilter{}, func(p *history.PageInfo) error { urls = append(urls, p.URL); return nil })
	if made, err := os.ReadDir(temp); err != nil || len(made) > 0 != own {
		t.Errorf("it made a file of its own: %v (%v), want %t", made, err, own)
	}
	if v.Close(); err != nil || digest(t, dir) != before {
		t.Errorf("reading changed the directory, or: %v", err)
	}
	return urls
}
