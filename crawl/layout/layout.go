// Package layout names the files and parts of a crawl directory, locks it, and reads the
// identity of a crawl.
package layout

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/journal"
)

// The parts of a crawl directory.
const (
	JournalDir  = "journal/0000"
	URLDir      = "urls"
	SnapshotDir = "snapshot"
	ArchiveDir  = "warc"

	URLFile      = "0000.wurl"
	FollowedFile = "follower.wurl" // URLs of the follower, which has its own
)

// Parts holds the directories of a crawl.
type Parts struct {
	Journal, Urls, Snapshot, Archive disk.Dir
	UrlFile                          string // in urls
	UrlBuffer                        int    // see urltable.Log
	// Stop, if not nil, is called now and then while a state is restored. An error ends that.
	Stop func() error
	// Grown, if not nil, is called now and then with the size of the columns of a state that
	// is being restored.
	Grown func(bytes int64)
}

// Stopped returns the error of Stop.
func (p *Parts) Stopped() error {
	if p.Stop == nil {
		return nil
	}
	return p.Stop()
}

// Open opens the directories of a crawl. It calls open with the name of each.
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

// An Identity holds the random values that the first session of a crawl drew, and that
// never change. All partitions of a crawl have the same.
type Identity struct {
	Crawl, Secret [16]byte
	Partition     int // the one that the journal is of, from 0 on
}

// NewIdentity returns a random identity.
func NewIdentity() (id Identity) {
	rand.Read(id.Crawl[:]) // never fails
	rand.Read(id.Secret[:])
	id.Crawl[6], id.Crawl[8] = id.Crawl[6]&0x0f|0x40, id.Crawl[8]&0x3f|0x80 // UUID, version 4
	return id
}

// ErrEnough ends the reading of a journal.
var ErrEnough = errors.New("enough")

// ReadIdentity returns the identity in the first session record of a journal. All sessions
// have the same. If all are lost, it returns a new secret, which does as well: the journal
// contains the URLs themselves.
func ReadIdentity(dir disk.Dir) (id Identity, err error) {
	last, err := journal.Read(dir, 0, func(r *journal.Record) error {
		x := r.Facts.Session
		if x == nil {
			return nil // the session before it is damaged
		}
		id.Crawl, id.Secret = x.Crawl, x.Secret
		return ErrEnough
	})
	if err != nil && !errors.Is(err, ErrEnough) {
		return id, err
	}
	h, failed := journal.ReadHeader(dir)
	if id.Partition = int(h.Partition); errors.Is(err, ErrEnough) {
		return id, failed
	}
	err, id = failed, NewIdentity()
	id.Crawl, id.Partition = h.Crawl, int(h.Partition)
	if last.Next == 0 { // only the header was written
		err = errors.Join(ErrNothing, err)
	}
	return id, err
}

// ErrNothing is returned for a journal without committed records.
var ErrNothing = errors.New("nothing was committed")

// Position returns the committed end of the archive.
func Position(c journal.Commit) archive.Position {
	return archive.Position{File: int(c.Warc.File), Size: c.Warc.Size}
}

// The files of a crawl directory, in addition to its parts.
const (
	LockFile   = "lock"
	ConfigFile = "winnow.toml"
	StatusFile = "status.json"
)

// IsCrawl reports whether a directory looks like that of a crawl.
func IsCrawl(path string) bool {
	for _, part := range []string{filepath.FromSlash(JournalDir), LockFile} {
		if _, err := os.Stat(filepath.Join(path, part)); err == nil {
			return true
		}
	}
	return false
}

// CheckDirectory returns an error for a directory that holds something else than a crawl.
func CheckDirectory(path string) error {
	list, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &hint.Error{Text: "cannot open " + path, Hint: "choose another place with --dir", Err: err}
	case len(list) == 0 || IsCrawl(path):
		return nil
	}
	return &hint.Error{
		Text: fmt.Sprintf("%s is not a crawl: it has %s, but no journal", path, list[0].Name()),
		Hint: "choose an empty or new directory with --dir",
	}
}

// LockError explains why a directory could not be locked.
func LockError(dir string, err error) error {
	if errors.Is(err, ErrLocked) {
		return &hint.Error{
			Text: "another winnow is running in " + dir,
			Hint: "wait for it, stop it with Ctrl-C, or choose another --dir; winnow status " + dir + " shows how far it is",
		}
	}
	return &hint.Error{Text: "cannot lock " + dir, Hint: "make the directory writable, or choose another with --dir", Err: err}
}
