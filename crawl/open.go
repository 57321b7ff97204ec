package crawl

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/trouble"
	"github.com/winnow-crawler/winnow/urltable"
)

// The parts of a crawl directory.
const (
	partJournal  = "journal/0000"
	partURLs     = "urls"
	partSnapshot = "snapshot"
	partArchive  = "warc"
	partReport   = "report"

	urlFile      = "0000.wurl"
	urlsFollowed = "follower.wurl" // those of the follower, which has its own
)

// parts are the directories of a crawl.
type parts struct {
	journal, urls, snapshot, archive disk.Dir
	urlFile                          string // in urls
	urlBuffer                        int    // see urltable.Log
	// stop, if not nil, is asked now and then while a state is made; its error ends that.
	stop func() error
	// grown, if not nil, is told now and then how many bytes the columns of a state that is
	// made take.
	grown func(bytes int64)
}

// stopped is the error of stop.
func (p *parts) stopped() error {
	if p.stop == nil {
		return nil
	}
	return p.stop()
}

// openParts opens the directories of a crawl by what gives one by its name.
func openParts(open func(name string) (disk.Dir, error)) (p parts, err error) {
	p.urlFile = urlFile
	for _, d := range []struct {
		name string
		dir  *disk.Dir
	}{{partJournal, &p.journal}, {partURLs, &p.urls}, {partSnapshot, &p.snapshot}, {partArchive, &p.archive}} {
		if *d.dir, err = open(d.name); err != nil {
			return p, err
		}
	}
	return p, nil
}

// identity is what the first session of a crawl decided once and for all.
type identity struct{ crawl, secret [16]byte }

func newIdentity() (id identity) {
	rand.Read(id.crawl[:]) // it never fails
	rand.Read(id.secret[:])
	id.crawl[6], id.crawl[8] = id.crawl[6]&0x0f|0x40, id.crawl[8]&0x3f|0x80 // UUID, version 4
	return id
}

// errEnough ends the reading of a journal.
var errEnough = errors.New("enough")

// readIdentity reads what the sessions of a journal say, which all say the same. If all
// of them are lost, another secret does as well: the journal has the URLs themselves.
func readIdentity(dir disk.Dir) (id identity, err error) {
	last, err := journal.Read(dir, 0, func(r *journal.Record) error {
		x := r.Facts.Session
		if x == nil {
			return nil // the one before it is damaged
		}
		id = identity{x.Crawl, x.Secret}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		return id, nil
	}
	if err != nil {
		return id, err
	}
	h, err := journal.ReadHeader(dir)
	id = newIdentity()
	id.crawl = h.Crawl
	if last.Next == 0 { // it was begun, and nothing was committed
		err = errors.Join(errNothing, err)
	}
	return id, err
}

// errNothing says that a journal has no committed record.
var errNothing = errors.New("nothing was committed")

// newSetup is how a configuration makes a state.
func newSetup(c *config.Config, id identity, memory int64) (*setup, error) {
	set := &setup{crawl: id.crawl, secret: id.secret, batch: c.Batch, random: c.RandomSeed, robots: c.Robots, recrawl: c.Recrawl.Duration > 0}
	set.trouble = trouble.Rules{Retries: c.Retries, Delay: c.RetryDelay.Duration, Random: c.RandomSeed}
	var err error
	if set.policy, err = policy.Choose(c.Policy); err != nil {
		return nil, err
	}
	if c.SitePolicy != "" {
		if set.sitePolicy, err = policy.Choose(c.SitePolicy); err != nil {
			return nil, err
		}
	}
	pages := roomFor(memory)
	for _, p := range []*policy.Choice{set.policy, set.sitePolicy} {
		if p != nil && p.Spec.MaxPages > 0 {
			pages, set.limited = min(pages, p.Spec.MaxPages), true // it takes its time for each page
		}
	}
	set.frontier = frontier.Options{
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

// fit makes room for what a journal has made known, and for more, whatever the ceiling of
// memory allows now: it pauses the crawl, and must not make it forget links.
func (set *setup) fit(c journal.Commit) {
	more := 2
	if set.limited {
		more = 1
	}
	f := &set.frontier
	f.MaxPages, f.MaxSites = max(f.MaxPages, more*int(c.Pages)), max(f.MaxSites, more*int(c.Sites))
}

const (
	// workSlice is how many links a policy may work on between two events: some
	// milliseconds.
	workSlice = 200_000
)

// restore brings a state up to the last commit of a journal: from the newest snapshot
// that can be used, or from nothing.
func restore(p *parts, set *setup, last uint64, note func(string, ...any)) (*state, error) {
	names, err := snapshotsOf(p.snapshot)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s, err := fromSnapshot(p, set, name, last)
		if stop := p.stopped(); err != nil && stop != nil {
			return nil, stop
		}
		if err != nil {
			if !errors.Is(err, errOther) { // settings that order the pages have changed: that is no damage
				note("a snapshot cannot be used", "file", name, "why", err)
			}
			continue
		}
		if err = s.catchUp(p, last, note); err == nil {
			return s, nil
		}
		s.close()
		if stop := p.stopped(); stop != nil {
			return nil, stop
		}
		note("a snapshot does not fit the journal", "file", name, "why", err)
	}
	s, err := emptyState(p, set)
	if err != nil {
		return nil, err
	}
	if err = s.urls.Truncate(0); err == nil {
		err = s.catchUp(p, last, note)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// emptyState makes a state that knows nothing yet, with the file of the URLs.
func emptyState(p *parts, set *setup) (*state, error) {
	urls, err := openURLs(p, set)
	if err != nil {
		return nil, err
	}
	s, err := newState(set, urls)
	if err != nil {
		urls.Close()
	}
	return s, err
}

// fromSnapshot makes a state from a snapshot, which must not be ahead of the journal.
func fromSnapshot(p *parts, set *setup, name string, last uint64) (*state, error) {
	r, done, err := openSnapshot(p.snapshot, name)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := emptyState(p, set)
	if err != nil {
		return nil, err
	}
	if err = s.load(r); err == nil && s.next > last {
		err = fmt.Errorf("it is ahead of the journal: record %d of %d", s.next, last)
	}
	if err == nil {
		err = s.restoreURLs(p)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// openURLs opens the file of the URLs; one that cannot be used is begun anew, since the
// journal has them all.
func openURLs(p *parts, set *setup) (*urltable.Log, error) {
	list, err := p.urls.List()
	if err != nil {
		return nil, err
	}
	how := disk.Create
	if slices.ContainsFunc(list, func(e disk.Entry) bool { return e.Name == p.urlFile }) {
		how = disk.Change
	}
	f, err := p.urls.Open(p.urlFile, how)
	if err != nil {
		return nil, err
	}
	urls, err := urltable.OpenLog(f, set.crawl, set.frontier.MaxPages)
	if err != nil {
		if err = f.Truncate(0); err == nil {
			urls, err = urltable.OpenLog(f, set.crawl, set.frontier.MaxPages)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	urls.Buffer = p.urlBuffer
	return urls, nil
}

// restoreURLs brings the file of the URLs to the pages of the state: cuts it, or adds
// what is missing from the journal.
func (s *state) restoreURLs(parts *parts) error {
	want := s.seen.Pages()
	if s.urls.Pages() >= want {
		return s.urls.Truncate(want)
	}
	_, err := journal.Read(parts.journal, 0, func(r *journal.Record) error {
		if r.Seq >= s.next {
			return errEnough
		}
		if r.Seq%4096 == 0 {
			if err := parts.stopped(); err != nil {
				return err
			}
		}
		for i, id := range r.Event.New {
			p := r.First + graph.Page(i)
			if int(p) < s.urls.Pages() {
				continue
			}
			if err := s.urls.Append(p, id, r.Facts.Names.Rest(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("restore the URLs: %w", err)
	}
	if n := s.urls.Pages(); n != want {
		return fmt.Errorf("restore the URLs: %d of %d pages are in the journal", n, want)
	}
	return nil
}

// syncURLs makes last that the URLs of pages that were never committed are gone: their ids
// go to other pages now, and a power loss could bring the old ones back; so it could a
// file that was deleted and begun anew, as long as the directory is not synced.
func syncURLs(p *parts) error {
	f, err := p.urls.Open(p.urlFile, disk.Change)
	if err != nil {
		return err
	}
	err = f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = p.urls.Sync()
	}
	return err
}

// catchUp replays what the journal has beyond the state. When that takes long it says so
// first. Records that are damaged are passed over, and said.
func (s *state) catchUp(p *parts, last uint64, note func(string, ...any)) error {
	if n := last - s.next; last > s.next && n > manyRecords && last != ^uint64(0) {
		note("replaying the journal", "records", n, "takes_about", (time.Duration(n) * replayCost).Round(time.Second))
	}
	r := journal.Reader{Dir: p.journal, From: s.next, Record: s.replay, Damage: func(d *journal.Damage) error {
		note("a part of the journal is damaged; what it made known is found again", "damage", d)
		return nil
	}}
	r.Commit = func(c *journal.Commit) error {
		s.committed(c)
		if p.grown != nil {
			p.grown(s.memory() - s.heap())
		}
		return p.stopped()
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

// position is the committed end of the archive.
func position(c journal.Commit) archive.Position {
	return archive.Position{File: int(c.Warc.File), Size: c.Warc.Size}
}
