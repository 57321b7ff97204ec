package archive

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// setAside gives a file another name.
func (w *Writer) setAside(e disk.Entry) error {
	from := strings.TrimSuffix(e.Name, openSuffix)
	to, _, err := w.asideName(from, func(disk.File) (bool, error) { return false, nil })
	if err == nil {
		err = w.dir.Rename(e.Name, to)
	}
	if err != nil {
		return fmt.Errorf("set %s aside: %w", e.Name, err)
	}
	w.recovery.Aside = append(w.recovery.Aside, Aside{from, to, e.Size})
	return nil
}

// copyAside copies the end of the current file into one of its own. A recovery that was
// killed before it could cut the end off has left its copy, which is taken for this one.
func (w *Writer) copyAside(x *remains) error {
	if x.tail() == 0 {
		return nil
	}
	from := strings.TrimSuffix(x.current.Name, openSuffix)
	f, err := w.dir.Open(x.current.Name, disk.Read)
	if err != nil {
		return err
	}
	defer f.Close()
	end := func() io.Reader { return io.NewSectionReader(f, x.at.Size, x.tail()) }
	to, there, err := w.asideName(from, func(g disk.File) (bool, error) { return sameBytes(end(), g, x.tail()) })
	if err == nil && !there {
		err = w.copyTo(end(), to)
	}
	if err != nil {
		return fmt.Errorf("set the end of %s aside: %w", x.current.Name, err)
	}
	w.recovery.Aside = append(w.recovery.Aside, Aside{from, to, x.tail()})
	return nil
}

// asideName is the first name for a file set aside that is free, or that has what is to be
// set aside already.
func (w *Writer) asideName(from string, has func(disk.File) (bool, error)) (name string, there bool, err error) {
	all, err := w.dir.List()
	if err != nil {
		return "", false, err
	}
	known := map[string]bool{}
	for _, e := range all {
		known[e.Name] = true
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s%s-%d", from, asideSuffix, n)
		if !known[name] {
			return name, false, nil
		}
		f, err := w.dir.Open(name, disk.Read)
		if err != nil {
			return "", false, err
		}
		there, err := has(f)
		f.Close()
		if there || err != nil {
			return name, there, err
		}
	}
}

// copyTo writes a file that is whole and synced when it has its name.
func (w *Writer) copyTo(r io.Reader, name string) error {
	return disk.Replace(w.dir, name, name+tempSuffix, true, func(f disk.File) error {
		_, err := io.Copy(io.NewOffsetWriter(f, 0), r)
		return err
	})
}

// sameBytes reports whether a file has just these bytes, so many.
func sameBytes(r io.Reader, f disk.File, n int64) (bool, error) {
	if size, err := f.Size(); err != nil || size != n {
		return false, err
	}
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for other := io.NewSectionReader(f, 0, n); n > 0; {
		k := min(n, int64(len(a)))
		if _, err := io.ReadFull(r, a[:k]); err != nil {
			return false, err
		}
		if _, err := io.ReadFull(other, b[:k]); err != nil {
			return false, err
		}
		if !bytes.Equal(a[:k], b[:k]) {
			return false, nil
		}
		n -= k
	}
	return true, nil
}
