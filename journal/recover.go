package journal

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// A Found describes what Open found.
type Found struct {
	Last    Commit
	Records uint64 // that are committed, lost ones included: Last.Next
	Cut     int64  // bytes after the last commit, which are gone now
	// Damage lists what cannot be read of the last file before the last commit, and
	// later commits that further files show. A Reader finds that of the files
	// before.
	Damage []Damage
}

// Open finds the last commit, cuts what follows, and returns a log that continues from
// there. If h has the id of a crawl, the journal must be of that crawl and partition. Every
// step may be repeated; other files in the directory are skipped. The error wraps ErrNone
// if there is no journal to continue: call Begin then.
func Open(dir disk.Dir, h Header) (*Log, Found, error) {
	all, err := segments(dir, &h)
	if err != nil {
		return nil, Found{}, err
	}
	e, err := findEnd(dir, all)
	if err != nil {
		return nil, Found{}, err
	}
	if len(all) == 0 || all[e.segment].err != nil && e.size == headerSize {
		return nil, Found{}, noHeader(all)
	}
	found := Found{Last: e.commit, Records: e.commit.Next}
	check := Reader{Dir: dir, Damage: func(d *Damage) error {
		found.Damage = append(found.Damage, *d)
		return nil
	}}
	if err := check.run(all[e.segment:e.segment+1], &e); err != nil {
		return nil, found, err
	}
	for _, s := range all[e.segment+1:] {
		if s.err == nil && s.header.First > e.commit.Next { // a file begins after a commit
			found.Damage = append(found.Damage, Damage{s.name, 0, 0, e.commit.Next, s.header.First, errMissing})
		}
	}
	l := newLog(dir, &h, &e.commit)
	l.at = lengths(all[:e.segment]) + e.size - headerSize
	if found.Cut, err = l.cut(all[e.segment:], &e); err != nil {
		if l.file != nil {
			l.file.Close()
		}
		return nil, found, fmt.Errorf("journal: recover: %w", err)
	}
	return l, found, nil
}

// cut makes the first of the segments the last of the journal, and syncs
// what remains of it.
func (l *Log) cut(all []segment, e *end) (cut int64, err error) {
	for _, s := range all[1:] {
		cut += s.size
		if err := l.dir.Remove(s.name); err != nil {
			return cut, err
		}
	}
	s := &all[0]
	if l.file, err = l.dir.Open(s.name, disk.Change); err != nil {
		return cut, err
	}
	l.number, l.size, l.older = s.number, e.size, s.older
	if s.size > e.size {
		cut += s.size - e.size
		if err := l.file.Truncate(e.size); err != nil {
			return cut, fmt.Errorf("cut %s: %w", s.name, err)
		}
	}
	if err := l.again(e); err != nil {
		return cut, fmt.Errorf("%s: %w", s.name, err)
	}
	return cut, l.dir.Sync()
}

// again writes the last group, or the header, a second time before it syncs. The program
// may have ended because a sync of just these bytes failed; then the kernel may hold them
// in memory, take them for written, and have nothing to do at the next sync.
func (l *Log) again(e *end) error {
	b := make([]byte, e.size-e.start)
	if _, err := l.file.ReadAt(b, e.start); err != nil && err != io.EOF {
		return err
	}
	if l.older && e.size == headerSize { // an empty file becomes one of this version
		h := l.header
		h.First = e.commit.Next
		b, l.older = h.encode(l.number), false
	}
	if _, err := l.file.WriteAt(b, e.start); err != nil {
		return err
	}
	return l.file.Sync()
}

// A walk is the state of a running Reader.
type walk struct {
	*Reader
	next uint64 // number of the next record, if nothing is lost
	base int64  // where the file begins: see Record.At
	most uint64 // records of this file and those before: further ones do not belong here
	hole Damage // bytes that were no group, not reported yet
	rec  Record
}

// run reads the segments up to the end, which lies in the last of them.
func (r *Reader) run(all []segment, e *end) error {
	start := 0
	for i := range all {
		if all[i].err == nil && all[i].header.First <= r.From {
			start = i
		}
	}
	w := walk{Reader: r, next: all[start].header.First}
	for i := start; i < len(all); i++ {
		w.base = lengths(all[:i])
		size := all[i].size
		if i == len(all)-1 {
			size = e.size
		}
		w.most = e.commit.Next
		for j := len(all) - 1; j > i; j-- {
			if all[j].err == nil {
				w.most = min(w.most, all[j].header.First)
			}
		}
		if err := w.segment(&all[i], size); err != nil {
			return err
		}
	}
	return nil
}

// segment reads one file.
func (w *walk) segment(s *segment, size int64) error {
	if s.err != nil {
		if err := w.report(Damage{s.name, 0, headerSize, w.next, w.next, s.err}); err != nil {
			return err
		}
	}
	at := int64(headerSize)
	err := s.each(w.Dir, size, func(c *cursor, f *found) error {
		at = c.at
		return w.group(s, c, f)
	})
	if at < size {
		w.hole = Damage{File: s.name, Offset: at, Length: size - at, Err: errGroup}
	}
	return err
}

// report reports damage, unless the caller wants none of what is lost.
func (w *walk) report(d Damage) error {
	if w.Damage == nil || d.Next < w.From || d.Next == w.From && d.First < d.Next {
		return nil
	}
	return w.Damage(&d)
}

// group reads one group.
func (w *walk) group(s *segment, c *cursor, f *found) error {
	if f.at > f.gap {
		w.hole = Damage{File: s.name, Offset: f.gap, Length: f.at - f.gap, Err: errGroup}
	}
	if f.commit.First < w.next || f.commit.Next > w.most {
		return w.report(Damage{s.name, f.at, f.end() - f.at, w.next, w.next, errOrder})
	}
	if err := w.fill(s, f); err != nil || f.commit.Next <= w.From {
		w.next = f.commit.Next
		return err
	}
	b, whole, err := c.records(f)
	if err != nil {
		return err
	}
	if !whole || w.Record != nil {
		if err := w.records(s, f, b); err != nil {
			return err
		}
	}
	w.next = f.commit.Next
	if w.Commit == nil {
		return nil
	}
	return w.Commit(&f.commit)
}

// fill reports what is lost before a group.
func (w *walk) fill(s *segment, f *found) error {
	d := w.hole
	w.hole = Damage{}
	if d.Err == nil && f.commit.First == w.next {
		return nil
	}
	if d.Err == nil {
		d = Damage{File: s.name, Offset: f.at, Err: errMissing}
	}
	d.First, d.Next = w.next, f.commit.First
	w.next = f.commit.First
	return w.report(d)
}

// records yields the records of b that can be read.
func (w *walk) records(s *segment, f *found, b []byte) error {
	salt := s.header.salt()
	for at := 0; w.next < f.commit.Next; {
		n, err := decode(b[at:], salt, &w.rec)
		if err == nil && w.rec.Seq != w.next {
			err = errOrder
		}
		if err != nil {
			to, seq := w.resync(b, at, salt, f.commit.Next)
			d := Damage{s.name, f.at + headSize + int64(at), int64(to - at), w.next, seq, err}
			at, w.next = to, seq
			if err := w.report(d); err != nil {
				return err
			}
			continue
		}
		w.rec.At = w.base + f.at + headSize + int64(at) - headerSize
		at, w.next = at+n, w.next+1
		if w.Record == nil || w.rec.Seq < w.From {
			continue
		}
		if err := w.Record(&w.rec); err != nil {
			return err
		}
	}
	return nil
}

// resyncWork bounds how often each byte of a group is read on average by resync: bytes
// made to look like many long records cannot hold it up.
const resyncWork = 64

// resync finds the next record from a position on: its position and its number, or the
// end of the group.
func (w *walk) resync(b []byte, from int, salt uint32, end uint64) (at int, seq uint64) {
	work := resyncWork * len(b)
	for at = from; at+frame < len(b); at++ {
		size := int64(binary.LittleEndian.Uint32(b[at:]))
		seq, n := binary.Uvarint(b[at+frame+1:])
		if size > int64(len(b)-at-frame) || n <= 0 || seq < w.next || seq >= end {
			continue
		}
		if work -= int(size); work < 0 {
			break
		}
		if _, err := decode(b[at:], salt, &w.rec); err == nil {
			return at, seq
		}
	}
	return len(b), end
}
