package bv

import (
	"fmt"
	"math/bits"
	"slices"
)

// Fitted lists have the parts of WebGraph's lists in prefix codes that are fitted to the
// graph, one code for each kind of number. A list is:
//
//	reference r    0: the list is empty, 1: it has no reference, else the list starts
//	               from that of page x-r+1
//	copy blocks    as in WebGraph's lists, if there is a reference
//	extras         how many links are not copied; less one if there is no reference
//	intervals      if there are as many extras as the shortest interval has links
//	residuals      as in WebGraph's lists
//
// There is no degree: it follows from the list referred to and the number of extras, which
// is mostly small. So where a list ends follows from the list alone, and lists are skipped
// without looking at others. That is what allows an index of only some of the lists.
type kind uint8

// Kinds of numbers, each with a code of its own.
const (
	kindRef    kind = iota
	kindBlocks      // number of copy blocks
	kindFirst       // length of the first one, which may be 0
	kindSkip        // of one that is not copied, less one
	kindCopy        // of one that is, less one
	kindAlone       // extras of a list without reference, less one
	kindExtras      // of a list with one
	kindRuns        // number of intervals
	kindRunFirst
	kindRunGap
	kindRunLength
	kindLink // first residual
	kindGap
	kinds
)

// A number has a token of its own if it is below 16. Otherwise the token has its length
// and the two bits behind the first; the rest follows as it is. The last token is for
// numbers whose token the code does not have: all their bits follow.
const (
	exact     = 16
	tokens    = exact + (32-4)*4 + 1
	anyNumber = tokens - 1
)

func tokenOf(v uint32) int {
	if v < exact {
		return int(v)
	}
	n := bits.Len32(v) - 1
	return exact + (n-4)*4 + int(v>>(n-2)&3)
}

// tokenBits is the number of bits that follow a token.
func tokenBits(t int) uint {
	switch {
	case t == anyNumber:
		return 32
	case t < exact:
		return 0
	}
	return uint((t-exact)/4 + 2)
}

// tokenBase is the least number with a token.
func tokenBase(t int) uint32 {
	switch {
	case t == anyNumber:
		return 0
	case t < exact:
		return uint32(t)
	}
	return uint32(4+(t-exact)%4) << tokenBits(t)
}

// A Tally counts how often numbers of each kind occur.
type Tally [kinds][tokens]int64

// Add adds the counts of another one.
func (t *Tally) Add(o *Tally) {
	for k := range t {
		for i := range t[k] {
			t[k][i] += o[k][i]
		}
	}
}

// maxCode is the length of the longest code, so that a table of all beginnings stays small.
const maxCode = 12

// A Codebook holds the codes of fitted lists.
type Codebook struct {
	lengths [kinds][tokens]uint8 // absent where a token has no code
	codes   [kinds][tokens]uint32
	tables  [kinds][1 << maxCode]uint16 // by the next bits: token<<4 | length
	tokens  [256]token
}

// A token is the least number that has it, and how many bits follow.
type token struct {
	base uint32
	bits uint8
}

func newCodebook() *Codebook {
	c := &Codebook{}
	for t := range tokens {
		c.tokens[t] = token{tokenBase(t), uint8(tokenBits(t))}
	}
	return c
}

// absent is the length of a code that is not there.
const absent = 0xff

// Fit returns the codes for numbers as frequent as those counted.
func (t *Tally) Fit() *Codebook {
	c := newCodebook()
	for k := range c.lengths {
		counts := t[k]
		counts[anyNumber]++
		c.lengths[k] = codeLengths(counts)
		c.assign(k)
	}
	return c
}

// codeLengths returns the lengths of a Huffman code that are at most maxCode: counts are
// halved until it is.
func codeLengths(counts [tokens]int64) [tokens]uint8 {
	for {
		lengths := huffman(counts)
		long := false
		for t, n := range lengths {
			long = long || n != absent && n > maxCode
			counts[t] = (counts[t] + 1) / 2
		}
		if !long {
			return lengths
		}
	}
}

// huffman returns the lengths of the best prefix code. A single token has length 0.
func huffman(counts [tokens]int64) (lengths [tokens]uint8) {
	type node struct {
		count int64
		of    []int
	}
	var trees []node
	for t, n := range counts {
		lengths[t] = absent
		if n > 0 {
			lengths[t] = 0
			trees = append(trees, node{n, []int{t}})
		}
	}
	slices.SortStableFunc(trees, func(a, b node) int { return int(min(1, max(-1, a.count-b.count))) })
	for len(trees) > 1 {
		a, b := trees[0], trees[1]
		sum := node{a.count + b.count, slices.Concat(a.of, b.of)}
		for _, t := range sum.of {
			lengths[t]++
		}
		trees = trees[2:]
		at := slices.IndexFunc(trees, func(n node) bool { return n.count >= sum.count })
		if at < 0 {
			at = len(trees)
		}
		trees = slices.Insert(trees, at, sum)
	}
	return lengths
}

// assign makes the codes of a kind from their lengths: ascending by length and token. It
// reports whether they are a complete prefix code.
func (c *Codebook) assign(k int) bool {
	next := uint32(0) // first code that is free, as maxCode bits
	for n := uint8(0); n <= maxCode; n++ {
		for t, length := range c.lengths[k] {
			if length != n {
				continue
			}
			size := uint32(1) << (maxCode - n)
			if next+size > 1<<maxCode {
				return false
			}
			c.codes[k][t] = next >> (maxCode - n)
			for i := range size {
				c.tables[k][next+i] = uint16(t)<<4 | uint16(n)
			}
			next += size
		}
	}
	return next == 1<<maxCode
}

// Bytes returns the codebook as it is stored: the length of every code, kind by kind, two to a
// byte, the first in the low half; noCode where there is none.
func (c *Codebook) Bytes() []byte {
	b := make([]byte, codebookBytes)
	for i := range int(kinds) * tokens {
		n := min(c.lengths[i/tokens][i%tokens], noCode)
		b[i/2] |= n << (i % 2 * 4)
	}
	return b
}

const (
	noCode        = 15
	codebookBytes = (int(kinds)*tokens + 1) / 2
)

// OpenCodebook returns a stored codebook.
func OpenCodebook(b []byte) (*Codebook, error) {
	if len(b) != codebookBytes {
		return nil, fmt.Errorf("%w: codes of %d bytes, not %d", ErrCorrupt, len(b), codebookBytes)
	}
	c := newCodebook()
	for i := range int(kinds) * tokens {
		n := b[i/2] >> (i % 2 * 4) & 15
		if n == noCode {
			n = absent
		}
		c.lengths[i/tokens][i%tokens] = n
	}
	for k := range c.lengths {
		if !c.assign(k) {
			return nil, fmt.Errorf("%w: the codes of numbers of kind %d are no prefix code", ErrCorrupt, k)
		}
	}
	return c, nil
}

// A symbol is a number with its kind.
type symbol struct {
	kind  kind
	value uint32
}

// cost returns the number of bits of a number.
func (c *Codebook) cost(s symbol) int {
	t := tokenOf(s.value)
	if n := c.lengths[s.kind][t]; n != absent {
		return int(n) + int(tokenBits(t))
	}
	return int(c.lengths[s.kind][anyNumber]) + 32
}

// write appends a number.
func (c *Codebook) write(w *bitWriter, s symbol) {
	t := tokenOf(s.value)
	if c.lengths[s.kind][t] == absent {
		t = anyNumber
	}
	n := tokenBits(t)
	rest := uint64(s.value - tokenBase(t))
	w.write(uint64(c.codes[s.kind][t])<<n|rest, uint(c.lengths[s.kind][t])+n)
}

// firstGuess returns lengths of codes like those of WebGraph, for the first choice of
// references. They are not a prefix code.
func firstGuess() *Codebook {
	c := newCodebook()
	for k := range c.lengths {
		for t := range anyNumber {
			v := uint64(tokenBase(t))
			n := gammaLen(v)
			if kind(k) == kindLink || kind(k) == kindGap {
				n = zetaLen(v, Default.ZetaK)
			}
			c.lengths[k][t] = uint8(n - int(tokenBits(t)))
		}
	}
	return c
}
