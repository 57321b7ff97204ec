package state

import (
	"bytes"
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/urltable"
)

// State is all that a crawl knows: the fold of its journal. It has one owner.
type State struct {
	Setup   *Setup
	Saved   graph.Set // the columns of a snapshot
	derived graph.Set // columns that follow from others, or from the head of a snapshot
	names
	marks
	savedTally
	Cut       cuts
	Frontier  *frontier.Frontier
	Limits    limits
	Robots    robotsFiles
	Sitemaps  sitemaps
	Addresses addresses
	Content   contents
	Mirrors   mirrors
	Traps     traps
	Kinds     kinds
	Visits    *validators // nil unless pages are visited again
	Weather   weather
	Portal    portal
	settling                // on replay
	holes     int           // records that could not be applied: see Replay
	Began     int64         // wall clock of instant 0, Unix nanoseconds
	Now       time.Duration // of the last record
	Next      uint64        // number of the next record
	// LastConfig is the configuration of the last session, TOML.
	LastConfig []byte
	Scope      *gather.Scope // in force; nil on replay, where the journal holds the refusals
	HtmlOnly   bool          // doubtful names are judged by what others turned out to be
}

// New makes the state of a crawl that knows nothing. The URL log must have been cut to no
// pages, or to those of a snapshot that will be loaded.
func New(set *Setup, urls *urltable.Log) (*State, error) {
	n, m := set.Frontier.MaxPages, set.Frontier.MaxSites
	s := &State{Setup: set}
	s.names = names{Key: urltable.NewKey(set.secret), Table: urltable.New("", set.secret, n, m), URLs: urls}
	if err := s.newFrontier(); err != nil {
		s.Table.Free()
		return nil, err
	}
	s.Cut.Pages = map[graph.Page]cutPage{}
	s.Content, s.Kinds = newContents(&s.names, set.secret, n), newKinds(&s.names, set.secret, min(2*n, 1<<31))
	s.Traps = newTraps(s, set.secret, n, m)
	s.Weather, s.Robots, s.Sitemaps = newWeather(s), newRobotsFiles(&s.names), newSitemaps()
	// The order of the columns is that of snapshots.
	graph.AddTo(&s.Saved, s.Table, s.Frontier, s.Content.seen, s.Kinds.seen, s.Traps.Guard)
	s.in = graph.NewColumnIn[uint32](&s.Saved, "page links in", n)
	graph.AddTo(&s.Saved, s.Content.first, s.Kinds.answers, s.Content.targets, s.Content.near)
	if set.recrawl {
		s.Visits = newValidators(&s.Saved, n)
	}
	s.Mirrors = newMirrors(s, m)
	s.Robots.rules = graph.NewColumnIn[uint32](&s.Saved, "site rules", m)
	s.Limits = limits{names: &s.names, domain: s.Traps.Guard.SiteDomains(), domains: domainTable{urltable.New("domain", set.secret, m, 1)}, Freed: true}
	s.Limits.admitted = graph.NewColumnIn[uint32](&s.Saved, "site admitted", m)
	s.Sitemaps.named = graph.NewColumnIn[uint64](&s.Saved, "site sitemaps read", m/64+1)
	s.Limits.shares = graph.NewColumnIn[uint32](&s.Saved, "domain admitted", m)
	s.Addresses = newAddresses(&s.derived, 4*m+1024)
	graph.AddTo(&s.derived, s.Limits.domains)
	return s, nil
}

// newFrontier makes the frontier, which asks the state for names and verdicts.
func (s *State) newFrontier() (err error) {
	env := policy.Env{
		Random: s.Setup.random, Batch: s.Setup.batch,
		URL:      func(b []byte, p graph.Page) []byte { return s.AppendURL(b, p) },
		SiteName: func(id graph.Site) string { return string(s.Table.Name(id)) },
	}
	fo := s.Setup.Frontier
	fo.Random, fo.Twin = s.Setup.random, s.Twin
	fo.Barred, fo.Spare, fo.Forbid = s.Barred, s.Traps.judge, s.denied
	if s.Setup.SiteDelay != nil {
		fo.SiteDelay = func(id graph.Site) (time.Duration, bool) { return s.Setup.SiteDelay(s.Table.Name(id)) }
	}
	s.Frontier, err = frontier.New(fo, env, s.Setup.Policy, s.Setup.SitePolicy, nil)
	return err
}

// Free gives back the memory of all columns.
func (s *State) Free() {
	s.Saved.Free()
	s.derived.Free()
}

// Close frees the state and closes the file of the URLs.
func (s *State) Close() {
	s.Free()
	s.URLs.Close() // it is derived: an error loses nothing
}

// Account calls each with the name and the size of everything that takes memory.
func (s *State) Account(each func(name string, bytes int64)) {
	s.Saved.Memory(each)
	s.derived.Memory(each)
	s.URLs.Memory(each)
	s.maps(each)
}

// maps is Account for the maps of the state.
func (s *State) maps(each func(name string, bytes int64)) {
	each("robots rules", s.Robots.texts.bytes())
	each("address numbers", s.Addresses.bytes())
	each("site troubles", s.Robots.mapBytes()+s.Sitemaps.mapBytes()+s.Weather.mapBytes())
	each("trap maps", s.Traps.Guard.MapBytes())
}

// Heap returns the part of the memory that is on the Go heap, in bytes.
func (s *State) Heap() int64 {
	n := s.Frontier.HeapBytes()
	s.maps(func(_ string, bytes int64) { n += bytes })
	return n
}

// Memory returns the memory of the whole state, in bytes.
func (s *State) Memory() (n int64) {
	s.Account(func(_ string, bytes int64) { n += bytes })
	return n
}

// Apply applies a record. Its names and new ids are known already, by Discover when it was
// made or by Learn when it was read. The frontier has made its own decisions itself, unless
// it is a replay.
func (s *State) Apply(r *journal.Record, replay bool) {
	e := &r.Event
	if e.Kind == event.Session {
		s.Ran += s.Now - s.Started
	}
	s.Now, s.Next = r.Now, r.Seq+1
	e.Near = r.Facts.Near != 0
	s.Weather.forecast(r)
	s.readdress(r)
	s.Traps.noteTrial(r)
	switch e.Kind {
	case event.Took, event.Refused, event.Asked:
		if replay {
			s.Frontier.Apply(r.Now, e)
		}
	default:
		s.Frontier.Apply(r.Now, e)
	}
	if replay {
		s.Frontier.Nearer() // those that were admitted are in the next record
	}
	s.Traps.note(r)
	s.Weather.note(r)
	s.Portal.note(s, r)
	s.count(r)
}

// count applies a record to the counts and lists of its kind.
func (s *State) count(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Seed:
		s.markSeeds(e, s.Frontier.Pages())
	case event.Admitted:
		s.recall(e.Admit)
	case event.Took:
		s.Requests[e.Task.Kind]++
	case event.Ruled:
		s.ruled(r)
	case event.Listed:
		s.listed(r)
	case event.Done:
		s.done(r)
	case event.Withdrawn:
		if e.Hop {
			delete(s.Robots.hops, e.Site)
		}
		s.Sitemaps.withdraw(e.Site, r.Facts.Files)
	case event.Session:
		s.session(r)
	}
}

// session notes the beginning of a session.
func (s *State) session(r *journal.Record) {
	s.Sessions++
	s.Started = r.Now
	if x := r.Facts.Session; x != nil {
		s.LastConfig = bytes.Clone(x.Config)
		if s.Began == 0 {
			s.Began = x.Wall - int64(r.Now)
		}
	}
}

// Active returns how long the crawl has run at now, without the time between sessions.
func (s *State) Active(now time.Duration) time.Duration { return s.Ran + now - s.Started }

// Wall returns the time of day at an instant of the crawl.
func (s *State) Wall(t time.Duration) time.Time {
	return time.Unix(0, s.Began).Add(t).Truncate(time.Second)
}
