package journal

import (
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// Bytes returns the group as it is written. They are valid until the group is passed to Write.
func (g *Group) Bytes() []byte { return g.b }

// Commit returns what the group commits.
func (g *Group) Commit() Commit { return g.commit }

// ErrGroup is wrapped where bytes are not the next group of a journal.
var ErrGroup = errors.New("these bytes are not the next group of the journal")

// Groups calls fn with the groups of a journal as bytes, in order. It ends with the last commit,
// or before damage. The bytes are used again. An error of fn is returned as it is.
func Groups(dir disk.Dir, h Header, fn func(c *Commit, b []byte) error) error {
	all, err := segments(dir, &h)
	if err != nil {
		return err
	}
	next, ended := uint64(0), false
	for i := range all {
		if i == 0 && all[i].err == nil {
			next = all[i].header.First
		}
		if ended = ended || all[i].err != nil || all[i].header.First != next; ended {
			break
		}
		var b []byte
		if err := all[i].each(dir, all[i].size, func(c *cursor, f *found) error {
			body, whole, err := c.records(f)
			if ended = ended || !whole || f.at > f.gap || f.commit.First != next; err != nil || ended {
				return err
			}
			head, err := c.read(f.at, headSize)
			if err != nil {
				return err
			}
			b = append(append(b[:0], head...), body...)
			next = f.commit.Next
			return fn(&f.commit, b)
		}); err != nil {
			return err
		}
	}
	return nil
}

// CommitOf returns what a group commits, from its bytes.
func CommitOf(h Header, b []byte) (c Commit, ok bool) {
	x, ok := decodeHead(b, h.salt())
	return x.commit, ok
}

// First reads the first record of a group of a journal with a header.
func First(h Header, b []byte, r *Record) error {
	if len(b) < headSize {
		return ErrGroup
	}
	_, err := decode(b[headSize:], h.salt(), r)
	return err
}

// Add writes a group that another journal of the same crawl and partition has, as Groups returns
// it. It belongs to the committer, and nothing may be appended before.
func (l *Log) Add(b []byte) error {
	h, ok := decodeHead(b, l.salt)
	switch {
	case !ok || int64(h.length) != int64(len(b)-headSize) || crc(l.salt, b[headSize:]) != h.sum:
		return fmt.Errorf("journal: %w: its sum is wrong", ErrGroup)
	case h.commit.First != l.next || !l.Empty():
		return fmt.Errorf("journal: %w: it begins with record %d, not %d", ErrGroup, h.commit.First, l.next)
	}
	g := Group{b, h.commit}
	err := l.do(func() error { return l.place(&g) })
	if err == nil {
		l.first, l.next, l.pages, l.at = h.commit.Next, h.commit.Next, graph.Page(h.commit.Pages), l.at+g.Len()
	}
	return err
}

// Cut keeps the first groups of a journal, so many of those that Groups reports, and removes what
// follows them. If the power fails meanwhile, more may be left.
func Cut(dir disk.Dir, h Header, keep int) error {
	all, err := segments(dir, &h)
	if err != nil {
		return err
	}
	for i := range all {
		at := int64(headerSize)
		if err := all[i].each(dir, all[i].size, func(_ *cursor, f *found) error {
			if keep > 0 {
				at, keep = f.end(), keep-1
			}
			return nil
		}); err != nil {
			return err
		}
		if keep == 0 {
			return cutAt(dir, all[i:], at)
		}
	}
	return nil
}

// cutAt ends a journal in the first of some files.
func cutAt(dir disk.Dir, all []segment, at int64) error {
	for i := len(all) - 1; i > 0; i-- {
		err := dir.Remove(all[i].name)
		if err == nil {
			err = dir.Sync()
		}
		if err != nil {
			return fmt.Errorf("journal: cut: %w", err)
		}
	}
	if all[0].size <= at {
		return nil
	}
	f, err := dir.Open(all[0].name, disk.Change)
	if err == nil {
		if err = f.Truncate(at); err == nil {
			err = f.Sync()
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("journal: cut %s: %w", all[0].name, err)
	}
	return nil
}
