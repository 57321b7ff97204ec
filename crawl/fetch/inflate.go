package fetch

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Most bodies are one member of gzip, whole and of a reasonable size, and all of it lies in
// memory: input and output need no windows. For those this decoder takes less than half of
// the time of a reader of streams. It accepts only valid streams. It leaves all others (a
// damaged or cut stream, several members, a length that does not fit, more than a limit
// allows) to the readers, which start again and report the error.

// inflater holds the tables of one decoding.
type inflater struct {
	lit  [litRoom]uint32
	dist [distRoom]uint32
	lens [litCodes + distCodes]uint8

	src  []byte
	pos  int    // in src
	buf  uint64 // bits taken from src that are not used yet, the next one lowest
	bits uint   // how many of them count; above them may be the next bits of src
	out  []byte // room for all that is to come
	n    int    // of out
	from int    // where the output begins: what lies before is not ours
}

// slack is room behind the output that copies of whole words may overwrite.
const slack = 16

// member appends the decoded form of a gzip body, if it is valid.
func (z *inflater) member(dst, body []byte, max int64) ([]byte, bool) {
	start, ok := memberStart(body)
	if !ok {
		return dst, false
	}
	end := len(body) - 8
	sum, size := binary.LittleEndian.Uint32(body[end:]), int64(binary.LittleEndian.Uint32(body[end+4:]))
	if size > max || isBomb(size, int64(len(body))) {
		return dst, false
	}
	from := len(dst)
	dst = slices.Grow(dst, int(size)+slack)
	z.src, z.pos, z.buf, z.bits = body[start:end], 0, 0, 0
	z.out, z.n, z.from = dst[:from+int(size)+slack], from, from
	ok = z.run() && z.n == from+int(size) && z.pos-int(z.bits/8) == len(z.src) &&
		crc32.ChecksumIEEE(z.out[from:z.n]) == sum
	z.src, z.out = nil, nil
	if !ok {
		return dst, false
	}
	return dst[:from+int(size)], true
}

// memberStart returns where the deflate stream begins. It knows heads as servers write them,
// perhaps with a file name.
func memberStart(body []byte) (int, bool) {
	const head, named = 10, 8
	if len(body) < head+8 || body[0] != 0x1f || body[1] != 0x8b || body[2] != 8 || body[3]&^named != 0 {
		return 0, false
	}
	if body[3] == 0 {
		return head, true
	}
	i := bytes.IndexByte(body[head:len(body)-8], 0)
	return head + i + 1, i >= 0
}

// run decodes block after block (RFC 1951). It returns false if the stream is invalid.
func (z *inflater) run() bool {
	for {
		z.refill()
		if z.bits < 3 {
			return false
		}
		final, kind := z.take(1) == 1, z.take(2)
		ok := false
		switch kind {
		case 0:
			ok = z.stored()
		case 1:
			ok = z.fixed() && z.block()
		case 2:
			ok = z.dynamic() && z.block()
		}
		if !ok || final {
			return ok
		}
	}
}

// refill takes bytes until there are more than 56 bits, or no more bytes.
func (z *inflater) refill() {
	z.buf &= 1<<z.bits - 1
	for z.bits <= 56 && z.pos < len(z.src) {
		z.buf |= uint64(z.src[z.pos]) << z.bits
		z.pos++
		z.bits += 8
	}
}

// take uses n bits, which must be there.
func (z *inflater) take(n uint) uint {
	v := uint(z.buf & (1<<n - 1))
	z.buf >>= n
	z.bits -= n
	return v
}

// stored copies a block that is not compressed.
func (z *inflater) stored() bool {
	z.pos -= int(z.bits / 8) // to the next whole byte
	z.buf, z.bits = 0, 0
	if len(z.src)-z.pos < 4 {
		return false
	}
	n := int(binary.LittleEndian.Uint16(z.src[z.pos:]))
	if n != int(^binary.LittleEndian.Uint16(z.src[z.pos+2:])) {
		return false
	}
	z.pos += 4
	if n > len(z.src)-z.pos || n > len(z.out)-slack-z.n {
		return false
	}
	copy(z.out[z.n:], z.src[z.pos:z.pos+n])
	z.pos, z.n = z.pos+n, z.n+n
	return true
}

// block decodes the symbols between the tables and the end of a block: without checks as
// long as there is plenty of input and room, then with checks.
func (z *inflater) block() bool {
	switch z.fast() {
	case blockEnd:
		return true
	case blockBad:
		return false
	}
	return z.careful()
}

const (
	blockMore = iota // neither: input or room run short
	blockEnd
	blockBad
)

// Bounds of one turn of the fast loop: two refills of at most 8 bytes, and two literals
// or one with a match, which is copied in words.
const (
	turnIn  = 16
	turnOut = 1 + 258 + slack
)

// fast decodes while every turn has what it may need. After a refill there are at least
// 56 bits: a literal of the first table (11) and a length with its extra bits (20) fit, or
// two literals, and after another one a distance (28).
func (z *inflater) fast() int {
	src, out, pos, n, buf, bits := z.src, z.out, z.pos, z.n, z.buf, z.bits
	how := blockMore
	for pos+turnIn <= len(src) && n+turnOut <= len(out) {
		buf |= binary.LittleEndian.Uint64(src[pos:]) << (bits & 63)
		pos += int((63 - bits) >> 3)
		bits |= 56
		e := z.lit[buf&(1<<litBits-1)]
		if e&isLiteral != 0 {
			out[n] = byte(e >> 16)
			n++
			buf, bits = buf>>(e&31), bits-uint(e&31)
			if e = z.lit[buf&(1<<litBits-1)]; e&isLiteral != 0 {
				out[n] = byte(e >> 16)
				n++
				buf, bits = buf>>(e&31), bits-uint(e&31)
				continue
			}
		}
		if e&isLink != 0 {
			buf, bits = buf>>litBits, bits-litBits
			e = z.lit[(uint64(e>>16)+buf&(1<<(e&31)-1))&(litRoom-1)]
		}
		extra := buf >> (e >> 8 & 15)
		buf, bits = buf>>(e&31), bits-uint(e&31)
		if e&isLiteral != 0 {
			out[n] = byte(e >> 16)
			n++
			continue
		}
		if e&isMatch == 0 {
			how = blockBad
			if e&isEnd != 0 {
				how = blockEnd
			}
			break
		}
		length := int(e>>16) + int(extra&(1<<(e&31-e>>8&15)-1))
		buf |= binary.LittleEndian.Uint64(src[pos:]) << (bits & 63)
		pos += int((63 - bits) >> 3)
		bits |= 56
		e = z.dist[buf&(1<<distBits-1)]
		if e&isLink != 0 {
			buf, bits = buf>>distBits, bits-distBits
			e = z.dist[(uint64(e>>16)+buf&(1<<(e&31)-1))&(distRoom-1)]
		}
		extra = buf >> (e >> 8 & 15)
		buf, bits = buf>>(e&31), bits-uint(e&31)
		back := int(e>>16) + int(extra&(1<<(e&31-e>>8&15)-1))
		if e&isMatch == 0 || back > n-z.from {
			how = blockBad
			break
		}
		repeat(out, n, back, length)
		n += length
	}
	z.pos, z.n, z.buf, z.bits = pos, n, buf, bits
	return how
}

// repeat copies length bytes from back bytes before n to n, whole words at a time where
// they do not overlap: it may write up to 15 bytes more.
func repeat(out []byte, n, back, length int) {
	end := n + length
	switch {
	case back >= 8:
		for ; n < end; n += 8 {
			binary.LittleEndian.PutUint64(out[n:], binary.LittleEndian.Uint64(out[n-back:]))
		}
	case back == 1:
		word := uint64(out[n-1]) * 0x0101010101010101
		for ; n < end; n += 8 {
			binary.LittleEndian.PutUint64(out[n:], word)
		}
	default:
		for ; n < end; n++ {
			out[n] = out[n-back]
		}
	}
}

// careful decodes to the end of a block one symbol at a time, and looks at input and
// room before each.
func (z *inflater) careful() bool {
	for {
		e, length, ok := z.symbol(z.lit[:], litBits)
		switch {
		case !ok:
			return false
		case e&isEnd != 0:
			return true
		case e&isLiteral != 0:
			if z.n+slack >= len(z.out) {
				return false
			}
			z.out[z.n] = byte(e >> 16)
			z.n++
			continue
		}
		_, back, ok := z.symbol(z.dist[:], distBits)
		if !ok || back > z.n-z.from || length > len(z.out)-slack-z.n {
			return false
		}
		repeat(z.out, z.n, back, length)
		z.n += length
	}
}

// symbol decodes one symbol with its extra bits.
func (z *inflater) symbol(table []uint32, root uint) (e uint32, value int, ok bool) {
	z.refill()
	e = table[z.buf&(1<<root-1)]
	used := uint(0)
	if e&isLink != 0 {
		used = root
		e = table[e>>16+uint32(z.buf>>root)&(1<<(e&31)-1)]
	}
	if used += uint(e & 31); e == 0 || used > z.bits {
		return 0, 0, false
	}
	extra := e&31 - e>>8&15
	value = int(e>>16) + int(z.buf>>(used-uint(extra))&(1<<extra-1))
	z.take(used)
	return e, value, true
}
