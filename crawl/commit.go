package crawl

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A group is what one commit makes last: bytes of the archive first, then the records
// that refer to them.
type group struct {
	warc    archive.Group
	records journal.Group
	sites   []graph.Site  // whose outcome is in it: they may be asked again afterwards
	tasks   []*task       // whose bytes are in it: they are used again afterwards
	bytes   int64         // of the archive
	free    time.Duration // the first instant at which one of the sites may be asked
	err     error
}

// A committer writes groups, one at a time, in a goroutine of its own.
type committer struct {
	warc *archive.Writer
	log  *journal.Log
	sync bool
	in   chan *group
	out  chan *group
}

func newCommitter(warc *archive.Writer, log *journal.Log, sync bool) *committer {
	c := &committer{warc: warc, log: log, sync: sync, in: make(chan *group, 1), out: make(chan *group, 1)}
	go c.run()
	return c
}

func (c *committer) run() {
	for g := range c.in {
		g.err = c.write(g)
		c.out <- g
	}
	close(c.out)
}

// write makes a group last. The archive comes first: a record never refers to bytes
// that are not there.
func (c *committer) write(g *group) error {
	if err := c.warc.Write(g.warc); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	if c.sync {
		if err := c.warc.Sync(); err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
	}
	if err := c.log.Write(g.records); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	if c.sync {
		if err := c.log.Sync(); err != nil {
			return fmt.Errorf("write the journal: %w", err)
		}
	}
	return nil
}

// diskError says what can be done about a failed write. Nothing is tried again on the
// same file: what the last commit has is safe, the next run goes on from there.
func diskError(dir string, err error) error {
	try := "nothing that was committed is lost; when the disk works again, run the same command to go on"
	text := "the crawl stopped: cannot write " + dir
	if disk.ErrFull(err) {
		text = "the crawl paused: no room left for " + dir
		try = "nothing that was committed is lost; free some room and run the same command to go on"
	}
	return &hint.Error{Text: text, Hint: try, Err: err}
}
