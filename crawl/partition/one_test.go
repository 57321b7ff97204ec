package partition

import (
	"bytes"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A crawl with one partition writes what a crawl without that flag writes: the same files, and the
// same records but for the secrets of the crawl.
func TestOnePartition(t *testing.T) {
	records, files := map[int][]byte{}, map[int][]disk.Entry{}
	for _, flag := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestWeb(t, fakeweb.Spec{Pages: 60, Sites: 8, Links: 480, Seed: 7}, answer.Options{})
			w.o.Config.Policy, w.o.Config.MaxMemory, w.o.Config.Fetchers = "opic", 1<<30, 1
			var err error
			if flag == 0 {
				_, err = crawl.Run(t.Context(), w.o)
			} else {
				w.o.Config.Partitions = 1
				_, err = Run(t.Context(), w.o)
			}
			if err != nil {
				t.Fatal(err)
			}
			dir, _ := w.open(layout.JournalDir)
			if _, err := journal.Read(dir, 0, func(r *journal.Record) error {
				if s := r.Facts.Session; s != nil {
					s.Secret, s.Crawl = [16]byte{}, [16]byte{}
				}
				r.Facts.Targets = min(r.Facts.Targets, 1) // a hash with the secret
				if r.Event.Kind >= event.Sent {
					t.Errorf("there is a record of the kind %v", r.Event.Kind)
				}
				records[flag] = journal.Encode(records[flag], r)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			top, _ := w.open(".")
			if files[flag], err = top.List(); err != nil {
				t.Fatal(err)
			}
		})
	}
	if !bytes.Equal(records[0], records[1]) || len(records[0]) < 5000 {
		t.Errorf("the journal has %d bytes of records with --partitions 1, and others without, %d bytes", len(records[1]), len(records[0]))
	}
	for _, name := range files[1] {
		if name.Name == layout.PartitionsFile {
			t.Errorf("there is a file %s", name.Name)
		}
	}
}
