package state

import (
	"bytes"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/content"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/naming"
	"github.com/winnow-crawler/winnow/crawl/number"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/crawl/visit"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/trouble"
	"github.com/winnow-crawler/winnow/urltable"
)

// State is all that a crawl knows: the fold of its journal. It has one owner.
type State struct {
	Setup   *Setup
	Saved   graph.Set // the columns of a snapshot
	derived graph.Set // columns that follow from others, or from the head of a snapshot
	prior   graph.Set // columns of Prior, the last ones of a snapshot
	naming.Names
	marks
	savedTally
	withheld   *graph.Column[uint64] // a bit for each page: see IsWithheld
	Cut        cuts
	Frontier   *frontier.Frontier
	Limits     limits
	Robots     robotsFiles
	Sitemaps   sitemaps
	Addresses  number.Addresses
	Content    content.Texts
	Duplicates duplicates
	Mirrors    mirrors
	Traps      traps
	Kinds      content.Kinds
	Visits     *visit.Visits // nil unless pages are visited again
	Revisits   *revisits     // nil unless visits are divided by what they gain
	Prior      *Prior        // values of an earlier crawl; nil if there is none
	Kept       *Kept         // nil unless only some pages are kept
	Scores     *Scores       // nil unless pages are scored by an expression of the user
	// Requisites are what fetched pages need to be shown.
	Requisites *requisite.Book
	Renders    *render.Book // pages that a browser is to show
	Weather    weather
	Portal     portal
	Mail       mail
	Budget     Budget          // of --pages, with other partitions
	Echoes     *content.Echoes // texts that this partition compares; nil if there is one
	Letters    []Letter        // to other partitions, that were not applied as far as the journal tells
	settling                   // on replay
	holes      int             // records that could not be applied: see Replay
	Began      int64           // wall clock of instant 0, Unix nanoseconds
	Now        time.Duration   // of the last record
	Next       uint64          // number of the next record
	// LastConfig is the configuration of the last session, TOML.
	LastConfig []byte
	Scope      *gather.Scope // in force; nil on replay, where the journal holds the refusals
	// HtmlOnly reports whether doubtful names of a site are judged by what others turned out
	// to be; nil: none are.
	HtmlOnly func(site []byte) bool
}

// New returns the state of a crawl that knows nothing. The URL log must have been cut to no
// pages, or to those of a snapshot that will be loaded.
func New(set *Setup, urls *urltable.Log) (*State, error) {
	n, m := set.Frontier.MaxPages, set.Frontier.MaxSites
	s := &State{Setup: set}
	s.Names = naming.Names{Key: urltable.NewKey(set.secret), Table: urltable.New("", set.secret, n, m), URLs: urls}
	if set.history {
		s.Prior = newPrior(&s.prior, &s.Names, set.secret)
		s.Prior.policy.Value = s.Prior.of
	}
	if err := s.newFrontier(); err != nil {
		s.Table.Free()
		s.prior.Free()
		return nil, err
	}
	s.Cut.Pages = map[graph.Page]cutPage{}
	s.Content, s.Kinds = content.NewTexts(&s.Names, set.secret, n), content.NewKinds(&s.Names, set.secret, min(2*n, 1<<31))
	s.Traps = newTraps(s, set.secret, n, m)
	s.Weather, s.Robots, s.Sitemaps = newWeather(s), newRobotsFiles(&s.Names), newSitemaps(s)
	// The order of the columns is that of snapshots.
	graph.AddTo(&s.Saved, s.Table, s.Frontier, s.Content.Seen(), s.Kinds.Seen(), s.Traps.Guard)
	s.in = graph.NewColumnIn[uint32](&s.Saved, "page links in", n)
	s.Content.AddTo(&s.Saved, &s.Kinds)
	if set.recrawl {
		s.Visits = visit.New(&s.Saved, n)
	}
	if set.revisits.Every > 0 {
		s.Revisits = newRevisits(s, n, m)
		graph.AddTo(&s.Saved, s.Revisits.Plan, s.Revisits.dirs, s.Revisits.told)
	}
	s.Duplicates, s.Mirrors = duplicates{s: s}, newMirrors(s, m)
	s.Robots.rules = graph.NewColumnIn[uint32](&s.Saved, "site rules", m)
	s.Limits = limits{names: &s.Names, domain: s.Traps.Guard.SiteDomains(), domains: domainTable{urltable.New("domain", set.secret, m, 1)}, guard: s.Traps.Guard, Freed: true}
	s.Limits.admitted = graph.NewColumnIn[uint32](&s.Saved, "site admitted", m)
	s.Sitemaps.named = graph.NewColumnIn[uint64](&s.Saved, "site sitemaps read", m/64+1)
	s.Limits.shares = graph.NewColumnIn[uint32](&s.Saved, "domain admitted", m)
	s.withheld = graph.NewColumnIn[uint64](&s.Saved, "page withheld", n/64+1)
	s.Requisites = requisite.New(set.secret, n)
	graph.AddTo(&s.Saved, s.Requisites.Seen())
	s.Renders = render.New(&s.Saved, n)
	graph.AddTo(&s.Saved, &s.prior)
	if set.scores.on {
		s.Scores = newScores(s)
	}
	if set.keep {
		s.Kept = newKept(s, n)
	}
	s.Addresses = number.NewAddresses(&s.derived, 4*m+1024)
	graph.AddTo(&s.derived, s.Limits.domains)
	s.connect()
	return s, nil
}

// newFrontier makes the frontier, which gets names and verdicts from the state.
func (s *State) newFrontier() (err error) {
	env := policy.Env{
		Random: s.Setup.random, Batch: s.Setup.batch,
		URL:      func(b []byte, p graph.Page) []byte { return s.AppendURL(b, p) },
		SiteName: func(id graph.Site) string { return string(s.Table.Name(id)) },
	}
	if s.Prior != nil {
		env.Prior = s.Prior.Policy()
	}
	s.Setup.scores.prepare(&env)
	fo := s.Setup.Frontier
	fo.Random, fo.Twin = s.Setup.random, s.Twin
	if set := s.Setup; set.Owner != nil {
		fo.Owner = func(id graph.Site) int { return set.Owner(s.Table.Name(id)) }
	}
	fo.Barred, fo.Spare, fo.Forbid = s.Barred, s.Traps.judge, s.denied
	if s.Setup.SiteDelay != nil {
		fo.SiteDelay = func(id graph.Site) (time.Duration, bool) { return s.Setup.SiteDelay(s.Table.Name(id)) }
	}
	s.Frontier, err = frontier.New(fo, env, s.Setup.Policy, s.Setup.SitePolicy, nil)
	return err
}

// Free releases the memory of all columns.
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

// maps does what Account does, for the maps of the state.
func (s *State) maps(each func(name string, bytes int64)) {
	each("robots rules", s.Robots.texts.Bytes())
	each("address numbers", s.Addresses.Bytes())
	each("site troubles", s.Robots.mapBytes()+s.Sitemaps.mapBytes()+s.Weather.mapBytes())
	each("trap maps", s.Traps.Guard.MapBytes())
	each("mail", s.Mail.bytes())
	each("requisites that wait", s.Requisites.MapBytes()+s.Renders.MapBytes())
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
	e.Later = r.Facts.Render
	e.Near, e.Urgent, e.Hints = r.Facts.Near != 0 || r.Facts.Doubt, r.Facts.Urgent, s.hints(r)
	s.Weather.forecast(r)
	s.readdress(r)
	s.Traps.noteTrial(r)
	switch e.Kind {
	case event.Took, event.Refused, event.Polled:
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
	s.Kept.note(r)
}

// count applies a record to the counts and lists of its kind.
func (s *State) count(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Seed:
		if !r.Facts.Old {
			s.markSeeds(e, s.Frontier.Pages())
		}
		s.Revisits.hear(r)
	case event.Revisit:
		s.Revisits.called(e.Admit)
	case event.Admitted:
		s.recall(e.Admit)
	case event.Took:
		s.Requests[e.Task.Kind]++
	case event.Resolved:
		s.closeRequisites(r, e.Site)
		s.giveUpAsked(e.Site)
	case event.Ruled:
		s.ruled(r)
		s.closeRequisites(r, e.For)
		s.giveUpAsked(e.For)
	case event.Listed:
		s.listed(r)
	case event.Named:
		s.named(r)
	case event.Done:
		s.done(r)
	case event.Needed:
		s.needed(r)
	case event.Brought:
		s.brought(r)
	case event.Unneeded:
		s.Requisites.Unneeded(e.Site, r.Facts.Parts)
		s.end(r, r.Facts.Parts...)
	case event.Rendered:
		s.rendered(r)
	case event.Withdrawn:
		if e.Hop {
			s.withdrawHop(e.Site)
		}
		s.Sitemaps.withdraw(e.Site, r.Facts.Files)
	case event.Session:
		s.session(r)
	case event.Scored:
		s.Scores.note(r)
	case event.Asked:
		s.asked(r)
	case event.Sent:
		s.sent(e)
	case event.Linked:
		s.linked(r)
	case event.Wanted:
		s.Budget.wanted(&s.Mail, e)
	case event.Granted:
		s.Budget.granted(&s.Mail, e)
	case event.Dropped:
		s.Dropped += int64(len(e.Admit))
		s.Visits.Note(r)
	}
}

// session records the beginning of a session.
func (s *State) session(r *journal.Record) {
	s.Sessions++
	s.Started = r.Now
	s.Visits.Note(r)
	if s.Prior != nil {
		s.Prior.add(r.Facts.Prior)
	}
	s.Scores.note(r)
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

// Setup holds what a state is made with. The same setup and the same records give the
// same state.
type Setup struct {
	Crawl, secret      [16]byte
	Policy, SitePolicy *policy.Choice
	batch              int
	random             uint64
	Frontier           frontier.Options // MaxPages and MaxSites included
	limited            bool             // a policy limits the number of pages
	robots             bool             // robots.txt is obeyed
	trouble            trouble.Rules
	recrawl            bool                  // pages are visited again
	revisits           freshness.Options     // how visits are divided; without Every, each page has the same interval
	history            bool                  // there are values of an earlier crawl
	keep               bool                  // only some pages are kept
	pages              int64                 // that may be fetched in all; 0: no limit
	Owner              func(site []byte) int // the partition of a site; nil: there is one partition
	scores             scoring
	// SiteDelay returns the delay of a site that has one of its own. If nil, none has.
	SiteDelay func(site []byte) (time.Duration, bool)
}

// NewSetup returns the setup for a configuration, with room for what fits into a number of
// bytes of memory.
func NewSetup(c *config.Config, id layout.Identity, memory int64) (*Setup, error) {
	set := &Setup{Crawl: id.Crawl, secret: id.Secret, batch: c.Batch, random: c.RandomSeed, robots: c.Robots, recrawl: c.Recrawl.Duration > 0, history: c.History != "", keep: c.KeepPages > 0, pages: c.Pages}
	set.trouble = trouble.Rules{Retries: c.Retries, Delay: c.RetryDelay.Duration, Random: c.RandomSeed}
	var err error
	if set.Policy, err = policy.Choose(chosen(c)); err != nil {
		return nil, err
	}
	if c.SitePolicy != "" {
		if set.SitePolicy, err = policy.Choose(c.SitePolicy); err != nil {
			return nil, err
		}
	}
	if c.Planned() {
		if set.revisits.Allocation, err = freshness.Choose(c.Revisit); err != nil {
			return nil, err
		}
		set.revisits.Every = c.Recrawl.Duration
	}
	if set.scores, err = newScoring(c); err != nil {
		return nil, err
	}
	about, err := c.About()
	if err != nil {
		return nil, err
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
		PerConnection: c.PerConnection, KeepAlive: c.KeepAlive.Duration,
		Resolve: c.Proxy == "", Robots: c.Robots, Requisites: c.Requisites || c.Renders(),
		AddressCap: c.IPCap, AddressDelay: c.IPDelay.Duration,
		Slow: c.SlowAnswer.Duration, SlowFactor: c.SlowFactor, SlowTimes: c.SlowTimes, SlowDelay: c.SlowDelay.Duration, SlowMax: c.SlowMax.Duration,
		Batch: c.Batch, MinActive: c.MinActive, SiteShare: c.SiteShare, BatchWait: max(batchWait, 2*c.Delay.Duration),
		Slice: workSlice, Hold: true, Scores: set.scores.on, Topic: about,
		WaitForBetter: c.WaitsForBetter(),
		Depths:        c.MaxDepth >= 0 || c.MaxDepthDynamic >= 0,
		MaxPages:      pages, MaxSites: max(1<<10, pages/2),
	}
	if set.Owner, err = Owner(c); err != nil {
		return nil, err
	}
	if c.Partitions > 1 {
		f := &set.Frontier
		f.Partitions, f.Self = c.Partitions, id.Partition
		// The driver keeps the limits over all partitions; kept connections are those of each.
		if f.AddressCap > 0 {
			f.AddressCap = max(1, f.AddressCap/c.Partitions)
		}
	}
	return set, set.Frontier.Mode.Set(c.BatchMode)
}

// chosen returns the policy of a configuration. While examples of the topic are fetched there is
// no topic that it could use.
func chosen(c *config.Config) string {
	if c.Topic == "" && c.Focused() {
		return "breadth-first"
	}
	return c.Policy
}

// batchWait is how long a batch waits, at least, for sites that do not answer or want to be left
// alone.
const batchWait = 5 * time.Minute

// Fit makes room for what a journal has made known, and for more, even if that exceeds the
// ceiling of memory. A ceiling pauses the crawl; it must not make it forget links.
func (set *Setup) Fit(c journal.Commit) {
	more := 2
	if set.limited {
		more = 1
	}
	f := &set.Frontier
	f.MaxPages, f.MaxSites = max(f.MaxPages, more*int(c.Pages)), max(f.MaxSites, more*int(c.Sites))
}

// workSlice is the number of links that a policy may work on after each attempt at a page: some
// milliseconds.
const workSlice = 200_000

// A page takes from LeastPerPage to MostPerPage bytes, by the options, the policy and its
// links. MostPerSite is more than a site takes with its name.
const LeastPerPage, MostPerPage, MostPerSite = 40, 320, 640

// roomFor returns the number of pages to reserve address space for under a ceiling of
// memory: more than will ever fit.
func roomFor(memory int64) int { return int(min(max(memory/LeastPerPage, 1<<16), 1<<31)) }
