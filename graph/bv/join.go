package bv

import "io"

// A Joiner puts chunks together into one stream. What is complete is given to
// Finish from time to time, so that memory stays small; only where the lists
// begin is kept: 8 bytes a page.
type Joiner struct {
	w      bitWriter
	starts []uint64
	links  int64
}

// NewJoiner makes room for that many pages.
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

// Bits is the length of the stream so far.
func (j *Joiner) Bits() uint64 { return j.w.bits }

// Links is the number of links so far.
func (j *Joiner) Links() int64 { return j.links }

// Starts is where each list begins and, last, the end of the stream.
func (j *Joiner) Starts() []uint64 { return append(j.starts, j.w.bits) }
