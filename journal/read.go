package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// A Reader reads the committed part of a journal, in order, also while a crawl writes it. It
// holds one group at a time.
//
// The journal ends with the last group that is whole: bytes after it were left by a
// crash, or are not written yet. Damage before it is skipped, record by record, and
// reported to Damage: the records after it keep their numbers, and the ids in them are
// absolute.
type Reader struct {
	Dir  disk.Dir
	From uint64 // number of the first record that is wanted

	// Functions to call with each record, each commit (after its records) and each piece of
	// damage; nil means none. The arguments are used again. An error ends the reading and
	// is returned as it is. Groups before From are skipped unread, and so is damage in
	// them.
	Record func(*Record) error
	Commit func(*Commit) error
	Damage func(*Damage) error
}

// Damage is a part of a journal that cannot be read though it was committed.
type Damage struct {
	File   string
	Offset int64 // in the file
	Length int64 // 0: bytes are missing
	First  uint64
	Next   uint64 // the records from First up to it are lost
	Err    error
}

func (d *Damage) Error() string {
	return fmt.Sprintf("%s: %d bytes at %d: records %d to %d are lost: %v", d.File, d.Length, d.Offset, d.First, d.Next, d.Err)
}

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Err }

// ErrLost is wrapped where there was a journal, but nothing of it can be read.
var ErrLost = errors.New("the journal is lost")

var (
	errGroup   = errors.New("no group of records")
	errMissing = errors.New("groups are missing")
	errOrder   = errors.New("a group or a record that does not belong here")
)

// Read calls fn for each committed record from the given number on, and returns the last
// commit, which is zero if there is none. See Reader.
func Read(dir disk.Dir, from uint64, fn func(*Record) error) (Commit, error) {
	r := Reader{Dir: dir, From: from, Record: fn}
	return r.Run()
}

// Run reads, and returns the last commit.
func (r *Reader) Run() (Commit, error) {
	var h Header
	all, err := segments(r.Dir, &h)
	if err != nil {
		return Commit{}, err
	}
	if allDamaged(all) {
		return Commit{}, noHeader(all)
	}
	e, err := findEnd(r.Dir, all)
	if err != nil {
		return Commit{}, err
	}
	return e.commit, r.run(all[:e.segment+1], &e)
}

func allDamaged(all []segment) bool {
	for i := range all {
		if all[i].err == nil {
			return false
		}
	}
	return true
}

// An end describes where a journal ends: in this segment, at this size, with this commit, whose
// group begins at start. Without a group it is the end of the first header.
type end struct {
	segment     int
	start, size int64
	commit      Commit
}

// findEnd looks for the last group that is whole. It reads the last file, and those
// before only if it finds none there.
func findEnd(dir disk.Dir, all []segment) (end, error) {
	for i := len(all) - 1; i >= 0; i-- {
		e := end{segment: i}
		if err := all[i].each(dir, all[i].size, func(c *cursor, f *found) error {
			_, whole, err := c.records(f)
			if whole && f.commit.First >= e.commit.Next {
				e.start, e.size, e.commit = f.at, f.end(), f.commit
			}
			return err
		}); err != nil || e.size > 0 {
			return e, err
		}
	}
	e := end{size: headerSize}
	switch len(all) {
	case 0:
	case 1:
		e.commit.First, e.commit.Next = all[0].header.First, all[0].header.First
	default: // the second was begun after a commit in the first
		return e, fmt.Errorf("journal: %w: no group in %d files is whole", ErrLost, len(all))
	}
	return e, nil
}

// each calls fn for each group of the file up to a size.
func (s *segment) each(dir disk.Dir, size int64, fn func(*cursor, *found) error) error {
	f, err := dir.Open(s.name, disk.Read)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer f.Close()
	c := cursor{file: f, name: s.name, at: headerSize, end: size, salt: s.header.salt()}
	for {
		g, ok, err := c.next()
		if err != nil || !ok {
			return err
		}
		if err := fn(&c, &g); err != nil {
			return err
		}
	}
}

// cursor goes through the groups of one file.
type cursor struct {
	file disk.File
	name string
	at   int64 // where the next group should begin
	end  int64
	salt uint32
	room []byte // for heads and the bytes that are searched
	body []byte
}

// searched is the number of bytes that are searched at a time for the next head.
const searched = 1 << 16

// found is a group with a valid head.
type found struct {
	head
	gap int64 // where the search for it began
	at  int64 // where it begins
}

func (f *found) end() int64 { return f.at + headSize + int64(f.length) }

// next returns the next group and goes behind it; !ok at the end. Bytes that are no group
// are skipped: they lie between gap and at.
func (c *cursor) next() (f found, ok bool, err error) {
	f.gap = c.at
	for f.at = c.at; f.at+headSize <= c.end; f.at++ {
		if f.head, ok, err = c.headAt(f.at); ok || err != nil {
			break
		}
		if f.at, err = c.search(f.at + 1); err != nil {
			return f, false, err
		}
		f.at--
	}
	if ok {
		c.at = f.end()
	}
	return f, ok, err
}

// headAt reads the head of a group that lies in the file whole.
func (c *cursor) headAt(at int64) (h head, ok bool, err error) {
	b, err := c.read(at, headSize)
	if err != nil {
		return h, false, err
	}
	h, ok = decodeHead(b, c.salt)
	return h, ok && at+headSize+int64(h.length) <= c.end, nil
}

// search returns the next place from at on where a head may begin, or the end.
func (c *cursor) search(at int64) (int64, error) {
	for at < c.end {
		b, err := c.read(at, min(searched, c.end-at))
		if err != nil {
			return at, err
		}
		if i := bytes.Index(b, []byte(groupMagic)); i >= 0 {
			return at + int64(i), nil
		}
		if len(b) < searched {
			break
		}
		at += int64(len(b) - len(groupMagic) + 1)
	}
	return c.end, nil
}

// read reads n bytes. A file that ends before has shrunk while it was read.
func (c *cursor) read(at, n int64) ([]byte, error) {
	c.room = slices.Grow(c.room[:0], int(n))[:n]
	return c.room, c.fill(c.room, at)
}

func (c *cursor) fill(b []byte, at int64) error {
	n, err := c.file.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("journal: read %s at %d: %w", c.name, at, err)
}

// records reads the records of a group, and reports whether they are as they were written.
func (c *cursor) records(f *found) (b []byte, whole bool, err error) {
	c.body = slices.Grow(c.body[:0], int(f.length))[:f.length]
	if err := c.fill(c.body, f.at+headSize); err != nil {
		return nil, false, err
	}
	return c.body, crc(c.salt, c.body) == f.sum, nil
}
