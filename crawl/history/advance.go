package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/journal"
)

// ErrReopen is wrapped where a crawl must be opened again to be followed: it was replaced or
// removed, a session has other options, or there is no room for its pages.
var ErrReopen = errors.New("the crawl must be opened again")

// advanceBytes is about how much of the journal is read by one call of Advance.
const advanceBytes = 1 << 20

// Advance applies to the state what was committed since the crawl was opened or Advance was
// called last, and calls fn after each record. It reads about a MiB and reports whether there
// may be more. State must be called before. After an error that wraps ErrReopen the crawl is of
// no use.
func (c *Crawl) Advance(fn func(*journal.Record) error) (more bool, err error) {
	if c.tail == nil {
		h, err := journal.ReadHeader(c.parts.Journal)
		if err != nil {
			return false, explain(c.Path, err)
		}
		c.tail = journal.NewTail(c.parts.Journal, h, c.end.Next)
	}
	s, failed := c.state, error(nil)
	more, err = c.tail.Read(advanceBytes, func(r *journal.Record) error {
		if x := r.Facts.Session; x != nil && !bytes.Equal(x.Config, s.LastConfig) {
			return ErrReopen
		}
		if n := s.Table.Pages() + len(r.Event.New); n > s.Setup.Frontier.MaxPages || s.Table.Sites()+len(r.Event.New) > s.Setup.Frontier.MaxSites {
			return ErrReopen
		}
		if err := s.Replay(r); err != nil {
			return err
		}
		failed = fn(r)
		return failed
	}, func(x *journal.Commit) error {
		s.Committed(x)
		c.end = *x
		return c.ctx.Err()
	})
	switch {
	case failed != nil:
		return false, failed
	case errors.Is(err, journal.ErrChanged):
		return false, errors.Join(ErrReopen, err)
	case err != nil:
		return false, explain(c.Path, err)
	}
	if !more {
		s.Settled()
	}
	return more, nil
}

// Scan reads the journal as far as the state goes and calls fn for each record in order. It
// changes nothing in the Crawl, so that others may use its state meanwhile.
func (c *Crawl) Scan(fn func(*journal.Record) error) error {
	end := c.end.Next
	r := journal.Reader{
		Dir:    c.parts.Journal,
		Commit: func(*journal.Commit) error { return c.ctx.Err() },
		Record: func(r *journal.Record) error {
			if r.Seq >= end {
				return layout.ErrEnough
			}
			return fn(r)
		},
	}
	if _, err := r.Run(); err != nil && !errors.Is(err, layout.ErrEnough) {
		return explain(c.Path, err)
	}
	return nil
}

// Records returns the number of records that were committed.
func (c *Crawl) Records() uint64 { return c.end.Next }

// Finder returns a Finder for the journal.
func (c *Crawl) Finder() (*journal.Finder, error) {
	h, err := journal.ReadHeader(c.parts.Journal)
	if err != nil {
		return nil, explain(c.Path, err)
	}
	return journal.NewFinder(c.parts.Journal, h), nil
}

// Peek returns the status that a crawl left in its directory, without a look at the journal, and
// when it was written; nil if there is none. That of a crawl that was killed says that it runs.
func Peek(dir string) (s *Status, running bool, written time.Time) {
	name := filepath.Join(dir, layout.StatusFile)
	running = layout.Locked(filepath.Join(dir, layout.LockFile))
	b, err := os.ReadFile(name)
	s = new(Status)
	if err != nil || json.Unmarshal(b, s) != nil {
		return nil, running, written
	}
	if info, err := os.Stat(name); err == nil {
		written = info.ModTime()
	}
	s.Ran = time.Duration(s.Worked * float64(time.Second))
	if running {
		s.State, s.Why = StateRunning, ""
	}
	return s, running, written
}
