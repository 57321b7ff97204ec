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
	return writeIndexes(dir, 1<<62)
}

// writeIndexes indexes files of so many bytes in all, the oldest first.
func writeIndexes(dir string, bytes int64) (n int, err error) {
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
		if err := archive.WriteIndex(name); err != nil {
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
	done chan error
	busy bool
}

func newIndexer(d *directory, at archive.Position) indexer {
	return indexer{dir: d.path, file: at.File, done: make(chan error, 1)}
}

// look begins to index when a file has been finished.
func (x *indexer) look(committed int, warn func(string, ...any)) {
	if x.dir == "" {
		return
	}
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
	if committed > x.file {
		x.file, x.busy = committed, true
		go func() {
			_, err := WriteIndexes(x.dir)
			x.done <- err
		}()
	}
}

// wait returns when nothing is indexed.
func (x *indexer) wait() {
	if x.busy {
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
	if _, err := writeIndexes(x.dir, quickBytes); err != nil {
		warn("an index was not written; winnow report makes it", "error", err)
	}
}
