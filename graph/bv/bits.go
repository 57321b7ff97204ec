package bv

import "math/bits"

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
