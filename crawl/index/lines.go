package index

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/archive"
)

// A lineFile gathers the index lines of a WARC file while the crawl writes it, so that nobody
// has to read the file again. The loop adds lines, and a goroutine writes them. After any
// trouble the lines are dropped: then the file is read.
type lineFile struct {
	name   string // of the WARC file
	path   string // of the lines
	lines  []byte // not written yet
	blocks chan block
	spare  chan []byte // written blocks, to be used again
	done   chan error  // of the goroutine
	broken bool        // lines were dropped
	from   int64       // records below it are those of earlier sessions
}

// A block is a number of lines, or of records that are copied from another file.
type block struct {
	lines []byte
	from  *os.File // nil: there are lines
	moved []archive.Moved
}

// lineBlock is the number of bytes that are written at once.
const lineBlock = 64 << 10

// newLineFile begins to gather the lines of a file. Those of its records below an offset are what an
// earlier session has left.
func newLineFile(dir, name string, from int64) *lineFile {
	f := &lineFile{
		name: name, path: filepath.Join(dir, name),
		blocks: make(chan block, 256), spare: make(chan []byte, 4), done: make(chan error, 1), from: from,
	}
	go func() { f.done <- f.write() }()
	return f
}

// part returns the name of the file where lines are gathered.
func (f *lineFile) part() string { return archive.PartName(f.path) }

// add adds the line of the main record of an exchange, at an offset.
func (f *lineFile) add(offset int64, r *archive.Records) {
	f.lines = archive.AppendLine(f.lines, r.Entry, offset, int64(r.Main), f.name)
	if len(f.lines) >= lineBlock {
		f.send()
	}
}

// send hands the lines to the goroutine. It does not wait for the disk. After lines were
// dropped no more are written, so that those which are there are the first ones: package
// stored reads them while the crawl runs.
func (f *lineFile) send() {
	if len(f.lines) == 0 {
		return
	}
	if f.broken {
		f.lines = f.lines[:0]
		return
	}
	select {
	case f.blocks <- block{lines: f.lines}:
	default:
		f.broken = true
	}
	select {
	case b := <-f.spare:
		f.lines = b[:0]
	default:
		f.lines = nil
	}
}

// copy sends the lines that are there, and then records that are copied from a file, which it
// closes.
func (f *lineFile) copy(from *os.File, moved []archive.Moved) {
	if f.send(); !f.broken {
		select {
		case f.blocks <- block{from: from, moved: moved}:
			return
		default:
			f.broken = true
		}
	}
	from.Close()
}

// end adds the last lines. Nothing may be added after it.
func (f *lineFile) end() {
	f.send()
	close(f.blocks)
}

// write writes blocks of lines until there are no more.
func (f *lineFile) write() error {
	to, err := f.begin()
	for b := range f.blocks {
		lines, bad := f.linesOf(&b)
		if err = errors.Join(err, bad); err == nil {
			_, err = to.Write(lines)
		}
		select {
		case f.spare <- lines:
		default:
		}
	}
	if to == nil {
		return err
	}
	return errors.Join(err, to.Sync(), to.Close())
}

// begin opens the file where lines are gathered. It has those of earlier sessions.
func (f *lineFile) begin() (*os.File, error) {
	mode := os.O_TRUNC
	if f.from > 0 {
		if err := complete(f.path, f.path+archive.OpenSuffix, f.from); err != nil {
			return nil, err
		}
		mode = os.O_APPEND
	}
	return os.OpenFile(f.part(), os.O_CREATE|os.O_WRONLY|mode, 0o600)
}

// linesOf returns the lines of a block.
func (f *lineFile) linesOf(b *block) ([]byte, error) {
	if b.from == nil {
		return b.lines, nil
	}
	defer b.from.Close()
	return archive.AppendMoved(nil, b.from, b.moved, f.name)
}

// settle gives the lines of files that are finished, and committed, the name by which they
// become an index. Where lines were dropped, it reads the rest of the file, or drops all if that
// is long.
func settle(full []*lineFile) {
	for _, f := range full {
		err := <-f.done
		if err == nil && f.broken {
			err = f.finish()
		}
		if err == nil {
			err = os.Rename(f.part(), archive.LinesName(f.path))
		}
		if err != nil {
			_ = os.Remove(f.part())
		}
		if _, gone := os.Stat(f.path); errors.Is(gone, fs.ErrNotExist) { // see package compact
			_ = os.Remove(archive.LinesName(f.path))
		}
	}
}

// finish completes the lines of a finished file.
func (f *lineFile) finish() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	return complete(f.path, f.path, info.Size())
}

// mostMissing is the largest number of bytes of a WARC file that are read for lines which a session
// that was killed had not written yet.
const mostMissing = 32 << 20

var errMissing = errors.New("too many lines are missing")

// complete makes the lines that a session has left of a WARC file those of all records below an
// offset. The bytes of the file are at in.
func complete(path, in string, size int64) error {
	old, err := os.ReadFile(archive.PartName(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	done, kept := int64(0), 0
	for line := range bytes.Lines(old) {
		offset, length, ok := archive.LinePlace(line)
		if !ok || offset < done || offset+length > size {
			break
		}
		done, kept = offset+length, kept+len(line)
	}
	if size-done > mostMissing {
		return errMissing
	}
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	more, err := archive.LinesBetween(f, done, size, filepath.Base(path))
	if err != nil {
		return err
	}
	return os.WriteFile(archive.PartName(path), append(old[:kept], more...), 0o600)
}
