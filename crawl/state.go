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
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
)

// setup is what a state is made with. The same setup and the same records give the
// same state.
type setup struct {
	crawl, secret      [16]byte
	policy, sitePolicy *policy.Choice
	batch              int
	random             uint64
	frontier           frontier.Options // MaxPages and MaxSites included
	room               int              // pages for which there is memory, if there were no sites; 0: any number
	robots             bool             // robots.txt is obeyed
	recrawl            bool             // pages are visited again
	// delays gives sites a delay of their own by their name; nil: none has one.
	delays func(site []byte) (time.Duration, bool)
}

// state is all that a crawl knows: the fold of its journal. It has one owner.
type state struct {
	set     *setup
	key     graph.URLKey
	seen    *graph.Seen
	urls    *graph.URLLog
	f       *frontier.Frontier
	in      *graph.Column[uint32] // by page: links to it from pages that came; came if it did itself
	visits  *validators           // nil unless pages are visited again
	content originals             // which page had a content first
	alike   *near.Index           // contents that differ in a few words
	guard   *trap.Guard           // what came of places that may never end
	mirrors
	sites
	pending
	tally
	began    int64         // wall clock of instant 0, Unix nanoseconds
	last     []byte        // configuration of the last session, TOML
	now      time.Duration // of the last record
	next     uint64        // number of the next record
	holes    int           // records that could not be applied: see replay
	settling               // on replay
	scope    *gather.Scope // that in force; nil on replay, where refusals are given
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
	failed   [16]int64 // of these, pages that were given up
	statuses map[uint16]int64
	bytes    int64
	links    int64 // from pages that came
	gathered int64 // of these, to pages that came, too
	sessions int64
	ran      time.Duration // in all sessions before the last
	started  time.Duration // instant at which the last session began
}

// newState makes the state of a crawl that knows nothing. The URL log is given to it,
// and must have been cut to no pages or to those that a snapshot will bring.
func newState(set *setup, urls *graph.URLLog) (*state, error) {
	n, m := set.frontier.MaxPages, set.frontier.MaxSites
	s := &state{
		set:     set,
		key:     graph.NewURLKey(set.secret),
		seen:    graph.NewSeen(set.secret, n, m),
		urls:    urls,
		in:      graph.NewColumn[uint32]("page links in", n),
		sites:   newSites(set.secret, m),
		content: newOriginals(set.secret, n),
		alike:   near.New(alikeSize),
		guard:   trap.New(set.secret, n, m),
		mirrors: newMirrors(m),
		pending: newPending(),
	}
	s.statuses = map[uint16]int64{}
	if set.recrawl {
		s.visits = newValidators(n)
	}
	s.guard.Parent, s.guard.Known = s.parent, s.known
	env := policy.Env{
		Random: set.random, Batch: set.batch,
		URL:      func(b []byte, p graph.Page) []byte { return s.appendURL(b, p) },
		SiteName: func(id graph.Site) string { return string(s.seen.Name(id)) },
	}
	fo := set.frontier
	fo.Random, fo.Twin = set.random, s.twin
	fo.Barred, fo.Spare = s.barred, s.trapped
	if set.delays != nil {
		fo.SiteDelay = func(id graph.Site) (time.Duration, bool) { return set.delays(s.seen.Name(id)) }
	}
	var err error
	if s.f, err = frontier.New(fo, env, set.policy, set.sitePolicy, nil); err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

func (s *state) free() {
	s.seen.Free()
	s.in.Free()
	s.visits.columns(graph.AnyColumn.Free)
	s.content.columns(graph.AnyColumn.Free)
	s.alike.Columns(graph.AnyColumn.Free)
	s.guard.Columns(graph.AnyColumn.Free)
	s.mirrors.columns(graph.AnyColumn.Free)
	s.sites.free()
	if s.f != nil {
		s.f.Free()
	}
}

// close is free, and closes the file of the URLs.
func (s *state) close() {
	s.free()
	s.urls.Close() // it is derived: nothing depends on its last words
}

// columns hands out every column but those of the URL log, which are its own.
func (s *state) columns(each func(graph.AnyColumn)) {
	s.seen.Columns(each)
	s.f.Columns(each)
	each(s.in)
	s.visits.columns(each)
	s.content.columns(each)
	s.alike.Columns(each)
	s.guard.Columns(each)
	s.mirrors.columns(each)
	s.sites.columns(each)
}

// account tells what takes how many bytes, by name: what is not saved, too.
func (s *state) account(each func(name string, bytes int64)) {
	column := func(c graph.AnyColumn) { each(c.Name(), c.Bytes()) }
	s.seen.Columns(column)
	s.urls.Columns(column)
	s.f.Memory(each)
	column(s.in)
	s.visits.columns(column)
	s.content.columns(column)
	s.alike.Columns(column)
	s.guard.Columns(column)
	s.mirrors.columns(column)
	s.sites.columns(column)
	each("domain names", s.sites.domains.Bytes())
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
// site, a scope or a deny list that has changed since it was found, that pages are not
// visited again any more, or that it lies in a trap.
func (s *state) barred(p graph.Page) frontier.Bar {
	if s.in.At(int(p))&came != 0 && !s.set.recrawl {
		return frontier.BarScope
	}
	site, rest, ok := s.read(p)
	if !ok || s.set.robots && !s.rulesOf(site).Test(string(rest)).Allowed {
		return frontier.BarRobots
	}
	switch {
	case s.scope == nil:
		return frontier.NoBar
	case s.f.Depth(p) == 0:
		return s.scope.Denied(s.seen.Name(site), rest) // a seed is wanted whatever the scope
	}
	if bar := s.scope.Judge(s.seen.Name(site), rest); bar != frontier.NoBar {
		return bar
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
		s.mirrors.add()
	}
	return id, fresh
}

// full tells whether there is no room for another page, or for another site. A site takes
// as much as sitePages pages.
func (s *state) full() bool {
	const sitePages = 5
	n, m := s.seen.Pages(), s.seen.Sites()
	return n >= s.set.frontier.MaxPages || m >= s.set.frontier.MaxSites || s.set.room > 0 && n+sitePages*m >= s.set.room
}

// enter adds a page that is fresh in the table: its URL, its columns, and, unless it is
// barred, its place in the limits of its site.
func (s *state) enter(p graph.Page, site graph.Site, rest []byte, bar frontier.Bar) {
	if err := s.urls.Append(p, site, rest); err != nil {
		s.fail(fmt.Errorf("write the URL of page %d: %w", p, err))
	}
	s.in.Append(0)
	if bar == frontier.NoBar {
		s.sites.admit(site)
	}
}

// apply takes over what a record says. Names and new ids are known already, by discover
// when the record was made or by learn when it was read. What Next and More did they
// have done themselves, unless it is a replay.
func (s *state) apply(r *journal.Record, replay bool) {
	e := &r.Event
	if e.Kind == frontier.Session {
		s.ran += s.now - s.started
	}
	s.now, s.next = r.Now, r.Seq+1
	e.Near = r.Facts.Near != 0
	s.noticeTrial(r)
	switch e.Kind {
	case frontier.Took, frontier.Refused, frontier.Asked:
		if replay {
			s.f.Apply(r.Now, e)
		}
	default:
		s.f.Apply(r.Now, e)
	}
	s.notice(r)
	switch e.Kind {
	case frontier.Took:
		s.requests[e.Work]++
	case frontier.Resolved:
		s.resolved(r)
	case frontier.Ruled:
		s.ruled(r)
	case frontier.Listed:
		s.listed(r)
	case frontier.Done:
		s.done(r)
	case frontier.Session:
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
		s.names[e.Site] = min(s.names[e.Site], 200) + 1
		return
	}
	delete(s.names, e.Site)
	if !e.Class.Failed() && e.Address != 0 && len(r.Facts.Addrs) > 0 {
		s.setAddress(e.Site, e.Address, r.Facts.Addrs[0])
	}
}

// number is the dense number of an address, from 1 on.
func (s *state) number(a netip.Addr) uint32 { return s.sites.number(a) }

// Bits in the number of links to a page.
const (
	came    = 1 << 31 // the page has come
	dull    = 1 << 30 // it brought nothing new, and has led to nothing new yet
	vouched = 1 << 29 // a page links to it that brought something new, and has not thousands of links
	marks   = came | dull | vouched
)

// done counts an attempt at a page, and what it means for links. Links of a page that
// comes again are not counted again.
func (s *state) done(r *journal.Record) {
	e := &r.Event
	s.outcomes[e.Class]++
	s.statuses[r.Facts.Status]++
	s.bytes += e.Bytes
	if e.Again {
		s.tries[e.Page] = min(s.tries[e.Page], 200) + 1
		return
	}
	delete(s.tries, e.Page)
	if !e.Class.Failed() {
		s.visits.note(e.Page, &r.Facts)
		s.noteContent(r)
	}
	in := s.in.Slice()
	if e.Class.Failed() && in[e.Page]&came == 0 {
		s.failed[e.Class]++
	}
	if e.Class.Failed() || in[e.Page]&came != 0 {
		return
	}
	s.gathered += int64(in[e.Page] &^ marks)
	in[e.Page] |= came
	s.links += int64(len(e.Links))
	word := uint32(0)
	if in[e.Page]&dull == 0 && len(e.Links) <= trap.Crowd {
		word = vouched
	}
	for _, p := range e.Links {
		in[p] = in[p] + 1 | word
		s.gathered += int64(in[p] >> 31)
	}
}
