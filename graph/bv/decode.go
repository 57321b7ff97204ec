package bv

import (
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by every error about bits that no encoder writes.
var ErrCorrupt = errors.New("corrupt link list")

// A Stream holds the encoded lists of all pages, in memory or mapped.
type Stream struct {
	Params Params
	Pages  int
	Bits   uint64
	bytes  []byte // Bits of them, then at least Padding more
	codes  *codes
}

// NewStream wraps encoded lists. b must hold bits bits and Padding bytes more,
// whose contents do not matter.
func NewStream(p Params, pages int, b []byte, bits uint64) (*Stream, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if need := (bits+7)/8 + Padding; uint64(len(b)) < need {
		return nil, fmt.Errorf("%d bits of lists need %d bytes, there are %d", bits, need, len(b))
	}
	return &Stream{Params: p, Pages: pages, Bits: bits, bytes: b, codes: newCodes(uint(p.ZetaK))}, nil
}

// Padding is the number of bytes a Stream reads past its last bit: codes are read by
// loads of eight bytes.
const Padding = 8

// A listReader decodes one list after another into space of its own.
type listReader struct {
	s     *Stream
	codes *codes
	src   bitSource
	space []uint32
}

func (s *Stream) lists() listReader {
	return listReader{s: s, codes: s.codes, src: bitSourceOf(s.bytes)}
}

// A span is the place of a list in the space.
type span struct{ lo, hi uint64 }

func (s span) len() uint64 { return s.hi - s.lo }

// sentinel ends lists that are merged: no page has this id.
const sentinel = 1<<32 - 1

// tooMany is a number of links no list has.
const tooMany = 1 << 40

// room returns the number of elements of the space that tail may touch: the copied links,
// at most as many as the list referred to has; the same with intervals; the whole
// list; and a lane behind each.
func room(from, degree uint64) uint64 { return from + 2*degree + 3*width }

// head reads degree and reference of the list of page x at bit pos. The cursor it
// returns has the bits of another short gamma code: 57 - 15 - 8 are left.
func (l *listReader) head(x uint32, pos uint64) (degree, ref uint64, r cursor, ok bool) {
	degree, r = l.readGamma(l.at(pos))
	if degree == 0 || l.s.Params.Window == 0 {
		return degree, 0, r, degree <= uint64(l.s.Pages)
	}
	n := uint64(l.codes.gamma[r.w>>(64-gammaBits)]+1) >> 1 // gamma begins with a unary code
	ref = n - 1
	if n == 0 {
		ref, r = l.longUnary(r.pos)
	} else {
		r = r.skip(n)
	}
	ok = degree <= uint64(l.s.Pages) && ref <= uint64(l.s.Params.Window) && ref <= uint64(x)
	return degree, ref, r, ok
}

// tail reads the rest of a list that head began into the space from at on, where there is
// room(from.len(), degree), and returns its place. from is the list it refers to; without
// reference it is not looked at. The cursor is nowhere if the list is invalid.
func (l *listReader) tail(x uint32, degree, ref uint64, from span, at uint64, r cursor) (span, cursor) {
	copied := span{at, at}
	if ref != 0 {
		copied.hi, r = l.copyBlocks(r, from, at)
	}
	extras := degree - copied.len()
	if extras == 0 {
		return copied, r
	}
	if extras > degree { // more are copied than there are
		return span{}, cursor{0, nowhere}
	}
	r = l.at(r.pos)
	if l.s.Params.MinInterval > 0 {
		if r.w>>63 == 1 { // the code of 0, by far the most frequent one
			r = r.skip(1)
		} else {
			copied, r = l.addIntervals(x, extras, copied, r)
			extras = degree - copied.len()
		}
	}
	if copied.lo == copied.hi {
		return span{at, at + degree}, l.readResiduals(x, extras, at, r)
	}
	if extras == 0 {
		return copied, r
	}
	at = copied.hi + width
	return span{at, at + degree}, l.addResiduals(x, extras, copied, r)
}

// copyBlocks reads the copy blocks of a list that refers to from, copies them to
// the space from at on and returns their end; far away when they lead out of from.
func (l *listReader) copyBlocks(r cursor, from span, at uint64) (uint64, cursor) {
	space := linkSpaceOf(l.space)
	left := from.len()
	count, r := l.readGamma(r)
	less := uint64(1)              // only the first block may be empty
	for ; count >= 2; count -= 2 { // two codes, 30 bits, to a load
		r = l.at(r.pos)
		n := uint64(l.codes.gamma[r.w>>(64-gammaBits)])
		size := r.first(n) - less
		r = r.skip(n)
		if n == 0 {
			size, r = l.longGamma(r.pos)
			size += 1 - less
		}
		n = uint64(l.codes.gamma[r.w>>(64-gammaBits)])
		skip := r.first(n)
		r = r.skip(n)
		if n == 0 {
			skip, r = l.longGamma(r.pos)
			skip++
		}
		if size+skip > left {
			return at + tooMany, r
		}
		for i := uint64(0); i < size; i += width {
			*space.lane(at + i) = *space.lane(from.lo + i)
		}
		at, from.lo, left = at+size, from.lo+size+skip, left-size-skip
		less = 0
	}
	size := left // the last block, if it is left out
	if count == 1 {
		size, r = l.readGamma(r)
		size += 1 - less
	}
	if size > left {
		return at + tooMany, r
	}
	for i := uint64(0); i < size; i += width {
		*space.lane(at + i) = *space.lane(from.lo + i)
	}
	return at + size, r
}

// addIntervals reads the intervals of a list that has n links in addition to the copied
// ones, and merges both behind them.
func (l *listReader) addIntervals(x uint32, n uint64, copied span, r cursor) (span, cursor) {
	count, r := l.readGamma(r)
	s, i, k := l.space, copied.lo, copied.hi+width
	out := span{k, k}
	s[copied.hi] = sentinel
	var gap, size uint64
	left := int64(x) // first id behind the last interval
	for first := true; count > 0; count-- {
		gap, r = l.readGamma(l.at(r.pos))
		size, r = l.readGamma(l.at(r.pos))
		size += uint64(l.s.Params.MinInterval)
		if first {
			left += nat2int(gap)
			first = false
		} else {
			left += int64(gap) + 1
		}
		if left < 0 || size > n || left+int64(size) > int64(l.s.Pages) {
			return copied, cursor{0, nowhere}
		}
		for ; s[i] < uint32(left); i++ {
			s[k] = s[i]
			k++
		}
		run := s[k : k+size]
		for j := range run {
			run[j] = uint32(left) + uint32(j)
		}
		k, n, left = k+size, n-size, left+int64(size)
	}
	out.hi = k + uint64(copy(s[k:], s[i:copied.hi]))
	return out, l.at(r.pos)
}

// firstResidual reads the first residual of page x, far above all pages if it is
// below 0.
func (l *listReader) firstResidual(x uint32, r cursor) (uint64, cursor) {
	n := uint64(l.codes.zeta[r.w>>(64-zetaBits)])
	gap := r.first(n) - l.codes.less[n&63]
	r = r.skip(n)
	if n == 0 {
		gap, r = l.longZeta(r.pos)
	}
	u := int64(x) + nat2int(gap)
	if u < 0 {
		u = tooMany
	}
	return uint64(u), l.at(r.pos)
}

// readResiduals reads count residuals, one or more, to the space from at on. The code
// for a gap stands here and in addResiduals: as a function of its own it is not
// inlined, and the cursor would leave its registers for every link.
func (l *listReader) readResiduals(x uint32, count, at uint64, r cursor) cursor {
	c := l.codes
	u, r := l.firstResidual(x, r)
	end := r.pos + fresh - longest // a code that begins up to here is in r
	dst := l.space[at : at+count]
	dst[0] = uint32(u)
	for i := 1; i < len(dst); i++ {
		if r.pos > end {
			r = l.at(r.pos)
			end = r.pos + fresh - longest
		}
		n := uint64(c.zeta[r.w>>(64-zetaBits)])
		gap := r.first(n) - c.less[n&63]
		r = r.skip(n)
		if n == 0 {
			gap, r = l.longGap(r.pos, u)
			end = r.pos + fresh - longest
		}
		u += gap + 1
		dst[i] = uint32(u)
	}
	if u >= uint64(l.s.Pages) {
		r.pos = nowhere
	}
	return r
}

// addResiduals reads count residuals, one or more, and merges them with the copied links
// behind these. For each it copies a lane, counts how many of its first links are smaller
// (three at most, longer stretches are copied before) and writes the residual over the next
// one: no branch depends on how the two lists interlock, but for the long stretches.
func (l *listReader) addResiduals(x uint32, count uint64, copied span, r cursor) cursor {
	c, space := l.codes, linkSpaceOf(l.space)
	i, k := copied.lo, copied.hi+width
	*space.lane(copied.hi) = lane{sentinel, sentinel, sentinel, sentinel, sentinel, sentinel, sentinel, sentinel}
	u, r := l.firstResidual(x, r)
	end := r.pos + fresh - longest
	for {
		v := uint32(u)
		a := space.lane(i)
		for a.d < v {
			*space.lane(k) = *a
			i, k = i+4, k+4
			a = space.lane(i)
		}
		*space.lane(k) = *a
		smaller := one(a.a < v) + one(a.b < v) + one(a.c < v)
		i, k = i+smaller, k+smaller
		space.lane(k).a = v
		k++
		if count--; count == 0 {
			break
		}
		if r.pos > end {
			r = l.at(r.pos)
			end = r.pos + fresh - longest
		}
		n := uint64(c.zeta[r.w>>(64-zetaBits)])
		gap := r.first(n) - c.less[n&63]
		r = r.skip(n)
		if n == 0 {
			gap, r = l.longGap(r.pos, u)
			end = r.pos + fresh - longest
		}
		u += gap + 1
	}
	for ; i < copied.hi; i, k = i+width, k+width {
		*space.lane(k) = *space.lane(i)
	}
	if u >= uint64(l.s.Pages) {
		r.pos = nowhere
	}
	return r
}

// one returns 1 for true, without a branch.
func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (l *listReader) corrupt(x uint32, pos uint64, why string) error {
	return fmt.Errorf("%w: page %d, near bit %d (byte %d): %s", ErrCorrupt, x, pos, pos/8, why)
}
