package crawl

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/layout"
)

// WriteIndexes writes the CDXJ index of every finished WARC file of a crawl that has
// none, and says how many. Indexes are derived: they may be deleted.
func WriteIndexes(dir string) (n int, err error) {
	p := &pace{}
	p.hurry.Store(true)
	return writeIndexes(dir, 1<<62, p)
}

// writeIndexes indexes files of so many bytes in all, the oldest first, at a pace. One that
// cannot be indexed does not keep the others from it.
func writeIndexes(dir string, bytes int64, p *pace) (n int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, layout.ArchiveDir, "*"+archive.Suffix))
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, name := range names {
		if _, err := os.Stat(archive.IndexName(name)); err == nil {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if bytes -= info.Size(); bytes < 0 {
			return n, errors.Join(append(failed, errLater)...)
		}
		if err := archive.WriteIndexThrough(name, p.through); err != nil {
			failed = append(failed, err)
			continue
		}
		n++
	}
	return n, errors.Join(failed...)
}

// errLater says that some files were not indexed because that takes too long now.
var errLater = errors.New("that takes longer than one who stops a crawl waits")

// indexer writes indexes beside a running crawl: when it begins those that the last
// session left out, then whenever a file was finished.
type indexer struct {
	dir  string // "": nothing is indexed
	file int    // the file that was open when it was last looked at; -1: it was not yet
	size int64  // of that file then
	done chan error
	busy bool
	pace *pace
}

func newIndexer(d *directory, at archive.Position) indexer {
	return indexer{dir: d.path, file: -1, size: at.Size, done: make(chan error, 1), pace: &pace{}}
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
				warn(notIndexed, "error", err)
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

// notIndexed says what to do about an index that is not there.
const notIndexed = "a WARC file has no index; the next session or winnow report makes it"

// quickBytes is how much of the archive is indexed when somebody stops a crawl: at some
// 50 MB a second of processor time that is less than a second, and a few on a busy
// machine.
const quickBytes = 32 << 20

// finish indexes the last file. If somebody waits it leaves out what takes long, and says
// so.
func (x *indexer) finish(hurry bool, warn func(string, ...any)) {
	if x.dir == "" {
		return
	}
	x.wait()
	most := int64(1 << 62)
	if hurry {
		most = quickBytes
	}
	x.pace.hurry.Store(true)
	if _, err := writeIndexes(x.dir, most, x.pace); err != nil {
		warn(notIndexed, "why", err)
	}
}
