package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// writer appends numbers and bytes.
type writer struct{ b []byte }

func (w *writer) byte(v byte)   { w.b = append(w.b, v) }
func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }

// bytes writes their number and them.
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

// take gives the next n bytes. They are valid as long as the record.
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
