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
	codes  *codes
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
	return &Stream{Params: p, Pages: pages, Bits: bits, bytes: b, codes: newCodes(uint(p.ZetaK))}, nil
}

// Padding is the number of bytes a Stream reads past its last bit.
const Padding = pad

// A listReader decodes one list after another; it owns the scratch space.
type listReader struct {
	s         *Stream
	pos       uint64 // bit at which the next code begins
	blocks    []int
	intervals []interval
	extra     []uint32 // links not copied, merged, and a sentinel
	res       []uint32 // residuals, and a sentinel
}

// sentinel ends lists that are merged: no page has this id.
const sentinel = 1<<32 - 1

// head reads degree and reference of the list of page x at the reader's position.
func (l *listReader) head(x uint32) (degree, ref int, err error) {
	b, c := l.s.bytes, l.s.codes
	d, pos := c.readGamma(b, l.pos)
	r := uint64(0)
	if d > 0 && l.s.Params.Window > 0 {
		r, pos = c.readUnary(b, pos)
	}
	if d > uint64(l.s.Pages) || r > uint64(l.s.Params.Window) || r > uint64(x) || pos > l.s.Bits {
		return 0, 0, l.corrupt(x, "a degree or a reference that cannot be")
	}
	l.pos = pos
	return int(d), int(r), nil
}

// tail reads the rest of a list that head began into dst and returns it with its
// length. from is the list it refers to; without reference it is not looked at.
func (l *listReader) tail(x uint32, degree, ref int, from, dst []uint32) ([]uint32, error) {
	dst = room(dst, degree)
	ok := true
	if ref == 0 {
		ok = l.readExtras(x, degree, dst)
	} else if copied := l.readBlocks(len(from)); copied > degree {
		ok = false
	} else {
		extras := degree - copied
		l.extra = room(l.extra, extras+1)
		l.extra[extras] = sentinel
		ok = l.readExtras(x, extras, l.extra[:extras])
		l.merge(from, l.extra, dst)
	}
	if !ok {
		return dst[:0], l.corrupt(x, "blocks, intervals or residuals that do not fit")
	}
	return dst, nil
}

// room returns a slice of length n, over the same memory if there is enough.
func room(s []uint32, n int) []uint32 {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]uint32, n, n+n/2)
}

// tooMany is a number of links no list has.
const tooMany = 1 << 40

// readBlocks reads the copy blocks of a list that refers to one of length from. It
// returns the number of links they copy.
func (l *listReader) readBlocks(from int) (copied int) {
	b, c := l.s.bytes, l.s.codes
	count, pos := c.readGamma(b, l.pos)
	if count > uint64(from)+1 {
		return tooMany
	}
	blocks := l.blocks[:0]
	left, one := uint64(from), uint64(0)
	for i := range count {
		v, n := c.shortGamma(b, pos)
		if pos += n; n == 0 {
			v, pos = readLongGamma(b, pos)
		}
		v += one // only the first block may be empty
		one = 1
		if v > left {
			return tooMany
		}
		left -= v
		copied += int(v &^ -(i & 1))
		blocks = append(blocks, int(v))
	}
	if count&1 == 0 {
		copied += int(left)
		blocks = append(blocks, int(left)) // the block that was left out
	}
	l.pos, l.blocks = pos, blocks
	return copied
}

// merge fills dst with the copied elements of from and with extra, ascending.
// There are few extras and they come in clusters: a copied element costs one
// comparison that nearly always goes the same way.
func (l *listReader) merge(from, extra, dst []uint32) {
	k, j, e := 0, 0, extra[0]
	for i, b := range l.blocks {
		run := from[:b]
		from = from[b:]
		if i&1 != 0 {
			continue
		}
		for _, v := range run {
			for e < v {
				dst[k] = e
				k++
				j++
				e = extra[j]
			}
			dst[k] = v
			k++
		}
	}
	copy(dst[k:], extra[j:])
}

// readExtras fills dst with the links that are not copied: intervals and
// residuals.
func (l *listReader) readExtras(x uint32, n int, dst []uint32) bool {
	if n == 0 {
		return l.pos <= l.s.Bits
	}
	if l.s.Params.MinInterval == 0 {
		return l.readResiduals(x, dst)
	}
	count, length := l.s.codes.shortGamma(l.s.bytes, l.pos)
	if count == 0 && length != 0 { // by far the most frequent case
		l.pos += length
		return l.readResiduals(x, dst)
	}
	links := l.readIntervals(x, n)
	if links > n {
		return false
	}
	left := n - links
	l.res = room(l.res, left+1)
	l.res[left] = sentinel
	ok := l.readResiduals(x, l.res[:left])
	mergeIntervals(l.intervals, l.res, dst)
	return ok
}

// readIntervals reads the intervals of a list of n links and returns the number
// of links in them.
func (l *listReader) readIntervals(x uint32, n int) (links int) {
	b, c := l.s.bytes, l.s.codes
	count, pos := c.readGamma(b, l.pos)
	l.intervals = l.intervals[:0]
	if count > uint64(n) {
		return tooMany
	}
	var v, size uint64
	left := int64(0) // first id behind the last interval
	for i := range count {
		v, pos = c.readGamma(b, pos)
		size, pos = c.readGamma(b, pos)
		size += uint64(l.s.Params.MinInterval)
		if i == 0 {
			left = int64(x) + nat2int(v)
		} else {
			left += int64(v) + 1
		}
		if left < 0 || size > uint64(n-links) || left+int64(size) > int64(l.s.Pages) {
			return tooMany
		}
		l.intervals = append(l.intervals, interval{uint32(left), int(size)})
		links += int(size)
		left += int64(size)
	}
	l.pos = pos
	return links
}

// mergeIntervals fills dst with both, ascending; res ends with the sentinel.
func mergeIntervals(intervals []interval, res, dst []uint32) {
	k := 0
	for _, v := range intervals {
		for res[0] < v.left {
			dst[k] = res[0]
			res = res[1:]
			k++
		}
		run := dst[k : k+v.len]
		for i := range run {
			run[i] = v.left + uint32(i)
		}
		k += v.len
	}
	copy(dst[k:], res)
}

// readResiduals fills dst with residuals. It is false when the bits end before,
// or lead out of the graph.
func (l *listReader) readResiduals(x uint32, dst []uint32) bool {
	if len(dst) == 0 {
		return l.pos <= l.s.Bits
	}
	b, c := l.s.bytes, l.s.codes
	gap, pos := c.readZeta(b, l.pos)
	v := int64(x) + nat2int(gap)
	if v < 0 {
		return false
	}
	dst[0] = uint32(v)
	u := uint64(v)
	w, end := load(b, pos), pos+57-zetaBits // a short code that begins before end is in w
	for i := 1; i < len(dst); i++ {
		if e := c.zeta[w>>(64-zetaBits)]; e != 0 {
			n := uint64(e & 15)
			gap, pos = uint64(e>>4), pos+n
			w <<= n
			if pos > end {
				w, end = load(b, pos), pos+57-zetaBits
			}
		} else {
			gap, pos = readLongZeta(b, pos, c.k)
			w, end = load(b, pos), pos+57-zetaBits
		}
		u += gap + 1
		dst[i] = uint32(u)
	}
	l.pos = pos
	return u < uint64(l.s.Pages) && pos <= l.s.Bits
}

func (l *listReader) corrupt(x uint32, why string) error {
	return fmt.Errorf("%w: page %d, near bit %d (byte %d): %s", ErrCorrupt, x, l.pos, l.pos/8, why)
}
