package bv

// ring is more than the largest window, and a power of two.
const ring = 32

// A Scan reads the lists of pages lo, lo+1, ... hi-1 in order. Nothing but the
// window is kept, so memory does not depend on the size of the graph.
type Scan struct {
	l      listReader
	recent [ring][]uint32 // ring of the last lists, by page modulo its length: a window and one more
	next   uint32
	hi     uint32
	list   []uint32
	pos    uint64
	err    error
}

// Scan starts at page 0.
func (s *Stream) Scan() *Scan {
	return &Scan{l: listReader{s: s}, hi: uint32(s.Pages)}
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
		c.recent[p%ring] = append([]uint32(nil), list...)
	}
	c.l.pos = x.At(int(lo))
	return c
}

// Next reads the next list. It is false at the end and after an error.
func (c *Scan) Next() bool {
	if c.next >= c.hi || c.err != nil {
		return false
	}
	x := c.next
	c.pos = c.l.pos
	degree, ref, err := c.l.head(x)
	if err != nil {
		c.err = err
		return false
	}
	c.list, err = c.l.tail(x, degree, ref, c.recent[(x-uint32(ref))%ring], c.recent[x%ring])
	if err != nil {
		c.err = err
		return false
	}
	c.recent[x%ring] = c.list
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
func (c *Scan) Bit() uint64 { return c.l.pos }

// Err is the error that ended the scan, nil at a regular end.
func (c *Scan) Err() error { return c.err }
