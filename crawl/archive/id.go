package archive

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// ID names a crawl or a record: a UUID. The zero value is none.
type ID [16]byte

// NewID returns the UUID of version 5 (RFC 9562) of a name within a space: the same name gives
// the same id in every run.
func NewID(space ID, name string) ID { return nameID(space, []byte(name)) }

func nameID(space ID, name []byte) ID {
	var room [320]byte
	sum := sha1.Sum(append(append(room[:0], space[:]...), name...))
	var id ID
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 0x50 // version 5
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	return id
}

// recordID returns the id of one record: a function of the crawl, the kind of record, the URL,
// the instant and the serial number of the exchange. One connection to a site at a time
// makes the instants of one URL differ; if a virtual clock stops, the serial
// number distinguishes them.
func recordID(space ID, kind string, url string, at time.Time, serial uint64, room []byte) (ID, []byte) {
	room = append(append(room[:0], kind...), 0)
	room = binary.BigEndian.AppendUint64(room, uint64(at.UnixNano()))
	room = binary.BigEndian.AppendUint64(room, serial)
	room = append(room, url...)
	return nameID(space, room), room
}

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the URN of the id, without the angle brackets of a record header.
func (id ID) String() string { return string(id.append(nil)) }

func (id ID) append(b []byte) []byte {
	b = append(b, "urn:uuid:"...)
	for i, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return b
}
