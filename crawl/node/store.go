package node

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A store is the directory of a partition on this node, as package cluster sees it.
type store struct {
	open   func(name string) (disk.Dir, error)
	header journal.Header
	last   journal.Commit // of the groups that were read or added last
}

// store returns a partition of the crawl. open opens a directory below that of the crawl.
func (p *Plan) store(self int, open func(name string) (disk.Dir, error)) store {
	id, _ := p.Crawl.Identity(self) // it was checked when it was shared
	x := port.Port{Self: self, Of: p.Crawl.Partitions}
	return store{header: x.Header(id), open: func(name string) (disk.Dir, error) {
		return open(layout.PartitionName(self) + "/" + name)
	}}
}

// Journal returns the journal of a partition of the crawl, and its header. open opens a directory
// below that of the crawl.
func (p *Plan) Journal(self int, open func(name string) (disk.Dir, error)) (cluster.Journal, journal.Header, error) {
	if _, err := p.Crawl.Identity(self); err != nil {
		return nil, journal.Header{}, err
	}
	s := p.store(self, open)
	return &s, s.header, nil
}

// parts opens the directories of the partition.
func (s *store) parts() (layout.Parts, error) { return layout.Open(s.open) }

// Groups implements cluster.Partition.
func (s *store) Groups(fn func(cluster.Group) error) error {
	p, err := s.parts()
	if err != nil {
		return err
	}
	return journal.Groups(p.Journal, s.header, func(c *journal.Commit, b []byte) error {
		epoch, err := s.epoch(b)
		if err != nil {
			return err
		}
		s.last = *c
		return fn(cluster.Group{First: c.First, Next: c.Next, Epoch: epoch, Bytes: b})
	})
}

// epoch returns the epoch of the session with which a group begins, 0 if it begins none.
func (s *store) epoch(b []byte) (uint64, error) {
	var r journal.Record
	if err := journal.First(s.header, b, &r); err != nil {
		return 0, fmt.Errorf("read the first record of a group: %w", err)
	}
	if r.Event.Kind != event.Session {
		return 0, nil
	}
	return r.Facts.Epoch, nil
}

// end returns the commit that ends the first groups, so many, and all if there are fewer.
func (s *store) end(p *layout.Parts, groups int) (last journal.Commit, err error) {
	errEnough := errors.New("enough")
	err = journal.Groups(p.Journal, s.header, func(c *journal.Commit, _ []byte) error {
		if groups--; groups < 0 {
			return errEnough
		}
		last = *c
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return last, err
}

// weight returns how many bytes the partition will take when it runs, about.
func (s *store) weight() int64 { return crawl.Weight(s.last.Pages, s.last.Sites) }

// settle removes what the directory has beyond a commit: snapshots, whose numbers go to other records
// now, and bytes of the archive, whose places go to others. The file of the URLs may stay: whoever
// restores a state cuts it to what the snapshot knows.
func (s *store) settle(p *layout.Parts, last journal.Commit) error {
	if err := snapshot.DropAhead(p.Snapshot, last.Next); err != nil {
		return err
	}
	w, err := archive.Open(p.Archive, archive.Config{Prefix: "winnow", Now: time.Now, MaxSize: math.MaxInt64}, layout.Position(last))
	if err != nil {
		return err
	}
	w.Drop()
	return nil
}

// Cut implements cluster.Partition. What depends on the groups that go is removed first.
func (s *store) Cut(groups int) error {
	p, err := s.parts()
	if err != nil {
		return err
	}
	last, err := s.end(&p, groups)
	if err == nil {
		err = s.settle(&p, last)
	}
	if err == nil {
		s.last = last
		err = journal.Cut(p.Journal, s.header, groups)
	}
	return err
}

// Add implements cluster.Partition.
func (s *store) Add(fn func(add func(cluster.Group) error) error) error {
	p, err := s.parts()
	if err != nil {
		return err
	}
	l, err := s.journal(&p)
	if err != nil {
		return err
	}
	defer l.Drop()
	err = fn(func(g cluster.Group) error {
		c, ok := journal.CommitOf(s.header, g.Bytes)
		if ok {
			s.last = c
		}
		return l.Add(g.Bytes)
	})
	if err == nil {
		err = l.Sync()
	}
	if err == nil {
		err = l.Close()
	}
	return err
}

// journal opens the journal for groups of others.
func (s *store) journal(p *layout.Parts) (*journal.Log, error) {
	_, err := journal.ReadHeader(p.Journal)
	switch {
	case errors.Is(err, journal.ErrNone):
		return journal.Begin(p.Journal, s.header)
	case err != nil:
		return nil, err
	}
	l, found, err := journal.Open(p.Journal, s.header)
	if err == nil {
		if err = s.settle(p, found.Last); err != nil {
			l.Drop()
		}
	}
	return l, err
}
