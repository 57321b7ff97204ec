package bv

import (
	"encoding/binary"
	"unsafe"
)

// All unsafe code of the package is here: two views of memory that are read and
// written several elements at a time, with one comparison instead of the two or three
// of a slice expression. No access is unchecked, so a corrupt stream, or a mistake in
// the decoder, cannot reach memory that is not its own.

// A bitSource holds the bytes of a stream.
type bitSource struct {
	bytes unsafe.Pointer
	end   uint64 // eight bytes can be read from every byte before it
}

func bitSourceOf(b []byte) bitSource {
	return bitSource{unsafe.Pointer(unsafe.SliceData(b)), uint64(max(0, len(b)-7))}
}

// load returns the 57 or more bits from bit pos on, left-aligned; zero when there
// are none.
func (s bitSource) load(pos uint64) uint64 {
	i := pos >> 3
	if i >= s.end {
		return 0
	}
	return binary.BigEndian.Uint64((*[8]byte)(unsafe.Add(s.bytes, i))[:]) << (pos & 7)
}

// A lane is width neighbouring links. (Assigned as a struct of more than four fields
// it is moved by two 16-byte instructions; an array would be a call of memmove.)
type lane struct{ a, b, c, d, e, f, g, h uint32 }

// width is the number of links that are copied at a time: a list is copied in whole
// lanes, and what lies behind its end comes along.
const width = 8

// A linkSpace is the space of a listReader.
type linkSpace struct {
	links unsafe.Pointer
	end   uint64 // a lane begins at every element before it
}

func linkSpaceOf(s []uint32) linkSpace {
	return linkSpace{unsafe.Pointer(unsafe.SliceData(s)), uint64(max(0, len(s)-width+1))}
}

// lane returns the lane at element i. There is one, because tail is called with
// enough free space; see room.
func (s linkSpace) lane(i uint64) *lane {
	if i >= s.end {
		panic("bv: a list leaves its space")
	}
	return (*lane)(unsafe.Add(s.links, i*4))
}
