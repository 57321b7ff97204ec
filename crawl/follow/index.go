package follow

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

const (
	// Linkers is the number of pages that are kept of those that link to a page: the first.
	Linkers = 10
	// failuresKept is the number of failed requests that are kept in a list of their own.
	failuresKept = 256
	// stampEach is the number of entries of which one keeps its time.
	stampEach = 64
)

// An Index holds where the journal tells about each page and each site. It takes 12 bytes a
// page, 20 a site, 16 for each record that tells about a page or a site, 12 for each that made
// pages known, 8 for each of the first Linkers links to a page, and 8 a requisite; with a topic, 16 more a page.
type Index struct {
	graph.Set
	s      *state.State
	finder *journal.Finder

	entries *graph.Column[entry]
	stamps  *graph.Column[int64]   // the time of one entry in stampEach
	pages   *graph.Column[pageRow] // by page
	links   *graph.Column[uint64]  // a page that links, and 1 + the link before it to the same page
	found   *graph.Column[foundRow]
	sites   *graph.Column[siteRow] // by site
	parts   *graph.Column[uint32]  // two by requisite: 1 + the entry that made it known, 1 + the last that tells about it
	terms   *graph.Column[uint64]  // by page, of a crawl with a topic: terms in links to it, and around them

	failures []uint32 // entries of the last failed requests, as a ring
	failed   int      // failures so far
	Course   Course
	Commands []Command // of the user
}

// A Command is what the user demanded of the crawl while it ran.
type Command struct {
	At   time.Time
	Text string
}

// An entry is a record that tells about a page or a site: its place and kind, 1 + the entry
// before it of the same page, and 1 + the request before it at the same site. Of what is no
// page of a site, the first of them is that of the site.
type entry [4]uint32

// kindBits is the number of bits of an event.Kind in an entry.
const kindBits = 5

func newEntry(at int64, kind event.Kind, ofPage, ofSite uint32) entry {
	v := uint64(at)<<kindBits | uint64(kind)
	return entry{uint32(v), uint32(v >> 32), ofPage, ofSite}
}

func (e *entry) place() (at int64, kind event.Kind) {
	v := uint64(e[1])<<32 | uint64(e[0])
	return int64(v >> kindBits), event.Kind(v & (1<<kindBits - 1))
}

// A pageRow holds 1 + the last entry of a page, 1 + the last of the links to it, and in one
// number the status of the last attempt, the number of links, and its state so far.
type pageRow [3]uint32

// The state of a page so far.
const (
	waits = iota
	fetched
	failed
	refused
)

func (r *pageRow) status() uint16 { return uint16(r[2]) }
func (r *pageRow) linkers() int   { return int(r[2] >> 16 & 0xff) }
func (r *pageRow) own() uint32    { return r[2] >> 24 }
func (r *pageRow) setOwn(s uint32) {
	r[2] = r[2]&^(0xff<<24) | s<<24
}

// A foundRow holds the first page that a record made known, and its place.
type foundRow [3]uint32

func (f *foundRow) place() (at int64, kind event.Kind) {
	e := entry{f[1], f[2]}
	return e.place()
}

// A siteRow holds 1 + the last request of a site, 1 + the last entry of the site that is about no
// page, the number of requests, 1 + the last entry of a failure, and the state of its robots.txt.
type siteRow [5]uint32

// robotsStates are the states of a robots.txt by their number in a siteRow.
var robotsStates = []string{"not fetched", "ok", "none", "elsewhere", "unavailable"}

// most is the largest number of entries. What comes after them is left out.
const most = 1 << 31

// newIndex returns an empty index of a crawl whose state is s.
func newIndex(s *state.State, finder *journal.Finder) *Index {
	x := &Index{s: s, finder: finder}
	pages, sites := s.Setup.Frontier.MaxPages, s.Setup.Frontier.MaxSites
	x.entries = graph.NewColumnIn[entry](&x.Set, "entries", most)
	x.stamps = graph.NewColumnIn[int64](&x.Set, "stamps", most/stampEach)
	x.pages = graph.NewColumnIn[pageRow](&x.Set, "pages", pages)
	x.links = graph.NewColumnIn[uint64](&x.Set, "links", Linkers*pages+1)
	x.found = graph.NewColumnIn[foundRow](&x.Set, "found", pages)
	x.sites = graph.NewColumnIn[siteRow](&x.Set, "sites", sites)
	x.parts = graph.NewColumnIn[uint32](&x.Set, "parts", 2*pages)
	x.terms = graph.NewColumnIn[uint64](&x.Set, "terms", 2*pages)
	return x
}

// read takes in a record. The state knows all that the record made known.
func (x *Index) read(r *journal.Record) error {
	e := &r.Event
	x.pages.Grow(x.s.Frontier.Pages())
	x.sites.Grow(x.s.Frontier.Sites())
	x.Course.begin(r)
	if c := r.Facts.Command; c != "" {
		x.Commands = append(x.Commands, Command{time.Unix(0, r.Facts.Session.Wall), c})
	}
	x.discover(r)
	for _, p := range e.Admit {
		if e.Kind != event.Moved {
			x.add(r, p)
		}
		x.admit(e.Kind, p)
	}
	switch e.Kind {
	case event.Took:
		if e.Task.Kind == event.Fetch {
			x.add(r, e.Page)
		}
	case event.Refused:
		x.add(r, e.Page)
		x.turn(e.Page, refused)
	case event.Resolved, event.Ruled, event.Listed:
		x.request(r, e.Site, graph.NoPage)
	case event.Brought:
		x.request(r, e.Site, graph.NoPage)
		x.part(e.Page, 1, uint32(x.entries.Len()))
	case event.Needed:
		n := x.push(r, 0, 0)
		for i := range e.Needs {
			x.part(e.First+graph.Page(i), 0, n)
		}
	case event.Unneeded:
		n := x.push(r, 0, 0)
		for _, p := range r.Facts.Parts {
			x.part(p, 1, n)
		}
	case event.Done:
		x.request(r, x.s.Frontier.Site(e.Page), e.Page)
		x.done(r)
	case event.Rendered:
		x.add(r, e.Page)
		x.link(e)
	}
	return nil
}

// part notes an entry that tells about a requisite.
func (x *Index) part(n graph.Page, which int, entry uint32) {
	if int(n) < x.s.Setup.Frontier.MaxPages {
		x.parts.Grow(2*int(n) + 2)
		x.parts.Set(2*int(n)+which, entry)
	}
}

// discover notes the pages that a record made known.
func (x *Index) discover(r *journal.Record) {
	e := &r.Event
	if len(e.New) == 0 {
		return
	}
	at := newEntry(r.At, e.Kind, 0, 0)
	x.found.Append(foundRow{uint32(r.First), at[0], at[1]})
	for i := range e.New {
		if i < len(e.Bars) && e.Bars[i] != event.NoBar {
			x.pages.Slice()[int(r.First)+i].setOwn(refused)
		} else {
			x.Course.waiting++
		}
	}
	x.Course.known = max(x.Course.known, int64(r.First)+int64(len(e.New)))
}

// admit notes that a page is to be fetched after all, or again.
func (x *Index) admit(k event.Kind, p graph.Page) {
	switch own := x.pages.Slice()[p].own(); {
	case own == refused && k != event.Dropped && k != event.Moved && k != event.Revisit, own == failed && k == event.Retried:
		x.turn(p, waits)
	}
}

// turn changes the state of a page.
func (x *Index) turn(p graph.Page, to uint32) {
	row := &x.pages.Slice()[p]
	if row.own() == waits {
		x.Course.waiting--
	}
	if to == waits {
		x.Course.waiting++
	}
	row.setOwn(to)
}

// push adds an entry, and returns 1 + its number.
func (x *Index) push(r *journal.Record, ofPage, ofSite uint32) uint32 {
	if x.entries.Len() == most {
		return ofPage
	}
	if x.entries.Len()%stampEach == 0 {
		x.stamps.Append(int64(r.Now))
	}
	x.entries.Append(newEntry(r.At, r.Event.Kind, ofPage, ofSite))
	return uint32(x.entries.Len())
}

// add adds a record to those of a page.
func (x *Index) add(r *journal.Record, p graph.Page) {
	row := &x.pages.Slice()[p]
	row[0] = x.push(r, row[0], 0)
}

// request adds a request that has ended to those of a site, and to those of a page if it was for one.
func (x *Index) request(r *journal.Record, site graph.Site, p graph.Page) {
	e, row := &r.Event, &x.sites.Slice()[site]
	own, none := &row[1], uint32(0)
	switch {
	case p != graph.NoPage:
		own = &x.pages.Slice()[p][0]
	case e.Kind == event.Brought: // it tells nothing about the site
		own = &none
	}
	n := x.push(r, *own, row[0])
	*own, row[0] = n, n
	if e.Kind != event.Resolved {
		row[2]++
		x.Course.answer(e)
	}
	robots := ""
	if e.Kind == event.Ruled {
		robots = history.RobotsState(r)
		x.sites.Slice()[e.For][4] = uint32(slices.Index(robotsStates, robots))
	}
	if !e.Class.Failed() || e.Kind == event.Ruled && robots != "unavailable" {
		return
	}
	row[3] = n
	if len(x.failures) < failuresKept {
		x.failures = append(x.failures, n-1)
	} else {
		x.failures[x.failed%failuresKept] = n - 1
	}
	x.failed++
	if e.Kind == event.Resolved && !e.Again {
		x.Course.close(site)
	}
}

// done takes in the end of an attempt at a page.
func (x *Index) done(r *journal.Record) {
	e := &r.Event
	row := &x.pages.Slice()[e.Page]
	row[2] = row[2]&^0xffff | uint32(r.Facts.Status)
	x.Course.done(e, row.own() == fetched)
	switch {
	case !e.Class.Failed():
		if row.own() != fetched {
			x.turn(e.Page, fetched)
		}
		x.link(e)
	case !e.Again && row.own() == waits:
		x.turn(e.Page, failed)
	}
	for _, h := range e.Read.Hits {
		if p := e.Links[h.Link]; p != e.Page && x.promises(p, h.Anchor, h.Around) {
			x.add(r, p)
		}
	}
}

// promises reports whether terms of the topic in a link to a page are new, and notes them.
func (x *Index) promises(p graph.Page, anchor, around uint64) bool {
	x.terms.Grow(2 * x.pages.Len())
	a, b := &x.terms.Slice()[2*p], &x.terms.Slice()[2*p+1]
	if *a|anchor == *a && *b|around == *b {
		return false
	}
	*a, *b = *a|anchor, *b|around
	return true
}

// link notes that a page links to others.
func (x *Index) link(e *event.Event) {
	rows := x.pages.Slice()
	for _, p := range e.Links {
		row := &rows[p]
		if row.linkers() >= Linkers || p == e.Page || x.linksTo(e.Page, row) {
			continue
		}
		x.links.Append(uint64(e.Page)<<32 | uint64(row[1]))
		row[1] = uint32(x.links.Len())
		row[2] += 1 << 16
	}
}

// linksTo reports whether a page is among those that link to another.
func (x *Index) linksTo(from graph.Page, row *pageRow) bool {
	for i := row[1]; i != 0; i = uint32(x.links.At(int(i - 1))) {
		if graph.Page(x.links.At(int(i-1))>>32) == from {
			return true
		}
	}
	return false
}

// settle takes in what the records do not say: how many pages wait now, and which pages failed
// because their site was given up. It looks at all pages if one was.
func (x *Index) settle() {
	f := x.s.Frontier
	lost := make([]int64, len(x.Course.Steps))
	if len(x.Course.closed) > 0 {
		for i := range x.pages.Slice() {
			row, p := &x.pages.Slice()[i], graph.Page(i)
			step, closed := x.Course.closed[f.Site(p)]
			if closed && row.own() == waits && f.State(p) == frontier.Failed {
				row.setOwn(failed)
				lost[step]++
			}
		}
	}
	states, _, _ := f.Census()
	x.Course.settle(states[frontier.Known]+states[frontier.Acquired], int64(f.Pages()), lost)
}
