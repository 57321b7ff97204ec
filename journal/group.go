package journal

import (
	"encoding/binary"
	"math"
)

// Position is how far the archive is committed: a file and its size.
type Position struct {
	File uint32
	Size int64
}

// Commit is what a group of records commits.
type Commit struct {
	First uint64 // number of the first record of the group
	Next  uint64 // number of the record after it: so many are committed
	Warc  Position
	Pages uint32 // ids that the next page and the next site get
	Sites uint32
}

// Group is what was appended between two calls of Take: records that last together or
// not at all.
type Group struct {
	b      []byte // head and records
	commit Commit
}

// Commit is what holds once the group is written and synced.
func (g *Group) Commit() Commit { return g.commit }

// Len is its number of bytes.
func (g *Group) Len() int64 { return int64(len(g.b)) }

// The head of a group on disk is its commit. It stands before the records, so that it
// says where the next group begins even when they are damaged; it commits them all the
// same, because they must have the sum that it says.
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
