package crawl

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/compact"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// A group holds what one commit writes: bytes of the archive, then the records that refer to
// them.
type group struct {
	warc    archive.Group
	records journal.Group
	sites   []graph.Site // whose outcome is in it: they may be requested again afterwards
	tasks   []*task      // whose bytes are in it: they are reused afterwards
	bytes   int64        // of the archive
	next    uint64       // number of the record after it
	emptied compact.Emptied
	free    time.Duration // the first instant at which one of the sites may be requested
	err     error
}

// A committer writes groups, one at a time, in a goroutine of its own.
type committer struct {
	warc *archive.Writer
	log  *journal.Log
	port *port.Port
	sync bool
	open bool          // the session has been committed
	show func([]*task) // called when tasks are on disk
	in   chan *group
	out  chan *group
}

func newCommitter(warc *archive.Writer, log *journal.Log, p *port.Port, sync bool, show func([]*task)) *committer {
	c := &committer{warc: warc, log: log, port: p, sync: sync, show: show, in: make(chan *group, 1), out: make(chan *group, 1)}
	go c.run()
	return c
}

func (c *committer) run() {
	for g := range c.in {
		if g.err = c.write(g); g.err == nil {
			c.show(g.tasks)
		}
		c.out <- g
	}
	close(c.out)
}

// close ends the committer after the group that it has.
func (c *committer) close() {
	close(c.in)
	for range c.out {
	}
}

// write writes a group. The archive comes first: a record never refers to bytes that are
// not on disk. Files are removed last. Copies are synced in any case: what they are copies of
// was safe before.
func (c *committer) write(g *group) error {
	err := c.warc.Write(g.warc)
	sync := c.sync || g.emptied.Copies || len(g.emptied.Gone) > 0
	if err == nil && sync {
		err = c.warc.Sync()
	}
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	err = c.port.Commit(g.records, !c.open, func() error {
		err := c.log.Write(g.records)
		if err == nil && sync {
			err = c.log.Sync()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	c.open = true
	return c.warc.Remove(g.emptied.Gone...)
}

// diskError returns an error with a hint about a failed write. The file is not
// written again in this run: the next run resumes from the last commit.
func diskError(dir string, err error) error {
	try := "nothing that was committed is lost; when the disk can be written again, run the same command to resume"
	text := "the crawl stopped: cannot write " + dir
	if disk.ErrFull(err) {
		text = "the crawl paused: no room left for " + dir
		try = "nothing that was committed is lost; free some room and run the same command to resume"
	}
	return &hint.Error{Text: text, Hint: try, Err: err}
}
