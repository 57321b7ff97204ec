package exchange

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// A Message is what one partition tells another.
type Message struct {
	From, To uint16
	Number   uint64 // of the pair, from 1 on
	Width    int    // amounts of each entry, at most MaxWidth
	Entries  []Entry
	Lessons  []float32 // see event.Exchange
	Notes    []Note
}

// An Entry tells about a page of the receiver. Its fields are those of event.Gift and
// event.Exchange.
type Entry struct {
	Hash    uint64 // of its URL, with the key that all partitions share
	URL     []byte // empty if an earlier message had it
	Links   uint32
	Depth   uint16
	Near    bool
	Amounts []float64
}

// A Note is anything else that partitions tell each other. The drivers know what it means.
type Note struct {
	Kind uint8
	Body []byte
}

// MaxWidth is the largest number of amounts of an entry.
const MaxWidth = 255

// form is the first byte of all messages.
const form = 1

// Bits of the first number of an entry, below its links.
const (
	entryURL = 1 << iota
	entryNear
	entryBits = iota
)

// Append appends the message to b. It ends with a checksum.
func (m *Message) Append(b []byte) []byte {
	from := len(b)
	b = append(slices.Grow(b, m.bytes()), form, byte(m.Width))
	for _, v := range []uint64{uint64(m.From), uint64(m.To), m.Number, uint64(len(m.Entries)), uint64(len(m.Lessons)), uint64(len(m.Notes))} {
		b = binary.AppendUvarint(b, v)
	}
	for i := range m.Entries {
		b = m.Entries[i].append(b, m.Width)
	}
	for _, v := range m.Lessons {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	b = AppendNotes(b, m.Notes)
	return binary.LittleEndian.AppendUint32(b, sum(b[from:]))
}

// bytes returns about how many bytes the message takes.
func (m *Message) bytes() int {
	n := 64 + 4*len(m.Lessons)
	for i := range m.Entries {
		n += EntryBytes(len(m.Entries[i].URL), m.Width)
	}
	for i := range m.Notes {
		n += 4 + len(m.Notes[i].Body)
	}
	return n
}

func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func (e *Entry) append(b []byte, width int) []byte {
	if len(e.Amounts) != width {
		panic(fmt.Sprintf("exchange: %d amounts in a message with %d a page", len(e.Amounts), width))
	}
	links := uint64(e.Links) << entryBits
	if len(e.URL) > 0 {
		links |= entryURL
	}
	if e.Near {
		links |= entryNear
	}
	b = binary.LittleEndian.AppendUint64(b, e.Hash)
	b = binary.AppendUvarint(b, links)
	b = binary.AppendUvarint(b, uint64(e.Depth))
	if len(e.URL) > 0 {
		b = binary.AppendUvarint(b, uint64(len(e.URL)))
		b = append(b, e.URL...)
	}
	for _, v := range e.Amounts {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// EntryBytes returns about how many bytes an entry takes with a URL of so many.
func EntryBytes(url, width int) int { return 12 + url + 8*width }

// ErrDamaged reports bytes that are no message.
var ErrDamaged = errors.New("a message between partitions is damaged")

// Decode reads what Append wrote. URLs and bodies are parts of b.
func Decode(b []byte) (*Message, error) {
	n := len(b) - 4
	if n < 2 || sum(b[:n]) != binary.LittleEndian.Uint32(b[n:]) || b[0] != form {
		return nil, ErrDamaged
	}
	d := decoder{b: b[2:n]}
	m := &Message{Width: int(b[1]), From: uint16(d.most(math.MaxUint16)), To: uint16(d.most(math.MaxUint16)), Number: d.most(math.MaxUint64)}
	entries, lessons, notes := d.most(uint64(len(b))), d.most(uint64(len(b))), d.most(uint64(len(b)))
	m.Entries = slices.Grow(m.Entries, int(min(entries, uint64(len(b)/(10+8*m.Width))))) // none is shorter
	d.amounts = slices.Grow(d.amounts, cap(m.Entries)*m.Width)
	for range entries {
		m.Entries = append(m.Entries, d.entry(m.Width))
	}
	for range lessons {
		if v := d.take(4); v != nil {
			m.Lessons = append(m.Lessons, math.Float32frombits(binary.LittleEndian.Uint32(v)))
		}
	}
	for range notes {
		m.Notes = append(m.Notes, d.note())
	}
	if d.bad || len(d.b) > 0 {
		return nil, ErrDamaged
	}
	return m, nil
}

// AppendNotes appends notes to b.
func AppendNotes(b []byte, list []Note) []byte {
	for _, n := range list {
		b = binary.AppendUvarint(append(b, n.Kind), uint64(len(n.Body)))
		b = append(b, n.Body...)
	}
	return b
}

// DecodeNotes reads what AppendNotes wrote, up to what is no note. Bodies are parts of b.
func DecodeNotes(b []byte) (list []Note) {
	d := decoder{b: b}
	for len(d.b) > 0 {
		n := d.note()
		if d.bad {
			break
		}
		list = append(list, n)
	}
	return list
}

func (d *decoder) note() (n Note) {
	kind := d.take(1)
	if n.Body = d.take(d.most(uint64(len(d.b)))); !d.bad {
		n.Kind = kind[0]
	}
	return n
}

// decoder takes numbers off the front of b. Once something was bad, all else is 0.
type decoder struct {
	b       []byte
	bad     bool
	amounts []float64 // of all entries
}

// most reads a number that is not larger than most.
func (d *decoder) most(most uint64) uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > most || n > 1 && d.b[n-1] == 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) fixed() uint64 {
	if v := d.take(8); v != nil {
		return binary.LittleEndian.Uint64(v)
	}
	return 0
}

func (d *decoder) entry(width int) (e Entry) {
	e.Hash = d.fixed()
	links := d.most(math.MaxUint32<<entryBits | (1<<entryBits - 1))
	e.Links, e.Near = uint32(links>>entryBits), links&entryNear != 0
	e.Depth = uint16(d.most(math.MaxUint16))
	if links&entryURL != 0 {
		n := d.most(uint64(len(d.b)))
		e.URL, d.bad = d.take(n), d.bad || n == 0
	}
	n := len(d.amounts)
	for range width {
		if d.bad {
			break
		}
		d.amounts = append(d.amounts, math.Float64frombits(d.fixed()))
	}
	if end := len(d.amounts); end > n {
		e.Amounts = d.amounts[n:end:end]
	}
	return e
}
