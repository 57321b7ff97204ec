package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"
)

// A fileWriter writes a graph file under a temporary name beside its final one.
// Only finish makes it visible, whole and synced; abort removes it. A file left
// by a killed process is written over by the next import of the same name.
type fileWriter struct {
	path, partial string
	f             *os.File
	block         []byte   // bytes not yet written, at most blockSize
	sums          []uint64 // of the blocks written
	offset        uint64   // of the next byte
	open          int      // index of the section being written, or -1
	h             header
}

func createFile(path string) (*fileWriter, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	partial := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("create graph %q: %w", path, err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("create graph %q: another process is writing it (%s is locked)", path, partial)
	}
	w := &fileWriter{path: path, partial: partial, f: f, open: -1, offset: headerSize, block: make([]byte, 0, blockSize)}
	if err := f.Truncate(0); err != nil {
		w.abort()
		return nil, fmt.Errorf("create graph %q: %w", path, err)
	}
	return w, nil
}

// begin starts a section; what is written until end belongs to it.
func (w *fileWriter) begin(name string) error {
	if err := w.align(); err != nil {
		return err
	}
	w.open = len(w.h.sections)
	w.h.sections = append(w.h.sections, section{name: name, offset: w.offset})
	return nil
}

func (w *fileWriter) end(extra uint64) {
	s := &w.h.sections[w.open]
	s.length, s.extra = w.offset-s.offset, extra
	w.open = -1
}

// section writes a section whose bytes are at hand.
func (w *fileWriter) section(name string, b []byte, extra uint64) error {
	if err := w.begin(name); err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	w.end(extra)
	return nil
}

func (w *fileWriter) align() error {
	var zeros [sectionAlign]byte
	_, err := w.Write(zeros[:(sectionAlign-w.offset%sectionAlign)%sectionAlign])
	return err
}

// Write adds bytes and their checksums.
func (w *fileWriter) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		k := min(len(b), blockSize-len(w.block))
		w.block = append(w.block, b[:k]...)
		b = b[k:]
		w.offset += uint64(k)
		if len(w.block) == blockSize {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func (w *fileWriter) flush() error {
	w.sums = append(w.sums, xxh3.Hash(w.block))
	_, err := w.f.WriteAt(w.block, int64(w.offset)-int64(len(w.block)))
	w.block = w.block[:0]
	return w.wrap(err)
}

func (w *fileWriter) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write graph %q: %w", w.path, err)
}

// view maps what has been written so far, for reading a section back; done gives
// the mapping up.
func (w *fileWriter) view(name string) (b []byte, done func(), err error) {
	if _, err := w.f.WriteAt(w.block, int64(w.offset)-int64(len(w.block))); err != nil {
		return nil, nil, w.wrap(err)
	}
	s, _ := w.h.section(name)
	all, err := unix.Mmap(int(w.f.Fd()), 0, int(w.offset), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("read back section %q of graph %q: %w", name, w.path, err)
	}
	return all[s.offset : s.offset+s.length], func() { _ = unix.Munmap(all) }, nil
}

// finish writes checksums and header, syncs, and gives the file its name.
func (w *fileWriter) finish() error {
	if err := w.align(); err != nil {
		return err
	}
	w.h.sums = w.offset
	if len(w.block) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	tail := make([]byte, 0, len(w.sums)*8+8)
	for _, s := range w.sums {
		tail = binary.LittleEndian.AppendUint64(tail, s)
	}
	tail = binary.LittleEndian.AppendUint64(tail, xxh3.Hash(tail))
	w.h.size = w.h.sums + uint64(len(tail))
	if _, err := w.f.WriteAt(tail, int64(w.h.sums)); err != nil {
		return w.wrap(err)
	}
	if _, err := w.f.WriteAt(w.h.encode(), 0); err != nil {
		return w.wrap(err)
	}
	return w.wrap(w.publish())
}

func (w *fileWriter) publish() error {
	if err := w.f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(w.partial, w.path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(w.path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close(), w.f.Close())
}

// abort leaves nothing behind.
func (w *fileWriter) abort() {
	os.Remove(w.partial)
	w.f.Close()
}
