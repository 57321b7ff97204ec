package index

import (
	"errors"
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
	blocks chan []byte
	spare  chan []byte // written blocks, to be used again
	done   chan error  // of the goroutine
	broken bool        // lines were dropped
}

// lineBlock is the number of bytes that are written at once.
const lineBlock = 64 << 10

// newLineFile begins to gather the lines of a file.
func newLineFile(dir, name string) *lineFile {
	f := &lineFile{
		name: name, path: filepath.Join(dir, name),
		blocks: make(chan []byte, 4), spare: make(chan []byte, 4), done: make(chan error, 1),
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
	case f.blocks <- f.lines:
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

// end adds the last lines. Nothing may be added after it.
func (f *lineFile) end() {
	f.send()
	close(f.blocks)
}

// write writes blocks of lines until there are no more.
func (f *lineFile) write() error {
	to, err := os.OpenFile(f.part(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	for b := range f.blocks {
		if err == nil {
			_, err = to.Write(b)
		}
		select {
		case f.spare <- b:
		default:
		}
	}
	if to == nil {
		return err
	}
	return errors.Join(err, to.Sync(), to.Close())
}

// settle gives the lines of files that are finished, and committed, the name by which they
// become an index. It drops those that are not whole.
func settle(full []*lineFile) {
	for _, f := range full {
		err := <-f.done
		if err == nil && !f.broken {
			err = os.Rename(f.part(), archive.LinesName(f.path))
		}
		if err != nil || f.broken {
			_ = os.Remove(f.part())
		}
	}
}
