package journal

import (
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A Finder reads single records of a journal by their places, also while a crawl writes it. It
// is safe for several goroutines.
type Finder struct {
	dir   disk.Dir
	salt  uint32
	mu    sync.Mutex
	files []stretch  // as they were when they were listed last
	desks chan *desk // one for each record that is read at a time
}

// A stretch is the part of a journal that is in one file.
type stretch struct {
	name     string
	from, to int64 // see Record.At
}

// A desk holds the memory for reading a record, which the next one uses again.
type desk struct {
	b   []byte
	rec Record
}

const (
	// findersAtOnce is the number of records that are read at a time. Each has a file open.
	findersAtOnce = 16
	// usualRecord is the number of bytes that are read in the hope that the record is shorter.
	usualRecord = 4 << 10
	// largestDesk is the most memory that a desk keeps for the next record, in bytes.
	largestDesk = 256 << 10
)

// NewFinder returns a Finder for the journal in a directory.
func NewFinder(dir disk.Dir, h Header) *Finder {
	f := &Finder{dir: dir, salt: h.salt(), desks: make(chan *desk, findersAtOnce)}
	for range findersAtOnce {
		f.desks <- nil
	}
	return f
}

// Find calls fn with the records of a kind that begin in the n bytes from a place on, and reports
// whether fn returned true for one of them. The record is valid until fn returns. What cannot be
// read is skipped: there is no error.
func (f *Finder) Find(at, n int64, kind event.Kind, fn func(*Record) bool) bool {
	d := <-f.desks
	if d == nil || cap(d.b) > largestDesk {
		d = new(desk)
	}
	defer func() { f.desks <- d }()
	return f.search(d, f.list(false), at, n, kind, fn) || f.search(d, f.list(true), at, n, kind, fn)
}

// list returns the files of the journal, as they are now or were before.
func (f *Finder) list(now bool) []stretch {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files != nil && !now {
		return f.files
	}
	entries, err := f.dir.List()
	if err != nil {
		return f.files
	}
	var files []stretch
	at := int64(0)
	for _, e := range entries {
		if _, ok := parseName(e.Name); ok {
			s := segment{size: e.Size}
			files = append(files, stretch{e.Name, at, at + s.length()})
			at += s.length()
		}
	}
	f.files = files
	return files
}

// search does what Find does in the files of a list.
func (f *Finder) search(d *desk, files []stretch, at, n int64, kind event.Kind, fn func(*Record) bool) (ok bool) {
	for _, s := range files {
		if from, to := max(at, s.from), min(at+n, s.to); from < to {
			ok = f.scan(d, &s, from, to, kind, fn) || ok
		}
	}
	return ok
}

// scan calls fn with the records that begin in a part of a file. Where they begin is not known,
// but their sums tell.
func (f *Finder) scan(d *desk, s *stretch, from, to int64, kind event.Kind, fn func(*Record) bool) (ok bool) {
	file, err := f.dir.Open(s.name, disk.Read)
	if err != nil {
		return false
	}
	defer file.Close()
	d.b = d.b[:0]
	have := func(end int64) bool { // everything up to end is in d.b
		n, had := int(end-from), len(d.b)
		if n <= had {
			return true
		}
		d.b = slices.Grow(d.b, n-had)[:n]
		got, err := file.ReadAt(d.b[had:], from+int64(had)-s.from+headerSize)
		if had+got < n || err != nil && err != io.EOF {
			d.b = d.b[:had]
			return false
		}
		return true
	}
	if !have(min(to+usualRecord, s.to)) {
		return false
	}
	for at := from; at < to && at+frame < s.to; at++ {
		i := int(at - from)
		size := frame + int64(binary.LittleEndian.Uint32(d.b[i:]))
		if event.Kind(d.b[i+frame]&kindBits) != kind || at+size > s.to || !have(at+size) {
			continue
		}
		if n, err := decode(d.b[i:], f.salt, &d.rec); err == nil {
			d.rec.At = at
			ok = fn(&d.rec) || ok
			at += int64(n) - 1
		}
	}
	return ok
}
