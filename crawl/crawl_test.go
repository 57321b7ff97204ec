package crawl

import (
	"bytes"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A whole crawl of a web where nothing is odd.
func TestPlainWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		sum := w.run(t)
		if sum.Why != whyFinished || sum.Fetched != 400 {
			t.Errorf("it %s with %d of 400 pages", sum.Why, sum.Fetched)
		}
		w.check(t, answer.Limits{})
	})
}

// Everything that the Web has on a usual day.
func TestMixedWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 1000, 60, answer.Mixed())
		sum := w.run(t)
		t.Logf("%+v", sum)
		w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(w.o.Config.MaxBody)})
	})
}

// A page that repeats another is stored, but its links are not followed; a page without
// words repeats none. After a restart the originals are known.
func TestDuplicates(t *testing.T) {
	s, _ := newTestState(t)
	one, two := [16]byte{1}, [16]byte{2}
	s.Content.Note(one, 5, 7, false)
	s.Content.Note(one, 6, 8, true)
	s.Content.Note([16]byte{}, 5, 9, false)
	var b bytes.Buffer
	if err := s.Save(&b); err != nil {
		t.Fatal(err)
	}
	again, _ := newTestState(t)
	if err := again.Load(&b); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*state.State{s, again} {
		if p, targets, ok := x.Content.Of(one); !ok || p != 7 || targets != 5 {
			t.Errorf("the original is page %d with targets %d (%t), want 7 with 5", p, targets, ok)
		}
		if _, _, ok := x.Content.Of(two); ok {
			t.Error("an unknown content has an original")
		}
		if _, _, ok := x.Content.Of([16]byte{}); ok {
			t.Error("a page without words has an original")
		}
	}
}

// newTestState makes an empty state.
func newTestState(t *testing.T) (*state.State, *state.Setup) {
	t.Helper()
	c := config.Default()
	set, err := state.NewSetup(&c, layout.Identity{Crawl: [16]byte{1}, Secret: [16]byte{2}}, 1<<26)
	if err != nil {
		t.Fatal(err)
	}
	p := layout.Parts{Urls: disk.NewMemory(), UrlFile: layout.URLFile}
	s, err := state.Empty(&p, set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, set
}
