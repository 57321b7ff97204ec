package bv

// A Reader reads one list at a time, of any page. It owns the space the lists are
// returned in, so every goroutine needs its own.
type Reader struct {
	l     listReader
	index *Index
	bufs  [][]uint32 // one per link of the chain of references
}

// Reader returns a reader; index says where lists begin.
func (s *Stream) Reader(index *Index) *Reader { return &Reader{l: listReader{s: s}, index: index} }

// List returns the list of page x, ascending; valid until the next call.
func (r *Reader) List(x uint32) ([]uint32, error) { return r.list(x, 0) }

// Degree returns its length without reading the list.
func (r *Reader) Degree(x uint32) (int, error) {
	d, _ := r.l.s.codes.readGamma(r.l.s.bytes, r.index.At(int(x)))
	if d > uint64(r.l.s.Pages) {
		return 0, r.l.corrupt(x, "degree above the number of pages")
	}
	return int(d), nil
}

// list reads the list of x into the buffer of its depth in the chain.
func (r *Reader) list(x uint32, depth int) ([]uint32, error) {
	r.l.pos = r.index.At(int(x))
	degree, ref, err := r.l.head(x)
	if err != nil {
		return nil, err
	}
	if depth == len(r.bufs) {
		if depth > r.l.s.Params.MaxRef {
			return nil, r.l.corrupt(x, "chain of references too long")
		}
		r.bufs = append(r.bufs, nil)
	}
	var from []uint32
	if ref > 0 {
		pos := r.l.pos
		if from, err = r.list(x-uint32(ref), depth+1); err != nil {
			return nil, err
		}
		r.l.pos = pos
	}
	r.bufs[depth], err = r.l.tail(x, degree, ref, from, r.bufs[depth])
	return r.bufs[depth], err
}
