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

// nowhere is the position behind a code that no writer makes. It lies beyond the
// end of every stream, where load finds only zeros: decoding goes on harmlessly
// and callers look at the position once per list.
const nowhere = 1 << 60

// load returns the 57 or more bits from position pos on, left-aligned; zero when
// there are none. The last pad bytes of b are not part of the stream.
func load(b []byte, pos uint64) uint64 {
	i := pos >> 3
	if i+8 > uint64(len(b)) {
		return 0
	}
	return binary.BigEndian.Uint64(b[i:i+8]) << (pos & 7)
}

// codes are tables that decode short codes by one look-up of the next bits: entry
// = value<<4 | length, 0 when the code is longer. (Counting leading zeros instead
// takes several times as long on processors without an instruction for it.)
type codes struct {
	k     uint
	unary [1 << unaryBits]uint16
	gamma [1 << gammaBits]uint16
	zeta  [1 << zetaBits]uint16
}

const (
	unaryBits = 8
	gammaBits = 10
	zetaBits  = 12
)

func newCodes(k uint) *codes {
	c := &codes{k: k}
	fill(c.unary[:], unaryBits, func(w *bitWriter, v uint64) { w.unary(v) })
	fill(c.gamma[:], gammaBits, func(w *bitWriter, v uint64) { w.gamma(v) })
	fill(c.zeta[:], zetaBits, func(w *bitWriter, v uint64) { w.zeta(v, k) })
	return c
}

// fill enters the codes of at most n bits, n <= 12, into a table.
func fill(table []uint16, n uint, write func(*bitWriter, uint64)) {
	for v := uint64(0); v < 1<<n-1; v++ {
		var w bitWriter
		write(&w, v)
		length := uint(w.bits)
		if length > n {
			continue
		}
		b := append(w.flush(), 0) // at most two bytes, left-aligned
		first := (uint(b[0])<<8 | uint(b[1])) >> (16 - n)
		for i := range uint(1) << (n - length) {
			table[first+i] = uint16(v<<4) | uint16(length)
		}
	}
}

// shortGamma looks up the code at bit pos: its value and length, length 0 when the
// code is a long one. It is small enough to be inlined, and the position stays in
// a register of the decoding loop.
func (c *codes) shortGamma(b []byte, pos uint64) (v, n uint64) {
	e := c.gamma[load(b, pos)>>(64-gammaBits)]
	return uint64(e >> 4), uint64(e & 15)
}

// readGamma, readUnary and readZeta return the value of the code at bit pos and the
// position behind it.
func (c *codes) readGamma(b []byte, pos uint64) (v, end uint64) {
	if v, n := c.shortGamma(b, pos); n != 0 {
		return v, pos + n
	}
	return readLongGamma(b, pos)
}

func (c *codes) readUnary(b []byte, pos uint64) (v, end uint64) {
	w := load(b, pos)
	if e := c.unary[w>>(64-unaryBits)]; e != 0 {
		return uint64(e >> 4), pos + uint64(e&15)
	}
	if w>>32 == 0 {
		return 0, nowhere // no reference is that far back
	}
	n := uint64(bits.LeadingZeros64(w))
	return n, pos + n + 1
}

func readLongGamma(b []byte, pos uint64) (v, end uint64) {
	n := uint64(bits.LeadingZeros64(load(b, pos)))
	if n > 40 {
		return 0, nowhere
	}
	return load(b, pos+n)>>(63-n) - 1, pos + 2*n + 1
}

func (c *codes) readZeta(b []byte, pos uint64) (v, end uint64) {
	if e := c.zeta[load(b, pos)>>(64-zetaBits)]; e != 0 {
		return uint64(e >> 4), pos + uint64(e&15)
	}
	return readLongZeta(b, pos, c.k)
}

func readLongZeta(b []byte, pos uint64, k uint) (v, end uint64) {
	h := uint(bits.LeadingZeros64(load(b, pos)))
	if h*k+k > 48 {
		return 0, nowhere
	}
	pos += uint64(h) + 1
	left := uint64(1) << (h * k)
	m := load(b, pos) >> (64 - (h*k + k)) // one bit more than the shorter form has
	if m>>1 < left {
		return m>>1 + left - 1, pos + uint64(h*k+k-1)
	}
	return m - 1, pos + uint64(h*k+k)
}
