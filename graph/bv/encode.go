package bv

import (
	"fmt"
	"io"
)

// Params holds the parameters of the format, as in a .properties file.
type Params struct {
	Window      int // how many lists back a reference may reach
	MaxRef      int // longest chain of references
	MinInterval int // shortest run of consecutive ids kept as an interval; 0: none
	ZetaK       int // the k of the residuals' zeta code
}

// Default holds the parameters that WebGraph itself uses.
var Default = Params{Window: 7, MaxRef: 3, MinInterval: 4, ZetaK: 3}

// Store holds the parameters that are fastest to read at nearly the same size: short
// intervals take more time than the residuals they replace.
var Store = Params{Window: 7, MaxRef: 3, MinInterval: 8, ZetaK: 3}

// Check returns an error if this codec does not support the parameters.
func (p Params) Check() error {
	switch {
	case p.Window < 0 || p.Window > 31:
		return fmt.Errorf("window size %d is not in 0..31", p.Window)
	case p.MaxRef < 0:
		return fmt.Errorf("maximum reference count %d is negative", p.MaxRef)
	case p.MinInterval < 0 || p.MinInterval == 1:
		return fmt.Errorf("minimum interval length %d is neither 0 nor above 1", p.MinInterval)
	case p.ZetaK < 1 || p.ZetaK > 11:
		return fmt.Errorf("zeta k %d is not in 1..11", p.ZetaK)
	}
	return nil
}

// A Chunk is an encoded stretch of lists. References never leave it, so chunks
// can be made side by side and put together in order; the bits depend on the
// lists alone.
type Chunk struct {
	First  uint32   // page of the first list
	Bytes  []byte   // the lists, one after the other
	Bits   uint64   // their length
	Starts []uint64 // bit at which each list begins
	Links  int64
}

// An Encoder turns lists into a chunk. It may be used again after Reset.
type Encoder struct {
	p     Params
	w     bitWriter
	chunk Chunk

	recent    [][]uint32 // ring of the last Window+1 lists, by page modulo its length
	depth     []int      // length of the chain of references behind each
	best, try diff
}

// NewEncoder returns an encoder for a chunk whose first list is that of page first.
func NewEncoder(p Params, first uint32) *Encoder {
	e := &Encoder{p: p, recent: make([][]uint32, p.Window+1), depth: make([]int, p.Window+1)}
	e.Reset(first)
	return e
}

// Reset starts a new chunk. The bytes of the last one are reused.
func (e *Encoder) Reset(first uint32) {
	e.w = bitWriter{buf: e.w.buf[:0]}
	e.chunk = Chunk{First: first, Starts: e.chunk.Starts[:0]}
}

// Chunk ends the chunk and returns it; it is valid until Reset.
func (e *Encoder) Chunk() *Chunk {
	e.chunk.Bits = e.w.bits
	e.chunk.Bytes = e.w.flush()
	return &e.chunk
}

// Add appends the list of the next page: ids strictly ascending.
func (e *Encoder) Add(list []uint32) {
	n := len(e.chunk.Starts)
	e.chunk.Starts = append(e.chunk.Starts, e.w.bits)
	e.chunk.Links += int64(len(list))
	x := e.chunk.First + uint32(n)

	slot := n % len(e.recent)
	e.recent[slot] = append(e.recent[slot][:0], list...)
	ref := e.choose(x, n, list)
	e.depth[slot] = 0
	if ref > 0 {
		e.depth[slot] = e.depth[(n-ref)%len(e.recent)] + 1
	}
	e.write(x, len(list), ref)
}

// What choose adds to the bits of a list with a reference. Once a chain is MaxRef long
// nothing may refer to its last list, so a list deep in a chain is of less use to
// those behind it: counting the depth makes streams smaller in all. The other two
// are for speed: a reference or a block that saves no more than a few bits is not
// worth its time. Together, with Default, cnr-2000 takes 3.31 bits a link forward and
// 2.85 backward instead of 3.56 and 2.84, apache-sites 3.05 and 2.49 instead of 3.22
// and 2.54, and chains are 13 to 57 % shorter, which random access gains.
const (
	depthPenalty = 8 // for every link of the chain behind the list referred to
	refPenalty   = 4
	blockPenalty = 1
)

// choose sets e.best to the cheapest way to write the list and returns its reference.
func (e *Encoder) choose(x uint32, n int, list []uint32) (ref int) {
	if len(list) == 0 {
		return 0
	}
	e.best.make(list, nil, e.p)
	cost := e.best.cost(x, 0, e.p, 1<<62)
	for r := 1; r <= min(e.p.Window, n); r++ {
		slot := (n - r) % len(e.recent)
		if e.depth[slot] >= e.p.MaxRef || len(e.recent[slot]) == 0 {
			continue
		}
		e.try.make(list, e.recent[slot], e.p)
		penalty := refPenalty + depthPenalty*e.depth[slot] + blockPenalty*len(e.try.blocks)
		if c := e.try.cost(x, r, e.p, cost-penalty) + penalty; c < cost {
			cost, ref = c, r
			e.best, e.try = e.try, e.best
		}
	}
	return ref
}

func (e *Encoder) write(x uint32, degree, ref int) {
	w, d := &e.w, &e.best
	w.gamma(uint64(degree))
	if degree == 0 {
		return
	}
	if e.p.Window > 0 {
		w.unary(uint64(ref))
	}
	if ref > 0 {
		w.gamma(uint64(len(d.blocks)))
		for i, b := range d.blocks {
			w.gamma(uint64(b - min(i, 1)))
		}
	}
	if d.extras == 0 {
		return
	}
	if e.p.MinInterval > 0 {
		e.writeIntervals(x)
	}
	prev := int64(x)
	for i, v := range d.residuals {
		if i == 0 {
			w.zeta(int2nat(int64(v)-prev), uint(e.p.ZetaK))
		} else {
			w.zeta(uint64(int64(v)-prev-1), uint(e.p.ZetaK))
		}
		prev = int64(v)
	}
}

func (e *Encoder) writeIntervals(x uint32) {
	w, d := &e.w, &e.best
	w.gamma(uint64(len(d.intervals)))
	prev := int64(x)
	for i, v := range d.intervals {
		if i == 0 {
			w.gamma(int2nat(int64(v.left) - prev))
		} else {
			w.gamma(uint64(int64(v.left) - prev - 1))
		}
		w.gamma(uint64(v.len - e.p.MinInterval))
		prev = int64(v.left) + int64(v.len)
	}
}

// A diff is one way to write a list: which blocks of the reference it shares and
// what it adds to them.
type diff struct {
	blocks    []int // alternately copied and skipped elements of the reference
	extras    int   // links not copied: those in intervals and the residuals
	intervals []interval
	residuals []uint32
}

type interval struct {
	left uint32
	len  int
}

func (d *diff) make(list, ref []uint32, p Params) {
	d.blocks, d.residuals, d.intervals = d.blocks[:0], d.residuals[:0], d.intervals[:0]
	d.compare(list, ref)
	d.extras = len(d.residuals)
	if p.MinInterval > 0 {
		d.takeIntervals(p.MinInterval)
	}
}

// compare walks both lists side by side: shared elements go into blocks, the
// others into residuals.
func (d *diff) compare(list, ref []uint32) {
	copying, run, k := true, 0, 0
	for j := 0; j < len(list); {
		if k == len(ref) {
			d.residuals = append(d.residuals, list[j:]...)
			return
		}
		a, b := list[j], ref[k]
		if a < b {
			d.residuals = append(d.residuals, a)
			j++
			continue
		}
		if (a == b) != copying {
			d.blocks = append(d.blocks, run)
			copying, run = !copying, 0
		}
		if a == b {
			j++
		}
		k++
		run++
	}
	if copying && k < len(ref) {
		d.blocks = append(d.blocks, run) // the rest of the reference is skipped
	}
}

// takeIntervals moves runs of at least least consecutive ids out of the residuals.
func (d *diff) takeIntervals(least int) {
	res, kept := d.residuals, 0
	for i := 0; i < len(res); {
		j := i + 1
		for j < len(res) && res[j] == res[j-1]+1 {
			j++
		}
		if j-i >= least {
			d.intervals = append(d.intervals, interval{res[i], j - i})
		} else {
			kept += copy(res[kept:], res[i:j])
		}
		i = j
	}
	d.residuals = res[:kept]
}

// cost returns the number of bits the diff takes behind the degree; once it is above
// limit the sum is cut short.
func (d *diff) cost(x uint32, ref int, p Params, limit int) int {
	c := unaryLen(uint64(ref))
	if ref > 0 {
		c += gammaLen(uint64(len(d.blocks)))
		for i, b := range d.blocks {
			c += gammaLen(uint64(b - min(i, 1)))
		}
	}
	if d.extras == 0 || c > limit {
		return c
	}
	if p.MinInterval > 0 {
		c += d.intervalCost(x, p.MinInterval)
	}
	prev := int64(x)
	for i, v := range d.residuals {
		if i == 0 {
			c += zetaLen(int2nat(int64(v)-prev), p.ZetaK)
		} else {
			c += zetaLen(uint64(int64(v)-prev-1), p.ZetaK)
		}
		prev = int64(v)
	}
	return c
}

func (d *diff) intervalCost(x uint32, least int) int {
	c := gammaLen(uint64(len(d.intervals)))
	prev := int64(x)
	for i, v := range d.intervals {
		if i == 0 {
			c += gammaLen(int2nat(int64(v.left) - prev))
		} else {
			c += gammaLen(uint64(int64(v.left) - prev - 1))
		}
		c += gammaLen(uint64(v.len - least))
		prev = int64(v.left) + int64(v.len)
	}
	return c
}

// A Joiner puts chunks together into one stream. Call Drain from time to time to write what
// is complete, so that memory stays small. Only the starts of the lists are kept: 8 bytes a
// page.
type Joiner struct {
	w      bitWriter
	starts []uint64
	links  int64
}

// NewJoiner returns a joiner with room for that many pages.
func NewJoiner(pages int) *Joiner { return &Joiner{starts: make([]uint64, 0, pages+1)} }

// Add appends a chunk; chunks come in page order.
func (j *Joiner) Add(c *Chunk) {
	base := j.w.bits
	for _, s := range c.Starts {
		j.starts = append(j.starts, base+s)
	}
	j.w.append(c.Bytes, c.Bits)
	j.links += c.Links
}

// Drain writes the whole bytes that are there.
func (j *Joiner) Drain(w io.Writer) error {
	_, err := w.Write(j.w.buf)
	j.w.buf = j.w.buf[:0]
	return err
}

// Finish writes what is left, the last byte filled up with zeros.
func (j *Joiner) Finish(w io.Writer) error {
	j.w.flush()
	return j.Drain(w)
}

// Bits returns the length of the stream so far.
func (j *Joiner) Bits() uint64 { return j.w.bits }

// Links returns the number of links so far.
func (j *Joiner) Links() int64 { return j.links }

// Starts returns where each list begins and, last, the end of the stream.
func (j *Joiner) Starts() []uint64 { return append(j.starts, j.w.bits) }
