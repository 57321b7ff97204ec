package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// A crawl that keeps only some of its pages makes room in its archive: what is kept of a
// finished file is copied into the file that is being written, as a part of an ordinary
// group, and when the group and the journal records that name the new places are on disk,
// the finished file is removed. So a crash finds what is kept at its old place, at its new
// place, or at both.

// A part of a group is bytes, or a place in a finished file where they are.
type part struct {
	bytes []byte
	from  Place
}

// Copy adds the bytes at a place of a finished file to the group, and returns their new
// place. The committer reads them: the file must be there until the group is written.
func (w *Writer) Copy(from Place) Place {
	p := w.Append(nil)
	p.Length = from.Length
	w.parts[len(w.parts)-1] = part{from: from}
	w.next.Size += from.Length
	return p
}

// End ends the current file. It must follow Take: files end where groups do.
func (w *Writer) End() {
	if w.next.Size > 0 {
		w.next, w.begin, w.current = Position{File: w.next.File + 1}, 0, ""
	}
}

// put writes a part at an offset of the open file, and returns its length.
func (w *Writer) put(p *part, at int64, s *source) (int64, error) {
	if p.from.Length == 0 {
		n, err := w.file.WriteAt(p.bytes, at)
		return int64(n), err
	}
	if err := s.open(w.dir, p.from.File); err != nil {
		return 0, err
	}
	n, err := io.Copy(io.NewOffsetWriter(w.file, at), io.NewSectionReader(s.file, p.from.Offset, p.from.Length))
	if err == nil && n < p.from.Length {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return n, fmt.Errorf("copy %d bytes of %s at %d: %w", p.from.Length, s.name, p.from.Offset, err)
	}
	return n, nil
}

// Read returns the first record of an answer that a crawl has stored, at a place of a file that is
// finished or being written. The record is valid until close is called.
func Read(dir disk.Dir, p Place) (r *Record, close func() error, err error) {
	names, err := filesOf(dir, p.File)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if strings.Contains(name, indexSuffix) {
			continue
		}
		f, err := dir.Open(name, disk.Read)
		if err != nil {
			return nil, nil, err
		}
		r, err := NewReaderAt(f, p.Offset, name).Next()
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		return r, f.Close, nil
	}
	return nil, nil, fmt.Errorf("WARC file %d: %w", p.File, fs.ErrNotExist)
}

// A source is the file that is copied from.
type source struct {
	file   disk.File // nil: there is none
	number int
	name   string
}

// open makes the file with a number the source.
func (s *source) open(dir disk.Dir, number int) error {
	if s.file != nil && s.number == number {
		return nil
	}
	s.close()
	names, err := filesOf(dir, number)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, Suffix) {
			s.number, s.name = number, name
			s.file, err = dir.Open(name, disk.Read)
			return err
		}
	}
	return fmt.Errorf("WARC file %d: %w", number, fs.ErrNotExist)
}

func (s *source) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// Remove removes the files with some numbers, which have ended, and their indexes. Those that
// are not there are skipped.
func (w *Writer) Remove(numbers ...int) error {
	return w.do(func() error {
		for _, n := range numbers {
			if n == w.number { // it has ended, but the next one was not begun
				if err := w.finish(); err != nil {
					return err
				}
			}
			if err := errors.Join(w.remove(n), w.remove(n)); err != nil { // again: see remove
				return err
			}
		}
		if len(numbers) == 0 {
			return nil
		}
		return w.dir.Sync()
	})
}

// remove removes a file and its indexes. One that is being made meanwhile may get another name or
// come too late for the list; after the file is gone no more are begun.
func (w *Writer) remove(number int) error {
	names, err := filesOf(w.dir, number)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := w.dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}

// filesOf returns the names of a WARC file and of its indexes. What was set aside is not
// among them.
func filesOf(dir disk.Dir, number int) (names []string, err error) {
	all, err := dir.List()
	for _, e := range all {
		stem, _, index := strings.Cut(e.Name, indexSuffix)
		if index {
			stem += Suffix
		} else {
			stem = e.Name
		}
		if n, ok := FileNumber(stem); ok && n == number {
			names = append(names, e.Name)
		}
	}
	return names, err
}

// Finished returns the sizes of the WARC files in a directory, by their numbers.
func Finished(dir disk.Dir) (map[int]int64, error) {
	all, err := dir.List()
	sizes := map[int]int64{}
	for _, e := range all {
		if n, ok := FileNumber(e.Name); ok && !isOpen(e.Name) {
			sizes[n] = e.Size
		}
	}
	return sizes, err
}
