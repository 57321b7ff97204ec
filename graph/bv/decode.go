package bv

import (
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by every error about bits that no encoder writes.
var ErrCorrupt = errors.New("corrupt link list")

// A Stream is the encoded lists of all pages, in memory or mapped.
type Stream struct {
	Params Params
	Pages  int
	Bits   uint64
	bytes  []byte // Bits of them, then at least pad more
	zeta   *zetaTable
}

// NewStream wraps encoded lists. b must hold bits bits and Padding bytes more,
// whose contents do not matter.
func NewStream(p Params, pages int, b []byte, bits uint64) (*Stream, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if need := (bits+7)/8 + pad; uint64(len(b)) < need {
		return nil, fmt.Errorf("%d bits of lists need %d bytes, there are %d", bits, need, len(b))
	}
	return &Stream{Params: p, Pages: pages, Bits: bits, bytes: b, zeta: newZetaTable(uint(p.ZetaK))}, nil
}

// Padding is the number of bytes a Stream reads past its last bit.
const Padding = pad

// A listReader decodes one list after another; it owns the scratch space.
type listReader struct {
	s         *Stream
	r         bitReader
	blocks    []int
	intervals []interval
	extra     []uint32 // links not copied, merged
	res       []uint32 // residuals
}

func (s *Stream) listReader() listReader { return listReader{s: s, r: bitReader{b: s.bytes}} }

// head reads degree and reference of the list of page x at the reader's position.
func (l *listReader) head(x uint32) (degree, ref int, err error) {
	d := l.r.gamma()
	if d > uint64(l.s.Pages) {
		return 0, 0, l.corrupt(x, "degree above the number of pages")
	}
	if d > 0 && l.s.Params.Window > 0 {
		ref = int(l.r.unary())
		if ref > l.s.Params.Window || uint64(ref) > uint64(x) {
			return 0, 0, l.corrupt(x, "reference before the window")
		}
	}
	if l.r.bad || l.r.pos > l.s.Bits {
		return 0, 0, l.corrupt(x, "list beyond the end")
	}
	return int(d), ref, nil
}

// tailFrom reads the rest of a list that head began and that refers to the list
// from. The list is appended to dst. (A list without reference is readExtras alone.)
func (l *listReader) tailFrom(x uint32, degree int, from, dst []uint32) ([]uint32, error) {
	copied, ok := l.readBlocks(degree, len(from))
	if !ok {
		return dst, l.corrupt(x, "copy blocks longer than the list")
	}
	extras := degree - copied
	if extras == 0 {
		return l.copyBlocks(from, dst), l.sound(x)
	}
	var err error
	if l.extra, err = l.readExtras(x, extras, l.extra[:0]); err != nil {
		return dst, err
	}
	return l.merge(from, l.extra, dst), nil
}

// readBlocks reads the copy blocks and returns the number of links they copy.
func (l *listReader) readBlocks(degree, from int) (copied int, ok bool) {
	n := l.r.gamma()
	if n > uint64(from)+1 {
		return 0, false
	}
	l.blocks = l.blocks[:0]
	total := 0
	for i := range int(n) {
		b := l.r.gamma() + uint64(min(i, 1))
		if b > uint64(from-total) {
			return 0, false
		}
		total += int(b)
		if i&1 == 0 {
			copied += int(b)
		}
		l.blocks = append(l.blocks, int(b))
	}
	if n&1 == 0 {
		copied += from - total
		l.blocks = append(l.blocks, from-total) // the block that was left out
	}
	return copied, copied <= degree && !l.r.bad
}

// copyBlocks appends the copied elements of from.
func (l *listReader) copyBlocks(from, dst []uint32) []uint32 {
	at := 0
	for i, b := range l.blocks {
		if i&1 == 0 {
			dst = append(dst, from[at:at+b]...)
		}
		at += b
	}
	return dst
}

// merge appends the copied elements of from and extra in ascending order. Both
// come in long runs, so it moves run by run.
func (l *listReader) merge(from, extra, dst []uint32) []uint32 {
	at := 0
	for i, b := range l.blocks {
		if i&1 == 0 {
			run := from[at : at+b]
			for len(run) > 0 && len(extra) > 0 {
				if extra[0] < run[0] {
					dst = append(dst, extra[0])
					extra = extra[1:]
				} else {
					dst = append(dst, run[0])
					run = run[1:]
				}
			}
			dst = append(dst, run...)
		}
		at += b
	}
	return append(dst, extra...)
}

// readExtras appends the n links that are not copied: intervals and residuals.
func (l *listReader) readExtras(x uint32, n int, dst []uint32) ([]uint32, error) {
	if n == 0 {
		return dst, l.sound(x)
	}
	inIntervals := 0
	l.intervals = l.intervals[:0]
	if l.s.Params.MinInterval > 0 {
		var ok bool
		if inIntervals, ok = l.readIntervals(x, n); !ok {
			return dst, l.corrupt(x, "intervals longer than the list")
		}
	}
	if inIntervals == 0 {
		return l.readResiduals(x, n, dst)
	}
	var err error
	if l.res, err = l.readResiduals(x, n-inIntervals, l.res[:0]); err != nil {
		return dst, err
	}
	return mergeIntervals(l.intervals, l.res, dst), nil
}

// readIntervals reads the intervals and returns the number of links in them.
func (l *listReader) readIntervals(x uint32, n int) (links int, ok bool) {
	count := l.r.gamma()
	if count > uint64(n) {
		return 0, false
	}
	prev := int64(x)
	for i := range int(count) {
		var left int64
		if i == 0 {
			left = prev + nat2int(l.r.gamma())
		} else {
			left = prev + 1 + int64(l.r.gamma())
		}
		size := int64(l.r.gamma()) + int64(l.s.Params.MinInterval)
		if left < 0 || size > int64(n-links) || left+size > int64(l.s.Pages) {
			return 0, false
		}
		l.intervals = append(l.intervals, interval{uint32(left), int(size)})
		links += int(size)
		prev = left + size
	}
	return links, !l.r.bad
}

// mergeIntervals appends both in ascending order.
func mergeIntervals(intervals []interval, res, dst []uint32) []uint32 {
	for _, v := range intervals {
		for len(res) > 0 && res[0] < v.left {
			dst = append(dst, res[0])
			res = res[1:]
		}
		for i := range uint32(v.len) {
			dst = append(dst, v.left+i)
		}
	}
	return append(dst, res...)
}

// readResiduals appends n residuals.
func (l *listReader) readResiduals(x uint32, n int, dst []uint32) ([]uint32, error) {
	if n == 0 {
		return dst, l.sound(x)
	}
	r := &l.r
	v := int64(x) + nat2int(r.zeta(l.s.zeta))
	if v < 0 {
		return dst, l.corrupt(x, "link below 0")
	}
	dst = append(dst, uint32(v))
	b, t, pos := r.b, &l.s.zeta.entry, r.pos
	for range n - 1 {
		if e := t[load(b, pos)>>(64-zetaBits)]; e != 0 {
			pos += uint64(e & 15)
			v += int64(e>>4) + 1
		} else {
			r.pos = pos
			v += int64(r.longZeta(l.s.zeta.k)) + 1
			pos = r.pos
		}
		dst = append(dst, uint32(v))
	}
	r.pos = pos
	if v >= int64(l.s.Pages) {
		return dst, l.corrupt(x, "link beyond the last page")
	}
	return dst, l.sound(x)
}

// sound reports bits that ran out or made no sense.
func (l *listReader) sound(x uint32) error {
	if l.r.bad || l.r.pos > l.s.Bits {
		return l.corrupt(x, "list beyond the end")
	}
	return nil
}

func (l *listReader) corrupt(x uint32, why string) error {
	return fmt.Errorf("%w: page %d, near bit %d (byte %d): %s", ErrCorrupt, x, l.r.pos, l.r.pos/8, why)
}
