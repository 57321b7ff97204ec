package extsort

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/zeebo/xxh3"
)

// A run is a part of the spill with ascending keys, in blocks:
//
//	8 bytes  checksum of the rest of the block and its place
//	4 bytes  length of the gaps in bytes
//	4 bytes  number of keys, 1 to blockKeys
//	gaps     each key minus the one before it in the block (0 for the first), in
//	         7-bit groups, lowest first
//
// All numbers are little-endian. The file lives no longer than the process, so the
// format has no version.
type run struct {
	start, end int64 // bytes in the spill
	keys       int64
	last       uint64
}

const (
	blockKeys  = 1024
	blockHead  = 16
	maxBlock   = blockHead + blockKeys*binary.MaxVarintLen64
	lengthAt   = 8
	blockCount = 12
)

// runWriter appends a run to the spill.
type runWriter struct {
	spill *spill
	run   run
	buf   []byte // whole blocks not yet written; its capacity is at least maxBlock
	stop  func() error
}

// writeAll appends ascending keys, none below the run's last, and flushes.
func (w *runWriter) writeAll(keys []uint64) error {
	for len(keys) > 0 {
		n := min(blockKeys, len(keys))
		if err := w.writeBlock(keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return w.flush()
}

// writeBlock appends 1 to blockKeys keys as a block.
func (w *runWriter) writeBlock(keys []uint64) error {
	if cap(w.buf)-len(w.buf) < maxBlock {
		if err := w.flush(); err != nil {
			return err
		}
	}
	start := len(w.buf)
	end := start + blockHead + putGaps(w.buf[start+blockHead:cap(w.buf)], keys)
	w.buf = w.buf[:end]
	block := w.buf[start:]
	binary.LittleEndian.PutUint32(block[lengthAt:], uint32(len(block)-blockHead))
	binary.LittleEndian.PutUint32(block[blockCount:], uint32(len(keys)))
	binary.LittleEndian.PutUint64(block, checksum(block[lengthAt:], w.spill.size+int64(start)))
	w.run.keys += int64(len(keys))
	w.run.last = keys[len(keys)-1]
	return nil
}

func (w *runWriter) flush() error {
	if err := w.stop(); err != nil {
		return err
	}
	if err := w.spill.write(w.buf); err != nil {
		return err
	}
	w.buf = w.buf[:0]
	w.run.end = w.spill.size
	return nil
}

// putGaps codes ascending keys; out has room for the longest code of all of them.
func putGaps(out []byte, keys []uint64) (n int) {
	var last uint64
	for _, k := range keys {
		gap := k - last
		last = k
		for gap >= 0x80 {
			out[n] = byte(gap) | 0x80
			n++
			gap >>= 7
		}
		out[n] = byte(gap)
		n++
	}
	return n
}

// gaps decodes len(keys) keys that fill in exactly, or returns an error.
func gaps(keys []uint64, in []byte) bool {
	var last uint64
	at := 0
	for i := range keys {
		gap, shift := uint64(0), 0
		for {
			if at == len(in) || shift > 63 {
				return false
			}
			c := in[at]
			at++
			gap |= uint64(c&0x7f) << shift
			if c < 0x80 {
				break
			}
			shift += 7
		}
		if gap > math.MaxUint64-last {
			return false
		}
		last += gap
		keys[i] = last
	}
	return at == len(in)
}

// runReader reads the keys of a run, a block at a time.
type runReader struct {
	spill *spill
	rest  run    // what has not been read into raw; keys counts those not yet decoded
	raw   []byte // buffer of at least maxBlock bytes
	block []byte // the part of raw that holds bytes not yet decoded
	space []uint64
	keys  []uint64 // the current block
	at    int      // place in keys
}

// load decodes the next block; without an error keys is empty only at the end.
func (r *runReader) load() error {
	r.keys, r.at = nil, 0
	if r.rest.keys == 0 {
		return nil
	}
	place := r.rest.start - int64(len(r.block)) // of the block in the spill
	if err := r.need(blockHead); err != nil {
		return err
	}
	length := int(binary.LittleEndian.Uint32(r.block[lengthAt:]))
	count := int(binary.LittleEndian.Uint32(r.block[blockCount:]))
	if length > maxBlock-blockHead || count < 1 || count > blockKeys || int64(count) > r.rest.keys {
		return r.spill.damaged(place)
	}
	if err := r.need(blockHead + length); err != nil {
		return err
	}
	block := r.block[:blockHead+length]
	keys := r.space[:count]
	if checksum(block[lengthAt:], place) != binary.LittleEndian.Uint64(block) || !gaps(keys, block[blockHead:]) {
		return r.spill.damaged(place)
	}
	r.block = r.block[len(block):]
	r.rest.keys -= int64(count)
	r.keys = keys
	return nil
}

// need reads on until n bytes, at most maxBlock, lie in block.
func (r *runReader) need(n int) error {
	if len(r.block) >= n {
		return nil
	}
	have := copy(r.raw, r.block)
	more := int(min(int64(len(r.raw)-have), r.rest.end-r.rest.start))
	if have+more < n {
		return r.spill.damaged(r.rest.start - int64(have))
	}
	if err := r.spill.read(r.raw[have:have+more], r.rest.start); err != nil {
		return err
	}
	r.rest.start += int64(more)
	r.block = r.raw[:have+more]
	return nil
}

// File holds the runs: written at its end, read anywhere. Closing it removes it.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// createTemp makes a file and removes its name at once. Where a file in use cannot be
// removed, Close removes it.
func createTemp(dir string) (File, error) {
	f, err := os.CreateTemp(dir, "winnow-sort-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) == nil {
		return f, nil
	}
	return named{f}, nil
}

type named struct{ *os.File }

func (f named) Close() error {
	return errors.Join(f.File.Close(), os.Remove(f.Name()))
}

// A spill is the file of the runs with what errors need.
type spill struct {
	file File
	dir  string
	size int64
}

func newSpill(opts Options) (*spill, error) {
	dir := cmp.Or(opts.Dir, os.TempDir())
	f, err := opts.Create(dir)
	if err != nil {
		return nil, fmt.Errorf("create a file for sorting in %s: %w", dir, cause(err))
	}
	return &spill{file: f, dir: dir}, nil
}

// cause strips the name of a hidden file from an error of package os.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

func (s *spill) write(p []byte) error {
	n, err := s.file.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write sort run in %s: %w", s.dir, cause(err))
	}
	s.size += int64(n)
	return nil
}

// read fills p, which must lie within what was written.
func (s *spill) read(p []byte, at int64) error {
	n, err := s.file.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read sort run in %s: %w", s.dir, cause(err))
}

func (s *spill) damaged(at int64) error {
	return fmt.Errorf("read sort run in %s: damaged at byte %d", s.dir, at)
}

func (s *spill) close() error {
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("remove sort runs in %s: %w", s.dir, cause(err))
	}
	return nil
}

// checksum covers the place of a block too, so that a block that lands somewhere
// else is not taken for the one that belongs there.
func checksum(block []byte, at int64) uint64 { return xxh3.HashSeed(block, uint64(at)) }
