package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// SegmentSize is the size at which a file ends, unless Log.Segment is set.
const SegmentSize = 256 << 20

// ErrDead is wrapped by every error of a log that failed before.
var ErrDead = errors.New("the journal stopped after an error")

// Log writes a journal. Append, Take, Empty and Size belong to one goroutine, the loop
// of the crawl; Write, Sync and Close to one, the committer. They share nothing but the
// groups, so the loop never waits for a disk.
type Log struct {
	// Segment is the largest size of a file, unless one group is larger; 0 means
	// SegmentSize. It may be set before the first Write.
	Segment int64

	header Header
	salt   uint32

	// Of the loop.
	open  []byte     // group, with room for its head
	first uint64     // record of the group
	next  uint64     // record
	pages graph.Page // id of the next page that becomes known
	at    int64      // where the open group begins: see Record.At

	// Of the committer.
	dir    disk.Dir
	file   disk.File
	number uint32
	size   int64 // of the file
	older  bool  // an earlier version began the file: it gets no more groups
	dead   error

	// spare returns the memory of a written group to the loop.
	spare chan []byte
}

func newLog(dir disk.Dir, h *Header, c *Commit) *Log {
	l := &Log{header: *h, salt: h.salt(), dir: dir, first: c.Next, next: c.Next, pages: graph.Page(c.Pages), spare: make(chan []byte, 1)}
	l.open = make([]byte, headSize)
	return l
}

// Begin creates a journal in a directory that has none. What a crash left of an earlier
// Begin is removed.
func Begin(dir disk.Dir, h Header) (*Log, error) {
	found := h
	all, err := segments(dir, &found)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].err == nil || all[i].size > headerSize {
			return nil, fmt.Errorf("journal: begin: %s: %w", all[i].name, fs.ErrExist)
		}
		if err := dir.Remove(all[i].name); err != nil {
			return nil, fmt.Errorf("journal: begin: %w", err)
		}
	}
	l := newLog(dir, &h, &Commit{Next: h.First})
	if err := l.create(0, h.First); err != nil {
		return nil, fmt.Errorf("journal: begin: %w", err)
	}
	return l, nil
}

// create begins a file. It is used only when its header and its name last.
func (l *Log) create(number uint32, first uint64) error {
	name := segmentName(number)
	f, err := l.dir.Open(name, disk.Create)
	if err != nil {
		return err
	}
	l.file, l.number, l.size, l.older = f, number, headerSize, false
	h := l.header
	h.First = first
	if _, err := f.WriteAt(h.encode(number), 0); err != nil {
		return fmt.Errorf("write the header of %s: %w", name, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync the header of %s: %w", name, err)
	}
	return l.dir.Sync()
}

// Append numbers the record, sets First and At, and adds it to the open group.
func (l *Log) Append(r *Record) (seq uint64) {
	r.Seq, r.First, r.At = l.next, 0, l.at+int64(len(l.open))
	if n := len(r.Event.New); n > 0 {
		r.First = l.pages
		l.pages += graph.Page(n)
	}
	l.open = encode(l.open, l.salt, r)
	l.next++
	return r.Seq
}

// Empty reports whether the open group has no record.
func (l *Log) Empty() bool { return len(l.open) == headSize }

// largeGroup is the size of a group in bytes above which its memory is not used again: the
// first group of a crawl with a history may be large, and no other.
const largeGroup = 16 << 20

// Take closes the open group and returns it. c holds what it commits in addition to its
// records; their numbers are filled in. The group may be empty: it commits c alone.
func (l *Log) Take(c Commit) Group {
	if c.Pages != uint32(l.pages) {
		panic(fmt.Sprintf("journal: commit of %d pages, but the records have made %d known", c.Pages, l.pages))
	}
	c.First, c.Next = l.first, l.next
	putHead(l.open, l.salt, &c)
	g := Group{l.open, c}
	l.first, l.at = l.next, l.at+g.Len()
	select {
	case l.open = <-l.spare:
	default:
		l.open = make([]byte, headSize, min(len(g.b), largeGroup))
	}
	return g
}

// Write writes a group, in the order of the calls of Take; its memory is used again, unless
// it is large. After an error the log is dead.
func (l *Log) Write(g Group) error {
	err := l.do(func() error { return l.place(&g) })
	if cap(g.b) > largeGroup {
		return err
	}
	select {
	case l.spare <- g.b[:headSize]:
	default:
	}
	return err
}

// place writes a group at the end.
func (l *Log) place(g *Group) error {
	if err := l.turn(g); err != nil {
		return err
	}
	if _, err := l.file.WriteAt(g.b, l.size); err != nil {
		return fmt.Errorf("write %s at %d: %w", segmentName(l.number), l.size, err)
	}
	l.size += g.Len()
	return nil
}

// turn ends the file if the group has no room in it, or if the file is of an earlier version.
func (l *Log) turn(g *Group) error {
	most := l.Segment
	if most <= 0 {
		most = SegmentSize
	}
	if !l.older && (l.size == headerSize || l.size+g.Len() <= most) {
		return nil
	}
	if err := l.finish(); err != nil {
		return err
	}
	return l.create(l.number+1, g.commit.First)
}

// Sync makes all written groups durable.
func (l *Log) Sync() error {
	return l.do(func() error {
		if err := l.file.Sync(); err != nil {
			return fmt.Errorf("sync %s: %w", segmentName(l.number), err)
		}
		return nil
	})
}

// Close syncs and closes. The log cannot be used after it.
func (l *Log) Close() error {
	err := l.do(l.finish)
	if err == nil {
		l.dead = fs.ErrClosed
	}
	return err
}

// Drop closes the file as it is: what was not committed is for the next Open to cut. After
// Close it does nothing.
func (l *Log) Drop() {
	if l.file != nil {
		l.file.Close()
		l.file, l.dead = nil, fs.ErrClosed
	}
}

func (l *Log) finish() error {
	name := segmentName(l.number)
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", name, err)
	}
	err := l.file.Close()
	l.file = nil
	if err != nil {
		return fmt.Errorf("close %s: %w", name, err)
	}
	return nil
}

// do runs a step of the committer unless an earlier one failed, and marks the log dead
// when it fails: after an error of fsync the kernel may have dropped the pages and
// answers the next call with success, so nothing is ever tried twice on a descriptor.
func (l *Log) do(step func() error) error {
	if l.dead != nil {
		return fmt.Errorf("journal: %w: %w", ErrDead, l.dead)
	}
	err := step()
	if err == nil {
		return nil
	}
	l.dead = err
	if l.file != nil {
		l.file.Close() // its error would add nothing
		l.file = nil
	}
	return fmt.Errorf("journal: %w", err)
}

// A Position is the committed end of the archive: a file and its size.
type Position struct {
	File uint32
	Size int64
}

// Commit describes what a group of records commits.
type Commit struct {
	First uint64 // number of the first record of the group
	Next  uint64 // number of the record after the group, which is the number of committed records
	Warc  Position
	Pages uint32 // ids that the next page and the next site get
	Sites uint32
}

// Group holds what was appended between two calls of Take: records that last together or
// not at all.
type Group struct {
	b      []byte // head and records
	commit Commit
}

// Len returns the number of bytes.
func (g *Group) Len() int64 { return int64(len(g.b)) }

// The head of a group on disk is its commit. It precedes the records, so that it
// shows where the next group begins even when they are damaged. It still commits them,
// because they must match the checksum in it.
//
//	magic    4 bytes
//	sum      4, of the 44 bytes after it
//	length   4, of the records
//	records  4, their sum
//	first    8
//	next     8
//	file     4, of the archive
//	size     8
//	pages    4
//	sites    4
//
// Sums are CRC-32C and begin with the salt of the journal.
const (
	groupMagic = "WJGR"
	headSize   = 52
)

// head is a decoded head.
type head struct {
	commit Commit
	length uint32
	sum    uint32
}

// putHead fills in the head at the start of a group.
func putHead(b []byte, salt uint32, c *Commit) {
	le, records := binary.LittleEndian, b[headSize:]
	if len(records) > math.MaxUint32 {
		panic("journal: a group of more than 4 GiB")
	}
	copy(b, groupMagic)
	le.PutUint32(b[8:], uint32(len(records)))
	le.PutUint32(b[12:], crc(salt, records))
	le.PutUint64(b[16:], c.First)
	le.PutUint64(b[24:], c.Next)
	le.PutUint32(b[32:], c.Warc.File)
	le.PutUint64(b[36:], uint64(c.Warc.Size))
	le.PutUint32(b[44:], c.Pages)
	le.PutUint32(b[48:], c.Sites)
	le.PutUint32(b[4:], crc(salt, b[8:headSize]))
}

func decodeHead(b []byte, salt uint32) (h head, ok bool) {
	le := binary.LittleEndian
	if len(b) < headSize || string(b[:4]) != groupMagic || le.Uint32(b[4:]) != crc(salt, b[8:headSize]) {
		return h, false
	}
	h.length, h.sum = le.Uint32(b[8:]), le.Uint32(b[12:])
	c := &h.commit
	c.First, c.Next = le.Uint64(b[16:]), le.Uint64(b[24:])
	c.Warc = Position{le.Uint32(b[32:]), int64(le.Uint64(b[36:]))}
	c.Pages, c.Sites = le.Uint32(b[44:]), le.Uint32(b[48:])
	return h, c.Next >= c.First && c.Warc.Size >= 0
}
