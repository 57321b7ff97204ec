package bv

// A Scan reads the lists of pages lo, lo+1, ... hi-1 in order. Nothing but the
// window is kept, so memory does not depend on the size of the graph.
type Scan struct {
	l      listReader
	recent [][]uint32 // ring of the last Window+1 lists, by page modulo its length
	next   uint32
	hi     uint32
	list   []uint32
	pos    uint64
	err    error
}

// Scan starts at page 0.
func (s *Stream) Scan() *Scan {
	return &Scan{l: s.listReader(), recent: make([][]uint32, s.Params.Window+1), hi: uint32(s.Pages)}
}

// ScanFrom starts at page lo and ends before hi; the index finds the place.
func (s *Stream) ScanFrom(x *Index, lo, hi uint32) *Scan {
	c := s.Scan()
	c.next, c.hi = lo, hi
	if lo >= hi {
		return c
	}
	r := s.Reader(x)
	for p := lo - min(lo, uint32(s.Params.Window)); p < lo; p++ {
		list, err := r.List(p)
		if err != nil {
			c.err = err
			return c
		}
		slot := int(p) % len(c.recent)
		c.recent[slot] = append([]uint32(nil), list...)
	}
	c.l.r.pos = x.At(int(lo))
	return c
}

// Next reads the next list. It is false at the end and after an error.
func (c *Scan) Next() bool {
	if c.next >= c.hi || c.err != nil {
		return false
	}
	x := c.next
	c.pos = c.l.r.pos
	degree, ref, err := c.l.head(x)
	if err != nil {
		c.err = err
		return false
	}
	slot := int(x) % len(c.recent)
	dst := c.recent[slot][:0]
	if ref > 0 {
		dst, err = c.l.tailFrom(x, degree, c.recent[int(x-uint32(ref))%len(c.recent)], dst)
	} else {
		dst, err = c.l.readExtras(x, degree, dst)
	}
	if err != nil {
		c.err = err
		return false
	}
	c.recent[slot], c.list = dst, dst
	c.next++
	return true
}

// Page is the page whose list was read last.
func (c *Scan) Page() uint32 { return c.next - 1 }

// List is its list, ascending; valid until the next call of Next.
func (c *Scan) List() []uint32 { return c.list }

// Start is the bit at which the list begins.
func (c *Scan) Start() uint64 { return c.pos }

// Bit is the bit behind the list.
func (c *Scan) Bit() uint64 { return c.l.r.pos }

// Err is the error that ended the scan, nil at a regular end.
func (c *Scan) Err() error { return c.err }
