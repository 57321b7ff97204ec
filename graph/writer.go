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

// A fileWriter writes a graph file under a temporary name in the same directory. finish
// syncs it and gives it its final name; abort removes it. A file left by a killed process
// is written over by the next import of the same name.
type fileWriter struct {
	path, partial string
	f             *os.File
	writeAt       func(b []byte, at int64) (int, error)
	block         []byte   // bytes not yet written, at most blockSize
	sums          []uint64 // of the blocks written
	offset        uint64   // of the next byte
	open          int      // index of the section being written, or -1
	h             header
}

func createFile(o *WriteOptions) (*fileWriter, error) {
	w, err := openPartial(o.Path)
	if err != nil {
		return nil, fmt.Errorf("create graph %q: %w", o.Path, err)
	}
	w.writeAt = w.f.WriteAt
	if o.writeAt != nil {
		w.writeAt = func(b []byte, at int64) (int, error) { return o.writeAt(w.f, b, at) }
	}
	return w, nil
}

func openPartial(path string) (*fileWriter, error) {
	if path == "" {
		return nil, errors.New("no name was given")
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, errors.New("there is something under this name that is not a regular file")
	}
	partial := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
	f, err := lockFile(partial)
	if err != nil {
		return nil, err
	}
	w := &fileWriter{path: path, partial: partial, f: f, open: -1, offset: headerSize, block: make([]byte, 0, blockSize)}
	if err := f.Truncate(0); err != nil {
		w.abort()
		return nil, err
	}
	return w, nil
}

// lockFile opens or makes the file of that name and locks it.
func lockFile(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o666)
		if err != nil {
			return nil, err
		}
		ok, err := lockOpened(f, name)
		if ok {
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// lockOpened locks f, which was opened under that name. Another process that held the lock
// before may have renamed or removed the file in between. Then f no longer has that name
// (it may be a finished graph), and ok is false.
func lockOpened(f *os.File, name string) (ok bool, err error) {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return false, fmt.Errorf("another process is writing it (%s is locked)", name)
	} else if err != nil {
		return false, fmt.Errorf("lock %s: %w", name, err)
	}
	held, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(held, named), nil
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

// section writes a section from its bytes.
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
	_, err := w.writeAt(w.block, int64(w.offset)-int64(len(w.block)))
	w.block = w.block[:0]
	return w.wrap(err)
}

func (w *fileWriter) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write graph %q: %w", w.path, err)
}

// view maps what has been written so far, for reading a section back; done releases the
// mapping.
func (w *fileWriter) view(name string) (b []byte, done func(), err error) {
	if _, err := w.writeAt(w.block, int64(w.offset)-int64(len(w.block))); err != nil {
		return nil, nil, w.wrap(err)
	}
	s, _ := w.h.section(name)
	all, err := unix.Mmap(int(w.f.Fd()), 0, int(w.offset), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("read back section %q of graph %q: %w", name, w.path, err)
	}
	return all[s.offset : s.offset+s.length], func() { _ = unix.Munmap(all) }, nil
}

// finish writes checksums and header, syncs, and renames the file to its final name.
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
	if _, err := w.writeAt(tail, int64(w.h.sums)); err != nil {
		return w.wrap(err)
	}
	if _, err := w.writeAt(w.h.encode(), 0); err != nil {
		return w.wrap(err)
	}
	return w.wrap(w.publish())
}

// publish renames the file to its final name. Whether the directory's entry survives a power
// failure at once is not worth an error: the graph is there, whole and synced.
func (w *fileWriter) publish() error {
	if err := w.f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(w.partial, w.path); err != nil {
		return err
	}
	w.partial = "" // the name is free for others
	if dir, err := os.Open(filepath.Dir(w.path)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	_ = w.f.Close() // has been synced; it held the lock until here
	return nil
}

// abort leaves nothing behind. The lock goes last, with the file.
func (w *fileWriter) abort() {
	if w.partial != "" {
		os.Remove(w.partial)
	}
	w.f.Close()
}
