package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// Version is the format of headers and records.
//
//	1: events of a frontier; new pages are known by their sites alone
const Version = 1

// A Record is an event with its place in the journal.
type Record struct {
	Seq uint64        // number of the record, from 0 on
	Now time.Duration // when the event was applied
	// First is the id of the first page of Event.New, 0 if there are none.
	First graph.Page
	// Event holds the fields that its kind names; others are not written, and zero
	// when it is read.
	Event frontier.Event
}

// What can be wrong with bytes that should be a record. After ErrTorn more bytes could
// help: at the end of a file it is what a crash leaves behind. ErrDamaged is for good.
var (
	ErrTorn    = errors.New("the record is not complete")
	ErrDamaged = errors.New("the record is damaged")
)

// frame is the size of length and sum.
const frame = 8

// Encode appends the record to b.
func Encode(b []byte, r *Record) []byte {
	at := len(b)
	b = append(b, make([]byte, frame)...)
	b = binary.AppendUvarint(b, r.Seq)
	b = binary.AppendVarint(b, int64(r.Now))
	b = append(b, byte(r.Event.Kind))
	w := writer{b}
	w.event(r)
	n := len(w.b) - at - frame
	if n > math.MaxUint32 {
		panic(fmt.Sprintf("journal: a record of %d bytes", n))
	}
	binary.LittleEndian.PutUint32(w.b[at:], uint32(n))
	binary.LittleEndian.PutUint32(w.b[at+4:], sum(w.b[at:]))
	return w.b
}

// sum is the checksum of a record: CRC-32C of all but the sum itself.
func sum(record []byte) uint32 {
	t := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(record[:4], t), t, record[frame:])
}

// Decode reads the record at the start of b into r, whose slices are used again, and
// returns its length in bytes. The error wraps ErrTorn or ErrDamaged; r is of no use
// then.
func Decode(b []byte, r *Record) (n int, err error) {
	if len(b) < frame {
		return 0, fmt.Errorf("%w: %d bytes of at least %d", ErrTorn, len(b), frame)
	}
	size := uint64(binary.LittleEndian.Uint32(b)) + frame
	if uint64(len(b)) < size {
		return 0, fmt.Errorf("%w: %d bytes of %d", ErrTorn, len(b), size)
	}
	b = b[:size]
	if sum(b) != binary.LittleEndian.Uint32(b[4:]) {
		return 0, fmt.Errorf("%w: the checksum differs", ErrDamaged)
	}
	if err := decodeBody(b[frame:], r); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return len(b), nil
}

func decodeBody(b []byte, r *Record) error {
	d := reader{b: b}
	*r = Record{
		Seq:   d.uint(),
		Now:   time.Duration(d.int()),
		Event: frontier.Event{Kind: frontier.EventKind(d.byte()), New: r.Event.New[:0], Links: r.Event.Links[:0]},
	}
	d.event(r)
	if d.err == nil && len(d.b) > 0 {
		d.fail(fmt.Errorf("%d bytes are left over", len(d.b)))
	}
	return d.err
}

// Bits of the flags of an event.
const (
	flagAgain = 1 << iota
	flagKeep
	flagRetry
	allFlags = 1<<iota - 1
)

// lastClass is the last of the classes.
const lastClass = policy.Trap

// event writes what events of the kind have.
func (w *writer) event(r *Record) {
	switch e := &r.Event; e.Kind {
	case frontier.Seed:
		w.fresh(r)
	case frontier.Took:
		w.byte(byte(e.Work))
		w.uint(uint64(e.Site))
		w.byte(e.Board)
		if e.Work == frontier.Fetch {
			w.uint(uint64(e.Page))
		}
	case frontier.Refused:
		w.uint(uint64(e.Page))
	case frontier.Asked, frontier.Session:
	case frontier.Resolved:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.uint(uint64(e.Address))
	case frontier.Ruled:
		w.uint(uint64(e.Site))
		w.outcome(r)
		w.int(int64(e.Delay))
		w.int(int64(e.Expiry))
	case frontier.Done:
		w.uint(uint64(e.Page))
		w.outcome(r)
		w.fresh(r)
		w.links(e)
	default:
		panic(fmt.Sprintf("journal: event of kind %d", uint8(e.Kind)))
	}
}

// event reads what events of the kind have.
func (d *reader) event(r *Record) {
	switch e := &r.Event; e.Kind {
	case frontier.Seed:
		d.fresh(r)
	case frontier.Took:
		e.Work = frontier.Kind(d.atMost(uint8(frontier.Fetch), "kind of work"))
		e.Site = graph.Site(d.id())
		e.Board = d.byte()
		if e.Work == frontier.Fetch {
			e.Page = graph.Page(d.id())
		}
	case frontier.Refused:
		e.Page = graph.Page(d.id())
	case frontier.Asked, frontier.Session:
	case frontier.Resolved:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		e.Address = d.id()
	case frontier.Ruled:
		e.Site = graph.Site(d.id())
		d.outcome(r)
		e.Delay, e.Expiry = time.Duration(d.int()), time.Duration(d.int())
	case frontier.Done:
		e.Page = graph.Page(d.id())
		d.outcome(r)
		d.fresh(r)
		d.links(e)
	default:
		d.fail(fmt.Errorf("event of kind %d", uint8(e.Kind)))
	}
}

// outcome writes how a work ended. The end lies close before now and the start close
// before the end, so both are written as differences. They may wrap around, which
// reading undoes.
func (w *writer) outcome(r *Record) {
	e := &r.Event
	flags := byte(0)
	if e.Again {
		flags |= flagAgain
	}
	if e.Keep && e.Kind == frontier.Done {
		flags |= flagKeep
	}
	if e.Retry != 0 && e.Kind != frontier.Resolved {
		flags |= flagRetry
	}
	w.byte(byte(e.Class))
	w.byte(flags)
	w.int(int64(r.Now - e.End))
	w.int(int64(e.End - e.Start))
	w.int(e.Bytes)
	if e.Again {
		w.int(int64(e.Due))
	}
	if flags&flagRetry != 0 {
		w.int(int64(e.Retry))
	}
}

func (d *reader) outcome(r *Record) {
	e := &r.Event
	e.Class = policy.Class(d.atMost(uint8(lastClass), "class"))
	flags := d.atMost(allFlags, "flags")
	e.Again, e.Keep = flags&flagAgain != 0, flags&flagKeep != 0
	if e.Keep && e.Kind != frontier.Done || flags&flagRetry != 0 && e.Kind == frontier.Resolved {
		d.fail(fmt.Errorf("flags %d of an event %v", flags, e.Kind))
	}
	e.End = r.Now - time.Duration(d.int())
	e.Start = e.End - time.Duration(d.int())
	e.Bytes = d.int()
	if e.Again {
		e.Due = time.Duration(d.int())
	}
	if flags&flagRetry != 0 {
		if e.Retry = time.Duration(d.int()); e.Retry == 0 {
			d.fail(errors.New("a Retry-After of 0"))
		}
	}
}

// fresh writes the pages that became known: their number, the id of the first, and the
// site of each as the difference to the one before.
func (w *writer) fresh(r *Record) {
	w.uint(uint64(len(r.Event.New)))
	if len(r.Event.New) == 0 {
		return
	}
	w.uint(uint64(r.First))
	before := int64(0)
	for _, s := range r.Event.New {
		w.int(int64(s) - before)
		before = int64(s)
	}
}

func (d *reader) fresh(r *Record) {
	n := d.count()
	if n == 0 {
		return
	}
	r.First = graph.Page(d.id())
	before := int64(0)
	for range n {
		before = d.near(before)
		r.Event.New = append(r.Event.New, graph.Site(before))
	}
}

// links writes the links: their number, and each as the difference to the one before,
// the first to the page itself. Their order counts, so they are not sorted.
func (w *writer) links(e *frontier.Event) {
	w.uint(uint64(len(e.Links)))
	before := int64(e.Page)
	for _, p := range e.Links {
		w.int(int64(p) - before)
		before = int64(p)
	}
}

func (d *reader) links(e *frontier.Event) {
	before := int64(e.Page)
	for range d.count() {
		before = d.near(before)
		e.Links = append(e.Links, graph.Page(before))
	}
}
