package fetch

import "math/bits"

const (
	litCodes, distCodes = 288, 32
	litBits, distBits   = 11, 8 // of the first table; longer codes continue in another

	// Room for the first table and all others, at least what the worst codes need (2,342
	// and 402 entries), and a power of two, so that a mask keeps an index inside.
	litRoom, distRoom = 4096, 512
)

// An entry of a table holds what the next bits mean:
//
//	bits 0-4   bits to use: those of the code and those extra
//	bits 8-11  those of the code
//	bits 12-15 what it is; none of them: no code
//	bits 16-31 literal, least length or least distance
//
// A link has in bits 0-4 the number of bits that choose from another table, and in
// bits 16-31 where that begins.
const (
	isLiteral = 1 << (12 + iota)
	isMatch
	isEnd
	isLink
)

// litKinds and distKinds are the entries of symbols without the bits of their codes.
var litKinds, distKinds, lenKinds = makeLitKinds(), makeDistKinds(), makeLenKinds()

func makeLitKinds() (kinds [litCodes]uint32) {
	for c := range 256 {
		kinds[c] = uint32(c)<<16 | isLiteral
	}
	kinds[256] = isEnd
	least := uint32(3)
	for c := 257; c < 285; c++ {
		extra := uint32(0)
		if c >= 265 {
			extra = uint32(c-261) / 4
		}
		kinds[c] = least<<16 | isMatch | extra
		least += 1 << extra
	}
	kinds[285] = 258<<16 | isMatch
	return kinds
}

func makeDistKinds() (kinds [distCodes]uint32) {
	least := uint32(1)
	for c := range 30 {
		extra := uint32(max(0, c/2-1))
		kinds[c] = least<<16 | isMatch | extra
		least += 1 << extra
	}
	return kinds
}

// makeLenKinds returns the kinds for the code of code lengths, where each symbol is a literal.
func makeLenKinds() (kinds [19]uint32) {
	for c := range kinds {
		kinds[c] = uint32(c)<<16 | isLiteral
	}
	return kinds
}

// fixed makes the tables of a block with the codes of the standard.
func (z *inflater) fixed() bool {
	lens := z.lens[:litCodes]
	for c := range lens {
		switch {
		case c < 144, c >= 280:
			lens[c] = 8
		case c < 256:
			lens[c] = 9
		default:
			lens[c] = 7
		}
	}
	dists := z.lens[litCodes:]
	for c := range dists {
		dists[c] = 5
	}
	return fill(z.lit[:], litBits, lens, litKinds[:]) && fill(z.dist[:], distBits, dists, distKinds[:])
}

// lenOrder is the order in which the lengths of the code of lengths are written.
const lenOrder = "\x10\x11\x12\x00\x08\x07\x09\x06\x0a\x05\x0b\x04\x0c\x03\x0d\x02\x0e\x01\x0f"

// dynamic reads the codes of a block and makes their tables.
func (z *inflater) dynamic() bool {
	if z.refill(); z.bits < 14 {
		return false
	}
	lits, dists, n := int(z.take(5))+257, int(z.take(5))+1, int(z.take(4))+4
	var own [19]uint8
	for _, c := range []byte(lenOrder[:n]) {
		if z.refill(); z.bits < 3 {
			return false
		}
		own[c] = uint8(z.take(3))
	}
	// The code of lengths is read with the room of that of distances, which comes last.
	if lits > 286 || !fill(z.dist[:], distBits, own[:], lenKinds[:]) || !z.readLens(lits+dists) {
		return false
	}
	lens := z.lens[:lits+dists]
	return lens[256] != 0 && fill(z.lit[:], litBits, lens[:lits], litKinds[:]) && fill(z.dist[:], distBits, lens[lits:], distKinds[:])
}

// readLens reads n code lengths.
func (z *inflater) readLens(n int) bool {
	for i := 0; i < n; {
		_, c, ok := z.symbol(z.dist[:], distBits)
		if !ok {
			return false
		}
		if c < 16 {
			z.lens[i] = uint8(c)
			i++
			continue
		}
		length, again, extra := uint8(0), 3, uint(3)
		switch {
		case c == 16 && i == 0:
			return false
		case c == 16:
			length, extra = z.lens[i-1], 2
		case c == 18:
			again, extra = 11, 7
		}
		if z.bits < extra {
			return false
		}
		again += int(z.take(extra))
		if again > n-i {
			return false
		}
		for ; again > 0; again-- {
			z.lens[i] = length
			i++
		}
	}
	return true
}

// fill makes the table of a code from the lengths of its codes: a first table of 1<<root
// entries, and behind it those of longer codes. A code must use up all bit strings;
// the only exception is one with a single symbol or none at all, as an encoder writes for
// distances.
func fill(table []uint32, root uint, lens []uint8, kinds []uint32) bool {
	var count, next [17]int
	for _, l := range lens {
		count[l]++
	}
	used := len(lens) - count[0]
	left := 1
	for l := 1; l < 16; l++ {
		left = 2*left - count[l]
		if left < 0 {
			return false
		}
		next[l+1] = next[l] + count[l]
	}
	if left > 0 && (used > 1 || used == 1 && count[1] == 0) {
		return false
	}
	if left > 0 {
		clear(table[:1<<root])
	}
	var sorted [litCodes]uint16 // symbols by the length of their codes
	for s, l := range lens {
		if l > 0 {
			sorted[next[l]] = uint16(s)
			next[l]++
		}
	}
	return place(table, root, &count, sorted[:used], lens, kinds)
}

// place writes the entries of the symbols, which come in the order of their codes. Codes
// have their first bit lowest in the stream, so they are reversed.
func place(table []uint32, root uint, count *[17]int, sorted []uint16, lens []uint8, kinds []uint32) bool {
	code, before := uint16(0), uint8(0)
	link, linkBits := -1, uint(0) // the table that is being filled
	free := 1 << root
	for _, s := range sorted {
		l := lens[s]
		code <<= l - before
		before = l
		at, n := int(bits.Reverse16(code)>>(16-l)), uint(l)
		code++
		size, to := 1<<root, table
		if n > root {
			if low := at & (1<<root - 1); low != link {
				link, linkBits = low, subBits(n, root, count)
				if free+1<<linkBits > len(table) {
					return false
				}
				table[low] = uint32(free)<<16 | isLink | uint32(linkBits)
				free += 1 << linkBits
			}
			to = table[free-1<<linkBits:]
			size, at, n = 1<<linkBits, at>>root, n-root
		}
		count[l]--
		e := uint32(0)
		if k := kinds[s]; k != 0 {
			e = k + uint32(n) + uint32(n)<<8
		}
		for ; at < size; at += 1 << n {
			to[at] = e
		}
	}
	return true
}

// subBits returns how many bits a table needs for the codes that share the first root
// bits with one of n bits, the first of them: as many as it takes until the codes left
// fill it.
func subBits(n, root uint, count *[17]int) uint {
	b := n - root
	for left := 1<<b - count[n]; left > 0 && root+b < 15; {
		b++
		left = 2*left - count[root+b]
	}
	return b
}
