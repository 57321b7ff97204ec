package topic

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

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

// reachBlock makes numbers of the edges in the block at a place, in which words begin where bits are
// set.
func (x *pass) reachBlock(at int, starts uint64) {
	for x.next < len(x.edges) && int(x.edges[x.next]) < at+blockSize {
		i := max(0, int(x.edges[x.next])-at)
		x.edges[x.next] = x.words + uint32(bits.OnesCount64(starts&(1<<i-1)))
		x.next++
	}
}

// read counts the words of a text and finds the terms among them: by the block, and word by word
// near what is strange.
func (r *Reader) read(text []byte, x *pass) {
	for at := 0; at < len(text); {
		var looked bool
		if at, looked = r.readBlocks(text, at, x); at < len(text) {
			at = r.readWords(text, at, looked, x)
		}
	}
}

// readWords reads a text from a place on, word by word, for a while. It returns the end of the last
// word. If the first one was looked at before, it is only counted.
func (r *Reader) readWords(text []byte, from int, looked bool, x *pass) int {
	w := r.words
	w.begin(text)
	for w.to = from; w.next(); looked = false {
		x.reach(w.from)
		if !looked {
			r.note(x.words)
		}
		if r.counts {
			r.count()
		}
		if x.words++; w.to-from > 2*blockSize && w.to >= w.left {
			return w.to
		}
	}
	return len(text)
}

// note notes the present word, whose number is given, if it is a term.
func (r *Reader) note(number uint32) {
	if place := r.place(); place != noPlace {
		r.hit(number, place)
	}
}

// hit notes a term, with the number of the word.
func (r *Reader) hit(number uint32, place uint8) {
	r.found[place].Body = more(r.found[place].Body)
	r.hits = append(r.hits, hit{number, place})
}

// readBlocks reads a text from a boundary of words on, 64 bytes at a time, up to the end or to the
// last boundary before something strange. It returns how far it came, and whether the word there was
// looked at. Words that the sieve does not keep are looked at only if all count.
func (r *Reader) readBlocks(text []byte, from int, x *pass) (end int, looked bool) {
	b := blocks{text: text, kinds: r.words.kinds}
	all := r.counts || r.sieve == nil
	r.words.begin(text)
	next := b.load(from)
	open, before := from, uint64(0) // where the last word began; 1 if it reaches the block
	for at := from; at < len(text); at += blockSize {
		m := next
		next = b.load(at + blockSize)
		b.join(at, &m, before, next.in)
		if b.strange && before == 0 {
			return at, false
		} else if b.strange {
			x.words-- // it is read again
			return open, r.sieve != nil
		}
		behind := m.in<<1 | before // bytes after those of words
		starts := m.in & (m.breaks | ^behind)
		if x.next < len(x.edges) {
			x.reachBlock(at, starts)
		}
		if r.sieve != nil {
			r.readStarts(at, starts, x.words)
		}
		if all {
			r.readEnds(at, &m, open, starts, behind, x.words)
		}
		if starts != 0 {
			open = at + bits.Len64(starts) - 1
		}
		x.words += uint32(bits.OnesCount64(starts))
		before = m.in >> 63
	}
	if all && before != 0 {
		r.all.add(r.list[:r.end(open, len(text), r.open, x.words-1, 0)])
	}
	return len(text), false
}

// readStarts looks at the words of a block that the sieve keeps. They begin where bits are set;
// number is that of the first.
func (r *Reader) readStarts(at int, starts uint64, number uint32) {
	w, s := r.words, r.sieve
	for ; starts != 0; starts &= starts - 1 {
		i := at + bits.TrailingZeros64(starts)
		if terms := s.begin(w.text, i); terms != 0 && s.keepsMore(terms, eightAt(w.text, i)) {
			w.to, w.left = i, 0
			w.next()
			r.note(number)
		}
		number++
	}
}

// readEnds looks at all words that end in a block. open is where one begins that reaches the block;
// number is that of the first that begins in it.
func (r *Reader) readEnds(at int, m *masks, open int, starts, behind uint64, number uint32) {
	w, n := r.words, 0
	number -= uint32(behind & 1)
	from, before, capital := open, uint64(0), r.open // of the word: where it begins, the bits before it
	if behind&1 == 0 {
		from, before, capital = at+bits.TrailingZeros64(starts), starts&-starts-1, 0
		starts &= starts - 1
	}
	for ends := behind & (starts | ^m.in); ends != 0; ends &= ends - 1 {
		to := at + bits.TrailingZeros64(ends)
		capital |= m.upper & (ends&-ends - 1) &^ before
		if r.sieve == nil || capital != 0 || to-from > maxWord {
			n += r.end(from, to, capital, number, n)
		} else {
			r.list[n] = counted{hashOf(w.text, from, to), uint32(from), uint32(to)}
			n++
		}
		from, before, capital = at+bits.TrailingZeros64(starts), starts&-starts-1, 0
		starts &= starts - 1
		number++
	}
	r.open = capital | m.upper&^before // of the word that goes on
	r.all.add(r.list[:n])
}

// end looks at a word with capitals that are not ASCII or none, whose number is given. If it counts,
// it becomes element n of the list, and end returns 1.
func (r *Reader) end(from, to int, capital uint64, number uint32, n int) int {
	w := r.words
	if w.from, w.to, w.seen = from, to, 0; capital != 0 {
		w.seen = upper
	}
	if r.sieve == nil {
		r.note(number)
	}
	if !r.counts || to-from > maxWord {
		return 0
	}
	r.list[n] = counted{w.hash(), uint32(from), uint32(to)}
	return 1
}

// blockSize is the number of bytes that are read at once: those that a word has bits for.
const blockSize = 64

// blocks find words in blocks of a text by bits, one for each byte.
type blocks struct {
	text    []byte
	kinds   *table
	tail    [blockSize]byte // the last bytes, with spaces after them
	spill   masks           // of the first bytes of the next block
	last    uint64          // 1 if the last byte of the last block is of a word
	kana    uint64          // 1 if it is of katakana
	under   bool            // the last block has underscores
	strange bool            // there is something that is to be read word by word
}

// masks are the bits of a block.
type masks struct {
	in      uint64 // of words
	breaks  uint64 // begin a word if they are of one, whatever is before them
	upper   uint64 // have another form in lower case, and are not ASCII
	printed uint64 // ASCII and no white space
	kana    uint64 // of katakana
}

// load returns the bits of the block at a place, without the bytes that join words.
func (b *blocks) load(at int) (m masks) {
	if at >= len(b.text) {
		return masks{}
	}
	p := &b.tail
	if at+blockSize <= len(b.text) {
		p = (*[blockSize]byte)(b.text[at:])
	} else {
		for i := copy(p[:], b.text[at:]); i < len(p); i++ {
			p[i] = ' '
		}
	}
	m, b.spill = b.spill, masks{}
	in, printed, all, under := m.in, uint64(0), uint64(0), uint64(0)
	for i := 0; i < blockSize; i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		all |= v
		narrow := ^v
		v &= 0x7f * ones
		low := v | 0x20*ones
		// Bit 7 of each byte: sums of two numbers below 128 do not reach the next one.
		letters := (low + (0x80-'a')*ones) &^ (low + (0x7f-'z')*ones)
		digits := (v + (0x80-'0')*ones) &^ (v + (0x7f-'9')*ones)
		lines := ^((v ^ '_'*ones) + 0x7f*ones)
		under |= lines & narrow
		in |= gathered((letters|digits|lines)&narrow) << i
		printed |= gathered((v+(0x80-'!')*ones)&narrow) << i
	}
	m.in, m.printed = in, printed
	if all&(0x80*ones) != 0 || m.kana|b.kana != 0 {
		b.addWide(&m, p, at)
		if m.kana|b.kana != 0 {
			b.endKana(&m, at, under&(0x80*ones) != 0)
		}
	}
	b.last, b.under = m.in>>63, under&(0x80*ones) != 0
	return m
}

// addWide adds the characters of the block at a place that are not ASCII.
func (b *blocks) addWide(m *masks, p *[blockSize]byte, at int) {
	leads := uint64(0)
	for i := 0; i < blockSize; i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		leads |= gathered(v&(v<<1)) << i
	}
	// Most characters are easy: there is a class that says all about them. The bits of one are kept
	// from its first byte on.
	var are, three uint64
	t := b.kinds
	for list := leads & (1<<(blockSize-1) - 1); list != 0; list &= list - 1 {
		i := bits.TrailingZeros64(list)
		c := t.pairs[binary.LittleEndian.Uint16(p[i:i+2])]
		if c == isLong {
			if i > blockSize-4 {
				break
			}
			c = t.long(binary.LittleEndian.Uint32(p[i : i+4]))
			three |= 1 << i
		}
		are |= uint64(c) << i
	}
	easy := (are | are>>1) & leads
	in, both, kana := are&leads, are&(are>>1)&leads, are>>2&three
	alone := both & three
	m.in |= in | in<<1 | in&three<<2
	m.breaks |= alone | alone<<3
	m.kana |= kana | kana<<1 | kana<<2
	m.upper |= both &^ three
	for list := leads &^ easy; list != 0; list &= list - 1 {
		b.add(m, at, bits.TrailingZeros64(list))
	}
}

// endKana ends words where katakana begins and ends: these characters make words with each other, and
// with what is like an underscore. under says whether there are underscores in the block.
func (b *blocks) endKana(m *masks, at int, under bool) {
	behind := m.kana<<1 | b.kana
	edges := m.kana ^ behind
	m.breaks |= edges
	b.kana = m.kana >> (blockSize - 1)
	if !under && !b.under {
		return
	}
	for ; edges != 0; edges &= edges - 1 {
		i := at + bits.TrailingZeros64(edges)
		b.strange = b.strange || i > 0 && b.text[i-1] == '_' || i < len(b.text) && b.text[i] == '_'
	}
}

const ones = 0x0101010101010101

// gathered returns bit 7 of each byte, the first byte in the lowest bit.
func gathered(v uint64) uint64 { return v >> 7 & ones * 0x0102040810204080 >> 56 }

// add adds the character at byte i of the block at a place, which is not ASCII.
func (b *blocks) add(m *masks, at, i int) {
	c, n, t := notEasy, 3, b.text[at+i:]
	if len(t) > 3 {
		if c = b.kinds.pairs[binary.LittleEndian.Uint16(t)]; c != isLong {
			n = 2
		} else {
			c = b.kinds.long(binary.LittleEndian.Uint32(t))
		}
	}
	switch {
	case c == notEasy:
		b.addKind(m, at, i)
	case c&isIn != 0:
		b.put(m, i, n)
		switch {
		case c == isKana:
			b.putKana(m, i, n)
		case n == 2:
			m.upper |= uint64(c>>1) << i
		case c == isAlone:
			m.breaks |= 1 << i
			b.breakAt(m, i+n)
		}
	}
}

// addKind does what add does by the kind of the character.
func (b *blocks) addKind(m *masks, at, i int) {
	k, n := b.kinds.at(b.text, at+i)
	m.upper |= uint64(k/upper&1) << i
	switch k & (inWord | extends | midLetter | midNumber | hebrew | strange | word) {
	case letter | word, digit | word:
		b.put(m, i, n)
	case alone | word:
		b.put(m, i, n)
		m.breaks |= 1 << i
		b.breakAt(m, i+n)
	case katakana | word:
		b.put(m, i, n)
		b.putKana(m, i, n)
	case 0:
	default:
		b.addRare(m, at, i, n, k)
	}
}

// putKana adds n bytes at i to those of katakana.
func (b *blocks) putKana(m *masks, i, n int) {
	all := uint64(1)<<n - 1
	m.kana |= all << i
	b.spill.kana |= all >> (blockSize - i)
}

// afterKana reports whether the byte before byte i is of katakana.
func (b *blocks) afterKana(m *masks, i int) bool {
	if i == 0 {
		return b.kana != 0
	}
	return m.kana>>(i-1)&1 != 0
}

// reached reports whether the byte before byte i is of a word.
func (b *blocks) reached(m *masks, i int) bool {
	if i == 0 {
		return b.last != 0
	}
	return m.in>>(i-1)&1 != 0
}

// put adds n bytes at i to those of words.
func (b *blocks) put(m *masks, i, n int) {
	all := uint64(1)<<n - 1
	m.in |= all << i
	b.spill.in |= all >> (blockSize - i)
}

// breakAt ends words before byte i, which may be in the next block.
func (b *blocks) breakAt(m *masks, i int) {
	if i < blockSize {
		m.breaks |= 1 << i
	} else {
		b.spill.breaks |= 1 << (i - blockSize)
	}
}

// addRare adds a character of n bytes whose kind is rare.
func (b *blocks) addRare(m *masks, at, i, n int, k kind) {
	reached, here, after := b.reached(m, i), at+i, kind(0)
	if here+n < len(b.text) {
		after, _ = b.kinds.at(b.text, here+n)
	}
	switch {
	case k&strange != 0:
		b.strange = true
	case k&extends != 0 && !reached:
		b.strange = b.strange || b.before(here)&(midLetter|midNumber) != 0
	case k&extends != 0:
		b.addExtends(m, at, i, n, after)
	case k&(midLetter|midNumber) != 0:
		if reached && joined(b.before(here), k, after) {
			b.put(m, i, n)
		}
		b.strange = b.strange || reached && after&(extends|strange) != 0
	case k&hebrew != 0:
		b.put(m, i, n)
		next := b.text[min(here+n, len(b.text)-1)]
		b.strange = b.strange || after&extends != 0 || next == '\'' || next == '"'
	default: // makes no word by itself
		b.put(m, i, n)
		b.strange = b.strange || !reached || m.breaks>>i&1 != 0 || b.afterKana(m, i) || after&katakana != 0
	}
}

// addExtends adds a character of n bytes that belongs to the one before it, which is of a word.
func (b *blocks) addExtends(m *masks, at, i, n int, after kind) {
	b.put(m, i, n)
	switch {
	case b.afterKana(m, i):
		b.putKana(m, i, n)
	case m.breaks>>i&1 != 0:
		m.breaks &^= 1 << i
		b.breakAt(m, i+n)
		b.strange = b.strange || after&line != 0
	}
	b.strange = b.strange || after&katakana != 0 && b.before(at+i)&line != 0
}

// before returns the kind of the character before a place, and before those that belong to it.
func (b *blocks) before(at int) kind {
	for at > 0 {
		_, n := utf8.DecodeLastRune(b.text[:at])
		at -= n
		if k, _ := b.kinds.at(b.text, at); k&extends == 0 {
			return k
		}
	}
	return 0
}

// joined reports whether a character joins the two around it (WB6, WB7, WB11, WB12).
func joined(before, k, after kind) bool {
	both := before & after
	return k&midLetter != 0 && both&letter != 0 || k&midNumber != 0 && both&digit != 0
}

// join adds the bytes of ASCII that join words: a single one between two of words, which is no
// space. before and next are the bits of words around the block.
func (b *blocks) join(at int, m *masks, before, next uint64) {
	for gaps := ^m.in & (m.in<<1 | before) & (m.in>>1 | next<<63) & m.printed; gaps != 0; gaps &= gaps - 1 {
		i := bits.TrailingZeros64(gaps)
		here := at + i
		k := narrow[b.text[here]]
		if k&(midLetter|midNumber) == 0 {
			continue
		}
		after, _ := b.kinds.at(b.text, here+1)
		if joined(b.before(here), k, after) {
			m.in |= 1 << i
		}
	}
}
