package crawl

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// TestSymbolicLinks: a crawl directory that came from elsewhere may hold symbolic links
// under the names of files that winnow writes. None of them is written through.
func TestSymbolicLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	home := t.TempDir()
	victim := filepath.Join(home, "victim")
	const before = "what somebody needs"
	if err := os.WriteFile(victim, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "crawl")
	for _, d := range []string{"journal/0000", "warc", "urls", "snapshot"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"status.json", "status.json.tmp", "winnow.toml.tmp", "snapshot/snapshot.tmp"} {
		if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 40, 3, answer.Options{})
		w.o.Dir, w.o.Machine.Disk = dir, nil
		w.run(t)
	})
	if after, err := os.ReadFile(victim); err != nil || string(after) != before {
		t.Errorf("%q was written through a link, %v", after, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "status.json")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the status is %v, %v", info, err)
	}
}

// TestLinkedLock: a lock that is a link is not taken: its target may be anything.
func TestLinkedLock(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, layout.LockFile)); err != nil {
		t.Fatal(err)
	}
	if f, err := layout.Lock(filepath.Join(dir, layout.LockFile)); err == nil {
		f.Close()
		t.Error("a lock was taken through a link")
	}
	if _, err := os.Stat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("a file was made through a link")
	}
}

// TestLinkedURLs: derived files that are links are refused, and the crawl says so.
func TestLinkedURLs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	home := t.TempDir()
	victim, dir := filepath.Join(home, "victim"), filepath.Join(home, "crawl")
	if err := os.WriteFile(victim, []byte("needed"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 40, 3, answer.Options{})
		w.o.Dir, w.o.Machine.Disk, w.o.Config.Pages = dir, nil, 20
		w.run(t)
		urls := filepath.Join(dir, layout.URLDir, layout.URLFile)
		if err := os.Remove(urls); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, urls); err != nil {
			t.Fatal(err)
		}
		w.o.Config.Pages, w.o.Seeds = 40, nil
		_, err := Run(t.Context(), w.o)
		t.Log(err)
	})
	if after, err := os.ReadFile(victim); err != nil || string(after) != "needed" {
		t.Errorf("%q was written through a link, %v", after, err)
	}
}
