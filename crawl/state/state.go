package state

import (
	"bytes"
	"fmt"
	"net/netip"
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/near"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/trouble"
	"github.com/winnow-crawler/winnow/urltable"
)

// Setup is what a state is made with. The same setup and the same records give the
// same state.
type Setup struct {
	Crawl, secret      [16]byte
	Policy, SitePolicy *policy.Choice
	batch              int
	random             uint64
	Frontier           frontier.Options // MaxPages and MaxSites included
	limited            bool             // a policy takes only so many pages
	robots             bool             // robots.txt is obeyed
	Trouble            trouble.Rules
	recrawl            bool // pages are visited again
	// delays gives sites a delay of their own by their name; nil: none has one.
	SiteDelay func(site []byte) (time.Duration, bool)
}

// State is all that a crawl knows: the fold of its journal. It has one owner.
type State struct {
	Setup    *Setup
	Saved    graph.Set // the columns of a snapshot
	derived  graph.Set // columns that follow from others, or from the head of a snapshot
	Key      urltable.Key
	Table    *urltable.Table
	URLs     *urltable.Log
	Frontier *frontier.Frontier
	LinksTo  *graph.Column[uint32] // by page: links to it from pages that came, and the marks came, seeded, recalled
	kinds    kinds                 // what doubtful names turned out to be
	Visits   *validators           // nil unless pages are visited again
	Content  originals             // which page had a content first
	Near     *near.Index           // contents that differ in a few words
	Guard    *trap.Guard           // what came of places that may never end
	mirrors
	sites
	pending
	weather
	tally
	Began      int64         // wall clock of instant 0, Unix nanoseconds
	LastConfig []byte        // configuration of the last session, TOML
	Now        time.Duration // of the last record
	Next       uint64        // number of the next record
	holes      int           // records that could not be applied: see replay
	settling                 // on replay
	Scope      *gather.Scope // that in force; nil on replay, where refusals are given
	Limits     *Limits       // the same
	HtmlOnly   bool          // doubtful names are judged by what others turned out to be
	Freed      bool          // a page left the limits of its site since refill was last called
	Traps      bool          // the guard is listened to; on replay refusals are given
	Err        error         // of the URL log: nothing that was decided after it counts
	text       []byte        // scratch: a URL
	latest     lastRead
}

// lastRead is the URL that was read last: a page that is handed out is read several
// times.
type lastRead struct {
	page graph.Page
	site graph.Site
	rest []byte
	ok   bool
}

// tally is what has been counted.
type tally struct {
	Requests [4]int64  // works handed out, by kind
	Outcomes [16]int64 // ends of attempts at pages, by class
	statuses map[uint16]int64
	Bytes    int64
	Links    int64 // from pages that came
	Gathered int64 // of these, to pages that came, too
	Moved    int64 // pages that came and are redirects
	Cut      cuts
	sessions int64
	ran      time.Duration // in all sessions before the last
	started  time.Duration // instant at which the last session began
}

// New makes the state of a crawl that knows nothing. The URL log is given to it,
// and must have been cut to no pages or to those that a snapshot will bring.
func New(set *Setup, urls *urltable.Log) (*State, error) {
	n, m := set.Frontier.MaxPages, set.Frontier.MaxSites
	s := &State{
		Setup:   set,
		Key:     urltable.NewKey(set.secret),
		Table:   urltable.New("", set.secret, n, m),
		URLs:    urls,
		pending: newPending(),
		weather: newWeather(),
		Freed:   true,
	}
	if err := s.newFrontier(); err != nil {
		s.Table.Free()
		return nil, err
	}
	s.statuses, s.Cut.Pages = map[uint16]int64{}, map[graph.Page]cutPage{}
	s.Content, s.kinds = newOriginals(set.secret, n), newKinds(set.secret, min(2*n, 1<<31))
	s.Near, s.Guard = near.New(alikeSize), trap.New(set.secret, n, m)
	// The order of the columns is that of snapshots.
	graph.AddTo(&s.Saved, s.Table, s.Frontier, s.Content.seen, s.kinds.seen, s.Guard)
	s.LinksTo = graph.NewColumnIn[uint32](&s.Saved, "page links in", n)
	graph.AddTo(&s.Saved, s.Content.first, s.kinds.came, s.Content.targets, s.Near)
	if set.recrawl {
		s.Visits = NewValidators(&s.Saved, n)
	}
	s.mirrors = newMirrors(&s.Saved, m)
	s.sites = newSites(&s.Saved, &s.derived, set.secret, m)
	s.Guard.Parent, s.Guard.Known, s.sites.domain = s.parent, s.known, s.Guard.SiteDomains()
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
	fo.Barred, fo.Spare, fo.Forbid = s.Barred, s.trapped, s.forbidden
	if s.Setup.SiteDelay != nil {
		fo.SiteDelay = func(id graph.Site) (time.Duration, bool) { return s.Setup.SiteDelay(s.Table.Name(id)) }
	}
	s.Frontier, err = frontier.New(fo, env, s.Setup.Policy, s.Setup.SitePolicy, nil)
	return err
}

func (s *State) Free() {
	s.Saved.Free()
	s.derived.Free()
}

// Close is free, and closes the file of the URLs.
func (s *State) Close() {
	s.Free()
	s.URLs.Close() // it is derived: nothing depends on its last words
}

// Account calls each with the name and the size of everything that takes memory.
func (s *State) Account(each func(name string, bytes int64)) {
	s.Saved.Memory(each)
	s.derived.Memory(each)
	s.URLs.Memory(each)
	each("robots rules", s.Texts.bytes())
	each("address numbers", s.Ips.bytes())
	each("site troubles", s.pending.mapBytes()+s.weather.mapBytes())
	each("trap maps", s.Guard.MapBytes())
}

// Heap is the part of it that is on the Go heap.
func (s *State) Heap() int64 {
	return s.Texts.bytes() + s.Ips.bytes() + s.pending.mapBytes() + s.weather.mapBytes() + s.Guard.MapBytes() + s.Frontier.HeapBytes()
}

// Memory is what all of it takes, in bytes.
func (s *State) Memory() (n int64) {
	s.Account(func(_ string, bytes int64) { n += bytes })
	return n
}

// Read gives the site of p and the rest of its URL, which is valid until the next call.
// When that fails nothing that is decided afterwards counts: see fail.
func (s *State) Read(p graph.Page) (site graph.Site, rest []byte, ok bool) {
	l := &s.latest
	if l.ok && l.page == p {
		return l.site, l.rest, true
	}
	site, rest, err := s.URLs.Read(p, l.rest[:0])
	if l.ok = err == nil; !l.ok {
		s.fail(fmt.Errorf("read the URL of page %d: %w", p, err))
		return 0, nil, false
	}
	l.page, l.site, l.rest = p, site, rest
	return site, rest, true
}

// AppendURL appends the URL of p.
func (s *State) AppendURL(b []byte, p graph.Page) []byte {
	site, rest, ok := s.Read(p)
	if !ok {
		return b
	}
	return append(append(b, s.Table.Name(site)...), rest...)
}

// fail keeps the first error. The owner stops before it records anything more.
func (s *State) fail(err error) {
	if s.Err == nil {
		s.Err = err
	}
}

// Barred is what speaks against p when it would be handed out: the robots.txt of its
// site, a scope, a deny list or a limit of depth that has changed since it was found, that
// pages are not visited again any more, that names like its own are no pages, or that it
// lies in a trap. A seed is wanted whatever the scope.
func (s *State) Barred(p graph.Page) event.Bar {
	if in := s.LinksTo.At(int(p)); in&Came != 0 && in&Recalled == 0 && !s.Setup.recrawl {
		return event.BarScope
	}
	site, rest, ok := s.Read(p)
	if !ok || s.Setup.robots && !s.RulesOf(site).Test(string(rest)).Allowed {
		return event.BarRobots
	}
	switch {
	case s.Scope == nil:
		return event.NoBar
	case s.IsSeed(p):
		return s.Scope.Denied(s.Table.Name(site), rest)
	}
	if bar := s.Scope.Judge(s.Table.Name(site), rest); bar != event.NoBar {
		return bar
	}
	switch {
	case s.Limits.Deep() && s.tooDeep(s.Limits, site, rest, s.Depth(p)):
		return event.BarDepth
	case s.HtmlOnly && s.NoPage(site, rest):
		return event.BarType
	}
	return s.trapped(p)
}

// Allowed reports whether the robots.txt of its site allows p.
func (s *State) Allowed(p graph.Page) bool {
	site, rest, ok := s.Read(p)
	return ok && s.RulesOf(site).Test(string(rest)).Allowed
}

// Twin is the site of the same host under the other scheme, if it is known. Sites at
// ports of their own are servers of their own.
func (s *State) Twin(id graph.Site) graph.Site {
	name := s.Table.Name(id)
	other := []byte("http://")
	host := name
	switch {
	case len(name) > 8 && string(name[:8]) == "https://":
		host = name[8:]
	case len(name) > 7 && string(name[:7]) == "http://":
		other, host = []byte("https://"), name[7:]
	}
	if len(page.Host(name)) != len(host) {
		return graph.NoSite // it has a port
	}
	other = append(other, host...)
	t, _ := s.Table.LookupSite(s.Key.Site(other), other)
	return t
}

// Site is the id of the site with a name; a new one is entered.
func (s *State) Site(hash uint64, name []byte) (id graph.Site, fresh bool) {
	id, fresh = s.Table.Site(hash, name)
	if fresh {
		host := page.Host(name)
		n, domain := s.sites.add(host)
		s.Guard.AddSite(host, n, domain)
	}
	return id, fresh
}

// Full reports whether no other page can be known, or no other site: because of a policy that
// takes only so many. Memory is not what it is about; see ceiling.
func (s *State) Full() bool {
	return s.Table.Pages() >= s.Setup.Frontier.MaxPages || s.Table.Sites() >= s.Setup.Frontier.MaxSites
}

// Enter adds a page that is fresh in the table: its URL, its columns, and, unless it is
// barred, its place in the limits of its site.
func (s *State) Enter(p graph.Page, site graph.Site, rest []byte, bar event.Bar) {
	if err := s.URLs.Append(p, site, rest); err != nil {
		s.fail(fmt.Errorf("write the URL of page %d: %w", p, err))
	}
	s.LinksTo.Append(0)
	if bar == event.NoBar {
		s.sites.Admit(site)
	}
}

// Apply takes over what a record says. Names and new ids are known already, by discover
// when the record was made or by learn when it was read. What Next and More did they
// have done themselves, unless it is a replay.
func (s *State) Apply(r *journal.Record, replay bool) {
	e := &r.Event
	if e.Kind == event.Session {
		s.ran += s.Now - s.started
	}
	s.Now, s.Next = r.Now, r.Seq+1
	e.Near = r.Facts.Near != 0
	s.forecast(r)
	s.readdress(r)
	s.noticeTrial(r)
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
	s.notice(r)
	s.rain(r)
	switch e.Kind {
	case event.Seed:
		s.markSeeds(e)
	case event.Admitted:
		s.recall(e.Admit)
	case event.Took:
		s.Requests[e.Task.Kind]++
	case event.Resolved:
		s.resolved(r)
	case event.Ruled:
		s.Ruled(r)
	case event.Listed:
		s.Listed(r)
	case event.Done:
		s.done(r)
	case event.Withdrawn:
		s.withdrawn(r)
	case event.Session:
		s.session(r)
	}
}

// Active is the time for which the crawl has run at now, without the time between
// sessions.
func (s *State) Active(now time.Duration) time.Duration { return s.ran + now - s.started }

// session takes over what a session says of itself.
func (s *State) session(r *journal.Record) {
	s.sessions++
	s.started = r.Now
	if x := r.Facts.Session; x != nil {
		s.LastConfig = bytes.Clone(x.Config)
		if s.Began == 0 {
			s.Began = x.Wall - int64(r.Now)
		}
	}
}

// resolved takes over the address of a site.
func (s *State) resolved(r *journal.Record) {
	e := &r.Event
	if e.Again {
		return
	}
}

// readdress counts who uses an address, before the frontier learns of it. After a hole in
// the journal the number may be another one: it is a name, nothing more.
func (s *State) readdress(r *journal.Record) {
	e := &r.Event
	if e.Kind != event.Resolved || e.Again || e.Class.Failed() || e.Address == 0 || len(r.Facts.Addrs) == 0 {
		return
	}
	e.Address = s.Number(r.Facts.Addrs[0])
	s.Ips.use(e.Address)
	if old := s.Frontier.Address(e.Site); old != 0 {
		s.Ips.drop(old)
	}
	s.Ips.reclaim(func(n uint32) bool { return s.Frontier.AddressIdle(r.Now, n) })
}

// AddressOf is the address of a site, the zero Addr when it has none.
func (s *State) AddressOf(id graph.Site) netip.Addr { return s.Ips.At(s.Frontier.Address(id)) }

// Number is the dense number of an address, from 1 on.
func (s *State) Number(a netip.Addr) uint32 { return s.sites.number(a) }

// Marks in the number of links to a page.
const (
	Came     = 1 << 31     // it has come
	seeded   = 1 << 30     // it is a seed
	Recalled = 1 << 29     // it came, and is to be fetched once more
	dull     = 1 << 28     // it brought nothing new, and has led to nothing new yet
	vouched  = 1 << 27     // a page links to it that brought something new, and has not thousands of links
	LinksIn  = vouched - 1 // the number
	marks    = ^uint32(LinksIn)
)

// IsSeed reports whether a page is a seed.
func (s *State) IsSeed(p graph.Page) bool { return s.LinksTo.At(int(p))&seeded != 0 }

// markSeeds marks the pages of an event as seeds: new ones, and those that were known.
func (s *State) markSeeds(e *event.Event) {
	in := s.LinksTo.Slice()
	for p := s.Frontier.Pages() - len(e.New); p < s.Frontier.Pages(); p++ {
		in[p] |= seeded
	}
	for _, p := range e.Admit {
		in[p] |= seeded
	}
}

// recall lets pages that came be fetched once more, whatever is said of visiting pages
// again: those of an event Admitted that were not refused. A Revisit makes them wait.
func (s *State) recall(list []graph.Page) {
	in := s.LinksTo.Slice()
	for _, p := range list {
		if in[p]&Came != 0 {
			in[p] |= Recalled
		}
	}
}

// Fetched is the number of pages that came, without those that are redirects.
func (s *State) Fetched() int64 {
	states, _, _ := s.Frontier.Census()
	return states[frontier.Fetched] + states[frontier.Reacquired] - s.Moved
}

// done counts an attempt at a page, and what it means for links. Links of a page that
// comes again are not counted again, unless they lead to pages that nobody knew.
func (s *State) done(r *journal.Record) {
	e := &r.Event
	s.Outcomes[e.Class]++
	s.statuses[r.Facts.Status]++
	s.Bytes += e.Bytes
	if s.tried(r); e.Again {
		return
	}
	if !e.Class.Failed() {
		s.Visits.Note(e.Page, &r.Facts)
		s.noteContent(r)
	}
	in := s.LinksTo.Slice()
	in[e.Page] &^= Recalled
	if e.Class.Failed() {
		return
	}
	s.Cut.note(e.Page, len(e.Links), &r.Facts)
	links := e.Links
	if in[e.Page]&Came != 0 {
		links = s.newOf(e)
	} else {
		s.Gathered += int64(in[e.Page] & LinksIn)
		s.learnKind(e)
	}
	if in[e.Page]&Came == 0 && e.Class == event.Redirect {
		s.Moved++
	}
	in[e.Page] |= Came
	s.Links += int64(len(links))
	word := uint32(0)
	if in[e.Page]&dull == 0 && len(e.Links) <= trap.Crowd {
		word = vouched
	}
	for _, p := range links {
		in[p] = in[p] + 1 | word
		s.Gathered += int64(in[p] >> 31)
	}
}

// newOf are the links of a page to pages that it made known.
func (s *State) newOf(e *event.Event) (list []graph.Page) {
	first := graph.Page(s.Frontier.Pages() - len(e.New))
	for _, p := range e.Links {
		if p >= first {
			list = append(list, p)
		}
	}
	return list
}
