package state

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/snapshot"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// errVersion is wrapped where another version of the program wrote a snapshot.
var errVersion = fmt.Errorf("%w: by another version", ErrOther)

// Restore returns the state at the last commit of a journal. It starts from the newest
// snapshot that can be used, or from nothing. It calls note for what it cannot use.
func Restore(p *layout.Parts, set *Setup, last uint64, note func(string, ...any)) (*State, error) {
	names, err := snapshot.List(p.Snapshot)
	if err != nil {
		return nil, err
	}
	other := false // another version wrote a snapshot
	for _, name := range names {
		s, err := FromSnapshot(p, set, name, last)
		if err == nil {
			if s, err = s.caughtUp(p, last, note); err == nil {
				return s, nil
			}
		}
		if stop := p.Stopped(); stop != nil {
			return nil, stop
		}
		other = other || errors.Is(err, errVersion)
		if !errors.Is(err, ErrOther) { // other settings are no damage
			note("a snapshot cannot be used", "file", name, "why", err)
		}
	}
	if other {
		note("the snapshot was written by another version of winnow; the state is rebuilt from the journal")
	}
	s, err := Empty(p, set)
	if err != nil {
		return nil, err
	}
	if err := s.URLs.Truncate(0); err != nil {
		s.Close()
		return nil, err
	}
	return s.caughtUp(p, last, note)
}

// caughtUp returns s after CatchUp, or closes it.
func (s *State) caughtUp(p *layout.Parts, last uint64, note func(string, ...any)) (*State, error) {
	if err := s.CatchUp(p, last, note); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Empty returns a state that knows nothing, with the file of the URLs.
func Empty(p *layout.Parts, set *Setup) (*State, error) {
	urls, err := OpenURLs(p, set)
	if err != nil {
		return nil, err
	}
	s, err := New(set, urls)
	if err != nil {
		urls.Close()
	}
	return s, err
}

// FromSnapshot returns the state of a snapshot, which must not be ahead of the journal.
func FromSnapshot(p *layout.Parts, set *Setup, name string, last uint64) (*State, error) {
	r, done, err := snapshot.Open(p.Snapshot, name)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := Empty(p, set)
	if err != nil {
		return nil, err
	}
	if err = s.Load(r); err == nil && s.Next > last {
		err = fmt.Errorf("it is ahead of the journal: record %d of %d", s.Next, last)
	}
	if err == nil {
		err = s.restoreURLs(p)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// OpenURLs opens the file of the URLs. It empties a file that cannot be used: the journal
// has all URLs.
func OpenURLs(p *layout.Parts, set *Setup) (*urltable.Log, error) {
	list, err := p.Urls.List()
	if err != nil {
		return nil, err
	}
	how := disk.Create
	if slices.ContainsFunc(list, func(e disk.Entry) bool { return e.Name == p.UrlFile }) {
		how = disk.Change
	}
	f, err := p.Urls.Open(p.UrlFile, how)
	if err != nil {
		return nil, err
	}
	urls, err := urltable.OpenLog(f, set.Crawl, set.Frontier.MaxPages)
	if err != nil {
		if err = f.Truncate(0); err == nil {
			urls, err = urltable.OpenLog(f, set.Crawl, set.Frontier.MaxPages)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	urls.Buffer = p.UrlBuffer
	return urls, nil
}

// restoreURLs cuts the file of the URLs to the pages of the state, or adds those that are
// missing from the journal.
func (s *State) restoreURLs(parts *layout.Parts) error {
	want := s.Table.Pages()
	if s.URLs.Pages() >= want {
		return s.URLs.Truncate(want)
	}
	_, err := journal.Read(parts.Journal, 0, func(r *journal.Record) error {
		if r.Seq >= s.Next {
			return layout.ErrEnough
		}
		if r.Seq%4096 == 0 {
			if err := parts.Stopped(); err != nil {
				return err
			}
		}
		for i, id := range r.Event.New {
			p := r.First + graph.Page(i)
			if int(p) < s.URLs.Pages() {
				continue
			}
			if err := s.URLs.Append(p, id, r.Facts.Names.Rest(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, layout.ErrEnough) {
		return fmt.Errorf("restore the URLs: %w", err)
	}
	if n := s.URLs.Pages(); n != want {
		return fmt.Errorf("restore the URLs: %d of %d pages are in the journal", n, want)
	}
	return nil
}

// SyncURLs syncs the file of the URLs and its directory. The URLs of pages that were never
// committed have been cut off, and their ids go to other pages now. Without the sync a
// power loss could restore the old URLs, or a file that was deleted.
func SyncURLs(p *layout.Parts) error {
	f, err := p.Urls.Open(p.UrlFile, disk.Change)
	if err != nil {
		return err
	}
	err = f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = p.Urls.Sync()
	}
	return err
}

// CatchUp replays the records of the journal that the state does not have. It calls note if
// this will take long, and for damaged records, which it skips.
func (s *State) CatchUp(p *layout.Parts, last uint64, note func(string, ...any)) error {
	if n := last - s.Next; last > s.Next && n > manyRecords && last != ^uint64(0) {
		note("replaying the journal", "records", n, "takes_about", (time.Duration(n) * s.Setup.replayCost()).Round(time.Second))
	}
	r := journal.Reader{Dir: p.Journal, From: s.Next, Record: s.Replay, Damage: func(d *journal.Damage) error {
		note("a part of the journal is damaged; what it made known is found again", "damage", d)
		return nil
	}}
	r.Commit = func(c *journal.Commit) error {
		s.Committed(c)
		if p.Grown != nil {
			p.Grown(s.Memory() - s.Heap())
		}
		return p.Stopped()
	}
	_, err := r.Run()
	s.Settled()
	return err
}

// Settled ends what was read: all of it is on disk.
func (s *State) Settled() {
	s.settling.commit(s)
	s.settling.commit(s)
}

// replayCost returns about the time to replay a record with its share of the links. A policy
// that looks at the links of pages, as foresight does, takes most of it.
func (set *Setup) replayCost() time.Duration {
	if set.Policy.Spec.Links {
		return 60 * time.Microsecond
	}
	return 10 * time.Microsecond
}

// manyRecords is the number of records above which CatchUp reports that it will take long.
const manyRecords = 100_000
