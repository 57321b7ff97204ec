package bv

import "math/bits"

// A cursor is a place in a stream: a bit, and the bits from there on, left-aligned.
// It is passed by value, so that the decoding loops have it in registers.
type cursor struct {
	w   uint64 // 57 bits or more when fresh, fewer after skip; zeros behind them
	pos uint64
}

// fresh is the number of bits a cursor has at least before skip takes some.
const fresh = 57

// nowhere is the position behind a code that no writer makes. It lies beyond the
// end of every stream, where at finds only zeros: decoding continues harmlessly and
// callers look at the position once per list.
const nowhere = 1 << 60

// at returns the cursor at bit pos; its bits are zeros behind the end.
func (l *listReader) at(pos uint64) cursor { return cursor{l.src.load(pos), pos} }

// skip goes n < 64 bits on.
func (r cursor) skip(n uint64) cursor { return cursor{r.w << (n & 63), r.pos + n} }

// first returns the next n bits as a number, 0 < n < 64.
func (r cursor) first(n uint64) uint64 { return r.w >> (-n & 63) }

// codes holds tables of the length of a code by its first bits: 0 if the first bits do not
// determine it, or if it is above longest. The length is all that is needed:
//
//	gamma: value = the code read as a number - 1
//	zeta:  value = the code read as a number - less[its length]
//
// since a zeta code of h zeros, a one and b bits reads 2^b + those bits, and b and
// the form (short or long, see bitWriter.zeta) follow from the length. So codes of
// any length take the same way, without a branch that could be guessed wrong, and
// the tables stay in the first cache. (Counting leading zeros instead takes
// several times as long on processors without an instruction for it.)
type codes struct {
	k     uint
	gamma [1 << gammaBits]uint8
	zeta  [1 << zetaBits]uint8
	less  [64]uint64
}

const (
	gammaBits = 8  // give the length of codes up to 15 bits, values up to 254
	zetaBits  = 10 // for k = 3, up to 24 bits, values up to 2^18-2
	longest   = 24
)

func newCodes(k uint) *codes {
	c := &codes{k: k}
	for i := 1; i < len(c.gamma); i++ {
		c.gamma[i] = uint8(2*(gammaBits-bits.Len(uint(i))) + 1)
	}
	for i := range uint64(len(c.zeta)) {
		lo, hi := i<<(64-zetaBits), (i+1)<<(64-zetaBits)-1 // all codes that begin with i
		v, n := zetaOf(lo, k)
		if _, m := zetaOf(hi, k); n == m && n <= longest {
			c.zeta[i] = uint8(n)
			c.less[n] = lo>>(64-n) - v
		}
	}
	return c
}

// zetaOf returns the value and the length of the code w begins with; a length of 64
// when it does not fit into w.
func zetaOf(w uint64, k uint) (v, n uint64) {
	h := uint(bits.LeadingZeros64(w))
	if h+1+h*k+k > 63 {
		return 0, 64
	}
	left := uint64(1) << (h * k)
	m := w << (h + 1) >> (64 - (h*k + k)) // one bit more than the short form has
	if m>>1 < left {
		return m>>1 + left - 1, uint64(h + h*k + k)
	}
	return m - 1, uint64(h + 1 + h*k + k)
}

// readGamma returns the value of the code at r, which has the bits for it or is
// fresh, and the cursor behind it. Inner loops have the first lines of it inline.
func (l *listReader) readGamma(r cursor) (uint64, cursor) {
	n := uint64(l.codes.gamma[r.w>>(64-gammaBits)])
	if n == 0 {
		return l.longGamma(r.pos)
	}
	return r.first(n) - 1, r.skip(n)
}

// longGamma, longUnary and longZeta read codes that the tables do not have. The
// cursor they return is fresh.
func (l *listReader) longGamma(pos uint64) (v uint64, next cursor) {
	n := uint64(bits.LeadingZeros64(l.at(pos).w))
	x := l.at(pos+n).w >> ((63 - n) & 63)
	if n > 40 || x == 0 { // x is 0 where nothing can be read any more
		return 0, cursor{0, nowhere}
	}
	return x - 1, l.at(pos + 2*n + 1)
}

func (l *listReader) longUnary(pos uint64) (v uint64, next cursor) {
	n := uint64(bits.LeadingZeros64(l.at(pos).w))
	if n > 31 {
		return 0, cursor{0, nowhere} // no reference is that far back
	}
	return n, l.at(pos + n + 1)
}

func (l *listReader) longZeta(pos uint64) (v uint64, next cursor) {
	k := l.codes.k
	h := uint(bits.LeadingZeros64(l.at(pos).w))
	if h*k+k > 48 {
		return 0, cursor{0, nowhere}
	}
	pos += uint64(h) + 1
	left := uint64(1) << (h * k)
	m := l.at(pos).w >> (64 - (h*k + k))
	if m >= 1<<34 { // twice an id, and the longer of the two forms
		return 0, cursor{0, nowhere}
	}
	if m>>1 < left {
		return m>>1 + left - 1, l.at(pos + uint64(h*k+k-1))
	}
	return m - 1, l.at(pos + uint64(h*k+k))
}

// longGap reads a long code for the gap behind link u. A link beyond the last page
// ends the list here: short codes alone cannot make a sum of gaps wrap, so that the
// check of the last link is one of all.
func (l *listReader) longGap(pos, u uint64) (gap uint64, next cursor) {
	if u >= uint64(l.s.Pages) {
		return 0, cursor{0, nowhere}
	}
	return l.longZeta(pos)
}

// A bitWriter appends codes to a growing buffer, most significant bit first.
type bitWriter struct {
	buf  []byte
	acc  uint64 // the last n bits written, right-aligned
	n    uint   // bits in acc, below 8 between calls
	bits uint64 // bits written in all
}

// write appends the low n bits of v, n <= 56.
func (w *bitWriter) write(v uint64, n uint) {
	w.acc = w.acc<<n | v&(1<<n-1)
	w.n += n
	w.bits += uint64(n)
	for w.n >= 8 {
		w.n -= 8
		w.buf = append(w.buf, byte(w.acc>>w.n))
	}
}

// unary appends x zeros and a one.
func (w *bitWriter) unary(x uint64) {
	for x >= 32 {
		w.write(0, 32)
		x -= 32
	}
	w.write(1, uint(x)+1)
}

// gamma appends the bit length of x+1 in unary, then x+1 without its first bit.
func (w *bitWriter) gamma(x uint64) {
	x++
	msb := uint(bits.Len64(x) - 1)
	w.unary(uint64(msb))
	w.write(x, msb)
}

// zeta appends x in zeta_k: h = floor(log2(x+1)/k) in unary, then x+1 in a minimal
// binary code of the interval [2^hk, 2^(hk+k)).
func (w *bitWriter) zeta(x uint64, k uint) {
	x++
	h := uint(bits.Len64(x)-1) / k
	w.unary(uint64(h))
	if left := uint64(1) << (h * k); x-left < left {
		w.write(x-left, h*k+k-1)
	} else {
		w.write(x, h*k+k)
	}
}

// flush returns the bytes written, the last one filled up with zeros.
func (w *bitWriter) flush() []byte {
	if w.n > 0 {
		w.buf = append(w.buf, byte(w.acc<<(8-w.n)))
		w.acc, w.n = 0, 0
	}
	return w.buf
}

// append adds the first n bits of b.
func (w *bitWriter) append(b []byte, n uint64) {
	if w.n == 0 {
		w.buf = append(w.buf, b[:n/8]...)
		w.bits += n / 8 * 8
		b, n = b[n/8:], n%8
	}
	for ; n >= 8; n -= 8 {
		w.write(uint64(b[0]), 8)
		b = b[1:]
	}
	if n > 0 {
		w.write(uint64(b[0]>>(8-n)), uint(n))
	}
}

func unaryLen(x uint64) int { return int(x) + 1 }

func gammaLen(x uint64) int { return 2*bits.Len64(x+1) - 1 }

func zetaLen(x uint64, k int) int {
	x++
	h := (bits.Len64(x) - 1) / k
	n := h + 1 + h*k + k
	if x>>(h*k+1) == 0 { // x+1 - 2^hk < 2^hk
		n--
	}
	return n
}

// int2nat maps 0, -1, 1, -2, 2... to 0, 1, 2, 3, 4...
func int2nat(x int64) uint64 { return uint64(x<<1) ^ uint64(x>>63) }

func nat2int(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }
