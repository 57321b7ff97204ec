package journal

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// find returns the record with a number that a Finder finds, by the place of a unit of n bytes.
func find(f *Finder, at, n int64, seq uint64) (got Record, ok bool) {
	ok = f.Find(at/n*n, n, event.Done, func(r *Record) bool {
		if r.Seq != seq {
			return false
		}
		got = clone(r)
		return true
	})
	return got, ok
}

// Every record is found by the place that Append gave it, which a Reader gives it, too, in all
// files, after Open, and while others are written. It is enough to know the place roughly.
func TestFinder(t *testing.T) {
	for name, d := range map[string]disk.Dir{"memory": disk.NewMemory(), "os": disk.OS(t.TempDir())} {
		all := script(60)
		l := begin(t, d)
		finder := NewFinder(d, testHeader())
		if _, err := write(l, all[:20], 0); err != nil {
			t.Fatal(err)
		}
		l.Drop()
		l, _, err := Open(d, testHeader())
		if err != nil {
			t.Fatal(err)
		}
		l.Segment = 3000
		for g := 20; g < 60; g++ {
			if _, err := write(l, all[:g+1], g); err != nil {
				t.Fatal(err)
			}
			last := all[g][len(all[g])-1]
			if got, ok := find(finder, last.At, 256, last.Seq); !ok || !same(&got, &last) {
				t.Fatalf("%s: record %d is not found right after it was written", name, last.Seq)
			}
		}
		l.Drop()
		read := read(t, d, 0).records
		for i, want := range flat(all) {
			if read[i].At != want.At {
				t.Errorf("%s: record %d was appended at %d, and read at %d", name, i, want.At, read[i].At)
			}
			for _, unit := range []int64{1, 256, 10_000} {
				if got, ok := find(finder, want.At, unit, want.Seq); !ok || !same(&got, &want) || got.At != want.At {
					t.Errorf("%s: record %d at %d is not found in units of %d bytes: %v", name, i, want.At, unit, got)
				}
			}
		}
		if _, ok := find(finder, read[len(read)-1].At+1, 1, read[len(read)-1].Seq); ok {
			t.Errorf("%s: something was found behind the end", name)
		}
	}
}

// What cannot be read is not found, and what others write into a record is no record.
func TestFinderDamage(t *testing.T) {
	d := disk.NewMemory()
	l := begin(t, d)
	finder := NewFinder(d, testHeader())
	fake := Record{Event: event.Event{Kind: event.Done, Task: event.Task{Page: 7}}, Seq: 7}
	rec := Record{Event: event.Event{Kind: event.Done, Task: event.Task{Page: 1}}}
	rec.Facts.Title = strings.Repeat("x", 20) + string(Encode(nil, &fake)) // without the salt of the journal
	rec.Facts.Note = strings.Repeat("long", 10_000)
	if _, err := write(l, [][]Record{{rec}}, 0); err != nil {
		t.Fatal(err)
	}
	if _, ok := find(finder, 0, 512, 7); ok {
		t.Error("a record inside another was found")
	}
	if got, ok := find(finder, 0, 512, 0); !ok || got.Facts.Note != rec.Facts.Note {
		t.Error("a long record was not found")
	}
	f, err := d.Open(segmentName(0), disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteAt([]byte("?"), 30_000)
	if _, ok := find(finder, 0, 512, 0); ok {
		t.Error("a damaged record was found")
	}
	f.Truncate(200)
	if _, ok := find(finder, 0, 512, 0); ok {
		t.Error("a cut record was found")
	}
	d.Remove(segmentName(0))
	if _, ok := find(finder, 0, 512, 0); ok {
		t.Error("a record was found in a file that is not there")
	}
}

// More goroutines than may read at a time get their records.
func TestFinderAtOnce(t *testing.T) {
	d, all := disk.NewMemory(), script(20)
	if _, err := write(begin(t, d), all, 0); err != nil {
		t.Fatal(err)
	}
	finder, list := NewFinder(d, testHeader()), flat(all)
	var wait sync.WaitGroup
	for i := range 4 * findersAtOnce {
		wait.Go(func() {
			want := &list[i%len(list)]
			if got, ok := find(finder, want.At, 1, want.Seq); !ok || !same(&got, want) {
				t.Errorf("record %d is not found", want.Seq)
			}
		})
	}
	wait.Wait()
}

// BenchmarkFind reads records of a page with 50 links, half of them to new pages, of 40 MB.
func BenchmarkFind(b *testing.B) {
	d := disk.OS(b.TempDir())
	l, err := Begin(d, testHeader())
	if err != nil {
		b.Fatal(err)
	}
	var at []int64
	for g := range 200 {
		for i := range 200 {
			r := Record{Now: time.Duration(g), Event: event.Event{Kind: event.Done, Task: event.Task{Page: graph.Page(len(at))}}}
			for j := range 25 {
				r.Event.New = append(r.Event.New, 0)
				r.Event.Links = append(r.Event.Links, graph.Page(j*1000), l.pages+graph.Page(j))
				r.Facts.Names.Add(nil, []byte("/some/directory/page"+strings.Repeat("x", j)))
			}
			r.Facts.ETag, r.Facts.Title = strings.Repeat("e", 20), strings.Repeat("title ", 5+i%5)
			l.Append(&r)
			at = append(at, r.At)
		}
		if err := l.Write(l.Take(Commit{Pages: uint32(l.pages)})); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d bytes a record", l.at/int64(len(at)))
	finder, n := NewFinder(d, testHeader()), 0
	b.ReportAllocs()
	for b.Loop() {
		n = (n*7919 + 12345) % len(at)
		if !finder.Find(at[n]/256*256, 256, event.Done, func(r *Record) bool { return r.Event.Page == graph.Page(n) }) {
			b.Fatal("not found")
		}
	}
}
