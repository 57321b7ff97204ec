package recut_test

import (
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/fakeweb"
)

// The joined crawl has the pages of all partitions, each in the state that it has there, and its
// journal can be replayed without a hole.
func TestJoin(t *testing.T) {
	for name, so := range webs() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := newTestWeb(t, dir, fakeweb.Spec{Pages: 250, Sites: 30, Links: 2000, Seed: 7}, so)
				w.o.Config.Partitions, w.o.Config.Pages, w.o.Config.Requisites = 4, 100, so.Shown
				w.run(t)
				w.o.Config.Pages = 200
				w.run(t)
			})
			all, err := history.OpenAll(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer all.Close()
			one, err := recut.Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer one.Close()
			want := pagesOf(t, all.Crawls...)
			same(t, pagesOf(t, one), want)
			same(t, partsOf(t, one), partsOf(t, all.Crawls...))
			everyPartHasPage(t, one, so.Shown)
			f, err := one.Verify(history.VerifyOptions{Version: "test"})
			if err != nil {
				t.Fatal(err)
			}
			delete(f.Kinds, history.FindArchive)  // its files have other answers in between
			delete(f.Kinds, history.FindDecision) // several owners made them
			delete(f.Kinds, history.FindAddress)  // a harvester waits for its address after it got the task
			if len(f.Kinds) > 0 || f.Requests == 0 {
				t.Errorf("%v of %d requests", f.Kinds, f.Requests)
			}
			for _, x := range f.List {
				if f.Kinds[x.Kind] > 0 {
					t.Errorf("%+v", x)
				}
			}
		})
	}
}
