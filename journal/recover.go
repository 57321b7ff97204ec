package journal

import (
	"fmt"
	"io"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// Found is what Open found.
type Found struct {
	Last    Commit
	Records uint64 // that are committed, lost ones included: Last.Next
	Cut     int64  // bytes after the last commit, which are gone now
	// Damage lists what cannot be read of the last file before the last commit, and
	// commits that came after it as later files show. A Reader finds that of the files
	// before.
	Damage []Damage
}

// Open finds the last commit, cuts what follows, and gives a log that goes on from there.
// If h has the id of a crawl, the journal must be of that crawl and partition. Every step
// may be repeated; other files in the directory are left alone. The error wraps ErrNone
// where there is nothing to go on from: Begin makes a new journal then.
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
	if found.Cut, err = l.cut(all[e.segment:], &e); err != nil {
		if l.file != nil {
			l.file.Close()
		}
		return nil, found, fmt.Errorf("journal: recover: %w", err)
	}
	return l, found, nil
}

// cut makes the first of the segments the last of the journal, and makes last what is
// left of it.
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

// again writes the last group, or the header, once more before it syncs. The program may
// have ended because a sync of just these bytes failed; then the kernel may hold them in
// memory, take them for written, and have nothing to do at the next sync.
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
