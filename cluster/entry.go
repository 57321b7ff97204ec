package cluster

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/zeebo/xxh3"
)

// A Group is what a partition commits at a time: some records of its journal, as bytes.
type Group struct {
	First, Next uint64 // numbers of the first record, and of that after the last
	Epoch       uint64 // of the session that it begins; 0: it begins none
	Bytes       []byte
}

// A point is a place between two groups of a journal. Two journals that have the same point have
// the same groups before it: chain is a hash of them all.
type point struct {
	next  uint64 // number of the next record
	chain uint64
	epoch uint64 // of the last session
}

// after returns the point after a group.
func (p point) after(g *Group) point {
	return point{g.Next, xxh3.HashSeed(g.Bytes, p.chain), max(p.epoch, g.Epoch)}
}

// An entry of a log is a group, or a piece of one that is too large. It counts if all pieces are
// there, and if the groups before it are those before which it was written. Another one was left
// by an owner who was fenced between two pieces, or who wrote to a log that had lost its tail and
// got another one meanwhile: it is skipped.
//
//	version  1 byte
//	flags    1
//	sum      4, CRC-32C of all that follows and of what is before
//	before   8, chain of the groups before
//	after    8, chain with this one
//	first    8
//	next     8
//	epoch    8
//	bytes
//
// Numbers are little-endian.
type entry struct {
	flags         byte
	before, after uint64
	group         Group // its bytes are those of the piece
}

const (
	entryVersion = 1
	entryHead    = 46
	begins, ends = 1, 2 // flags: the first piece, the last piece
)

// pieceSize is the largest number of bytes of a group in one entry.
const pieceSize = 512 << 10

// entries returns the entries of a group that follows a point.
func entries(at point, g *Group) (list [][]byte) {
	after := at.after(g)
	for rest, flags := g.Bytes, byte(begins); ; flags = 0 {
		piece := rest[:min(len(rest), pieceSize)]
		if rest = rest[len(piece):]; len(rest) == 0 {
			flags |= ends
		}
		e := entry{flags, at.chain, after.chain, *g}
		e.group.Bytes = piece
		if list = append(list, e.encode()); flags&ends != 0 {
			return list
		}
	}
}

func (e *entry) encode() []byte {
	le := binary.LittleEndian
	b := make([]byte, entryHead, entryHead+len(e.group.Bytes))
	b[0], b[1] = entryVersion, e.flags
	for i, x := range []uint64{e.before, e.after, e.group.First, e.group.Next, e.group.Epoch} {
		le.PutUint64(b[6+8*i:], x)
	}
	b = append(b, e.group.Bytes...)
	le.PutUint32(b[2:], sum(b))
	return b
}

func sum(b []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(b[:2], table), table, b[6:])
}

func decode(b []byte) (e entry, err error) {
	le := binary.LittleEndian
	switch {
	case len(b) < entryHead || le.Uint32(b[2:]) != sum(b):
		return e, ErrDamaged
	case b[0] != entryVersion:
		return e, fmt.Errorf("entry of version %d: use a newer program", b[0])
	}
	e = entry{b[1], le.Uint64(b[6:]), le.Uint64(b[14:]), Group{le.Uint64(b[22:]), le.Uint64(b[30:]), le.Uint64(b[38:]), b[entryHead:]}}
	if e.group.Next < e.group.First {
		return e, ErrDamaged
	}
	return e, nil
}

// A reader makes groups of the entries of a log.
type reader struct {
	at     point
	seq    uint64 // of the last entry that was read
	open   []byte // pieces of a group that is not complete
	begun  bool
	strays int // entries that were skipped
}

// take takes the next entry. It reports whether it completes a group, whose bytes are used again.
func (r *reader) take(seq uint64, data []byte) (g Group, whole bool, err error) {
	e, err := decode(data)
	if err != nil {
		return g, false, fmt.Errorf("entry %d: %w", seq, err)
	}
	r.seq = seq
	if e.before != r.at.chain || e.group.First != r.at.next || e.flags&begins == 0 && !r.begun {
		r.strays++
		return g, false, nil
	}
	if e.flags&begins != 0 {
		if r.begun {
			r.strays++
		}
		r.open, r.begun = r.open[:0], true
	}
	r.open = append(r.open, e.group.Bytes...)
	if e.flags&ends == 0 {
		return g, false, nil
	}
	g, r.begun = e.group, false
	g.Bytes = r.open
	after := r.at.after(&g)
	if after.chain != e.after {
		return g, false, fmt.Errorf("entry %d: %w: its pieces do not belong together", seq, ErrDamaged)
	}
	r.at = after
	return g, true, nil
}
