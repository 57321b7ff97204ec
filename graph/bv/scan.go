package bv

// minSpace is the least number of links a Scan has space for: 64 KiB.
const minSpace = 1 << 14

// ring is more than the largest window, and a power of two.
const ring = 32

// A Scan reads the lists of pages lo, lo+1, ... hi-1 in order. Nothing but the
// window is kept, so memory does not depend on the size of the graph.
type Scan struct {
	l      listReader
	index  *Index
	recent [ring]span // of the last lists, by page modulo its length: a window and one more
	list   span       // of the last one
	end    uint64     // where the next list may be put in the space
	next   uint32
	hi     uint32
	start  uint64
	bit    uint64
	err    error
}

// Scan starts at page 0.
func (s *Stream) Scan() *Scan {
	return &Scan{l: s.lists(), hi: uint32(s.Pages)}
}

// ScanFrom starts at page lo and ends before hi; the index finds the place.
func (s *Stream) ScanFrom(x *Index, lo, hi uint32) *Scan {
	c := s.Scan()
	c.index = x
	c.Restart(lo, hi)
	return c
}

// Restart makes it a scan from page lo to before hi of the same stream, with the same
// memory. It must have been made by ScanFrom.
func (c *Scan) Restart(lo, hi uint32) {
	x := c.index
	*c = Scan{l: c.l, index: x, next: lo, hi: hi}
	if lo >= hi {
		return
	}
	needed := c.before(x)
	var r *Reader
	for p := lo - min(lo, uint32(c.l.s.Params.Window)); p < lo; p++ {
		if !needed[p%ring] {
			continue
		}
		if r == nil {
			r = c.l.s.Reader(x)
		}
		list, err := r.List(p)
		if err != nil {
			c.fail(err)
			return
		}
		c.makeRoom(p, uint64(len(list)))
		c.put(p, span{c.end, c.end + uint64(len(list))})
		copy(c.l.space[c.list.lo:c.list.hi], list)
	}
	c.bit = x.At(int(lo))
}

// before returns, by page modulo ring, which lists before the first one are referred to.
// Some of them may be very long, so only those that are needed are read.
func (c *Scan) before(x *Index) (needed [ring]bool) {
	lo, window := c.next, uint32(c.l.s.Params.Window)
	for p := lo; p < c.hi && p-lo < window; p++ {
		_, ref, _, ok := c.l.head(p, x.At(int(p)))
		if ok && ref > uint64(p-lo) {
			needed[(uint64(p)-ref)%ring] = true
		}
	}
	return needed
}

// Next reads the next list. It returns false at the end and after an error.
func (c *Scan) Next() bool {
	x := c.next
	if x >= c.hi {
		return false
	}
	degree, ref, r, ok := c.l.head(x, c.bit)
	if !ok {
		c.fail(c.l.corrupt(x, c.bit, "a degree or a reference that cannot be"))
		return false
	}
	from := c.recent[(uint64(x)-ref)%ring]
	if need := room(from.len(), degree); need > uint64(len(c.l.space))-c.end {
		c.makeRoom(x, need)
		from = c.recent[(uint64(x)-ref)%ring]
	}
	list, r := c.l.tail(x, degree, ref, from, c.end, r)
	if r.pos > c.l.s.Bits {
		c.fail(c.l.corrupt(x, c.bit, "blocks, intervals or residuals that do not fit"))
		return false
	}
	c.start, c.bit = c.bit, r.pos
	c.put(x, list)
	c.next = x + 1
	return true
}

// put records the place of the list of page x.
func (c *Scan) put(x uint32, list span) {
	c.list, c.end = list, list.hi
	c.recent[x%ring] = list
}

// fail ends the scan.
func (c *Scan) fail(err error) { c.err, c.hi, c.list = err, 0, span{} }

// makeRoom makes need elements of the space free behind the lists: it moves those
// that page x may refer to to its beginning. The space grows until a multiple of
// what was moved is free then, so that moving costs less than decoding.
func (c *Scan) makeRoom(x uint32, need uint64) {
	first := x - min(x, uint32(c.l.s.Params.Window))
	kept := uint64(0)
	for p := first; p < x; p++ {
		kept += c.recent[p%ring].len()
	}
	old := c.l.space
	if 3*kept+need > uint64(len(old)) {
		c.l.space = make([]uint32, 3*kept+need+minSpace)
	}
	c.end = 0
	for p := first; p < x; p++ {
		l := &c.recent[p%ring]
		n := uint64(copy(c.l.space[c.end:], old[l.lo:l.hi]))
		*l = span{c.end, c.end + n}
		c.end += n
	}
}

// Page returns the page whose list was read last.
func (c *Scan) Page() uint32 { return c.next - 1 }

// List returns the list of that page, ascending. It is valid until the next call of Next.
func (c *Scan) List() []uint32 { return c.l.space[c.list.lo:c.list.hi:c.list.hi] }

// Start returns the bit at which the list begins.
func (c *Scan) Start() uint64 { return c.start }

// Bit returns the bit behind the list.
func (c *Scan) Bit() uint64 { return c.bit }

// Err returns the error that ended the scan, nil at a regular end.
func (c *Scan) Err() error { return c.err }
