package journal

import (
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// A journal may have copies elsewhere: another machine continues the crawl from one. A copy has the
// same groups, byte by byte, but its files may end elsewhere.

// ErrGroup is wrapped where a journal cannot be copied, because a group is not as it was written.
var ErrGroup = errors.New("a group is damaged or missing")

// Bytes returns the group as it is written. They are valid until Log.Write has returned.
func (g *Group) Bytes() []byte { return g.b }

// Commit returns what the group commits.
func (g *Group) Commit() Commit { return g.commit }

// ParseGroup returns the group that another copy of a journal has as bytes.
func ParseGroup(h Header, b []byte) (Group, error) {
	salt := h.salt()
	x, ok := decodeHead(b, salt)
	if !ok || int64(x.length) != int64(len(b))-headSize || crc(salt, b[headSize:]) != x.sum {
		return Group{}, fmt.Errorf("journal: %w", ErrGroup)
	}
	return Group{b, x.commit}, nil
}

// Groups calls fn with each committed group of a journal, in order. The group is valid until fn
// returns. The error wraps ErrGroup if one cannot be read, or is missing.
func Groups(dir disk.Dir, fn func(*Group) error) error {
	var h Header
	all, err := segments(dir, &h)
	if err != nil {
		return err
	}
	if allDamaged(all) {
		return noHeader(all)
	}
	e, err := findEnd(dir, all)
	if err != nil {
		return err
	}
	next := all[0].header.First
	for i := range all[:e.segment+1] {
		if next, err = all[i].groups(dir, e.sizeOf(all, i), next, fn); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf returns how many bytes of a segment belong to the journal.
func (e *end) sizeOf(all []segment, i int) int64 {
	if i == e.segment {
		return e.size
	}
	return all[i].size
}

// groups calls fn with the groups of a file up to a size. The first begins with a record. It returns
// the number of the record after the last.
func (s *segment) groups(dir disk.Dir, size int64, next uint64, fn func(*Group) error) (uint64, error) {
	at := int64(headerSize)
	var whole []byte
	err := s.each(dir, size, func(c *cursor, f *found) error {
		b, ok, err := c.records(f)
		if err != nil {
			return err
		}
		if !ok || f.at != at || f.commit.First != next {
			return s.damaged(at)
		}
		at, next = f.end(), f.commit.Next
		whole = append(append(whole[:0], make([]byte, headSize)...), b...)
		putHead(whole, c.salt, &f.commit)
		return fn(&Group{whole, f.commit})
	})
	if err == nil && (at != size || s.err != nil) {
		err = s.damaged(at)
	}
	return next, err
}

func (s *segment) damaged(at int64) error {
	return fmt.Errorf("journal: %s at %d: %w", s.name, at, ErrGroup)
}

// Cut removes all groups of a journal from the first on whose records begin with a number or a
// later one. They stay away, even if the power fails. The crawl must not be running.
func Cut(dir disk.Dir, h Header, record uint64) error {
	all, err := segments(dir, &h)
	if err != nil {
		return err
	}
	e := end{size: headerSize}
	if len(all) > 0 {
		e.commit.First, e.commit.Next = all[0].header.First, all[0].header.First
	}
	for i := range all {
		err := all[i].each(dir, all[i].size, func(c *cursor, f *found) error {
			_, whole, err := c.records(f)
			if whole && f.commit.First >= e.commit.Next && f.commit.First < record {
				e = end{i, f.at, f.end(), f.commit}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(all) == 0 || e.commit.Next == all[0].header.First && all[0].err != nil {
		return noHeader(all)
	}
	l := newLog(dir, &h, &e.commit)
	defer l.Drop()
	if _, err := l.cut(all[e.segment:], &e); err != nil {
		return fmt.Errorf("journal: cut: %w", err)
	}
	return nil
}

// Add writes a group of another copy. It has to follow the last one that was written, and the log
// must not be used for anything else but Sync and Close then.
func (l *Log) Add(g Group) error {
	if g.commit.First != l.next {
		return fmt.Errorf("journal: a group of record %d does not follow record %d", g.commit.First, l.next)
	}
	l.next, l.first = g.commit.Next, g.commit.Next
	return l.do(func() error { return l.place(&g) })
}
