package bv

import (
	"encoding/binary"
	"math/bits"
)

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

// pad is the number of bytes that must be readable behind the last byte of a
// stream: codes are read by loads of eight bytes.
const pad = 8

// A bitReader reads codes from b at bit position pos. Reading past the end, or a
// code that no writer makes, sets bad and yields zeros; callers look at bad once
// per list.
type bitReader struct {
	b   []byte // followed by pad bytes that are not part of the stream
	pos uint64
	bad bool
}

// load returns the 57 or more bits from position pos on, left-aligned; zero when
// there are none.
func load(b []byte, pos uint64) uint64 {
	i := pos >> 3
	if i+8 > uint64(len(b)) {
		return 0
	}
	return binary.BigEndian.Uint64(b[i:i+8]) << (pos & 7)
}

func (r *bitReader) unary() uint64 {
	w := load(r.b, r.pos)
	if w>>32 == 0 {
		r.bad = true // no reference is that far back
		return 0
	}
	n := uint64(bits.LeadingZeros64(w))
	r.pos += n + 1
	return n
}

func (r *bitReader) gamma() uint64 {
	w := load(r.b, r.pos)
	n := uint(bits.LeadingZeros64(w))
	if n > 28 {
		return r.longGamma()
	}
	r.pos += uint64(2*n + 1)
	return w>>(63-2*n) - 1
}

// longGamma reads a gamma code whose two halves do not come with one load.
func (r *bitReader) longGamma() uint64 {
	n := uint(bits.LeadingZeros64(load(r.b, r.pos)))
	if n > 40 {
		r.bad = true
		return 0
	}
	r.pos += uint64(n)
	v := load(r.b, r.pos) >> (63 - n)
	r.pos += uint64(n) + 1
	return v - 1
}

// A zetaTable decodes the short codes of zeta_k by one look-up of the next
// zetaBits bits: entry = value<<4 | length, 0 when the code is longer.
type zetaTable struct {
	k     uint
	entry [1 << zetaBits]uint16
}

const zetaBits = 12

func newZetaTable(k uint) *zetaTable {
	t := &zetaTable{k: k}
	for v := uint64(0); v < 1<<zetaBits-1; v++ {
		n := uint(zetaLen(v, int(k)))
		if n > zetaBits {
			continue
		}
		var w bitWriter
		w.zeta(v, k)
		b := w.flush()
		code := uint(b[0]) << 8
		if len(b) > 1 {
			code |= uint(b[1])
		}
		first := code >> (16 - zetaBits)
		for i := range uint(1) << (zetaBits - n) {
			t.entry[first+i] = uint16(v<<4) | uint16(n)
		}
	}
	return t
}

func (r *bitReader) zeta(t *zetaTable) uint64 {
	if e := t.entry[load(r.b, r.pos)>>(64-zetaBits)]; e != 0 {
		r.pos += uint64(e & 15)
		return uint64(e >> 4)
	}
	return r.longZeta(t.k)
}

func (r *bitReader) longZeta(k uint) uint64 {
	h := uint(bits.LeadingZeros64(load(r.b, r.pos)))
	if h*k+k > 48 {
		r.bad = true
		return 0
	}
	r.pos += uint64(h) + 1
	w := load(r.b, r.pos)
	left := uint64(1) << (h * k)
	m := w >> (64 - (h*k + k)) // one bit more than the shorter form has
	if m>>1 < left {
		r.pos += uint64(h*k + k - 1)
		return m>>1 + left - 1
	}
	r.pos += uint64(h*k + k)
	return m - 1
}
