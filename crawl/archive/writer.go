package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// MaxSize is the size at which a file ends, unless Config sets another: 1 GiB, as archives do.
const MaxSize = 1 << 30

// Config holds the options of a Writer.
type Config struct {
	Prefix  string           // of the file names
	MaxSize int64            // a file that has reached it ends at the next Take; 0: the constant
	Info    Info             // of the warcinfo records
	Builder *Builder         // makes the warcinfo records
	Now     func() time.Time // names files and dates their first record
}

// A Place is the position of the bytes of one Append.
type Place struct {
	File   int
	Offset int64
	Length int64
}

// Position is a file and its size. The zero value is an archive without a byte.
type Position struct {
	File int
	Size int64
}

// Writer assigns places and writes groups. Append, Take and Size belong to one
// goroutine, the loop of the crawl; Write, Sync and Close to one, the committer. They
// share nothing but the groups, so the loop never waits for a disk.
type Writer struct {
	config Config

	// Of the loop.
	next    Position // where the next byte goes
	parts   []part   // of the open group
	created string   // name of the file that the open group creates
	current string   // name of the file of next; empty: it has no byte
	begin   int64    // offset of the open group

	// Of the committer.
	dir    disk.Dir
	file   disk.File
	name   string // without .open; empty before the first file
	number int
	dead   error

	recovery Recovery // by Open
}

// Group holds what was appended between two calls of Take. It lies in one file.
type Group struct {
	file    int
	offset  int64
	size    int64
	created string // the group begins this file
	parts   []part
}

// End returns the position to commit once the group is written: what Open takes.
func (g *Group) End() Position { return Position{g.file, g.offset + g.size} }

// Len returns the number of bytes of the group.
func (g *Group) Len() int64 { return g.size }

var (
	// ErrDead is wrapped by every error of a writer that failed before.
	ErrDead = errors.New("the archive stopped after an error")
	// ErrFull is wrapped where the disk or a quota has no room.
	ErrFull = errors.New("no room left for the archive")
)

// Append adds b to the group and returns its place. b is not copied and must not change
// before the group is written.
func (w *Writer) Append(b []byte) Place {
	if w.next.Size == 0 && w.created == "" {
		w.start()
	}
	p := Place{w.next.File, w.next.Size, int64(len(b))}
	w.add(b)
	return p
}

func (w *Writer) add(b []byte) {
	w.parts = append(w.parts, part{bytes: b})
	w.next.Size += int64(len(b))
}

// start begins a file with its warcinfo record.
func (w *Writer) start() {
	now := w.config.Now()
	w.created = fileName(w.config.Prefix, now, w.next.File)
	w.current = w.created
	w.add(w.config.Builder.Warcinfo(w.created, now, &w.config.Info))
}

// Current returns the name of the file of the last Append, or of the one that Open continues; empty if
// there is none.
func (w *Writer) Current() string { return w.current }

// Size returns where the next byte goes: of the open group, not of the disk.
func (w *Writer) Size() Position { return w.next }

// Take closes the open group and returns it: a commit boundary, and so the only place
// where a file may end. The group may be empty.
func (w *Writer) Take() Group {
	g := Group{file: w.next.File, offset: w.begin, size: w.next.Size - w.begin, created: w.created, parts: w.parts}
	w.parts, w.created = nil, ""
	if w.next.Size >= w.config.MaxSize {
		w.next = Position{File: w.next.File + 1}
	}
	w.begin = w.next.Size
	return g
}

// Write writes a group, in the order of the calls of Take. A group that begins a file
// closes the one before. After an error the writer is dead.
func (w *Writer) Write(g Group) error {
	return w.do(func() error {
		if g.size == 0 {
			return nil
		}
		if err := w.turnTo(&g); err != nil {
			return err
		}
		at := g.offset
		var from source
		defer from.close()
		for _, p := range g.parts {
			n, err := w.put(&p, at, &from)
			if err != nil {
				return fmt.Errorf("write %s at %d: %w", w.name, at, err)
			}
			at += n
		}
		return nil
	})
}

// turnTo makes the file of the group the open one.
func (w *Writer) turnTo(g *Group) error {
	if g.created == "" {
		if w.file == nil || w.number != g.file {
			return fmt.Errorf("write to file %d, but file %d is open", g.file, w.number)
		}
		return nil
	}
	if err := w.finish(); err != nil {
		return err
	}
	f, err := w.dir.Open(g.created+OpenSuffix, disk.Create)
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	w.file, w.name, w.number = f, g.created, g.file
	if err := w.dir.Sync(); err != nil {
		return fmt.Errorf("create %s: %w", g.created, err)
	}
	return nil
}

// Sync makes all written groups durable.
func (w *Writer) Sync() error {
	return w.do(func() error {
		if w.file == nil {
			return nil
		}
		if err := w.file.Sync(); err != nil {
			return fmt.Errorf("sync %s: %w", w.name, err)
		}
		return nil
	})
}

// Close finishes the open file under its final name. Every group that was taken must have
// been written, and committed: bytes after the last committed ones would be set aside
// by the next Open.
func (w *Writer) Close() error { return w.do(w.finish) }

// Drop closes the file as it is: what was not committed is for the next Open to cut. After
// Close it does nothing.
func (w *Writer) Drop() {
	if w.file != nil {
		w.file.Close()
		w.file, w.dead = nil, fs.ErrClosed
	}
}

// finish syncs the open file and renames it, in this order, so that a file without .open is
// always whole.
func (w *Writer) finish() error {
	if w.file == nil {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", w.name, err)
	}
	err := w.file.Close()
	w.file = nil
	if err != nil {
		return fmt.Errorf("close %s: %w", w.name, err)
	}
	if err := w.dir.Rename(w.name+OpenSuffix, w.name); err != nil {
		return fmt.Errorf("finish %s: %w", w.name, err)
	}
	return w.dir.Sync()
}

// do runs a step of the committer unless an earlier one failed, and marks the writer dead
// when it fails: after an error of fsync the kernel may have dropped the pages and
// answers the next call with success, so nothing is ever tried twice on a descriptor.
func (w *Writer) do(step func() error) error {
	if w.dead != nil {
		return fmt.Errorf("archive: %w: %w", ErrDead, w.dead)
	}
	err := step()
	if err == nil {
		return nil
	}
	if disk.ErrFull(err) {
		err = fmt.Errorf("%w: %w", ErrFull, err)
	}
	w.dead = err
	if w.file != nil {
		w.file.Close() // its error would add nothing
		w.file = nil
	}
	return fmt.Errorf("archive: %w", err)
}

const (
	Suffix      = ".warc.gz" // of a finished file
	OpenSuffix  = ".open"    // of a file that is being written, after Suffix
	indexSuffix = ".cdxj"
)

// fileName returns PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz: names sort by time, and the number is
// what the journal calls the file.
func fileName(prefix string, at time.Time, number int) string {
	return fmt.Sprintf("%s-%s-%05d%s", prefix, at.UTC().Format("20060102150405"), number, Suffix)
}

// IndexName returns the name of the index of a WARC file.
func IndexName(name string) string { return strings.TrimSuffix(name, Suffix) + indexSuffix }

// FileNumber returns the number in the name of a WARC file, finished or not.
func FileNumber(name string) (number int, ok bool) {
	stem, ok := strings.CutSuffix(strings.TrimSuffix(name, OpenSuffix), Suffix)
	number, err := strconv.Atoi(stem[strings.LastIndexByte(stem, '-')+1:])
	return number, ok && err == nil
}

// IsAside reports whether a file name is that of bytes which Open set aside.
func IsAside(name string) bool {
	_, number, ok := strings.Cut(name, Suffix+asideSuffix+"-")
	return ok && digits(number)
}

// parseName takes a file name of the archive apart: its number, and what follows it. Other
// names are not ours and are skipped.
func parseName(prefix, name string) (number int, tail string, ok bool) {
	rest, ok := strings.CutPrefix(name, prefix+"-")
	if !ok || len(rest) < 15 || rest[14] != '-' || !digits(rest[:14]) {
		return 0, "", false
	}
	stem, tail, _ := strings.Cut(rest[15:], ".")
	if len(stem) < 5 || len(stem) > 9 || !digits(stem) {
		return 0, "", false
	}
	number, err := strconv.Atoi(stem)
	return number, "." + tail, err == nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// checkPrefix returns an error unless names with a prefix stay inside the directory and are
// readable by other tools.
func checkPrefix(prefix string) error {
	for i := range len(prefix) {
		c := prefix[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0) {
			return fmt.Errorf("archive: prefix %q: only letters, digits, '-', '_' and '.'", prefix)
		}
	}
	if prefix == "" {
		return fmt.Errorf("archive: empty prefix")
	}
	return nil
}
