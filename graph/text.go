package graph

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/winnow-crawler/winnow/graph/bv"
)

// textBlock is the number of texts in a block of a text table: the first stands
// there whole, each other one as the length it shares with the one before and the
// rest. Reading one text reads half a block on average.
const textBlock = 16

// A textWriter writes a text table: any byte strings, in order, front-coded.
type textWriter struct {
	w      io.Writer
	n      int
	offset uint64
	starts []uint64 // of the blocks
	last   []byte
	buf    []byte
}

func (t *textWriter) add(s []byte) error {
	t.buf = t.buf[:0]
	shared := 0
	if t.n%textBlock == 0 {
		t.starts = append(t.starts, t.offset)
	} else {
		shared = CommonPrefix(t.last, s)
		t.buf = binary.AppendUvarint(t.buf, uint64(shared))
	}
	t.buf = binary.AppendUvarint(t.buf, uint64(len(s)-shared))
	t.buf = append(t.buf, s[shared:]...)
	t.last = append(t.last[:shared], s[shared:]...)
	t.n++
	t.offset += uint64(len(t.buf))
	_, err := t.w.Write(t.buf)
	return err
}

// index returns where blocks begin, for a bv.Index.
func (t *textWriter) index() ([]uint64, error) { return bv.BuildIndex(append(t.starts, t.offset)) }

// CommonPrefix returns the length of the longest common prefix of a and b.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// texts is a text table to read from.
type texts struct {
	n      int
	bytes  []byte
	blocks *bv.Index
}

var errText = errors.New("damaged text table")

// textPlaces returns how many numbers the index of n texts has: where each block begins,
// and the end.
func textPlaces(n uint64) uint64 { return (n+textBlock-1)/textBlock + 1 }

// append adds text i to dst.
func (t *texts) append(dst []byte, i int) ([]byte, error) {
	b := t.bytes[min(t.blocks.At(i/textBlock), uint64(len(t.bytes))):]
	base, shared := len(dst), uint64(0)
	for k := 0; k <= i%textBlock; k++ {
		if k > 0 {
			shared, b = uvarint(b)
		}
		var size uint64
		if size, b = uvarint(b); size > uint64(len(b)) || shared > uint64(len(dst)-base) {
			return dst[:base], errText
		}
		dst = append(dst[:base+int(shared)], b[:size]...)
		b = b[size:]
	}
	return dst, nil
}

// uvarint reads a number; a broken one reads as one that fits nowhere.
func uvarint(b []byte) (uint64, []byte) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 1<<64 - 1, nil
	}
	return v, b[n:]
}

// each calls fn for every text in order; the slice is valid during the call.
func (t *texts) each(fn func(i int, s []byte) error) error {
	var s []byte
	b := t.bytes
	for i := range t.n {
		shared := uint64(0)
		if i%textBlock != 0 {
			shared, b = uvarint(b)
		}
		var size uint64
		if size, b = uvarint(b); size > uint64(len(b)) || shared > uint64(len(s)) {
			return errText
		}
		s = append(s[:shared], b[:size]...)
		b = b[size:]
		if err := fn(i, s); err != nil {
			return err
		}
	}
	return nil
}

// equal reports whether text i is s.
func (t *texts) equal(i int, s, scratch []byte) bool {
	got, err := t.append(scratch[:0], i)
	return err == nil && bytes.Equal(got, s)
}
