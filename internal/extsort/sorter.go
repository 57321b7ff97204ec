// Package extsort sorts more 64-bit keys than fit in memory, and drops repeated ones. The
// import of a graph uses it with links packed as source<<32|target: once for the out-links
// of each page, and again with the halves exchanged for the in-links.
//
// Keys gather in a buffer. When it is full it is sorted by its digits (radix.go)
// and written as a run: blocks of gaps in variable length, each with a checksum
// (run.go). In the end the runs are merged (merge.go). Two frequent cases cost
// less: what fits in the buffer never touches the disk, and keys that arrive in
// order are not sorted but go through as one single run.
//
// All memory of any size, the buffer, the second buffer that sorting needs and those of the
// merge, is one stretch of Options.Memory bytes outside the Go heap. It is reserved at the
// first key and taken as it is written to: sorting a thousand keys takes a few pages of it,
// and Close returns all of it at once.
//
// Runs lie in one file in Options.Dir, which has no name from the start where the
// system allows that, so that even a killed process leaves nothing behind. A run
// damaged on disk is an error, never a wrong key.
package extsort

import (
	"cmp"
	"errors"
	"fmt"
)

const (
	// MinMemory is the least memory of a Sorter; a smaller value means MinMemory.
	MinMemory = 128 << 10
	// DefaultMemory is the memory of a Sorter if Options has none.
	DefaultMemory = 64 << 20

	// maxRun is the most keys sorted in memory at once, since positions are
	// counted in 32 bits; both buffers are 64 GiB then, and more is of no use.
	maxRun    = 1<<32 - 1
	maxMemory = 2*8*maxRun + maxOut
)

// Options configure a Sorter. The zero value is usable.
type Options struct {
	// Memory is the number of bytes for all buffers together.
	Memory int64

	// Dir is where runs are written; "" is the system's temporary directory.
	Dir string

	// LowSorted promises that keys arrive in such an order that a stable sort by their high
	// 32 bits alone puts them in full order: their low halves never fall. Transposing a
	// graph page by page is like that, and sorting then costs half. It is an error if they
	// do not.
	LowSorted bool

	// Stop, if given, is called within Add and Sort: in every pass of sorting the
	// buffer, once in pieceSort keys or less (some 5 ms), and before each write to
	// disk, of a new run or of merged ones. An error from it ends the sort and is
	// returned. It is not called by the pass that drops repeated keys, nor by the last
	// merge, which happens as the Iterator is read: its reader can stop at any key.
	Stop func() error

	// Create makes the file for the runs; nil is a temporary file without a name.
	// It is for tests, which need a full disk.
	Create func(dir string) (File, error)
}

// A Sorter takes keys by Add. Sort then returns an Iterator over them in order. It has one
// owner and no lock. Close must be called in every case.
type Sorter struct {
	opts Options
	mem  memory

	keys []uint64 // the buffer: keys[:n] have arrived since the last run
	n    int
	last uint64 // the key added last
	or   uint64 // of all keys in the buffer: bits that are ever set,
	and  uint64 // bits that are always set
	asc  bool   // the keys in the buffer arrived in order

	spill *spill
	runs  []run
	dups  int64 // dropped before the last merge
	added int64

	it  *Iterator
	err error // ends everything
}

// New returns a new Sorter. Nothing is allocated before the first key.
func New(opts Options) *Sorter {
	opts.Memory = min(max(cmp.Or(opts.Memory, DefaultMemory), MinMemory), maxMemory)
	if opts.Stop == nil {
		opts.Stop = func() error { return nil }
	}
	if opts.Create == nil {
		opts.Create = createTemp
	}
	s := &Sorter{opts: opts}
	s.empty()
	return s
}

// empty makes the buffer ready for the next run.
func (s *Sorter) empty() {
	s.n, s.last, s.or, s.and, s.asc = 0, 0, 0, ^uint64(0), true
}

// Add adds a key. After an error every further call returns that error.
func (s *Sorter) Add(key uint64) error {
	if s.n == len(s.keys) {
		if err := s.room(); err != nil {
			return err
		}
	}
	s.keys[s.n] = key
	s.n++
	s.or |= key
	s.and &= key
	if key < s.last {
		s.asc = false
	}
	s.last = key
	return nil
}

// room empties the buffer into a run, or makes the buffer at the first key.
func (s *Sorter) room() error {
	switch {
	case s.err != nil:
		return s.err
	case s.it != nil:
		return errors.New("extsort: Add after Sort")
	case s.keys != nil:
		return s.fail(s.writeRun())
	}
	mem, err := reserveMost(s.opts.Memory)
	if err != nil {
		return s.fail(fmt.Errorf("reserve %d bytes for sorting: %w", s.opts.Memory, err))
	}
	s.mem = mem
	s.keys, _ = s.mem.halves()
	return nil
}

// fail keeps the first error; from then on Add finds no room.
func (s *Sorter) fail(err error) error {
	if err != nil {
		s.err = err
		s.keys, s.n = nil, 0
	}
	return err
}

// sorted puts the buffer in order, checks that, and drops repeated keys.
func (s *Sorter) sorted() ([]uint64, error) {
	first, second := s.mem.halves()
	keys := first[:s.n]
	if !s.asc {
		var err error
		if keys, err = radixSort(keys, second[:s.n], s.varying(), s.opts.Stop); err != nil {
			return nil, err
		}
	}
	n, ok := compact(keys)
	if !ok {
		return nil, errors.New("extsort: keys do not arrive with their low halves ascending, as LowSorted promised")
	}
	s.dups += int64(len(keys) - n)
	s.added += int64(len(keys))
	return keys[:n], nil
}

// varying returns the bits to sort by: those in which keys of the buffer differ.
func (s *Sorter) varying() uint64 {
	v := s.or &^ s.and
	if s.opts.LowSorted {
		v &^= 1<<32 - 1
	}
	return v
}

// compact moves the distinct keys of an ascending slice to its front, or reports that
// it is not ascending.
func compact(keys []uint64) (n int, ok bool) {
	var last uint64
	for i, k := range keys {
		if k < last {
			return 0, false
		}
		keys[n] = k
		if k != last || i == 0 {
			n++
		}
		last = k
	}
	return n, true
}

// writeRun sorts the buffer and writes it, as a new run or, when it lies above the
// last run, as more of that one: input in order makes a single run however long.
func (s *Sorter) writeRun() error {
	keys, err := s.sorted()
	if err != nil {
		return err
	}
	if s.spill == nil {
		if s.spill, err = newSpill(s.opts); err != nil {
			return err
		}
	}
	w := runWriter{spill: s.spill, buf: s.mem.out()[:0], stop: s.opts.Stop}
	if n := len(s.runs); n > 0 && keys[0] >= s.runs[n-1].last {
		w.run = s.runs[n-1]
		s.runs = s.runs[:n-1]
		if keys[0] == w.run.last {
			keys = keys[1:]
			s.dups++
		}
	} else {
		w.run = run{start: s.spill.size, end: s.spill.size}
	}
	if err := w.writeAll(keys); err != nil {
		return err
	}
	s.runs = append(s.runs, w.run)
	s.empty()
	return nil
}

// Sort ends the adding and returns the keys in ascending order.
func (s *Sorter) Sort() (*Iterator, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.it != nil {
		return nil, errors.New("extsort: Sort after Sort")
	}
	it, err := s.sort()
	if s.fail(err) != nil {
		return nil, err
	}
	s.it = it
	s.keys, s.n = nil, 0
	return it, nil
}

func (s *Sorter) sort() (*Iterator, error) {
	if s.keys == nil { // no key was added
		return &Iterator{s: s}, nil
	}
	if len(s.runs) == 0 {
		keys, err := s.sorted()
		return &Iterator{s: s, batch: keys}, err
	}
	if s.n > 0 {
		if err := s.writeRun(); err != nil {
			return nil, err
		}
	}
	if err := s.reduce(); err != nil {
		return nil, err
	}
	it := &Iterator{s: s}
	it.Rewind()
	return it, it.err
}

// reduce merges runs until the rest can be merged at once, within the memory that
// we have. It takes the fewest and oldest that will do: with one run too many, two.
func (s *Sorter) reduce() error {
	fan := s.mem.fan()
	for len(s.runs) > fan {
		n := min(fan, len(s.runs)-fan+1)
		r, err := s.mergeRuns(s.runs[:n])
		if err != nil {
			return err
		}
		s.runs = append(s.runs[n:], r)
	}
	return nil
}

// mergeRuns writes the keys of several runs as one.
func (s *Sorter) mergeRuns(runs []run) (run, error) {
	m, err := newMerge(s.spill, runs, &s.mem)
	if err != nil {
		return run{}, err
	}
	w := runWriter{spill: s.spill, buf: s.mem.out()[:0], stop: s.opts.Stop}
	w.run = run{start: s.spill.size, end: s.spill.size}
	for {
		keys := s.mem.batch()
		keys = keys[:m.fill(keys)]
		if m.err != nil {
			return run{}, m.err
		}
		if len(keys) == 0 {
			s.dups += m.dups
			return w.run, w.flush()
		}
		if err := w.writeBlock(keys); err != nil {
			return run{}, err
		}
	}
}

// Stats describes the work of a sort.
type Stats struct {
	Keys    int64 // added
	Runs    int   // in the last merge; 0 when all was done in memory
	Written int64 // bytes written to Dir
}

// Stats returns statistics of the sort. It may be called after Sort.
func (s *Sorter) Stats() Stats {
	st := Stats{Keys: s.added, Runs: len(s.runs)}
	if s.spill != nil {
		st.Written = s.spill.size
	}
	return st
}

var errClosed = errors.New("extsort: closed")

// Close releases the memory and removes what was written. The iterator ends.
func (s *Sorter) Close() error {
	if s.it != nil {
		s.it.end(errClosed)
	}
	if s.err == nil {
		s.err = errClosed
	}
	s.keys, s.n = nil, 0
	s.mem.release()
	if s.spill == nil {
		return nil
	}
	err := s.spill.close()
	s.spill = nil
	return err
}
