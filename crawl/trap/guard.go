package trap

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// A Page is a page as the guard sees it.
type Page struct {
	ID     graph.Page
	Site   graph.Site
	Rest   []byte // path and query
	Single bool   // at most one link to it from a page with something new is known
}

// A Guard counts what the places of a crawl have brought, and judges pages. It has one
// owner.
type Guard struct {
	// Parent, if not nil, returns the page that linked to a page first. It may make the
	// text of the page invalid.
	Parent func(*Page) (Page, bool)
	// Known, if not nil, reports whether a page of a site is known, by path and query.
	Known func(s graph.Site, rest []byte) bool

	graph.Set // all columns
	domains
	key    urltable.Key
	groups groups
	terms  *graph.Column[uint64] // by group: the words of its pages, as bits
	last   *graph.Column[uint32] // by group: a part of News.Change of its last page
	places places
	params params
	novel  novel
	held   held
	trials trials
	marks  marks
	crowds map[graph.Page]bool // pages that made very many others known
	text   []byte              // scratch: a group
}

// New returns a guard that knows nothing. The secret keys its tables, so that no author of
// pages can fill one part of them.
func New(secret [16]byte, maxPages, maxSites int) *Guard {
	g := &Guard{held: newHeld(), trials: newTrials(), crowds: map[graph.Page]bool{}}
	columns := new(graph.Set)
	g.domains = newDomains(columns, maxSites)
	g.groups = newGroups(columns, "trap", "group", secret, maxPages)
	g.places = newPlaces(columns, secret, maxPages)
	g.params = newParams(columns, secret, maxPages)
	g.terms = graph.NewColumnIn[uint64](columns, "group words", maxPages)
	g.last = graph.NewColumnIn[uint32](columns, "group last", maxPages)
	g.novel = newNovel(columns)
	g.marks = newMarks(columns, maxSites)
	graph.AddTo(&g.Set, g.groups.seen, g.places.seen, g.params.seen, g.params.stems, columns)
	g.groups.window, g.places.window = groupWindow, placeWindow
	g.key = g.groups.seen.Key()
	return g
}

// MapBytes returns about how many bytes the maps take: held pages, marks and crowds, all of
// them bounded.
func (g *Guard) MapBytes() int64 {
	const mark, crowd = 160, 16
	return g.held.bytes() + mark*int64(len(g.marks.pages)) + crowd*int64(len(g.crowds))
}

// Load reads what Save wrote into a guard that knows nothing.
func (g *Guard) Load(r io.Reader) error {
	if err := g.Set.Load(r); err != nil {
		return err
	}
	if g.groups.news.Len() != g.groups.seen.Pages() || g.last.Len() != g.groups.news.Len() || g.places.leaves.Len() != g.places.seen.Pages() {
		return fmt.Errorf("%d groups and %d places, want %d and %d", g.groups.news.Len(), g.places.leaves.Len(),
			g.groups.seen.Pages(), g.places.seen.Pages())
	}
	return nil
}

// AddSite adds the next site, by its host and the number and name of its registered domain.
func (g *Guard) AddSite(host []byte, domain uint32, name string) {
	short := bytes.TrimPrefix(host, []byte("www."))
	g.domains.add(domain, string(short) == name)
}

// SiteDomains returns the column of the registered domain of each site, to be read only.
func (g *Guard) SiteDomains() *graph.Column[uint32] { return g.domains.of }

// Seed notes that a site has a seed.
func (g *Guard) Seed(s graph.Site) { g.domains.seed(s) }

// MadeKnown notes that a fetched page of one site made a page of another known. It is called
// after Linked. A page of a farm that another partition has, and will refuse, counts for a trial
// of the page that made it known.
func (g *Guard) MadeKnown(p graph.Page, from, to graph.Site) {
	if g.domains.lead(from, to) && g.domains.abroad.foreign(g.domains.of.At(int(to))) {
		g.trials.made(p)
	}
}

// Linked notes that a fetched page of one site links to a page of another.
func (g *Guard) Linked(from, to graph.Site) { g.domains.link(from, to) }

// Requested notes that a page was handed out.
func (g *Guard) Requested(p *Page) {
	g.held.settle(p.ID)
	g.domains.charge(p.Site)
	if at, depth := g.placeAt(p); depth > 0 {
		g.places.enter(at, depth)
	}
}

// Approached notes that the robots.txt of a site was requested.
func (g *Guard) Approached(s graph.Site) { g.domains.approach(s) }

// hash returns the hash of a group or a place of a site.
func (g *Guard) hash(s graph.Site, name []byte) uint64 { return g.key.Page(uint64(s), name) }

// groupOf returns the hash of the group of a page.
func (g *Guard) groupOf(p *Page) uint64 {
	g.text = appendGroup(g.text[:0], p.Rest)
	return g.hash(p.Site, g.text)
}

// Fetched notes what a page brought that was fetched for the first time, and reports whether
// that is something new. A page with several links has readers, even if it brought nothing new.
// But one that is not there, or whose name is an id, says nothing about others of its kind: it
// may have been found in a copy of the page that was the first to link to it.
func (g *Guard) Fetched(p *Page, n News) (news bool) {
	group := g.enterGroup(p)
	news = g.isNews(p, &n)
	g.remember(p, &n, group)
	switch {
	case n.Elsewhere:
		countUp(g.same, int(p.Site))
	case news:
		g.domains.fetched(p.Site)
	}
	g.noteParams(p, &n)
	g.trials.fetched(p.ID, news, n.Exact, n.Ends)
	counts := news || !p.Single
	says := counts == news || !n.Soft && !hasID(p.Rest)
	if says {
		g.groups.count(group, counts)
	}
	if at, depth := g.placeAt(p); depth > 0 {
		id := g.places.enter(at, depth)
		if says {
			g.places.count(id, counts)
		}
		switch {
		case news && !n.Elsewhere:
			g.places.fetched(id, depth, n.Ends)
		case !counts && !n.Ends:
			for range dullDeeper {
				g.places.count(id, false)
			}
		}
	}
	return news
}

// Doubts reports whether a page that was fetched, and not noted yet, seems to be in a trap:
// it brought nothing new; or it leads deeper into a place where no page was an end; or it has
// few words and leads to pages that differ from it in numbers, like the month of a calendar.
// It is a suspicion that costs no page, only its turn.
func (g *Guard) Doubts(p *Page, n *News) bool {
	if n.Turns && n.Terms != 0 || !g.isNews(p, n) {
		return true
	}
	at, depth := g.placeAt(p)
	id, ok := g.places.find(at)
	return ok && depth > 0 && !n.Ends && g.places.endless(id, depth)
}

// enterGroup returns the number of the group of a page.
func (g *Guard) enterGroup(p *Page) int {
	id, fresh := g.groups.enter(g.groupOf(p))
	if fresh {
		g.terms.Append(0)
		g.last.Append(0)
	}
	return id
}

// Led notes that a page that brought nothing new was the first to link to one that did: a
// list is worth what its pages are. It is called at most once for a page.
func (g *Guard) Led(p *Page) {
	g.trials.fetched(p.ID, true, false, true)
	if id, ok := g.groups.find(g.groupOf(p)); ok {
		g.groups.correct(id)
	}
	if id, ok := g.places.find(g.placeOf(p)); ok {
		g.places.correct(id)
	}
}

// When groups and places are tired: the least number of pages that brought nothing new, how
// many times as many as brought something new, and the window (see groups). Places are
// larger and mixed, so it takes more.
const (
	groupLeast, groupTimes, groupWindow = 4, 4, 16
	// The least numbers for pages whose names are ids.
	madeGroup, madePlace                = 2, 6
	placeLeast, placeTimes, placeWindow = 12, 8, 64
	// dullDeeper is added to the count of a place for a page that brought nothing new but
	// links that lead deeper.
	dullDeeper = 2
)

// Judge returns the reason not to hand out a page, or NoBar. The text of the page may be
// invalid afterwards. A held page stays held as long as it needs an allowance, even if
// other pages link to it: one page may link to a thousand of them. Release shares out what
// is left.
func (g *Guard) Judge(p *Page) event.Bar {
	if _, free := g.held.free[p.ID]; free {
		return event.NoBar
	}
	if r, held := g.held.of[p.ID]; held && needsAllowance(r.bar) && g.allowance(p).left < math.MaxInt64 {
		return r.bar
	}
	return g.judge(p)
}

// judge does what Judge does, for a page that is neither free nor held.
func (g *Guard) judge(p *Page) event.Bar {
	switch {
	case g.isWild(p.Site):
		return event.BarHosts
	case g.isFarm(p.Site) && !g.isEnd(p.Site):
		return event.BarFarm
	case g.isCopy(p.Site):
		return event.BarNoNews
	case g.isVariant(p):
		return event.BarDuplicate
	}
	at, depth := g.placeAt(p)
	inGroup, inPlace := uint64(groupLeast), uint64(placeLeast)
	if hasID(p.Rest) {
		inGroup, inPlace = madeGroup, madePlace
	}
	tired := false
	if id, ok := g.places.find(at); ok && depth > 0 {
		if g.places.left(id, depth) == 0 {
			return event.BarGrows
		}
		tired = g.places.tired(id, inPlace, placeTimes)
	}
	if !p.Single {
		return event.NoBar
	}
	group := g.groupOf(p)
	if id, ok := g.groups.find(group); ok && g.groups.tired(id, inGroup, groupTimes) {
		tired = true
	}
	if tired && g.bred(p, group, at) {
		return event.BarNoNews
	}
	return event.NoBar
}

// bred reports whether a page seems to be made up by a program: its name is an id that no
// person would write; or the first page that links to it is of the same group or place and
// its group brings nothing new; or that page has more links than a person writes.
func (g *Guard) bred(p *Page, group, place uint64) bool {
	switch {
	case hasID(p.Rest):
		return true
	case g.Parent == nil:
		return false
	}
	from, ok := g.Parent(p)
	if !ok {
		return false
	}
	if _, crowd := g.crowds[from.ID]; crowd {
		return true
	}
	by := g.groupOf(&from)
	return from.Site == p.Site && (by == group || g.placeOf(&from) == place) && !g.brings(by)
}

// brings reports whether most pages of a group brought something new.
func (g *Guard) brings(group uint64) bool {
	id, ok := g.groups.find(group)
	return ok && g.groups.news.At(id) > g.groups.dull.At(id)
}

// placeOf returns the hash of the place of a page.
func (g *Guard) placeOf(p *Page) uint64 {
	at, _ := g.placeAt(p)
	return at
}

// placeAt returns the hash of the place of a page and how deep the page lies in it. All names
// that are ids are one place: a session is no place of its own.
func (g *Guard) placeAt(p *Page) (hash uint64, depth int) {
	name, depth := place(p.Rest)
	if hasID(name) {
		g.text = appendFolded(append(g.text[:0], valueMark), name)
		name = g.text
	}
	return g.hash(p.Site, name), depth
}

// Crowd is the number of links above which a page is not written by hand. maxCrowds is the
// number of such pages that are remembered.
const Crowd, maxCrowds = 1000, 10_000

// Brought notes how many pages a page has made known.
func (g *Guard) Brought(p graph.Page, pages int) {
	if pages > Crowd && len(g.crowds) < maxCrowds {
		g.crowds[p] = true
	}
}

// isHeld reports whether pages refused for a reason are held, and may be released.
func isHeld(b event.Bar) bool {
	return b == event.BarNoNews || b == event.BarDuplicate || needsAllowance(b)
}

// needsAllowance reports whether pages refused for a reason share an allowance.
func needsAllowance(b event.Bar) bool {
	return b == event.BarHosts || b == event.BarFarm || b == event.BarGrows
}

// IsTrap reports whether a reason is about traps.
func IsTrap(b event.Bar) bool { return b == event.BarTrap || isHeld(b) }
