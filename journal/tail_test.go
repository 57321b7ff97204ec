package journal

import (
	"errors"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// tailed returns what a Tail reads now, in steps of most bytes.
func tailed(t *testing.T, tail *Tail, most int64) (list []Record, last Commit) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = tail.Read(most, func(r *Record) error { list = append(list, clone(r)); return nil }, func(c *Commit) error { last = *c; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	return list, last
}

// A Tail reads each record once, with the place that a Reader gives it, over the ends of files,
// over a crash, and from any commit on.
func TestTail(t *testing.T) {
	for name, d := range map[string]disk.Dir{"memory": disk.NewMemory(), "os": disk.OS(t.TempDir())} {
		all := script(40)
		l := begin(t, d)
		tail := NewTail(d, testHeader(), 0)
		var got []Record
		for g := range all {
			if g == 17 { // it crashes while it writes
				f, _ := d.Open(segmentName(l.number), disk.Change)
				f.WriteAt([]byte(groupMagic+"torn"), l.size)
				f.Close()
				if list, _ := tailed(t, tail, 1); len(list) != 0 {
					t.Errorf("%s: %d records were read of what a crash left", name, len(list))
				}
				l.Drop()
				var err error
				if l, _, err = Open(d, testHeader()); err != nil {
					t.Fatal(err)
				}
				l.Segment = 400
			}
			if _, err := write(l, all[:g+1], g); err != nil {
				t.Fatal(err)
			}
			if g%3 == 0 {
				continue
			}
			list, last := tailed(t, tail, int64(1+100*(g%5)))
			if got = append(got, list...); last.Next != uint64(len(got)) {
				t.Errorf("%s: group %d: the commit says %d records, %d were read", name, g, last.Next, len(got))
			}
		}
		list, _ := tailed(t, tail, 1<<20)
		got = append(got, list...)
		want := read(t, d, 0)
		if !sameRecords(got, want.records) {
			t.Errorf("%s: %d records, a Reader has %d", name, len(got), len(want.records))
		}
		for i := range got {
			if got[i].At != want.records[i].At {
				t.Errorf("%s: record %d is at %d, want %d", name, i, got[i].At, want.records[i].At)
			}
		}
		for _, c := range want.commits {
			if list, _ := tailed(t, NewTail(d, testHeader(), c.Next), 1<<20); !sameRecords(list, want.records[c.Next:]) {
				t.Errorf("%s: from %d on: %d records", name, c.Next, len(list))
			}
		}
		l.Drop()
	}
}

// A Tail reports that a journal is not the one that it has read.
func TestTailChanged(t *testing.T) {
	for name, change := range map[string]func(disk.Dir){
		"removed": func(d disk.Dir) { d.Remove(segmentName(0)) },
		"shorter": func(d disk.Dir) {
			f, _ := d.Open(segmentName(0), disk.Change)
			f.Truncate(headerSize)
			f.Close()
		},
		"replaced": func(d disk.Dir) {
			d.Remove(segmentName(0))
			h := testHeader()
			h.Crawl[0] = 77
			l, err := Begin(d, h)
			if err != nil {
				t.Fatal(err)
			}
			l.Drop()
		},
		"damaged": func(d disk.Dir) {
			l, _, err := Open(d, testHeader())
			if err != nil {
				t.Fatal(err)
			}
			end := l.size
			write(l, script(12), 10)
			l.Drop()
			f, _ := d.Open(segmentName(0), disk.Change)
			f.WriteAt([]byte("????"), end+headSize+8)
			f.Close()
		},
	} {
		d := disk.NewMemory()
		l := begin(t, d)
		l.Segment = SegmentSize
		if _, err := write(l, script(10), 0); err != nil {
			t.Fatal(err)
		}
		l.Drop()
		tail := NewTail(d, testHeader(), 0)
		if list, _ := tailed(t, tail, 1<<20); len(list) == 0 {
			t.Fatal("nothing was read")
		}
		change(d)
		none := func(*Commit) error { return nil }
		if _, err := tail.Read(1<<20, func(*Record) error { return nil }, none); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
