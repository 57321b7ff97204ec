package page

import "math/bits"

// Gist is what the words of a page come to, in a few numbers: those of its title, then
// those of its text. A word is a run of ASCII letters (any case), digits and bytes above
// 127; one of digits alone is a number.
type Gist struct {
	// SimHash is a fingerprint: texts that differ in few words differ in few bits. See SimHash.
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

// read takes the words of a text. What changes with every word is in variables of its own
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

// pair takes a number, with the one before it.
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
