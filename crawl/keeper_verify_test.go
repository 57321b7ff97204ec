package crawl

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/journal"
)

// newKeptWeb makes a web whose crawl keeps a third of its pages.
func newKeptWeb(t *testing.T) *testWeb {
	t.Helper()
	w := newTestWeb(t, 300, 10, answer.Mixed())
	w.o.Config.KeepPages = 100
	return w
}

// moves reports whether a record has copies of at least n answers.
func moves(n int, last bool) func(r *journal.Record) bool {
	return func(r *journal.Record) bool {
		return r.Event.Kind == event.Moved && len(r.Event.Admit) >= n && (r.Facts.Moves.Last || !last)
	}
}

// each calls change for all records that fit: the files of the first may be removed.
func each(fits func(r *journal.Record) bool, change func(r *journal.Record) int) func(*journal.Record) int {
	return func(r *journal.Record) int {
		if fits(r) {
			return change(r)
		}
		return 1
	}
}

// Verify finds pages that are kept but not there, and copies that are not what they were
// copied from.
func TestVerifyKept(t *testing.T) {
	for _, c := range []struct {
		name, what string
		change     func(*testing.T, memoryDisk)
	}{
		{name: "nothing", what: ""},
		{"a page is left in a file that is removed", "which is removed", records("", "", each(moves(2, true), func(r *journal.Record) int {
			m := r.Facts.Moves
			r.Event.Admit, m.Spans = r.Event.Admit[:len(r.Event.Admit)-1], m.Spans[:len(m.Spans)-1]
			return 1
		})).change},
		{"another page was copied", "want http", records("", "", each(moves(2, false), func(r *journal.Record) int {
			a := r.Event.Admit
			a[0], a[1] = a[1], a[0]
			return 1
		})).change},
		{"copies of pages that were dropped", "is not kept there", records("", "", nth(0, moves(1, false), func(r *journal.Record) int {
			r.Facts.Moves.From += 1000
			return 1
		})).change},
		{"another length", "bytes, want", records("", "", each(moves(1, false), func(r *journal.Record) int {
			r.Facts.Moves.Spans[0].Main++
			return 1
		})).change},
		{"damage to the last file", "", files("", "", "warc", "", flip(0.8)).change},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newKeptWeb(t)
				w.run(t)
				if c.change == nil {
					f := w.verify(t)
					if clean(t, f); f.Kept != 100 || f.Dropped == 0 || f.Absent != 0 {
						t.Errorf("%+v", f)
					}
					return
				}
				c.change(t, w.disk)
				f := w.verify(t)
				for _, x := range f.List {
					if x.Kind == history.FindArchive && strings.Contains(x.What, c.what) {
						return
					}
				}
				t.Errorf("%q is not in %+v", c.what, f.List)
			})
		})
	}
}
