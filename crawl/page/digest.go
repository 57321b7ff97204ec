package page

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Digest is a 128-bit hash of the structural text of a page: its title,
// its text with white space folded, and the sequence of its structural tags
// (headings, paragraphs, lists, tables, links, images...) without attributes. It
// does not change with formatting tags (b, i, font, span, div...), with attributes
// and their order, with comments, upper or lower case of tags, white space between
// words, or end tags that may be left out. Neither scripts, styles nor the targets
// of links belong to it.
//
// The zero Digest belongs to a page without a title and without any text: nothing
// is known about it, and two such pages are not duplicates of each other (pages
// that scripts fill, frames, redirects in disguise).
type Digest [16]byte

// IsZero reports whether the page had no words to compare.
func (d Digest) IsZero() bool { return d == Digest{} }

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// markBytes is the number of bytes of marks that are gathered before they are hashed.
const markBytes = 4096

// structure gathers the input of the digest of a page, in bounded memory.
type structure struct {
	marks   []byte      // names of structural tags, 8 bytes each, not hashed yet
	tags    xxh3.Hasher // of the marks before
	text    xxh3.Hasher // of text that did not fit the page
	spilled bool        // text has been hashed
}

func (st *structure) reset() {
	st.marks = st.marks[:0]
	st.tags.Reset()
	if st.spilled {
		st.text.Reset()
		st.spilled = false
	}
}

// mark adds a structural tag. Its packed name is hashed and not a number from a list, so
// that digests stay comparable when elements are added to the scanner.
func (st *structure) mark(key uint64) {
	st.marks = binary.LittleEndian.AppendUint64(st.marks, key)
	if len(st.marks) >= markBytes {
		st.flush()
	}
}

func (st *structure) flush() {
	_, _ = st.tags.Write(st.marks) // a hash never fails
	st.marks = st.marks[:0]
}

// spill hashes the text beyond limit except its last byte, and when it is called for the
// first time all the text before it. The result is the hash of the whole text. It does not
// depend on the limit.
func (st *structure) spill(text []byte, limit int) {
	if !st.spilled {
		_, _ = st.text.Write(text[:limit])
		st.spilled = true
	}
	_, _ = st.text.Write(text[limit : len(text)-1])
}

// sum returns the digest of a page that has been read to its end. limit is where its
// text spilled, if it did.
func (st *structure) sum(p *Page, limit int) (d Digest) {
	if len(p.Text) == 0 && len(p.Title) == 0 {
		return d
	}
	st.flush()
	var all [48]byte
	put128(all[0:], st.textSum(p.Text, limit))
	put128(all[16:], st.tags.Sum128())
	put128(all[32:], xxh3.Hash128(p.Title))
	put128(d[:], xxh3.Hash128(all[:]))
	return d
}

// textSum hashes the text. If it spilled, then all but the end beyond the limit is
// in the hasher already.
func (st *structure) textSum(text []byte, limit int) xxh3.Uint128 {
	if !st.spilled {
		return xxh3.Hash128(text)
	}
	if len(text) > limit {
		_, _ = st.text.Write(text[limit:])
	}
	return st.text.Sum128()
}

func put128(b []byte, h xxh3.Uint128) {
	binary.BigEndian.PutUint64(b, h.Hi)
	binary.BigEndian.PutUint64(b[8:], h.Lo)
}

// SimHash returns the 64-bit fingerprint of a text (Charikar 2002; Manku et al. 2007):
// bit i is set when more than half of the hashes of all shingles have bit i set.
// A shingle is three consecutive words; see Gist for what a word is. Texts that differ in
// few shingles differ in few bits. Numbers count as other words do: lists of prices and
// tables that differ in their numbers are different texts. A text without words has 0;
// with one or two words those make one shingle.
func SimHash(text []byte) uint64 {
	var g gistReader
	g.read(text)
	return g.simHash()
}

// FNV-1a hashes words; mix makes the bits of a shingle independent of each other.
const (
	wordSeed  = 0xcbf29ce484222325
	wordPrime = 0x100000001b3
)

// folded maps each byte of a word to the byte that is hashed: letters in lower case. It is 0
// for a byte between words.
var folded = func() (t [256]byte) {
	for i := range t {
		switch c := byte(i); {
		case class[c]&letter != 0:
			t[c] = c | 0x20
		case class[c]&digit != 0 || c >= 0x80:
			t[c] = c
		}
	}
	return t
}()

// mix hashes three words in their order, with the finisher of splitmix64.
func mix(w [3]uint64) uint64 {
	x := w[0] + bits.RotateLeft64(w[1], 21)*3 + bits.RotateLeft64(w[2], 42)*5
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// bitCounter counts for each of 64 positions how many numbers had that bit set.
// planes[k] holds bit k of all 64 counts. Eight numbers are added at once by a tree of
// full adders over the three lowest planes, as Harley and Seal count bits: what is
// carried goes up to the planes above once in eight numbers.
type bitCounter struct {
	planes [32]uint64 // counts below 2^32; a page has at most MaxInput shingles
	held   [8]uint64  // numbers not added yet: n modulo 8 of them
	n      uint64
}

func (c *bitCounter) add(x uint64) {
	c.held[c.n&7] = x
	if c.n++; c.n&7 == 0 {
		c.addHeld()
	}
}

// addHeld adds eight numbers.
func (c *bitCounter) addHeld() {
	h, ones, twos, fours := &c.held, c.planes[0], c.planes[1], c.planes[2]
	ones, a := sum3(ones, h[0], h[1])
	ones, b := sum3(ones, h[2], h[3])
	twos, d := sum3(twos, a, b)
	ones, a = sum3(ones, h[4], h[5])
	ones, b = sum3(ones, h[6], h[7])
	twos, e := sum3(twos, a, b)
	fours, carry := sum3(fours, d, e)
	c.planes[0], c.planes[1], c.planes[2] = ones, twos, fours
	c.carry(carry, 3)
}

// sum3 adds three bits at each position.
func sum3(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// carry adds a number to the planes from k on.
func (c *bitCounter) carry(x uint64, k int) {
	for ; x != 0 && k < len(c.planes); k++ {
		c.planes[k], x = c.planes[k]^x, c.planes[k]&x
	}
}

// majority returns the bits that were set in more than half of the numbers: it compares all
// counts with n/2 at once, from the highest plane down. No number can be added after it.
func (c *bitCounter) majority() (more uint64) {
	for _, x := range c.held[:c.n&7] {
		c.carry(x, 0)
	}
	half, same := c.n/2, ^uint64(0)
	for k := len(c.planes) - 1; k >= 0; k-- {
		if half>>k&1 != 0 {
			same &= c.planes[k]
			continue
		}
		more |= same & c.planes[k]
		same &^= c.planes[k]
	}
	return more
}

// Gist summarises the words of a page in a few numbers: those of its title, then
// those of its text. A word is a run of ASCII letters (any case), digits and bytes above
// 127; one of digits alone is a number.
type Gist struct {
	// SimHash is a fingerprint: texts that differ in few words differ in few bits. See
	// SimHash.
	SimHash uint64
	// Change is the hash of all words in their order without the numbers: dates and counters
	// do not change it. 0: there is no word.
	Change uint64
	// Terms is the set of the words without the numbers, one of 64 bits for each.
	Terms uint64
	// Numbers is a sample of the pairs of numbers that follow each other: the
	// smallest of their hashes, in ascending order; 0 where there are no more. Two pages
	// have the same pairs in it as far as they have the same pairs at all.
	Numbers [NumberPairs]uint32
}

// NumberPairs is the size of the sample of pairs of numbers.
const NumberPairs = 8

// gistReader reads words one after the other.
type gistReader struct {
	Gist
	sim     bitCounter
	shingle [3]uint64 // hashes of the last two words, after a 0
	words   int
	number  uint64 // hash of the last number; 0: there was none
}

// GistOf reads the words of a title and a text.
func GistOf(title, text []byte) Gist {
	var g gistReader
	g.read(title)
	g.read(text)
	g.SimHash = g.simHash()
	return g.Gist
}

// read adds the words of a text. What changes with every word is in variables of its own
// meanwhile: that is twice as fast.
func (g *gistReader) read(text []byte) {
	a, b, words, change, terms := g.shingle[1], g.shingle[2], g.words, g.Change, g.Terms
	for i := 0; i < len(text); i++ {
		start, h, all := i, uint64(wordSeed), byte(0)
		for ; i < len(text); i++ {
			c := folded[text[i]]
			if c == 0 {
				break
			}
			h, all = (h^uint64(c))*wordPrime, all|c
		}
		if i == start {
			continue
		}
		if words++; words >= 3 {
			g.sim.add(mix([3]uint64{a, b, h}))
		}
		a, b = b, h
		if all >= 0x40 { // digits are below, letters and bytes above 127 are not
			change = (bits.RotateLeft64(change, 27) ^ h) * changePrime
			terms |= 1 << (h * changePrime >> 58)
		} else {
			g.pair(h)
		}
	}
	g.shingle, g.words, g.Change, g.Terms = [3]uint64{0, a, b}, words, change, terms
}

func (g *gistReader) simHash() uint64 {
	if g.words == 1 || g.words == 2 {
		g.sim.add(mix(g.shingle))
	}
	return g.sim.majority()
}

const changePrime = 0x9e3779b97f4a7c15

// pair adds a number, with the one before it.
func (g *gistReader) pair(h uint64) {
	last := g.number
	g.number = h | 1
	if last == 0 {
		return
	}
	x := uint32(mix([3]uint64{last, h, 1})>>32) | 1
	n := &g.Numbers
	if n[NumberPairs-1] != 0 && x >= n[NumberPairs-1] {
		return
	}
	at := 0
	for at < NumberPairs && n[at] != 0 && n[at] < x {
		at++
	}
	if n[at] == x {
		return
	}
	copy(n[at+1:], n[at:])
	n[at] = x
}
