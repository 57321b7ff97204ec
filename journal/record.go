package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Version is the format of headers, groups and records.
//
//	1: events of a frontier; new pages are known by their sites alone; in memory only
//	2: facts; works and events of sitemaps, hops, bars and revisits; groups and files
const Version = 2

// A Record is an event with its place in the journal.
type Record struct {
	Seq uint64        // number of the record, from 0 on
	Now time.Duration // when the event was applied
	// First is the id of the first page of Event.New, 0 if there are none.
	First graph.Page
	// Event holds the fields that its kind names; others are not written, and zero
	// when it is read.
	Event event.Event
	Facts Facts // the same holds
}

// What can be wrong with bytes that should be a record. After ErrTorn more bytes could
// help: at the end of a file it is what a crash leaves behind. ErrDamaged is for good.
var (
	ErrTorn    = errors.New("the record is not complete")
	ErrDamaged = errors.New("the record is damaged")
)

// frame is the size of length and sum.
const frame = 8

// Bits of the first byte of a record, beside the kind of its event.
const (
	hasFacts = 0x80
	hasMore  = 0x40 // the event has bars, or admits pages
	kindBits = 0x3f
)

// Encode appends the record to b.
func Encode(b []byte, r *Record) []byte { return encode(b, 0, r) }

// encode appends a record whose sum begins with salt.
func encode(b []byte, salt uint32, r *Record) []byte {
	at := len(b)
	b = append(b, make([]byte, frame)...)
	w := writer{b}
	w.record(r)
	n := len(w.b) - at - frame
	if n > math.MaxUint32 {
		panic(fmt.Sprintf("journal: a record of %d bytes", n))
	}
	binary.LittleEndian.PutUint32(w.b[at:], uint32(n))
	binary.LittleEndian.PutUint32(w.b[at+4:], sum(salt, w.b[at:]))
	return w.b
}

// record writes what stands in the frame.
func (w *writer) record(r *Record) {
	first, facts, more := byte(r.Event.Kind), r.Facts.mask(r.Event.Kind), moreOf(&r.Event)
	if facts != 0 {
		first |= hasFacts
	}
	if more != 0 {
		first |= hasMore
	}
	w.byte(first)
	w.uint(r.Seq)
	w.int(int64(r.Now))
	w.event(r)
	if more != 0 {
		w.more(&r.Event, more)
	}
	if facts != 0 {
		w.facts(r, facts)
	}
}

// sum is the checksum of a record: CRC-32C of all but the sum itself.
func sum(salt uint32, record []byte) uint32 {
	t := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Update(salt, t, record[:4]), t, record[frame:])
}

// Decode reads the record at the start of b into r, whose slices are used again, and
// returns its length in bytes. The error wraps ErrTorn or ErrDamaged; r is of no use
// then.
func Decode(b []byte, r *Record) (n int, err error) { return decode(b, 0, r) }

func decode(b []byte, salt uint32, r *Record) (n int, err error) {
	if len(b) < frame {
		return 0, fmt.Errorf("%w: %d bytes of at least %d", ErrTorn, len(b), frame)
	}
	size := uint64(binary.LittleEndian.Uint32(b)) + frame
	if uint64(len(b)) < size {
		return 0, fmt.Errorf("%w: %d bytes of %d", ErrTorn, len(b), size)
	}
	b = b[:size]
	if sum(salt, b) != binary.LittleEndian.Uint32(b[4:]) {
		return 0, fmt.Errorf("%w: the checksum differs", ErrDamaged)
	}
	if err := decodeBody(b[frame:], r); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return len(b), nil
}

func decodeBody(b []byte, r *Record) error {
	d := reader{b: b}
	first := d.byte()
	r.reset(event.Kind(first & kindBits))
	r.Seq, r.Now = d.uint(), time.Duration(d.int())
	d.event(r)
	if first&hasMore != 0 {
		d.more(&r.Event)
	}
	if first&hasFacts != 0 {
		d.facts(r)
	}
	if d.err == nil && len(d.b) > 0 {
		d.fail(fmt.Errorf("%d bytes are left over", len(d.b)))
	}
	return d.err
}

// reset makes r a record of the kind without anything, and keeps the room of its slices.
func (r *Record) reset(kind event.Kind) {
	e := &r.Event
	r.Facts.reset()
	*r = Record{Facts: r.Facts, Event: event.Event{
		Kind: kind, New: e.New[:0], Bars: e.Bars[:0], Admit: e.Admit[:0], Links: e.Links[:0],
	}}
}
