package archive

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// A Recovery describes what Open found that a crash does not explain.
type Recovery struct {
	Aside   []Aside // what the archive had more than the journal knows of
	Missing int64   // committed bytes that the last file lacks
	Absent  bool    // all of them: the file is not there
}

// Aside is a file that was set aside: bytes that no record of the journal names.
type Aside struct {
	From  string // the file, or the one whose end it was
	Name  string // what it is called now
	Bytes int64
}

// Log logs where the archive, which is in a directory, differs from the journal.
func (r *Recovery) Log(log *slog.Logger, dir string) {
	if len(r.Aside) > 0 {
		bytes := int64(0)
		for _, x := range r.Aside {
			bytes += x.Bytes
		}
		log.Warn("the WARC files hold more than the journal lists: the journal has lost its end, or is an older copy; "+
			"nothing was deleted: the rest was set aside, and its pages are fetched again. "+
			"If you have a newer journal, stop, restore it and give the files their old names; otherwise you may delete them",
			"files", len(r.Aside), "bytes", bytes, "first", dir+"/"+r.Aside[0].Name)
	}
	switch {
	case r.Absent:
		log.Info("the last WARC file is not here: it was sent to a store, moved away or lost; the crawl begins the next one", "bytes", r.Missing)
	case r.Missing > 0:
		log.Warn("the last WARC file is shorter than recorded in the journal, as after a power loss with --sync=false; "+
			"the crawl begins the next one, and winnow verify lists what is missing", "bytes", r.Missing)
	}
}

// MaxTail is the largest number of bytes beyond the last commit that count as the group
// that was being written when the crawl was killed. A group is sent at 8 MiB; copies and bytes that
// arrive while the one before is being written make it larger.
const MaxTail = 32 << 20

// asideSuffix begins what follows the name of a file that was set aside: a number.
const (
	asideSuffix = ".beyond"
	tempSuffix  = ".tmp" // while it is copied
)

// Open brings the directory to the committed position and returns a writer that continues
// from there.
//
// Open removes what lies beyond the position. If that can be the last group of a crawl that
// was killed, it is deleted: at most 32 MiB, in files that are still called open. Otherwise
// the journal has lost its end, and the rest is set aside under another name.
//
// The writer continues in the file of the position only if that is still called open: a
// closed file never grows again. If the file has fewer bytes than were committed, or is
// missing because a user moved it away, the writer begins the next.
//
// Every step may be repeated; other files in the directory are skipped.
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
	if w.next.Size >= c.MaxSize {
		w.Take() // the file was full at that commit
	}
	return w, nil
}

// Recovery returns what Open found.
func (w *Writer) Recovery() *Recovery { return &w.recovery }

func (w *Writer) recover(at Position) error {
	all, err := w.dir.List()
	if err != nil {
		return err
	}
	x := remains{at: at}
	if err := w.sort(all, &x); err != nil {
		return err
	}
	if err := w.clear(&x); err != nil {
		return err
	}
	if at.Size > 0 {
		if err := w.resume(&x); err != nil {
			return err
		}
	}
	// Not for correctness: lost names of this recovery would be found by the next one.
	// But what a user lists after it should still be so after another crash.
	return w.dir.Sync()
}

// remains lists what an earlier run left.
type remains struct {
	at      Position
	current disk.Entry   // the file of the position; no name: it has no bytes or is not there
	later   []disk.Entry // files without committed bytes
	indexes []string     // of all these, and what was left of them
}

// tail returns how many bytes the current file has beyond the position.
func (x *remains) tail() int64 { return max(0, x.current.Size-x.at.Size) }

// lost reports whether there is more than a crawl that was killed can have left: a file
// is closed after all of it was committed, and one group lies in one file.
func (x *remains) lost() bool {
	sum, closed := x.tail(), x.tail() > 0 && !isOpen(x.current.Name)
	for _, e := range x.later {
		sum += e.Size
		closed = closed || !isOpen(e.Name)
	}
	return closed || len(x.later) > 1 || sum > MaxTail
}

// holds reports whether an index is that of the file of the position, and that file is closed and
// ends there. It may not be here: see package remote.
func (x *remains) holds(prefix, index string) bool {
	number, _, _ := parseName(prefix, index)
	return number == x.at.File && x.at.Size > 0 && !isOpen(x.current.Name) && x.tail() == 0
}

func isOpen(name string) bool { return strings.HasSuffix(name, OpenSuffix) }

// sort finds the remains, and closes earlier files that are still called open.
func (w *Writer) sort(all []disk.Entry, x *remains) error {
	for _, e := range all {
		number, tail, ok := parseName(w.config.Prefix, e.Name)
		warc := tail == Suffix || tail == Suffix+OpenSuffix
		switch {
		case ok && strings.HasPrefix(tail, Suffix+asideSuffix) && strings.HasSuffix(tail, tempSuffix):
			if err := w.dir.Remove(e.Name); err != nil { // a copy that was not finished
				return err
			}
		case !ok || !warc && !strings.HasPrefix(tail, indexSuffix):
		case number < x.at.File && isOpen(e.Name):
			if err := w.dir.Rename(e.Name, strings.TrimSuffix(e.Name, OpenSuffix)); err != nil {
				return err
			}
		case number < x.at.File:
		case !warc:
			x.indexes = append(x.indexes, e.Name)
		case number > x.at.File || x.at.Size == 0:
			x.later = append(x.later, e)
		case x.current.Name != "":
			return fmt.Errorf("two files have number %d: %s and %s", number, x.current.Name, e.Name)
		default:
			x.current = e
		}
	}
	return nil
}

// clear removes what lies beyond the position.
func (w *Writer) clear(x *remains) error {
	if len(x.later) == 0 && x.tail() == 0 && !isOpen(x.current.Name) {
		return nil // the index of a closed file holds
	}
	kept := PartName(strings.TrimSuffix(x.current.Name, OpenSuffix)) // what lies beyond is not used
	for _, name := range x.indexes {
		if name == kept && isOpen(x.current.Name) || x.holds(w.config.Prefix, name) {
			continue
		}
		if err := w.dir.Remove(name); err != nil {
			return err
		}
	}
	take := func(e disk.Entry) error { return w.dir.Remove(e.Name) }
	if x.lost() {
		take = w.setAside
		if err := w.copyAside(x); err != nil {
			return err
		}
	}
	// Those that are closed come last: while there is one, another recovery sees as well
	// that the journal has lost its end.
	for _, open := range []bool{true, false} {
		for _, e := range x.later {
			if isOpen(e.Name) != open {
				continue
			}
			if err := take(e); err != nil {
				return err
			}
		}
	}
	return w.cut(x)
}

// cut removes the end of the current file.
func (w *Writer) cut(x *remains) error {
	if x.tail() == 0 {
		return nil
	}
	f, err := w.dir.Open(x.current.Name, disk.Change)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(x.at.Size); err != nil {
		return fmt.Errorf("cut %s: %w", x.current.Name, err)
	}
	return f.Sync()
}

// resume opens the current file again if it may grow. Otherwise the next file is begun.
func (w *Writer) resume(x *remains) (err error) {
	name, size := x.current.Name, x.current.Size
	if w.name = strings.TrimSuffix(name, OpenSuffix); isOpen(name) && size >= x.at.Size {
		if w.file, err = w.dir.Open(name, disk.Change); err != nil {
			return err
		}
		w.current = w.name
		return w.file.Sync()
	}
	w.recovery.Absent, w.recovery.Missing = name == "", max(0, x.at.Size-size)
	w.next, w.begin = Position{File: x.at.File + 1}, 0
	if isOpen(name) {
		return w.dir.Rename(name, w.name)
	}
	return nil
}

// setAside renames a file.
func (w *Writer) setAside(e disk.Entry) error {
	from := strings.TrimSuffix(e.Name, OpenSuffix)
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
// killed before it could cut the end off has left its copy, which is used.
func (w *Writer) copyAside(x *remains) error {
	if x.tail() == 0 {
		return nil
	}
	from := strings.TrimSuffix(x.current.Name, OpenSuffix)
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

// asideName returns the first name for a file set aside that is free, or whose file has the
// same contents already.
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

// copyTo writes and syncs a file before it gets its name.
func (w *Writer) copyTo(r io.Reader, name string) error {
	return disk.Replace(w.dir, name, name+tempSuffix, true, func(f disk.File) error {
		_, err := io.Copy(io.NewOffsetWriter(f, 0), r)
		return err
	})
}

// sameBytes reports whether a file has exactly the first n bytes of a reader.
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
