package archive

import (
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// ErrMissing is wrapped where the directory has less than was committed: damage, not the
// trace of a crash.
var ErrMissing = errors.New("committed bytes are missing")

// Open brings the directory to the committed position and gives a writer that goes on
// from there. Files with higher numbers and indexes of files that may still change are
// deleted, the named file is cut and open again, earlier ones that are still called open
// are closed. Every step may be repeated; other files in the directory are left alone.
func Open(dir disk.Dir, c Config, at Position) (*Writer, error) {
	if err := checkPrefix(c.Prefix); err != nil {
		return nil, err
	}
	if at.File < 0 || at.Size < 0 {
		return nil, fmt.Errorf("archive: position %d:%d is negative", at.File, at.Size)
	}
	if c.MaxSize <= 0 {
		c.MaxSize = MaxSize
	}
	w := &Writer{config: c, dir: dir, next: at, begin: at.Size, number: at.File}
	if err := w.recover(at); err != nil {
		if w.file != nil {
			w.file.Close()
		}
		return nil, fmt.Errorf("archive: recover to file %d, %d bytes: %w", at.File, at.Size, err)
	}
	if at.Size >= c.MaxSize {
		w.Take() // the file was full at that commit
	}
	return w, nil
}

func (w *Writer) recover(at Position) error {
	all, err := w.dir.List()
	if err != nil {
		return err
	}
	current, err := w.sweep(all, at)
	if err != nil {
		return err
	}
	if at.Size > 0 {
		if err := w.cut(current, at); err != nil {
			return err
		}
	}
	// Not for correctness: lost names of this recovery would be found by the next one.
	// But what a user lists after it should still be so after another crash.
	return w.dir.Sync()
}

// sweep removes what came after the commit, and finds the file that it names.
func (w *Writer) sweep(all []disk.Entry, at Position) (current disk.Entry, err error) {
	for _, e := range all {
		number, tail, ok := parseName(w.config.Prefix, e.Name)
		if !ok {
			continue
		}
		warc := tail == suffix || tail == suffix+openSuffix
		switch {
		case number > at.File, number == at.File && (at.Size == 0 || !warc):
			err = w.dir.Remove(e.Name)
		case number == at.File && current.Name != "":
			err = fmt.Errorf("two files have number %d: %s and %s", number, current.Name, e.Name)
		case number == at.File:
			current = e
		case tail == suffix+openSuffix:
			err = w.dir.Rename(e.Name, e.Name[:len(e.Name)-len(openSuffix)])
		}
		if err != nil {
			return current, err
		}
	}
	return current, nil
}

// cut opens the file of the commit again and takes off what was written after it. A
// closed file gets its suffix back first: as long as it may change, it is called open.
func (w *Writer) cut(e disk.Entry, at Position) error {
	if e.Name == "" || e.Size < at.Size {
		return fmt.Errorf("%w: file %q has %d bytes", ErrMissing, e.Name, e.Size)
	}
	_, tail, _ := parseName(w.config.Prefix, e.Name)
	w.name = e.Name
	if tail == suffix+openSuffix {
		w.name = e.Name[:len(e.Name)-len(openSuffix)]
	} else if err := w.dir.Rename(e.Name, e.Name+openSuffix); err != nil {
		return err
	}
	var err error
	if w.file, err = w.dir.Open(w.name+openSuffix, disk.Change); err != nil {
		return err
	}
	if e.Size > at.Size {
		if err := w.file.Truncate(at.Size); err != nil {
			return fmt.Errorf("cut %s: %w", w.name, err)
		}
	}
	return w.file.Sync()
}
