// Package index writes the CDXJ indexes of WARC files, while a crawl runs and when it ends. What it
// writes is derived: it may be deleted, and is written again.
package index

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/layout"
)

// Write writes a CDXJ index for every finished WARC file of a crawl that has none,
// and returns how many it wrote. Indexes may be deleted: they can be written again.
func Write(dir string) (n int, err error) {
	p := &pace{}
	p.hurry.Store(true)
	return writeAll(dir, math.MaxInt64, p)
}

// writeAll indexes files, the oldest first. Of those whose lines were not gathered it
// reads at most a number of bytes, at a pace. It continues after a file that cannot be
// indexed.
func writeAll(dir string, bytes int64, p *pace) (n int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, layout.ArchiveDir, "*"+archive.Suffix))
	if err != nil {
		return 0, err
	}
	var failed []error
	var later error
	for _, name := range names {
		if _, err := os.Stat(archive.IndexName(name)); err == nil {
			_ = os.Remove(archive.LinesName(name)) // a session was killed before it could
			continue
		}
		info, err := os.Stat(name)
		if err == nil {
			_, none := os.Stat(archive.LinesName(name))
			gathered := none == nil
			if !gathered {
				bytes -= info.Size()
			}
			if !gathered && bytes < 0 {
				later = errLater
				continue
			}
			err = archive.WriteIndexThrough(name, p.through)
		}
		if _, gone := os.Stat(name); errors.Is(gone, fs.ErrNotExist) { // see package compact
			_ = os.Remove(archive.IndexName(name))
			continue
		}
		if err == nil {
			n++
		} else {
			failed = append(failed, err)
		}
	}
	return n, errors.Join(append(failed, later)...)
}

// errLater reports that some files were not indexed because that would take too long.
var errLater = errors.New("left out because it would delay the end of a crawl that was stopped")

// An Indexer writes indexes while a crawl runs: first those that the last session left out,
// then one whenever a file is finished. It gathers the lines of the files that this session
// begins; others it has to read.
type Indexer struct {
	dir  string     // "": nothing is indexed
	file int        // the file that was open at the last look; -1: there was none
	size int64      // of that file then
	done chan error // of the indexing under way; nil: there is none
	pace *pace

	open *lineFile   // of the file that is written; nil: there is none
	full []*lineFile // of files before it that are not indexed yet

	resumed string         // the file that an earlier session left open; empty: there is none
	begun   int64          // its size when this session began
	left    []string       // other files of which an earlier session left lines
	names   map[int]string // of WARC files from which records may be copied, by number
}

// New returns an Indexer of a crawl directory whose last WARC file has a size. open is the name of
// that file if the session continues it.
func New(dir string, size int64, open string) *Indexer {
	x := &Indexer{dir: dir, file: -1, size: size, pace: &pace{}, resumed: open, begun: size, names: map[int]string{}}
	if dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, layout.ArchiveDir, "*"+archive.Suffix))
		for _, path := range files {
			x.name(filepath.Base(path))
		}
		parts, _ := filepath.Glob(filepath.Join(dir, layout.ArchiveDir, archive.PartName("*")))
		for _, name := range parts {
			x.left = append(x.left, archive.OfPart(name))
		}
	}
	return x
}

// adopt completes the lines that sessions before this one have left of files that are finished.
func (x *Indexer) adopt() {
	for _, path := range x.left {
		info, err := os.Stat(path)
		if _, none := os.Stat(archive.PartName(path)); none != nil || errors.Is(err, fs.ErrNotExist) {
			continue // it is still open
		}
		if err == nil {
			err = complete(path, path, info.Size())
		}
		if err == nil {
			err = os.Rename(archive.PartName(path), archive.LinesName(path))
		}
		if err != nil {
			_ = os.Remove(archive.PartName(path))
		}
	}
}

// Add adds the records of an exchange, at an offset of a file.
func (x *Indexer) Add(file string, offset int64, r *archive.Records) {
	if x.dir == "" || file == "" {
		return
	}
	x.begin(file)
	if len(r.Entry) > 0 {
		x.open.add(offset, r)
	}
}

// name notes the name of a WARC file.
func (x *Indexer) name(file string) {
	if n, ok := archive.FileNumber(file); ok {
		x.names[n] = file
	}
}

// Copied adds records that are copied to the end of a file from another, with a number, which may
// be removed as soon as Copied returns. Nothing is copied from that again if they are the last.
func (x *Indexer) Copied(file string, number int, moved []archive.Moved, last bool) {
	if x.dir == "" {
		return
	}
	from := x.names[number]
	if last {
		delete(x.names, number)
	}
	if file == "" || len(moved) == 0 {
		return
	}
	x.begin(file)
	path := filepath.Join(x.dir, layout.ArchiveDir, from)
	for _, name := range []string{path, path + archive.OpenSuffix, path} { // it may get its final name just then
		if f, err := os.Open(name); err == nil {
			x.open.copy(f, moved)
			return
		}
	}
	x.open.broken = true
}

// begin begins to gather the lines of a file, if it is another one than before.
func (x *Indexer) begin(file string) {
	if x.open != nil && x.open.name == file {
		return
	}
	x.turn()
	from := int64(0)
	if file == x.resumed {
		from = x.begun
		x.left = slices.DeleteFunc(slices.Clone(x.left), func(path string) bool { return filepath.Base(path) == file })
	}
	x.open = newLineFile(filepath.Join(x.dir, layout.ArchiveDir), file, from)
	x.name(file)
}

// turn ends the lines of the file that was written until now.
func (x *Indexer) turn() {
	if x.open != nil {
		x.open.end()
		x.full = append(x.full, x.open)
		x.open = nil
	}
}

// Look begins to index when a file has been finished, and continues as fast as the next one
// is written.
func (x *Indexer) Look(committed archive.Position, warn func(string, ...any)) {
	if x.dir == "" {
		return
	}
	if committed.Size > x.size {
		x.pace.grant(committed.Size - x.size)
	}
	x.size = committed.Size
	select {
	case err := <-x.done:
		if x.done = nil; err != nil {
			warn(notIndexed, "error", err)
		}
	default:
	}
	if x.done == nil && committed.File > x.file && committed.Size > 0 {
		done, full, old := make(chan error, 1), x.full, *x
		x.file, x.done, x.full, x.left = committed.File, done, nil, nil
		x.pace.granted.Store(0)
		go func() {
			settle(full)
			old.adopt()
			_, err := writeAll(x.dir, math.MaxInt64, x.pace)
			done <- err
		}()
	}
}

// Wait waits until nothing is being indexed. A file that is not finished is given up.
func (x *Indexer) Wait() {
	if x.done != nil {
		x.pace.quit.Store(true)
		<-x.done
		x.done = nil
	}
	x.turn()
	for _, f := range x.full {
		<-f.done // the next session continues with its lines
		if f.broken {
			_ = os.Remove(f.part())
		}
	}
	x.full = nil
}

// notIndexed is the message logged for a file without an index.
const notIndexed = "a WARC file has no index; the next session or winnow report writes it"

// quickBytes is the number of bytes of the archive that are indexed when a user stops a
// crawl. At 50 MB a second of processor time it takes less than a second, a few on a busy
// machine.
const quickBytes = 32 << 20

// Finish indexes the remaining files. In a hurry it leaves out what takes long, and logs that.
func (x *Indexer) Finish(hurry bool, warn func(string, ...any)) {
	if x.dir == "" {
		return
	}
	x.turn()
	full := x.full
	x.full = nil
	x.Wait()
	settle(full)
	x.adopt()
	most := int64(math.MaxInt64)
	if hurry {
		most = quickBytes
	}
	x.pace.hurry.Store(true)
	if _, err := writeAll(x.dir, most, x.pace); err != nil {
		warn(notIndexed, "why", err)
	}
}

// A pace slows the indexer down, so that it does not slow the crawl for some minutes: a
// finished file is read a little faster than the next one is written.
type pace struct {
	granted atomic.Int64 // bytes that may be read
	hurry   atomic.Bool  // read without waiting
	quit    atomic.Bool  // give up
}

// errQuit reports that an index was given up, and can be written later.
var errQuit = errors.New("the crawl ends; winnow report writes the index")

const (
	paceLeast = 1 << 20 // bytes a second that may be read in any case
	paceWait  = 100 * time.Millisecond
)

// grant allows as many bytes to be read as were written, and a tenth more.
func (p *pace) grant(written int64) { p.granted.Add(written + written/10) }

// through returns a reader of r that waits until bytes are granted.
func (p *pace) through(r io.Reader) io.Reader { return &pacedReader{r: r, p: p} }

type pacedReader struct {
	r    io.Reader
	p    *pace
	read int64
}

func (x *pacedReader) Read(b []byte) (int, error) {
	for x.read >= x.p.granted.Load() && !x.p.hurry.Load() && !x.p.quit.Load() {
		time.Sleep(paceWait)
		x.p.granted.Add(int64(paceLeast * paceWait / time.Second))
	}
	if x.p.quit.Load() && !x.p.hurry.Load() {
		return 0, errQuit
	}
	n, err := x.r.Read(b)
	x.read += int64(n)
	return n, err
}
