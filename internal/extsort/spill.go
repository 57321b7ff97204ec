package extsort

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/zeebo/xxh3"
)

// File holds the runs: written at its end, read anywhere. Closing it removes it.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// createTemp makes a file and takes its name away at once. Where a file in use
// cannot be removed, Close does it.
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
	dir := opts.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := opts.Create(dir)
	if err != nil {
		return nil, fmt.Errorf("create a file for sorting in %s: %w", dir, cause(err))
	}
	return &spill{file: f, dir: dir}, nil
}

// cause strips the name of a file that nobody can see from an error of package os.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
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
