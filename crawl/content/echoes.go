package content

import (
	"encoding/binary"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// Echoes finds texts that several partitions of a crawl have fetched. Each text has a partition
// that compares it, by its hash. It takes 22 bytes for each text of such a partition.
type Echoes struct {
	seen  *urltable.Table
	paths *graph.Column[uint64] // by number of the text: Text.Path of the first, with its partition
}

// A Text is a content that a partition has fetched.
type Text struct {
	Hash uint64 // of its digest
	Path uint64 // hash of path and query of its page; with In, the last bits are a partition
}

// partBits is the number of bits of a path that give way to the number of a partition.
const partBits = 16

// In returns the text as one of a partition.
func (t Text) In(part int) Text {
	return Text{t.Hash, t.Path>>partBits<<partBits | uint64(uint16(part))}
}

// Part returns the partition of a text that In returned.
func (t Text) Part() int { return int(uint16(t.Path)) }

// At reports whether the text was at a path, but for the bits that give way to a partition.
func (t Text) At(path uint64) bool { return t.Path>>partBits == path>>partBits }

// NewEchoes returns what is known before the first text, with room for a number of them. It adds
// its columns to a set.
func NewEchoes(set *graph.Set, secret [16]byte, texts int) *Echoes {
	x := &Echoes{seen: urltable.New("echo", secret, texts, 1)}
	graph.AddTo(set, x.seen)
	x.paths = graph.NewColumnIn[uint64](set, "echo paths", texts)
	return x
}

// Add notes a text of a partition. It reports whether it was known, and returns the first that it
// was. Each partition sends a text once.
func (x *Echoes) Add(t Text) (first Text, known bool) {
	n, fresh := x.seen.Page(t.Hash)
	if fresh {
		x.paths.Append(t.Path)
	}
	return Text{t.Hash, x.paths.At(int(n))}, !fresh
}

// Append appends a text to b.
func (t Text) Append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, t.Hash), t.Path)
}

// ReadText reads what Append wrote.
func ReadText(b []byte) (t Text, ok bool) {
	if len(b) != 16 {
		return t, false
	}
	return Text{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}, true
}
