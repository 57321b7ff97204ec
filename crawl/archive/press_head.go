package archive

import (
	"encoding/binary"
	"math/bits"
)

// maxShort is how long a head may be for headPress, in bytes. It finds matches by their
// positions in 16 bits, and what is longer deserves codes of its own.
const maxShort = 4 << 10

// headPress compresses the heads of records: half a kilobyte of text that no other text
// in the file is compressed with. To find the best codes for so little takes a
// compressor ten times as long as to write it, so the block has the fixed codes of RFC
// 1951 (3.2.6). Measured on records of the benchmark: 441 and 480 bytes for the heads of
// a response and a request of 586 and 630, with codes of their own 394 and 420.
type headPress struct {
	last [1 << headBits]uint16 // by hash of four bytes: where they stood last, and one
	out  []byte
	acc  uint64 // bits that are not in out yet, the first lowest
	n    uint   // how many
}

const headBits = 9

// text writes a block with src; final says that it is the last. It ends on a byte: where
// more follows, the head of a stored block has begun, and its length is next.
func (p *headPress) text(dst, src []byte, final bool) []byte {
	p.out, p.acc, p.n = dst, 0, 0
	clear(p.last[:])
	p.put(2, 3) // fixed codes
	if final {
		p.acc |= 1
	}
	i := 0
	for i+4 <= len(src) {
		v := binary.LittleEndian.Uint32(src[i:])
		slot := &p.last[v*0x9e3779b1>>(32-headBits)]
		from := int(*slot) - 1
		*slot = uint16(i + 1)
		if from < 0 || binary.LittleEndian.Uint32(src[from:]) != v {
			p.literal(src[i])
			i++
			continue
		}
		n := 4
		for n < 258 && i+n < len(src) && src[from+n] == src[i+n] {
			n++
		}
		p.match(n, i-from)
		i += n
	}
	for ; i < len(src); i++ {
		p.literal(src[i])
	}
	p.put(0, 7) // end of the block
	if !final {
		p.put(0, 3) // a stored block, not the last
	}
	for ; p.n > 0; p.n -= min(p.n, 8) {
		p.out, p.acc = append(p.out, byte(p.acc)), p.acc>>8
	}
	dst, p.out = p.out, nil
	return dst
}

// put writes up to 16 bits.
func (p *headPress) put(v uint32, n uint) {
	p.acc |= uint64(v) << p.n
	if p.n += n; p.n >= 32 {
		p.out = binary.LittleEndian.AppendUint32(p.out, uint32(p.acc))
		p.acc, p.n = p.acc>>32, p.n-32
	}
}

// code writes a code, whose first bit is its highest.
func (p *headPress) code(c uint16, n uint) { p.put(uint32(bits.Reverse16(c)>>(16-n)), n) }

func (p *headPress) literal(c byte) {
	if c < 144 {
		p.code(0x30+uint16(c), 8)
	} else {
		p.code(0x190+uint16(c-144), 9)
	}
}

// match writes a length of 3 to 258 and a distance.
func (p *headPress) match(length, dist int) {
	symbol, extra, x := 28, uint(0), length-3
	switch {
	case length == 258:
	case x < 8:
		symbol = x
	default:
		extra = uint(bits.Len(uint(x)) - 3)
		symbol = 4*int(extra) + x>>extra
	}
	if symbol < 23 {
		p.code(uint16(symbol)+1, 7)
	} else {
		p.code(uint16(symbol-23)+0xc0, 8)
	}
	p.put(uint32(x)&(1<<extra-1), extra)
	if symbol, extra, x = dist-1, 0, dist-1; x >= 4 {
		extra = uint(bits.Len(uint(x)) - 2)
		symbol = 2*int(extra) + x>>extra
	}
	p.code(uint16(symbol), 5)
	p.put(uint32(x)&(1<<extra-1), extra)
}
