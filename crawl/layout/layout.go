package layout

import (
	"crypto/rand"
	"errors"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// The parts of a crawl directory.
const (
	JournalDir  = "journal/0000"
	URLDir      = "urls"
	SnapshotDir = "snapshot"
	ArchiveDir  = "warc"
	ReportDir   = "report"

	URLFile      = "0000.wurl"
	FollowedFile = "follower.wurl" // those of the follower, which has its own
)

// Parts are the directories of a crawl.
type Parts struct {
	Journal, Urls, Snapshot, Archive disk.Dir
	UrlFile                          string // in urls
	UrlBuffer                        int    // see urltable.Log
	// stop, if not nil, is asked now and then while a state is made; its error ends that.
	Stop func() error
	// grown, if not nil, is told now and then how many bytes the columns of a state that is
	// made take.
	Grown func(bytes int64)
}

// Stopped is the error of stop.
func (p *Parts) Stopped() error {
	if p.Stop == nil {
		return nil
	}
	return p.Stop()
}

// Open opens the directories of a crawl by what gives one by its name.
func Open(open func(name string) (disk.Dir, error)) (p Parts, err error) {
	p.UrlFile = URLFile
	for _, d := range []struct {
		name string
		dir  *disk.Dir
	}{{JournalDir, &p.Journal}, {URLDir, &p.Urls}, {SnapshotDir, &p.Snapshot}, {ArchiveDir, &p.Archive}} {
		if *d.dir, err = open(d.name); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Identity is what the first session of a crawl decided once and for all.
type Identity struct{ Crawl, Secret [16]byte }

func NewIdentity() (id Identity) {
	rand.Read(id.Crawl[:]) // it never fails
	rand.Read(id.Secret[:])
	id.Crawl[6], id.Crawl[8] = id.Crawl[6]&0x0f|0x40, id.Crawl[8]&0x3f|0x80 // UUID, version 4
	return id
}

// ErrEnough ends the reading of a journal.
var ErrEnough = errors.New("enough")

// ReadIdentity reads what the sessions of a journal say, which all say the same. If all
// of them are lost, another secret does as well: the journal has the URLs themselves.
func ReadIdentity(dir disk.Dir) (id Identity, err error) {
	last, err := journal.Read(dir, 0, func(r *journal.Record) error {
		x := r.Facts.Session
		if x == nil {
			return nil // the one before it is damaged
		}
		id = Identity{x.Crawl, x.Secret}
		return ErrEnough
	})
	if errors.Is(err, ErrEnough) {
		return id, nil
	}
	if err != nil {
		return id, err
	}
	h, err := journal.ReadHeader(dir)
	id = NewIdentity()
	id.Crawl = h.Crawl
	if last.Next == 0 { // it was begun, and nothing was committed
		err = errors.Join(ErrNothing, err)
	}
	return id, err
}

// ErrNothing says that a journal has no committed record.
var ErrNothing = errors.New("nothing was committed")

// Position is the committed end of the archive.
func Position(c journal.Commit) archive.Position {
	return archive.Position{File: int(c.Warc.File), Size: c.Warc.Size}
}
