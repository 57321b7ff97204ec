package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// testHeader is of the journals of the tests.
func testHeader() Header { return Header{Crawl: [16]byte{7: 9}, Partition: 2, Partitions: 5} }

// script makes the records of a small crawl, in groups.
func script(groups int) (all [][]Record) {
	for g := range groups {
		var list []Record
		for i := range 1 + g%3 {
			r := Record{Now: time.Duration(100*g + i), Event: event.Event{Kind: event.Done, Task: event.Task{Page: graph.Page(g)}, End: 3}}
			for j := range i * 2 {
				r.Event.New = append(r.Event.New, graph.Site(g))
				r.Facts.Names.Add(nil, fmt.Appendf(nil, "/page/%d/%d", g, j))
			}
			r.Facts.Title = strings.Repeat("t", g)
			list = append(list, r)
		}
		all = append(all, list)
	}
	return all
}

// append adds a group and gives it closed.
func (l *Log) group(list []Record) Group {
	for i := range list {
		l.Append(&list[i])
	}
	return l.Take(Commit{Warc: Position{1, int64(l.next)}, Pages: uint32(l.pages), Sites: 3})
}

// write appends the groups from the given one on, each written and synced, until an error.
func write(l *Log, all [][]Record, from int) (written int, err error) {
	for ; from < len(all); from++ {
		if err := errors.Join(l.Write(l.group(all[from])), l.Sync()); err != nil {
			return from, err
		}
	}
	return from, nil
}

// begin makes a journal of small files.
func begin(t testing.TB, d disk.Dir) *Log {
	t.Helper()
	l, err := Begin(d, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	l.Segment = 400
	return l
}

// reading is what a Reader gave.
type reading struct {
	records []Record
	commits []Commit
	damage  []Damage
	last    Commit
}

func read(t testing.TB, d disk.Dir, from uint64) (got reading) {
	t.Helper()
	r := Reader{Dir: d, From: from,
		Record: func(r *Record) error { got.records = append(got.records, clone(r)); return nil },
		Commit: func(c *Commit) error { got.commits = append(got.commits, *c); return nil },
		Damage: func(d *Damage) error { got.damage = append(got.damage, *d); return nil }}
	last, err := r.Run()
	if err != nil {
		t.Fatal(err)
	}
	got.last = last
	return got
}

// clone copies a record whose slices are used again.
func clone(r *Record) (c Record) {
	if _, err := Decode(Encode(nil, r), &c); err != nil {
		panic(err)
	}
	c.At = r.At
	return c
}

func flat(all [][]Record) (list []Record) {
	for _, g := range all {
		list = append(list, g...)
	}
	return list
}

func sameRecords(a, b []Record) bool {
	return slices.EqualFunc(a, b, func(x, y Record) bool { return same(&x, &y) })
}

func TestLog(t *testing.T) {
	for name, d := range map[string]disk.Dir{"memory": disk.NewMemory(), "os": disk.OS(t.TempDir())} {
		all := script(20)
		l := begin(t, d)
		if n, err := write(l, all[:12], 0); n != 12 || err != nil {
			t.Fatal(n, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); !errors.Is(err, ErrDead) || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("closed twice: %v", err)
		}
		l, found, err := Open(d, Header{})
		if err != nil || found.Damage != nil || found.Cut != 0 || found.Records != l.next || found.Last != (read(t, d, 0).last) {
			t.Fatalf("%s: %+v, %v", name, found, err)
		}
		l.Segment = 400
		if n, err := write(l, all, 12); n != 20 || err != nil {
			t.Fatal(n, err)
		}
		checkWhole(t, d, all)
		checkParts(t, d, all)
	}
}

// checkWhole reads a journal, and parts of it.
func checkWhole(t *testing.T, d disk.Dir, all [][]Record) {
	t.Helper()
	want := flat(all)
	got := read(t, d, 0)
	if !sameRecords(got.records, want) || got.damage != nil || len(got.commits) != len(all) {
		t.Fatalf("%d records of %d, %d commits, damage %v", len(got.records), len(want), len(got.commits), got.damage)
	}
	next, pages := uint64(0), uint32(0)
	for i, c := range got.commits {
		for _, r := range all[i] {
			pages += uint32(len(r.Event.New))
		}
		want := Commit{next, next + uint64(len(all[i])), Position{1, int64(next) + int64(len(all[i]))}, pages, 3}
		if c != want {
			t.Errorf("commit %d: %+v, want %+v", i, c, want)
		}
		next = want.Next
	}
	if got.last != got.commits[len(got.commits)-1] {
		t.Errorf("last commit %+v", got.last)
	}
}

// checkParts reads a journal from each record on.
func checkParts(t *testing.T, d disk.Dir, all [][]Record) {
	t.Helper()
	got, want := read(t, d, 0), flat(all)
	for from := range want {
		if part := read(t, d, uint64(from)); !sameRecords(part.records, want[from:]) || part.last != got.last || part.damage != nil {
			t.Errorf("from %d: %d records, %v", from, len(part.records), part.damage)
		}
	}
	if part := read(t, d, 1e9); part.records != nil || part.last != got.last {
		t.Errorf("from beyond the end: %+v", part)
	}
	if h, err := ReadHeader(d); h != testHeader() || err != nil {
		t.Errorf("header %+v, %v", h, err)
	}
	if entries, _ := d.List(); len(entries) < 4 {
		t.Errorf("%d files", len(entries))
	}
}

// A reader that wants what comes late does not open the files before.
func TestReadSkipsFiles(t *testing.T) {
	d := disk.NewMemory()
	all := script(20)
	if _, err := write(begin(t, d), all, 0); err != nil {
		t.Fatal(err)
	}
	entries, _ := d.List()
	want := flat(all)
	last := uint64(len(want) - 1)
	for _, e := range entries[:len(entries)-1] { // their headers stay
		f, err := d.Open(e.Name, disk.Change)
		if err != nil {
			t.Fatal(err)
		}
		f.Truncate(headerSize)
	}
	got := read(t, d, last)
	if !sameRecords(got.records, want[last:]) || got.damage != nil {
		t.Errorf("%d records, %v", len(got.records), got.damage)
	}
}

func TestReadErrors(t *testing.T) {
	d := disk.NewMemory()
	if _, err := Read(d, 0, nil); !errors.Is(err, ErrNone) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := ReadHeader(d); !errors.Is(err, ErrNone) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, _, err := Open(d, testHeader()); !errors.Is(err, ErrNone) {
		t.Errorf("an empty directory: %v", err)
	}
	l := begin(t, d)
	if c, err := Read(d, 0, nil); err != nil || c != (Commit{}) {
		t.Errorf("a new journal: %+v, %v", c, err)
	}
	if _, err := Begin(d, testHeader()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("begun twice: %v", err)
	}
	if _, err := write(l, script(3), 0); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if _, err := Read(d, 0, func(*Record) error { return stop }); err != stop {
		t.Errorf("the error of the caller came back as %v", err)
	}
}

// Headers say what a file is, and are believed only where they fit.
func TestHeaders(t *testing.T) {
	change := func(edit func(h *Header, number *uint32, b *[]byte)) error {
		d := disk.NewMemory()
		if _, err := write(begin(t, d), script(12), 0); err != nil {
			t.Fatal(err)
		}
		f, err := d.Open(segmentName(1), disk.Change)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, headerSize)
		f.ReadAt(b, 0)
		h, number, err := decodeHeader(b)
		if err != nil {
			t.Fatal(err)
		}
		edit(&h, &number, &b)
		if b != nil {
			b = h.encode(number)
		}
		f.WriteAt(b, 0)
		_, _, err = Open(d, Header{})
		return err
	}
	for want, edit := range map[string]func(h *Header, number *uint32){
		"belongs to crawl":            func(h *Header, _ *uint32) { h.Crawl[0]++ },
		"of partition 3 of 5":         func(h *Header, _ *uint32) { h.Partition++ },
		"of partition 2 of 6":         func(h *Header, _ *uint32) { h.Partitions++ },
		"by its header it is 0000000": func(_ *Header, n *uint32) { *n += 4 },
	} {
		err := change(func(h *Header, n *uint32, _ *[]byte) { edit(h, n) })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "00000001.wj") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	d := disk.NewMemory()
	begin(t, d)
	other := testHeader()
	other.Crawl[3] = 1
	if _, _, err := Open(d, other); err == nil || !strings.Contains(err.Error(), "belongs to crawl") {
		t.Errorf("another crawl: %v", err)
	}
}

// A version from the future is told from a damaged byte: the first is an error for
// people, and nothing is changed; the second is damage.
func TestFutureVersion(t *testing.T) {
	d := disk.NewMemory()
	all := script(12)
	if _, err := write(begin(t, d), all, 0); err != nil {
		t.Fatal(err)
	}
	f, err := d.Open(segmentName(1), disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteAt([]byte{Version + 1}, 4)
	if _, found, err := Open(d, Header{}); err != nil || found.Records != uint64(len(flat(all))) {
		t.Errorf("a damaged version: %+v, %v", found, err)
	}
	if got := read(t, d, 0); len(got.damage) != 1 || got.damage[0].Err != errHeader || got.damage[0].File != segmentName(1) {
		t.Errorf("a damaged version: %v", got.damage)
	}
	f.WriteAt([]byte("and another layout"), 8)
	before := d.Steps()
	for name, err := range map[string]error{
		"open":   second(Open(d, Header{})),
		"read":   first(Read(d, 0, nil)),
		"begin":  first(Begin(d, Header{})),
		"header": first(ReadHeader(d)),
	} {
		if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), fmt.Sprintf("%d, this program reads %d", Version+1, Version)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d.Steps() != before {
		t.Error("the journal was changed")
	}
}

func first[T any](_ T, err error) error          { return err }
func second[T, U any](_ T, _ U, err error) error { return err }

// The first error of the disk is told once, and nothing is tried after it (M19).
func TestDead(t *testing.T) {
	for name, fail := range map[string]func(d *disk.Memory, n int){
		"step":  func(d *disk.Memory, n int) { d.FailStep(n, syscall.ENOSPC) },
		"write": func(d *disk.Memory, n int) { d.FailWrite(n, syscall.EDQUOT) },
		"sync":  func(d *disk.Memory, n int) { d.FailSync(n, syscall.ENOSPC) },
		"room":  func(d *disk.Memory, n int) { d.Limit(int64(70*n), syscall.ENOSPC) },
	} {
		for n := 1; ; n++ {
			d := disk.NewMemory()
			l := begin(t, d)
			fail(d, n)
			_, err := write(l, script(20), 0)
			if err = errors.Join(err, l.Close()); err == nil {
				if n < 20 {
					t.Errorf("%s: only %d can fail", name, n)
				}
				break
			}
			steps := d.Steps()
			if !disk.ErrFull(err) {
				t.Errorf("%s %d: %v", name, n, err)
			}
			for _, err := range []error{l.Write(l.group(nil)), l.Sync(), l.Close()} {
				if !errors.Is(err, ErrDead) || !disk.ErrFull(err) {
					t.Errorf("%s %d: after the error %v", name, n, err)
				}
			}
			if d.Steps() != steps {
				t.Errorf("%s %d: operations after the error", name, n)
			}
		}
	}
}

// The owner's side touches no disk, and a commit must fit the records.
func TestOwner(t *testing.T) {
	d := disk.NewMemory()
	l := begin(t, d)
	before := d.Steps()
	if !l.Empty() {
		t.Error("a new log is not empty")
	}
	r := Record{Event: event.Event{Kind: event.Seed, New: []graph.Site{0, 0}}}
	if seq := l.Append(&r); seq != 0 || l.Empty() || r.First != 0 {
		t.Errorf("record %d, first page %d", seq, r.First)
	}
	if seq := l.Append(&r); seq != 1 || r.Seq != 1 || r.First != 2 {
		t.Errorf("record %d, first page %d", seq, r.First)
	}
	size := l.Size()
	if !panics(func() { l.Take(Commit{Pages: 3}) }) {
		t.Error("a commit of other pages than the records have")
	}
	g := l.Take(Commit{Pages: 4})
	if g.Len() != size || g.commit != (Commit{Next: 2, Pages: 4}) || !l.Empty() || d.Steps() != before {
		t.Errorf("group of %d bytes, %+v", g.Len(), g.commit)
	}
}

// The two sides at once, and readers beside them (run with -race). What a reader sees is
// the beginning of the journal, group by group.
func TestOwnerCommitterReader(t *testing.T) {
	d := disk.NewMemory()
	l := begin(t, d)
	all := script(150)
	want := flat(script(150))
	groups, done := make(chan Group, 1), make(chan error, 1)
	go func() {
		var err error
		for g := range groups {
			err = errors.Join(err, l.Write(g), l.Sync())
		}
		done <- errors.Join(err, l.Close())
	}()
	for i, list := range all {
		groups <- l.group(list)
		if i%10 == 0 {
			got := read(t, d, 0)
			if len(got.records) > len(want) || uint64(len(got.records)) != got.last.Next || got.damage != nil {
				t.Fatalf("%d records, last %+v, damage %v", len(got.records), got.last, got.damage)
			}
		}
	}
	close(groups)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	checkWhole(t, d, all)
}

// Size returns the number of bytes of the open group.
func (l *Log) Size() int64 { return int64(len(l.open)) }

// The memory of a large group is freed, that of others is used again.
func TestLargeGroups(t *testing.T) {
	l, err := Begin(disk.NewMemory(), testHeader())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1000, largeGroup + 1, 1000, 1000} {
		l.Append(&Record{Event: event.Event{Kind: event.Session}, Facts: Facts{Session: &Session{}, Prior: make([]byte, size)}})
		if err := l.Write(l.Take(Commit{})); err != nil {
			t.Fatal(err)
		}
		if n := cap(l.open); n > largeGroup {
			t.Errorf("after a group of %d bytes there is room for %d", size, n)
		}
	}
	if len(l.spare) != 1 {
		t.Error("the memory of a small group is not used again")
	}
}
