package crawl

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

// setup is what a state is made with. The same setup and the same records give the
// same state.
type setup struct {
	crawl, secret      [16]byte
	policy, sitePolicy *policy.Choice
	batch              int
	random             uint64
	frontier           frontier.Options // MaxPages and MaxSites included
	limited            bool             // a policy takes only so many pages
	robots             bool             // robots.txt is obeyed
	trouble            trouble.Rules
	recrawl            bool // pages are visited again
	// delays gives sites a delay of their own by their name; nil: none has one.
	delays func(site []byte) (time.Duration, bool)
}

// state is all that a crawl knows: the fold of its journal. It has one owner.
type state struct {
	set     *setup
	saved   graph.Set // the columns of a snapshot
	derived graph.Set // columns that follow from others, or from the head of a snapshot
	key     urltable.Key
	seen    *urltable.Table
	urls    *urltable.Log
	f       *frontier.Frontier
	in      *graph.Column[uint32] // by page: links to it from pages that came, and the marks came, seeded, recalled
	kinds   kinds                 // what doubtful names turned out to be
	visits  *validators           // nil unless pages are visited again
	content originals             // which page had a content first
	alike   *near.Index           // contents that differ in a few words
	guard   *trap.Guard           // what came of places that may never end
	mirrors
	sites
	pending
	weather
	tally
	began    int64         // wall clock of instant 0, Unix nanoseconds
	last     []byte        // configuration of the last session, TOML
	now      time.Duration // of the last record
	next     uint64        // number of the next record
	holes    int           // records that could not be applied: see replay
	settling               // on replay
	scope    *gather.Scope // that in force; nil on replay, where refusals are given
	limits   *limits       // the same
	htmlOnly bool          // doubtful names are judged by what others turned out to be
	freed    bool          // a page left the limits of its site since refill was last called
	traps    bool          // the guard is listened to; on replay refusals are given
	err      error         // of the URL log: nothing that was decided after it counts
	text     []byte        // scratch: a URL
	latest   lastRead
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
	requests [4]int64  // works handed out, by kind
	outcomes [16]int64 // ends of attempts at pages, by class
	statuses map[uint16]int64
	bytes    int64
	links    int64 // from pages that came
	gathered int64 // of these, to pages that came, too
	moved    int64 // pages that came and are redirects
	cut      cuts
	sessions int64
	ran      time.Duration // in all sessions before the last
	started  time.Duration // instant at which the last session began
}

// newState makes the state of a crawl that knows nothing. The URL log is given to it,
// and must have been cut to no pages or to those that a snapshot will bring.
func newState(set *setup, urls *urltable.Log) (*state, error) {
	n, m := set.frontier.MaxPages, set.frontier.MaxSites
	s := &state{
		set:     set,
		key:     urltable.NewKey(set.secret),
		seen:    urltable.New("", set.secret, n, m),
		urls:    urls,
		pending: newPending(),
		weather: newWeather(),
		freed:   true,
	}
	if err := s.newFrontier(); err != nil {
		s.seen.Free()
		return nil, err
	}
	s.statuses, s.cut.pages = map[uint16]int64{}, map[graph.Page]cutPage{}
	s.content, s.kinds = newOriginals(set.secret, n), newKinds(set.secret, min(2*n, 1<<31))
	s.alike, s.guard = near.New(alikeSize), trap.New(set.secret, n, m)
	// The order of the columns is that of snapshots.
	graph.AddTo(&s.saved, s.seen, s.f, s.content.seen, s.kinds.seen, s.guard)
	s.in = graph.NewColumnIn[uint32](&s.saved, "page links in", n)
	graph.AddTo(&s.saved, s.content.first, s.kinds.came, s.content.targets, s.alike)
	if set.recrawl {
		s.visits = newValidators(&s.saved, n)
	}
	s.mirrors = newMirrors(&s.saved, m)
	s.sites = newSites(&s.saved, &s.derived, set.secret, m)
	s.guard.Parent, s.guard.Known, s.sites.domain = s.parent, s.known, s.guard.SiteDomains()
	return s, nil
}

// newFrontier makes the frontier, which asks the state for names and verdicts.
func (s *state) newFrontier() (err error) {
	env := policy.Env{
		Random: s.set.random, Batch: s.set.batch,
		URL:      func(b []byte, p graph.Page) []byte { return s.appendURL(b, p) },
		SiteName: func(id graph.Site) string { return string(s.seen.Name(id)) },
	}
	fo := s.set.frontier
	fo.Random, fo.Twin = s.set.random, s.twin
	fo.Barred, fo.Spare, fo.Forbid = s.barred, s.trapped, s.forbidden
	if s.set.delays != nil {
		fo.SiteDelay = func(id graph.Site) (time.Duration, bool) { return s.set.delays(s.seen.Name(id)) }
	}
	s.f, err = frontier.New(fo, env, s.set.policy, s.set.sitePolicy, nil)
	return err
}

func (s *state) free() {
	s.saved.Free()
	s.derived.Free()
}

// close is free, and closes the file of the URLs.
func (s *state) close() {
	s.free()
	s.urls.Close() // it is derived: nothing depends on its last words
}

// account calls each with the name and the size of everything that takes memory.
func (s *state) account(each func(name string, bytes int64)) {
	s.saved.Memory(each)
	s.derived.Memory(each)
	s.urls.Memory(each)
	each("robots rules", s.texts.bytes())
	each("address numbers", s.ips.bytes())
	each("site troubles", s.pending.mapBytes()+s.weather.mapBytes())
	each("trap maps", s.guard.MapBytes())
}

// heap is the part of it that is on the Go heap.
func (s *state) heap() int64 {
	return s.texts.bytes() + s.ips.bytes() + s.pending.mapBytes() + s.weather.mapBytes() + s.guard.MapBytes() + s.f.HeapBytes()
}

// memory is what all of it takes, in bytes.
func (s *state) memory() (n int64) {
	s.account(func(_ string, bytes int64) { n += bytes })
	return n
}

// read gives the site of p and the rest of its URL, which is valid until the next call.
// When that fails nothing that is decided afterwards counts: see fail.
func (s *state) read(p graph.Page) (site graph.Site, rest []byte, ok bool) {
	l := &s.latest
	if l.ok && l.page == p {
		return l.site, l.rest, true
	}
	site, rest, err := s.urls.Read(p, l.rest[:0])
	if l.ok = err == nil; !l.ok {
		s.fail(fmt.Errorf("read the URL of page %d: %w", p, err))
		return 0, nil, false
	}
	l.page, l.site, l.rest = p, site, rest
	return site, rest, true
}

// appendURL appends the URL of p.
func (s *state) appendURL(b []byte, p graph.Page) []byte {
	site, rest, ok := s.read(p)
	if !ok {
		return b
	}
	return append(append(b, s.seen.Name(site)...), rest...)
}

// fail keeps the first error. The owner stops before it records anything more.
func (s *state) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// barred is what speaks against p when it would be handed out: the robots.txt of its
// site, a scope, a deny list or a limit of depth that has changed since it was found, that
// pages are not visited again any more, that names like its own are no pages, or that it
// lies in a trap. A seed is wanted whatever the scope.
func (s *state) barred(p graph.Page) event.Bar {
	if in := s.in.At(int(p)); in&came != 0 && in&recalled == 0 && !s.set.recrawl {
		return event.BarScope
	}
	site, rest, ok := s.read(p)
	if !ok || s.set.robots && !s.rulesOf(site).Test(string(rest)).Allowed {
		return event.BarRobots
	}
	switch {
	case s.scope == nil:
		return event.NoBar
	case s.isSeed(p):
		return s.scope.Denied(s.seen.Name(site), rest)
	}
	if bar := s.scope.Judge(s.seen.Name(site), rest); bar != event.NoBar {
		return bar
	}
	switch {
	case s.limits.deep() && s.tooDeep(s.limits, site, rest, s.depth(p)):
		return event.BarDepth
	case s.htmlOnly && s.noPage(site, rest):
		return event.BarType
	}
	return s.trapped(p)
}

// allowed tells whether the robots.txt of its site allows p.
func (s *state) allowed(p graph.Page) bool {
	site, rest, ok := s.read(p)
	return ok && s.rulesOf(site).Test(string(rest)).Allowed
}

// twin is the site of the same host under the other scheme, if it is known. Sites at
// ports of their own are servers of their own.
func (s *state) twin(id graph.Site) graph.Site {
	name := s.seen.Name(id)
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
	t, _ := s.seen.LookupSite(s.key.Site(other), other)
	return t
}

// site is the id of the site with a name; a new one is entered.
func (s *state) site(hash uint64, name []byte) (id graph.Site, fresh bool) {
	id, fresh = s.seen.Site(hash, name)
	if fresh {
		host := page.Host(name)
		n, domain := s.sites.add(host)
		s.guard.AddSite(host, n, domain)
	}
	return id, fresh
}

// full reports whether no other page can be known, or no other site: because of a policy that
// takes only so many. Memory is not what it is about; see ceiling.
func (s *state) full() bool {
	return s.seen.Pages() >= s.set.frontier.MaxPages || s.seen.Sites() >= s.set.frontier.MaxSites
}

// enter adds a page that is fresh in the table: its URL, its columns, and, unless it is
// barred, its place in the limits of its site.
func (s *state) enter(p graph.Page, site graph.Site, rest []byte, bar event.Bar) {
	if err := s.urls.Append(p, site, rest); err != nil {
		s.fail(fmt.Errorf("write the URL of page %d: %w", p, err))
	}
	s.in.Append(0)
	if bar == event.NoBar {
		s.sites.admit(site)
	}
}

// apply takes over what a record says. Names and new ids are known already, by discover
// when the record was made or by learn when it was read. What Next and More did they
// have done themselves, unless it is a replay.
func (s *state) apply(r *journal.Record, replay bool) {
	e := &r.Event
	if e.Kind == event.Session {
		s.ran += s.now - s.started
	}
	s.now, s.next = r.Now, r.Seq+1
	e.Near = r.Facts.Near != 0
	s.forecast(r)
	s.readdress(r)
	s.noticeTrial(r)
	switch e.Kind {
	case event.Took, event.Refused, event.Asked:
		if replay {
			s.f.Apply(r.Now, e)
		}
	default:
		s.f.Apply(r.Now, e)
	}
	if replay {
		s.f.Nearer() // those that were admitted are in the next record
	}
	s.notice(r)
	s.rain(r)
	switch e.Kind {
	case event.Seed:
		s.markSeeds(e)
	case event.Admitted:
		s.recall(e.Admit)
	case event.Took:
		s.requests[e.Task.Kind]++
	case event.Resolved:
		s.resolved(r)
	case event.Ruled:
		s.ruled(r)
	case event.Listed:
		s.listed(r)
	case event.Done:
		s.done(r)
	case event.Withdrawn:
		s.withdrawn(r)
	case event.Session:
		s.session(r)
	}
}

// active is the time for which the crawl has run at now, without the time between
// sessions.
func (s *state) active(now time.Duration) time.Duration { return s.ran + now - s.started }

// session takes over what a session says of itself.
func (s *state) session(r *journal.Record) {
	s.sessions++
	s.started = r.Now
	if x := r.Facts.Session; x != nil {
		s.last = bytes.Clone(x.Config)
		if s.began == 0 {
			s.began = x.Wall - int64(r.Now)
		}
	}
}

// resolved takes over the address of a site.
func (s *state) resolved(r *journal.Record) {
	e := &r.Event
	if e.Again {
		return
	}
}

// readdress counts who uses an address, before the frontier learns of it. After a hole in
// the journal the number may be another one: it is a name, nothing more.
func (s *state) readdress(r *journal.Record) {
	e := &r.Event
	if e.Kind != event.Resolved || e.Again || e.Class.Failed() || e.Address == 0 || len(r.Facts.Addrs) == 0 {
		return
	}
	e.Address = s.number(r.Facts.Addrs[0])
	s.ips.use(e.Address)
	if old := s.f.Address(e.Site); old != 0 {
		s.ips.drop(old)
	}
	s.ips.reclaim(func(n uint32) bool { return s.f.AddressIdle(r.Now, n) })
}

// addressOf is the address of a site, the zero Addr when it has none.
func (s *state) addressOf(id graph.Site) netip.Addr { return s.ips.at(s.f.Address(id)) }

// number is the dense number of an address, from 1 on.
func (s *state) number(a netip.Addr) uint32 { return s.sites.number(a) }

// Marks in the number of links to a page.
const (
	came     = 1 << 31     // it has come
	seeded   = 1 << 30     // it is a seed
	recalled = 1 << 29     // it came, and is to be fetched once more
	dull     = 1 << 28     // it brought nothing new, and has led to nothing new yet
	vouched  = 1 << 27     // a page links to it that brought something new, and has not thousands of links
	linksIn  = vouched - 1 // the number
	marks    = ^uint32(linksIn)
)

// isSeed reports whether a page is a seed.
func (s *state) isSeed(p graph.Page) bool { return s.in.At(int(p))&seeded != 0 }

// markSeeds marks the pages of an event as seeds: new ones, and those that were known.
func (s *state) markSeeds(e *event.Event) {
	in := s.in.Slice()
	for p := s.f.Pages() - len(e.New); p < s.f.Pages(); p++ {
		in[p] |= seeded
	}
	for _, p := range e.Admit {
		in[p] |= seeded
	}
}

// recall lets pages that came be fetched once more, whatever is said of visiting pages
// again: those of an event Admitted that were not refused. A Revisit makes them wait.
func (s *state) recall(list []graph.Page) {
	in := s.in.Slice()
	for _, p := range list {
		if in[p]&came != 0 {
			in[p] |= recalled
		}
	}
}

// pagesCame is the number of pages that came, without those that are redirects.
func (s *state) pagesCame() int64 {
	states, _, _ := s.f.Census()
	return states[frontier.Fetched] + states[frontier.Reacquired] - s.moved
}

// done counts an attempt at a page, and what it means for links. Links of a page that
// comes again are not counted again, unless they lead to pages that nobody knew.
func (s *state) done(r *journal.Record) {
	e := &r.Event
	s.outcomes[e.Class]++
	s.statuses[r.Facts.Status]++
	s.bytes += e.Bytes
	if s.tried(r); e.Again {
		return
	}
	if !e.Class.Failed() {
		s.visits.note(e.Page, &r.Facts)
		s.noteContent(r)
	}
	in := s.in.Slice()
	in[e.Page] &^= recalled
	if e.Class.Failed() {
		return
	}
	s.cut.note(e.Page, len(e.Links), &r.Facts)
	links := e.Links
	if in[e.Page]&came != 0 {
		links = s.newOf(e)
	} else {
		s.gathered += int64(in[e.Page] & linksIn)
		s.learnKind(e)
	}
	if in[e.Page]&came == 0 && e.Class == event.Redirect {
		s.moved++
	}
	in[e.Page] |= came
	s.links += int64(len(links))
	word := uint32(0)
	if in[e.Page]&dull == 0 && len(e.Links) <= trap.Crowd {
		word = vouched
	}
	for _, p := range links {
		in[p] = in[p] + 1 | word
		s.gathered += int64(in[p] >> 31)
	}
}

// newOf are the links of a page to pages that it made known.
func (s *state) newOf(e *event.Event) (list []graph.Page) {
	first := graph.Page(s.f.Pages() - len(e.New))
	for _, p := range e.Links {
		if p >= first {
			list = append(list, p)
		}
	}
	return list
}
