package crawl

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/archive"
)

// WriteIndexes writes the CDXJ index of every finished WARC file of a crawl that has
// none, and says how many. Indexes are derived: they may be deleted.
func WriteIndexes(dir string) (n int, err error) {
	p := &pace{}
	p.hurry.Store(true)
	return writeIndexes(dir, 1<<62, p)
}

// writeIndexes indexes files of so many bytes in all, the oldest first, at a pace.
func writeIndexes(dir string, bytes int64, p *pace) (n int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, partArchive, "*.warc.gz"))
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if _, err := os.Stat(archive.IndexName(name)); err == nil || strings.HasSuffix(name, ".open") {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return n, err
		}
		if bytes -= info.Size(); bytes < 0 {
			return n, nil
		}
		if err := archive.WriteIndexThrough(name, p.through); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// indexer writes indexes beside a running crawl, whenever a file was finished.
type indexer struct {
	dir  string // "": nothing is indexed
	file int    // the file that was open when it was last looked at
	size int64  // of that file then
	done chan error
	busy bool
	pace *pace
}

func newIndexer(d *directory, at archive.Position) indexer {
	return indexer{dir: d.path, file: at.File, size: at.Size, done: make(chan error, 1), pace: &pace{}}
}

// look begins to index when a file has been finished, and lets it go on as far as the next
// one has been written.
func (x *indexer) look(committed archive.Position, warn func(string, ...any)) {
	if x.dir == "" {
		return
	}
	if committed.Size > x.size {
		x.pace.grant(committed.Size - x.size)
	}
	x.size = committed.Size
	if x.busy {
		select {
		case err := <-x.done:
			x.busy = false
			if err != nil {
				warn("an index was not written; winnow report makes it", "error", err)
			}
		default:
		}
		return
	}
	if committed.File > x.file {
		x.file, x.busy = committed.File, true
		x.pace.granted.Store(0)
		go func() {
			_, err := writeIndexes(x.dir, 1<<62, x.pace)
			x.done <- err
		}()
	}
}

// wait returns when nothing is indexed: a file that is not through is given up.
func (x *indexer) wait() {
	if x.busy {
		x.pace.quit.Store(true)
		<-x.done
		x.busy = false
	}
}

// quickBytes is how much of the archive is indexed when a crawl stops: at some 50 MB a
// second of processor time that is less than a second, and a few on a busy machine. The
// rest is left to winnow report.
const quickBytes = 32 << 20

// finish indexes the last file, unless that would take long.
func (x *indexer) finish(warn func(string, ...any)) {
	if x.dir == "" {
		return
	}
	x.wait()
	x.pace.hurry.Store(true)
	if _, err := writeIndexes(x.dir, quickBytes, x.pace); err != nil {
		warn("an index was not written; winnow report makes it", "error", err)
	}
}
