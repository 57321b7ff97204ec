package bv

import (
	"fmt"
	"slices"
)

// A Fitted holds fitted lists of all pages, in memory or mapped.
type Fitted struct {
	Params Params
	Pages  int
	Bits   uint64
	Step   int // the index has every Step-th list
	bytes  []byte
	book   *Codebook
	index  *Index
}

// NewFitted wraps fitted lists. b must hold bits bits and Padding bytes more, whose contents
// do not matter; the index has the lists 0, step, 2*step and so on, and the end.
func NewFitted(p Params, pages int, b []byte, bits uint64, book *Codebook, index *Index, step int) (*Fitted, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if need := (bits+7)/8 + Padding; uint64(len(b)) < need {
		return nil, fmt.Errorf("%d bits of lists need %d bytes, there are %d", bits, need, len(b))
	}
	if step < 1 || index.Len() != (pages+step-1)/step+1 {
		return nil, fmt.Errorf("an index of %d places for every %dth of %d lists", index.Len(), step, pages)
	}
	return &Fitted{p, pages, bits, step, b, book, index}, nil
}

// Every returns the places for the index of every step-th list: of the first, and so on, and
// the end, which is the last of starts.
func Every(step int, starts []uint64) []uint64 {
	var some []uint64
	for i := 0; i < len(starts)-1; i += step {
		some = append(some, starts[i])
	}
	return append(some, starts[len(starts)-1])
}

// A fittedLists decodes fitted lists.
type fittedLists struct {
	s      *Fitted
	book   *Codebook
	src    bitSource
	copied []uint32
	runs   []uint32 // links in intervals
	links  []uint32 // residuals
	added  []uint32 // both, if there are intervals
}

func (s *Fitted) lists() fittedLists {
	return fittedLists{s: s, book: s.book, src: bitSourceOf(s.bytes)}
}

// number reads a number at bit pos and returns the place behind it. A code and what follows
// it have at most maxCode + 32 bits, which one load has.
func (l *fittedLists) number(k kind, pos uint64) (v uint32, next uint64) {
	w := l.src.load(pos)
	e := l.book.tables[k][w>>(64-maxCode)]
	n, t := uint64(e&15), &l.book.tokens[uint8(e>>4)]
	return t.base + uint32(w<<n>>1>>(63-t.bits)), pos + n + uint64(t.bits)
}

// pass returns the place behind a number.
func (l *fittedLists) pass(k kind, pos uint64) uint64 {
	e := l.book.tables[k][l.src.load(pos)>>(64-maxCode)]
	return pos + uint64(e&15) + uint64(l.book.tokens[uint8(e>>4)].bits)
}

// skip returns the place behind a list.
func (l *fittedLists) skip(pos uint64) uint64 {
	ref, pos := l.number(kindRef, pos)
	if ref == 0 {
		return pos
	}
	if ref > 1 {
		var blocks uint32
		blocks, pos = l.number(kindBlocks, pos)
		for i := 0; i < int(blocks) && pos <= l.s.Bits; i++ {
			pos = l.pass(blockKind(i), pos)
		}
	}
	extras, pos := l.extras(ref, pos)
	if least := l.s.Params.MinInterval; least > 0 && extras >= uint64(least) {
		var runs, size uint32
		runs, pos = l.number(kindRuns, pos)
		for i := uint32(0); i < runs && pos <= l.s.Bits; i++ {
			pos = l.pass(runKind(i), pos)
			size, pos = l.number(kindRunLength, pos)
			extras -= min(extras, uint64(size)+uint64(least))
		}
	}
	if extras > 0 {
		pos = l.pass(kindLink, pos)
	}
	for ; extras > 1 && pos <= l.s.Bits; extras-- {
		pos = l.pass(kindGap, pos)
	}
	return pos
}

// extras reads how many links are not copied. ref is as it is stored.
func (l *fittedLists) extras(ref uint32, pos uint64) (n, next uint64) {
	if ref > 1 {
		v, next := l.number(kindExtras, pos)
		return uint64(v), next
	}
	v, next := l.number(kindAlone, pos)
	return uint64(v) + 1, next
}

// runKind returns the kind of the left end of interval i.
func runKind(i uint32) kind {
	if i == 0 {
		return kindRunFirst
	}
	return kindRunGap
}

// list decodes the list of page x at bit pos into the memory of to. from is the list that it
// refers to. The place behind it is nowhere if the list is invalid.
func (l *fittedLists) list(to, from []uint32, x uint32, pos uint64) ([]uint32, uint64) {
	ref, pos := l.number(kindRef, pos)
	if ref == 0 {
		return to[:0], pos
	}
	copied := l.copied[:0]
	if ref > 1 {
		copied, pos = l.copyBlocks(copied, from, pos)
		l.copied = copied
	}
	extras, pos := l.extras(ref, pos)
	if extras == 0 {
		return append(to[:0], copied...), pos
	}
	if extras+uint64(len(copied)) > uint64(l.s.Pages) {
		return nil, nowhere
	}
	l.runs = l.runs[:0]
	if least := l.s.Params.MinInterval; least > 0 && extras >= uint64(least) {
		pos = l.intervals(x, extras, pos)
	}
	pos = l.residuals(x, extras-uint64(len(l.runs)), pos)
	if len(l.runs) == 0 {
		return merge(to, copied, l.links), pos
	}
	l.added = merge(l.added, l.runs, l.links)
	return merge(to, copied, l.added), pos
}

// copyBlocks reads the copy blocks of a list that refers to from, and appends what is copied.
func (l *fittedLists) copyBlocks(to, from []uint32, pos uint64) ([]uint32, uint64) {
	blocks, pos := l.number(kindBlocks, pos)
	for i := range int(blocks) {
		var n uint32
		n, pos = l.number(blockKind(i), pos)
		size := uint64(n) + uint64(min(i, 1))
		if size > uint64(len(from)) || pos > l.s.Bits {
			return to, nowhere
		}
		if i%2 == 0 {
			to = append(to, from[:size]...)
		}
		from = from[size:]
	}
	if blocks%2 == 0 { // the last block is left out
		to = append(to, from...)
	}
	return to, pos
}

// intervals reads the intervals of a list with n links that are not copied, into l.runs.
func (l *fittedLists) intervals(x uint32, n, pos uint64) uint64 {
	runs, pos := l.number(kindRuns, pos)
	left := int64(x) // first id behind the last interval
	for i := range runs {
		var gap, more uint32
		gap, pos = l.number(runKind(i), pos)
		more, pos = l.number(kindRunLength, pos)
		if i == 0 {
			left += nat2int(uint64(gap))
		} else {
			left += int64(gap) + 1
		}
		size := int64(more) + int64(l.s.Params.MinInterval)
		if left < 0 || left+size > int64(l.s.Pages) || uint64(len(l.runs))+uint64(size) > n {
			return nowhere
		}
		for j := range size {
			l.runs = append(l.runs, uint32(left+j))
		}
		left += size
	}
	return pos
}

// residuals reads n residuals into l.links.
func (l *fittedLists) residuals(x uint32, n, pos uint64) uint64 {
	l.links = l.links[:0]
	if n == 0 {
		return pos
	}
	v, pos := l.number(kindLink, pos)
	u, pages := int64(x)+nat2int(uint64(v)), int64(l.s.Pages)
	for {
		if u < 0 || u >= pages {
			return nowhere
		}
		l.links = append(l.links, uint32(u))
		if n--; n == 0 {
			return pos
		}
		v, pos = l.number(kindGap, pos)
		u += int64(v) + 1
	}
}

// merge returns two ascending lists as one, in the memory of to.
func merge(to, a, b []uint32) []uint32 {
	to = slices.Grow(to[:0], len(a)+len(b))[:len(a)+len(b)]
	k := 0
	for _, v := range b {
		for len(a) > 0 && a[0] < v {
			to[k] = a[0]
			a, k = a[1:], k+1
		}
		to[k] = v
		k++
	}
	copy(to[k:], a)
	return to
}

func (l *fittedLists) corrupt(x uint32, pos uint64, why string) error {
	return fmt.Errorf("%w: page %d, near bit %d (byte %d): %s", ErrCorrupt, x, pos, pos/8, why)
}

// A FittedReader reads one list at a time, of any page. It owns the memory of the lists that it
// returns, so every goroutine needs its own.
type FittedReader struct {
	l        fittedLists
	chain    []place
	now, old []uint32
}

// A place is where the list of a page begins.
type place struct {
	page uint32
	bit  uint64
}

// Reader returns a reader.
func (s *Fitted) Reader() *FittedReader { return &FittedReader{l: s.lists()} }

// List returns the list of page x, ascending; valid until the next call.
func (r *FittedReader) List(x uint32) ([]uint32, error) {
	if err := r.follow(x); err != nil {
		return nil, err
	}
	r.now = r.now[:0]
	for i := len(r.chain) - 1; i >= 0; i-- {
		at := r.chain[i]
		r.now, r.old = r.old, r.now
		list, end := r.l.list(r.now, r.old, at.page, at.bit)
		if end > r.l.s.Bits {
			return nil, r.l.corrupt(at.page, at.bit, "blocks, intervals or residuals that do not fit")
		}
		r.now = list
	}
	return slices.Clip(r.now), nil
}

// Degree returns the length of the list of page x. It takes the time of reading the list.
func (r *FittedReader) Degree(x uint32) (int, error) {
	list, err := r.List(x)
	return len(list), err
}

// follow finds the lists that the one of page x refers to, up to one without reference.
func (r *FittedReader) follow(x uint32) error {
	r.chain = r.chain[:0]
	for {
		bit := r.start(x)
		ref, _ := r.l.number(kindRef, bit)
		r.chain = append(r.chain, place{x, bit})
		if ref <= 1 {
			return nil
		}
		if ref-1 > min(x, uint32(r.l.s.Params.Window)) || len(r.chain) > r.l.s.Params.MaxRef {
			return r.l.corrupt(x, bit, "a reference that cannot be")
		}
		x -= ref - 1
	}
}

// start returns where the list of page x begins: it skips the lists behind the last one that
// the index has.
func (r *FittedReader) start(x uint32) uint64 {
	step := uint32(r.l.s.Step)
	bit := r.l.s.index.At(int(x / step))
	for range x % step {
		bit = r.l.skip(bit)
	}
	return bit
}

// A FittedScan reads the lists of pages lo, lo+1, ... hi-1 in order. Only the window is kept.
type FittedScan struct {
	l      fittedLists
	recent [ring][]uint32 // the last lists, by page modulo its length
	lo     uint32
	next   uint32
	hi     uint32
	bit    uint64
	before *FittedReader // of lists before lo
	err    error
}

// Scan starts at page lo and ends before hi.
func (s *Fitted) Scan(lo, hi uint32) *FittedScan {
	c := &FittedScan{l: s.lists()}
	c.Restart(lo, hi)
	return c
}

// Restart makes it a scan from page lo to before hi, with the same memory.
func (c *FittedScan) Restart(lo, hi uint32) {
	c.lo, c.next, c.hi, c.err = lo, lo, hi, nil
	if lo >= hi {
		return
	}
	if c.before == nil {
		c.before = c.l.s.Reader()
	}
	c.bit = c.before.start(lo)
}

// Next reads the next list. It returns false at the end and after an error.
func (c *FittedScan) Next() bool {
	if c.next >= c.hi {
		return false
	}
	x := c.next
	from, err := c.from(x)
	if err != nil {
		return c.fail(err)
	}
	list, end := c.l.list(c.recent[x%ring], from, x, c.bit)
	if end > c.l.s.Bits {
		return c.fail(c.l.corrupt(x, c.bit, "blocks, intervals or residuals that do not fit"))
	}
	c.recent[x%ring], c.bit, c.next = list, end, x+1
	return true
}

// from returns the list that the one of page x refers to.
func (c *FittedScan) from(x uint32) ([]uint32, error) {
	ref, _ := c.l.number(kindRef, c.bit)
	if ref <= 1 {
		return nil, nil
	}
	ref--
	if ref > min(x, uint32(c.l.s.Params.Window)) {
		return nil, c.l.corrupt(x, c.bit, "a reference that cannot be")
	}
	if x-ref < c.lo {
		return c.before.List(x - ref)
	}
	return c.recent[(x-ref)%ring], nil
}

func (c *FittedScan) fail(err error) bool {
	c.err, c.hi = err, 0
	return false
}

// Page returns the page whose list was read last.
func (c *FittedScan) Page() uint32 { return c.next - 1 }

// List returns the list of that page, ascending. It is valid until the next call of Next.
func (c *FittedScan) List() []uint32 { return slices.Clip(c.recent[(c.next-1)%ring]) }

// Err returns the error that ended the scan, nil at a regular end.
func (c *FittedScan) Err() error { return c.err }
