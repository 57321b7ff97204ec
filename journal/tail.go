package journal

import (
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// ErrChanged is wrapped where a journal is not the one that was read before: it was replaced or
// removed, it lost its end, or what follows is damaged. A Reader reads what is left.
var ErrChanged = errors.New("the journal is not what it was")

// A Tail reads the groups that a crawl commits, as they come. Unlike a Reader it does not read
// again what it has read.
type Tail struct {
	dir    disk.Dir
	header Header
	next   uint64 // number of the next record
	file   segment
	base   int64 // where the file begins: see Record.At
	at     int64 // where the next group begins in the file; 0: the file is not known yet
	rec    Record
}

// NewTail returns a Tail of the journal in a directory that begins with a record, which must be
// the first of its group or the next that is committed.
func NewTail(dir disk.Dir, h Header, from uint64) *Tail {
	return &Tail{dir: dir, header: h, next: from}
}

// Read calls fn with each record of each group that was committed since the last call, and
// committed after each group. It returns after most bytes or a little more, and reports whether
// there may be more. The arguments are used again. After ErrChanged the Tail is of no use.
func (t *Tail) Read(most int64, fn func(*Record) error, committed func(*Commit) error) (more bool, err error) {
	for {
		if t.at == 0 {
			if err := t.find(); err != nil {
				return false, err
			}
		}
		n, err := t.groups(most, fn, committed)
		if most -= n; err != nil || most <= 0 {
			return err == nil, err
		}
		if moved, err := t.turn(); !moved || err != nil {
			return false, err
		}
	}
}

// find looks for the next record in the files that there are.
func (t *Tail) find() error {
	all, err := t.segments()
	if err != nil {
		return err
	}
	i := len(all) - 1
	for i > 0 && (all[i].err != nil || all[i].header.First > t.next) {
		i--
	}
	if i < 0 || all[i].err != nil {
		return fmt.Errorf("journal: %w: record %d is missing", ErrChanged, t.next)
	}
	t.file, t.base = all[i], lengths(all[:i])
	at := int64(headerSize)
	err = t.file.each(t.dir, t.file.size, func(c *cursor, f *found) error {
		if f.commit.Next <= t.next {
			at = f.end()
		}
		return nil
	})
	if err == nil {
		t.at = at
	}
	return err
}

// segments lists the files.
func (t *Tail) segments() ([]segment, error) {
	h := t.header
	all, err := segments(t.dir, &h)
	switch {
	case errors.Is(err, ErrVersion):
		return nil, err
	case err != nil || len(all) == 0:
		return nil, fmt.Errorf("journal: %w: %w", ErrChanged, errors.Join(err, errMissing))
	}
	return all, nil
}

// groups reads groups of the present file, and returns the bytes that they have.
func (t *Tail) groups(most int64, fn func(*Record) error, committed func(*Commit) error) (n int64, err error) {
	size, err := t.look()
	if err != nil || size <= t.at {
		return 0, err
	}
	f, err := t.dir.Open(t.file.name, disk.Read)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	defer f.Close()
	c := cursor{file: f, name: t.file.name, at: t.at, end: size, salt: t.header.salt()}
	for n < most {
		g, ok, err := c.next()
		if err != nil || !ok {
			return n, err
		}
		b, whole, err := c.records(&g)
		if err != nil {
			return n, err
		}
		if !whole || g.at > g.gap || g.commit.First != t.next {
			return n, t.broken(&c, &g)
		}
		if err := t.records(g.at, b, fn); err != nil {
			return n, err
		}
		n, t.at, t.next = n+g.end()-t.at, g.end(), g.commit.Next
		if err := committed(&g.commit); err != nil {
			return n, err
		}
	}
	return n, nil
}

// look returns the size of the present file. An error says that it is another one, or shorter
// than what was read.
func (t *Tail) look() (int64, error) {
	s := segment{name: t.file.name, number: t.file.number}
	known, h := true, t.header
	err := s.read(t.dir, &h, &known)
	if err = errors.Join(err, s.err); err != nil {
		return 0, fmt.Errorf("journal: %w: %w", ErrChanged, err)
	}
	entries, err := t.dir.List()
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	for _, e := range entries {
		if e.Name == t.file.name && e.Size >= t.at {
			return e.Size, nil
		}
	}
	return 0, fmt.Errorf("journal: %w: %s lost its end", ErrChanged, t.file.name)
}

// broken returns nil if a group at the end of the file may still be written, else an error.
func (t *Tail) broken(c *cursor, g *found) error {
	if _, later, err := c.next(); err != nil || !later && g.at == g.gap && g.commit.First == t.next {
		return err
	}
	return fmt.Errorf("journal: %w: %s is damaged at %d", ErrChanged, t.file.name, g.gap)
}

// records calls fn with the records of a group that begins at a place of the file.
func (t *Tail) records(at int64, b []byte, fn func(*Record) error) error {
	at += t.base + headSize - headerSize
	for len(b) > 0 {
		n, err := decode(b, t.header.salt(), &t.rec)
		if err != nil {
			return fmt.Errorf("journal: %w: %w", ErrChanged, err)
		}
		t.rec.At = at
		if err := fn(&t.rec); err != nil {
			return err
		}
		b, at = b[n:], at+int64(n)
	}
	return nil
}

// turn goes to the next file, if the journal continues there.
func (t *Tail) turn() (moved bool, err error) {
	all, err := t.segments()
	if err != nil {
		return false, err
	}
	for i := range all {
		if s := &all[i]; s.number > t.file.number && s.err == nil && s.header.First == t.next {
			t.file, t.base, t.at = *s, lengths(all[:i]), headerSize
			return true, nil
		}
	}
	return false, nil
}
