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
//	2: facts; tasks and events of sitemaps, hops, bars and revisits; groups and files
//	3: anchors of links
//	4: visits that were stored as revisit records; the class gone; scores
//	5: what pages have to do with the topic of the crawl; pages that are dropped, and moved in the archive
//	6: to which response a revisit record refers
//	7: commands of the user; requisites of pages, which are what they need to be shown;
//	   pages that were fetched before the topic of the crawl was known
//	8: pages that a browser shows; what partitions of a crawl tell, ask and grant each other; which
//	   machine began a session
const Version = 8

// A Record is an event with its place in the journal.
type Record struct {
	Seq uint64        // number of the record, from 0 on
	Now time.Duration // when the event was applied
	// First is the id of the first page of Event.New, 0 if there are none.
	First graph.Page
	// At is where the record begins in the journal, in bytes from its first group on, without
	// the headers of files. It is not written: Log.Append and a Reader set it. See Finder.
	At int64
	// Event holds the fields that its kind names; others are not written, and zero
	// when it is read.
	Event event.Event
	Facts Facts // the same holds
}

// What can be wrong with bytes that should be a record. After ErrTorn more bytes could
// help: at the end of a file it is the trace of a crash. ErrDamaged is permanent.
var (
	ErrTorn    = errors.New("the record is not complete")
	ErrDamaged = errors.New("the record is damaged")
)

// frame is the size of length and sum.
const frame = 8

// Bits of the first byte of a record, added to the kind of its event.
const (
	hasFacts = 0x80
	hasMore  = 0x40 // the event has bars, anchors or a reading, or admits pages
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

// record writes the content of the frame.
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

// sum returns the checksum of a record: CRC-32C of all but the sum itself.
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

// reset makes r an empty record of the kind, and keeps the memory of its slices.
func (r *Record) reset(kind event.Kind) {
	e := &r.Event
	r.Facts.reset()
	*r = Record{Facts: r.Facts, Event: event.Event{
		Kind: kind, New: e.New[:0], Bars: e.Bars[:0], Admit: e.Admit[:0], Links: e.Links[:0], Anchors: e.Anchors[:0], Needs: e.Needs[:0], Read: e.Read,
		Exchange: event.Exchange{Gifts: e.Gifts[:0], Amounts: e.Amounts[:0], Lessons: e.Lessons[:0]},
	}}
	r.Event.Read.Reset()
}

// writer appends numbers and bytes.
type writer struct{ b []byte }

func (w *writer) byte(v byte)   { w.b = append(w.b, v) }
func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }

// bytes writes the number of bytes, and the bytes.
func (w *writer) bytes(v []byte)  { w.uint(uint64(len(v))); w.b = append(w.b, v...) }
func (w *writer) fixed(v uint64)  { w.b = binary.LittleEndian.AppendUint64(w.b, v) }
func (w *writer) string(v string) { w.uint(uint64(len(v))); w.b = append(w.b, v...) }

// reader takes numbers off the front of b. After the first error, which it keeps, all
// numbers are 0.
type reader struct {
	b   []byte
	err error
}

func (d *reader) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.b = nil
}

var errEnds = errors.New("it ends within a number")

func (d *reader) byte() byte {
	if len(d.b) == 0 {
		d.fail(errEnds)
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

// uint reads a number in its shortest encoding.
func (d *reader) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	switch {
	case n == 0:
		d.fail(errEnds)
		return 0
	case n < 0:
		d.fail(errors.New("a number of more than 64 bits"))
		return 0
	case n > 1 && d.b[n-1] == 0:
		d.fail(errors.New("a number that is longer than needed"))
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *reader) int() int64 {
	v := d.uint()
	return int64(v>>1) ^ -int64(v&1)
}

// atMost reads a byte that has few values.
func (d *reader) atMost(most uint8, what string) uint8 {
	v := d.byte()
	if v > most {
		d.fail(fmt.Errorf("%s %d of at most %d", what, v, most))
		return 0
	}
	return v
}

// id reads the id of a page, a site or an address; none has the largest number.
func (d *reader) id() uint32 {
	v := d.uint()
	if v >= math.MaxUint32 {
		d.fail(fmt.Errorf("id %d", v))
		return 0
	}
	return uint32(v)
}

// near reads an id that is written as the difference to another.
func (d *reader) near(before int64) int64 {
	v := d.int()
	if v < -before || v >= math.MaxUint32-before {
		d.fail(fmt.Errorf("id %d%+d", before, v))
		return 0
	}
	return before + v
}

// count reads the number of elements of a list, each of which has at least one byte.
func (d *reader) count() int {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail(fmt.Errorf("a list of %d in %d bytes", n, len(d.b)))
		return 0
	}
	return int(n)
}

// take returns the next n bytes. They are valid as long as the record.
func (d *reader) take(n int) []byte {
	if n > len(d.b) {
		d.fail(fmt.Errorf("%d bytes of %d", len(d.b), n))
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

func (d *reader) bytes() []byte { return d.take(d.count()) }

func (d *reader) string() string { return string(d.bytes()) }

// fixed reads a number of 8 bytes: a hash, which no encoding makes shorter.
func (d *reader) fixed() uint64 {
	if v := d.take(8); len(v) == 8 {
		return binary.LittleEndian.Uint64(v)
	}
	return 0
}

// uint32 reads a number that has no more bits.
func (d *reader) uint32() uint32 {
	v := d.uint()
	if v > math.MaxUint32 {
		d.fail(fmt.Errorf("%d has more than 32 bits", v))
		return 0
	}
	return uint32(v)
}
