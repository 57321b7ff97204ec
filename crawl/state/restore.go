package state

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/trouble"
	"github.com/winnow-crawler/winnow/urltable"
)

// NewSetup is how a configuration makes a state.
func NewSetup(c *config.Config, id layout.Identity, memory int64) (*Setup, error) {
	set := &Setup{Crawl: id.Crawl, secret: id.Secret, batch: c.Batch, random: c.RandomSeed, robots: c.Robots, recrawl: c.Recrawl.Duration > 0}
	set.Trouble = trouble.Rules{Retries: c.Retries, Delay: c.RetryDelay.Duration, Random: c.RandomSeed}
	var err error
	if set.Policy, err = policy.Choose(c.Policy); err != nil {
		return nil, err
	}
	if c.SitePolicy != "" {
		if set.SitePolicy, err = policy.Choose(c.SitePolicy); err != nil {
			return nil, err
		}
	}
	pages := roomFor(memory)
	for _, p := range []*policy.Choice{set.Policy, set.SitePolicy} {
		if p != nil && p.Spec.MaxPages > 0 {
			pages, set.limited = min(pages, p.Spec.MaxPages), true // it takes its time for each page
		}
	}
	set.Frontier = frontier.Options{
		Delay: c.Delay.Duration, SmallDelay: c.SmallDelay.Duration, SmallSite: c.SmallSite,
		Factor: c.DelayFactor, FactorMax: c.DelayMax.Duration,
		BackOff: c.RetryDelay.Duration / 2, BackOffMax: trouble.MaxWait,
		PerConnection: c.PerConnection,
		Resolve:       c.Proxy == "", Robots: c.Robots,
		AddressCap: c.IPCap, AddressDelay: c.IPDelay.Duration,
		Slow: c.SlowAnswer.Duration, SlowFactor: c.SlowFactor, SlowTimes: c.SlowTimes, SlowDelay: c.SlowDelay.Duration, SlowMax: c.SlowMax.Duration,
		Slice: workSlice, Hold: true,
		Depths:   c.MaxDepth >= 0 || c.MaxDepthDynamic >= 0,
		MaxPages: pages, MaxSites: max(1<<10, pages/2),
	}
	return set, nil
}

// Fit makes room for what a journal has made known, and for more, whatever the ceiling of
// memory allows now: it pauses the crawl, and must not make it forget links.
func (set *Setup) Fit(c journal.Commit) {
	more := 2
	if set.limited {
		more = 1
	}
	f := &set.Frontier
	f.MaxPages, f.MaxSites = max(f.MaxPages, more*int(c.Pages)), max(f.MaxSites, more*int(c.Sites))
}

const (
	// workSlice is how many links a policy may work on between two events: some
	// milliseconds.
	workSlice = 200_000
)

// errVersion is wrapped where another version of the program wrote a snapshot.
var errVersion = fmt.Errorf("%w: by another version", ErrOther)

// Restore brings a state up to the last commit of a journal: from the newest snapshot
// that can be used, or from nothing.
func Restore(p *layout.Parts, set *Setup, last uint64, note func(string, ...any)) (*State, error) {
	names, err := SnapshotsOf(p.Snapshot)
	if err != nil {
		return nil, err
	}
	other := false // another version wrote a snapshot
	for _, name := range names {
		s, err := FromSnapshot(p, set, name, last)
		if stop := p.Stopped(); err != nil && stop != nil {
			return nil, stop
		}
		if err != nil {
			other = other || errors.Is(err, errVersion)
			if !errors.Is(err, ErrOther) { // that is no damage
				note("a snapshot cannot be used", "file", name, "why", err)
			}
			continue
		}
		if err = s.CatchUp(p, last, note); err == nil {
			return s, nil
		}
		s.Close()
		if stop := p.Stopped(); stop != nil {
			return nil, stop
		}
		note("a snapshot does not fit the journal", "file", name, "why", err)
	}
	if other {
		note("the snapshot was written by another version of winnow; the state is rebuilt from the journal")
	}
	s, err := Empty(p, set)
	if err != nil {
		return nil, err
	}
	if err = s.URLs.Truncate(0); err == nil {
		err = s.CatchUp(p, last, note)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Empty makes a state that knows nothing yet, with the file of the URLs.
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

// FromSnapshot makes a state from a snapshot, which must not be ahead of the journal.
func FromSnapshot(p *layout.Parts, set *Setup, name string, last uint64) (*State, error) {
	r, done, err := OpenSnapshot(p.Snapshot, name)
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

// OpenURLs opens the file of the URLs; one that cannot be used is begun anew, since the
// journal has them all.
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

// restoreURLs brings the file of the URLs to the pages of the state: cuts it, or adds
// what is missing from the journal.
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

// SyncURLs makes last that the URLs of pages that were never committed are gone: their ids
// go to other pages now, and a power loss could bring the old ones back; so it could a
// file that was deleted and begun anew, as long as the directory is not synced.
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

// CatchUp replays what the journal has beyond the state. When that takes long it says so
// first. Records that are damaged are passed over, and said.
func (s *State) CatchUp(p *layout.Parts, last uint64, note func(string, ...any)) error {
	if n := last - s.Next; last > s.Next && n > manyRecords && last != ^uint64(0) {
		note("replaying the journal", "records", n, "takes_about", (time.Duration(n) * replayCost).Round(time.Second))
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
	s.settling.commit(s) // all that was read is on disk
	s.settling.commit(s)
	return err
}

// A page costs about three records, and some links; replayCost is a record with its
// share of those.
const (
	replayCost  = 10 * time.Microsecond
	manyRecords = 100_000
)
