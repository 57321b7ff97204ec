package recut_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// A crawl that is split in the middle has the pages that it had, and in the end those that it would
// have had in one piece, each fetched once, by the server's count.
func TestSplit(t *testing.T) {
	for name, so := range webs() {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "old")
			out := filepath.Join(filepath.Dir(dir), "new")
			synctest.Test(t, func(t *testing.T) {
				so.Seed, so.CrowdLinks, so.MaxSize = 5, 2000, 4000
				w := newTestWeb(t, dir, fakeweb.Spec{Pages: 250, Sites: 30, Links: 2000, Seed: 7}, so)
				w.o.Config.Requisites = so.Shown
				w.o.Config.Pages = 60
				w.run(t)
				w.o.Config.Pages = 120
				w.run(t)
				w.o.Config.Pages = 0
				if _, err := recut.Split(t.Context(), recut.SplitOptions{Dir: dir, Out: out, Partitions: 4, Version: "test", Progress: nothingYet(t, out)}); err != nil {
					t.Fatal(err)
				}
				equalStatus(t, dir, out)
				verify(t, out)
				whole, err := history.Open(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				defer whole.Close()
				all, err := history.OpenAll(t.Context(), out)
				if err != nil {
					t.Fatal(err)
				}
				defer all.Close()
				same(t, pagesOf(t, all.Crawls...), pagesOf(t, whole))
				same(t, partsOf(t, all.Crawls...), partsOf(t, whole))
				c, _, err := history.ReadConfig(out)
				if err != nil {
					t.Fatal(err)
				}
				w.o.Dir, w.o.Seeds, w.o.Config = out, nil, c
				w.o.Config.Pages = 3000
				w.run(t)
				w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody), MaxDepth: max(0, int(c.MaxDepth))})
				verify(t, out)
			})
		})
	}
}

// nothingYet returns a function that fails if something looks like a complete crawl while it is made.
func nothingYet(t *testing.T, out string) func(done, total int64) error {
	return func(int64, int64) error {
		for _, name := range []string{out, filepath.Join(out+".part", layout.PartitionsFile)} {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s is there before the split is complete", name)
			}
		}
		if err := layout.CheckDirectory(out + ".part"); err == nil {
			t.Error("a crawl would begin in what is not complete")
		}
		return nil
	}
}

// equalStatus fails unless two crawls have the same numbers.
func equalStatus(t *testing.T, a, b string) {
	t.Helper()
	var got [2]string
	for i, dir := range []string{a, b} {
		s, err := history.ReadStatus(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		got[i] = fmt.Sprint(s.State, s.Why, s.Known, s.Fetched, s.Waiting, s.Failed, s.RefusedBy, s.Sites, s.Requests, s.Bytes, s.Outcomes, s.Links)
		if s.Requisites != nil {
			got[i] += fmt.Sprint(*s.Requisites)
		}
	}
	if got[0] != got[1] {
		t.Errorf("status\n%s, before\n%s", got[1], got[0])
	}
}

// A split that is interrupted leaves nothing, and one that was killed is in the way of the next.
func TestSplitInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "old")
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, dir, fakeweb.Spec{Pages: 60, Sites: 10, Links: 500, Seed: 7}, answer.Options{})
		w.o.Config.Pages = 20
		w.run(t)
	})
	out := dir + "-new"
	stop := errors.New("stop")
	o := recut.SplitOptions{Dir: dir, Out: out, Partitions: 3, Version: "test", Progress: func(int64, int64) error { return stop }}
	if _, err := recut.Split(t.Context(), o); !errors.Is(err, stop) {
		t.Errorf("an interrupted split: %v", err)
	}
	if list, _ := filepath.Glob(out + "*"); len(list) > 0 {
		t.Errorf("it left %v", list)
	}
	if err := os.Mkdir(out+".part", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := recut.Split(t.Context(), o); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("after one that was killed: %v", err)
	}
}
