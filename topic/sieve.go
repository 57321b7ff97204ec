package topic

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A sieve finds the places of a text at which terms may begin: by the first two bytes of words. By
// place in the topic there is a bit in first for the first byte of a term and in second for the
// next one, in all cases of letters.
type sieve struct {
	first, second [256]uint64
}

// newSieve returns the sieve of a topic, nil if there is none: in some languages a stem can begin
// otherwise than its words.
func newSieve(t *Topic) *sieve {
	if t.Rule.Stem != "" && t.Rule.Stem != "english" && t.Rule.Stem != "porter" {
		return nil
	}
	s := &sieve{}
	for i, word := range t.words {
		s.add(word, 1<<i)
	}
	return s
}

// add adds a term.
func (s *sieve) add(word string, bit uint64) {
	r, n := utf8.DecodeRuneInString(word)
	for _, v := range cases(r) {
		b := string(v)
		if s.first[b[0]] |= bit; len(b) > 1 {
			s.second[b[1]] |= bit
			continue
		}
		if len(word) == n {
			for c := range s.second {
				s.second[c] |= bit
			}
			continue
		}
		next, _ := utf8.DecodeRuneInString(word[n:])
		more := cases(next)
		if next == 'i' {
			more = append(more, 'y', 'Y') // dying, lying and tying have the stems die, lie and tie
		}
		for _, v := range more {
			s.second[string(v)[0]] |= bit
		}
	}
}

// cases returns the characters that may be written in place of one in lower case.
func cases(r rune) []rune {
	list := []rune{r}
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		list = append(list, v)
	}
	if r == 'i' {
		list = append(list, 'İ')
	}
	return list
}

// keeps reports whether a word may be a term.
func (s *sieve) keeps(word []byte) bool {
	return s == nil || s.first[word[0]]&s.second[after(word, 0)] != 0
}

// A pass is one reading of a text.
type pass struct {
	words uint32   // so far
	edges []uint32 // places that become numbers of words
	next  int      // the first of them that is a place yet
}

// reach makes numbers of the edges up to a place.
func (x *pass) reach(at int) {
	for x.next < len(x.edges) && uint32(at) >= x.edges[x.next] {
		x.edges[x.next] = x.words
		x.next++
	}
}

// read counts the words of a text and finds the terms among them. Stretches of ASCII are read by the
// block; words with other characters one by one.
func (r *Reader) read(text []byte, x *pass) {
	if r.sieve == nil {
		r.readAll(text, 0, x)
		return
	}
	for at := 0; at < len(text); {
		wide := at + plain(text[at:])
		if wide == len(text) {
			r.readASCII(text, at, wide, x)
			return
		}
		from := at + bytes.LastIndexAny(text[at:wide], " \n\t") + 1
		r.readASCII(text, at, from, x)
		at = stretch(text, wide)
		r.readAll(text[:at], from, x)
	}
}

// plain returns the number of bytes before the first character that is neither ASCII nor one of
// those that are always between words.
func plain(b []byte) int {
	i := 0
	for {
		i += ascii(b[i:])
		if i == len(b) {
			return i
		}
		n := between(b[i:])
		if n == 0 {
			return i
		}
		i += n
	}
}

// ascii returns the number of bytes before the first that is not ASCII.
func ascii(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if m := binary.LittleEndian.Uint64(b[i:]) & (0x80 * ones); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] < 0x80 {
		i++
	}
	return i
}

// between returns the length of a character that ends words and joins none: a dash, a quotation
// mark, a bullet, an ellipsis or a space that does not break. 0: the first one is none of these.
func between(b []byte) int {
	switch {
	case len(b) >= 2 && b[0] == 0xc2 && (b[1] == 0xa0 || b[1] == 0xab || b[1] == 0xbb):
		return 2
	case len(b) >= 3 && b[0] == 0xe2 && b[1] == 0x80 && (b[2] >= 0x93 && b[2] <= 0x94 || b[2] >= 0x9c && b[2] <= 0x9e || b[2] == 0xa2 || b[2] == 0xa6):
		return 3
	}
	return 0
}

// readAll reads a text from a place on, word by word.
func (r *Reader) readAll(text []byte, from int, x *pass) {
	w := r.words
	w.begin(text)
	w.to = from
	for w.next() {
		x.reach(w.from)
		if r.sieve.keeps(w.text[w.from:w.to]) {
			if place := r.place(true); place != noPlace {
				r.hit(place, x.words)
			}
		}
		x.words++
	}
}

// hit notes a term.
func (r *Reader) hit(place uint8, word uint32) {
	r.found[place].Body = more(r.found[place].Body)
	r.hits = append(r.hits, hit{word, place})
}

// readASCII reads text[from:to], which is plain and begins and ends at boundaries of words, 64 bytes
// at a time. A word begins at a byte of one after a byte that is of none, unless that byte joins the
// two. Words are looked at only if the sieve keeps them.
func (r *Reader) readASCII(text []byte, from, to int, x *pass) {
	var last block
	next, printed := last.load(text, from, to)
	before := uint64(0) // 1 if a word reaches the block
	for at := from; at < to; at += 64 {
		in, shown := next, printed
		next, printed = last.load(text, at+64, to)
		// A single byte between two of words, which is no space, may join them.
		for gaps := ^in & (in<<1 | before) & (in>>1 | next<<63) & shown; gaps != 0; gaps &= gaps - 1 {
			if i := bits.TrailingZeros64(gaps); joins(text, at+i) {
				in |= 1 << i
			}
		}
		starts := in &^ (in<<1 | before)
		if before = in >> 63; x.next < len(x.edges) {
			x.reachBlock(at, to, starts)
		}
		for left := starts; left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			if r.sieve.first[text[at+i]]&r.sieve.second[after(text, at+i)] != 0 {
				r.look(text[:to], at+i, x.words+uint32(bits.OnesCount64(starts&(1<<i-1))))
			}
		}
		x.words += uint32(bits.OnesCount64(starts))
	}
}

// after returns the byte after a place, a space at the end.
func after(text []byte, at int) byte {
	if at+1 < len(text) {
		return text[at+1]
	}
	return ' '
}

// joins reports whether a byte joins the two of words around it (WB6, WB7, WB11, WB12).
func joins(text []byte, at int) bool {
	k, both := kinds[text[at]], kinds[text[at-1]]&kinds[text[at+1]]
	return k&midLetter != 0 && both&letter != 0 || k&midNumber != 0 && both&digit != 0
}

// reachBlock makes numbers of the edges in the block of 64 bytes at a place, in which words begin
// where bits are set; the stretch ends at to.
func (x *pass) reachBlock(at, to int, starts uint64) {
	for x.next < len(x.edges) && int(x.edges[x.next]) < min(at+64, to) {
		i := max(0, int(x.edges[x.next])-at)
		x.edges[x.next] = x.words + uint32(bits.OnesCount64(starts&(1<<i-1)))
		x.next++
	}
}

// A block is room for the last bytes of a stretch, with spaces after them.
type block [64]byte

// load returns which of 64 bytes at a place are of words, and which are ASCII and no white space.
// Those from to on count as spaces.
func (b *block) load(text []byte, at, to int) (in, printed uint64) {
	if at >= to {
		return 0, 0
	}
	p := b[:]
	if at+64 <= to {
		p = text[at : at+64]
	} else {
		for i := copy(p, text[at:to]); i < len(p); i++ {
			p[i] = ' '
		}
	}
	for i := 0; i < 64; i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		narrow := ^v
		v &= 0x7f * ones
		low := v | 0x20*ones
		// Bit 7 of each byte: sums of two numbers below 128 do not reach the next one.
		letters := (low + (0x80-'a')*ones) &^ (low + (0x7f-'z')*ones)
		digits := (v + (0x80-'0')*ones) &^ (v + (0x7f-'9')*ones)
		lines := ^((v ^ '_'*ones) + 0x7f*ones)
		in |= gathered((letters|digits|lines)&narrow) << i
		printed |= gathered((v+(0x80-'!')*ones)&narrow) << i
	}
	return in, printed
}

const ones = 0x0101010101010101

// gathered returns bit 7 of each byte, the first byte in the lowest bit.
func gathered(v uint64) uint64 { return v >> 7 & ones * 0x0102040810204080 >> 56 }

// look looks at the word that begins at a place.
func (r *Reader) look(text []byte, at int, number uint32) {
	w := r.words
	w.begin(text)
	end, all := run(text, at)
	if w.from, w.to = at, end; all&wide != 0 { // a mark that joins words, and then a character that does not
		n, _, _ := words.SplitFunc(text[at:stretch(text, end)], true)
		w.to = at + n
	}
	if place := r.place(false); place != noPlace {
		r.hit(place, number)
	}
}
