package state

import (
	"bytes"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/zeebo/xxh3"
)

// revisits holds what visits have shown of the changes of pages, for a crawl that divides its
// visits by what they gain. It is a fold of the records, like the rest of the state.
type revisits struct {
	*freshness.Plan
	s    *State
	dirs *group.Table          // directories: the numbers of its keys are those of the places
	room int                   // for directories
	told *graph.Column[uint32] // by site: see answers

	outages map[graph.Site]outage
	heirs   map[graph.Page]graph.Page // pages, and which page has moved there for good
}

func newRevisits(s *State, pages, sites int) *revisits {
	v := &revisits{s: s, dirs: group.NewTable("freshness directory", pages), room: min(pages, freshness.MaxPlaces), told: graph.NewColumn[uint32]("freshness answers", sites)}
	v.outages, v.heirs = map[graph.Site]outage{}, map[graph.Page]graph.Page{}
	o := s.Setup.revisits
	o.MaxPages, o.Waits = pages, v.waits
	v.Plan = freshness.New(o)
	return v
}

// waits reports whether a page cannot be called back now: it waits or is under way, or its
// site is closed. A page that was fetched and failed later can be called back.
func (v *revisits) waits(p graph.Page) bool {
	f := v.s.Frontier
	s := f.State(p)
	return s != frontier.Fetched && s != frontier.Failed || f.Waits(p) || f.Closed(f.Site(p))
}

// note counts a visit that has ended.
func (v *revisits) note(r *journal.Record) {
	e := &r.Event
	switch {
	case v == nil:
	case e.Class == event.Gone && v.Knows(e.Page):
		v.vanished(e)
	case e.Class.Failed() && v.Knows(e.Page):
		v.Missed(e.End, e.Page)
	case e.Class.Failed():
		v.unfound(r)
	case v.Knows(e.Page):
		v.found(e.End, v.s.Frontier.Site(e.Page))
		v.again(r)
	default:
		v.found(e.End, v.s.Frontier.Site(e.Page))
		v.Fetched(e.End, e.Page, v.place(e.Page), v.worth(e.Page), r.Facts.Change)
	}
}

// again counts another visit of a page. A 304 of a site whose 304s are not true shows nothing.
func (v *revisits) again(r *journal.Record) {
	e, same := &r.Event, r.Facts.Status == journal.NotModified
	site, asked := v.s.Frontier.Site(e.Page), v.asks(e.Page)
	v.SetWeight(e.Page, v.worth(e.Page))
	if to, ok := v.Moves(r); ok {
		v.moved(e.Page, to)
		v.Visited(e.End, e.Page, freshness.Visit{Gone: true})
		return
	}
	if forGood(r) && v.IsGone(e.Page) {
		v.Visited(e.End, e.Page, freshness.Visit{Gone: true})
		return
	}
	if same && v.answersOf(site).lie() {
		v.Missed(e.End, e.Page)
		v.count(site, asked, false)
		return
	}
	v.count(site, asked, v.Visited(e.End, e.Page, freshness.Visit{Digest: r.Facts.Change, Same: same}))
}

// weight returns what a page is worth.
func (v *revisits) weight(p graph.Page) float64 {
	score, ok := v.s.Frontier.Worth(p)
	return freshness.Weight(score, ok, v.s.LinksIn(p))
}

// place returns the directory of a page, with those above it, up to the site.
func (v *revisits) place(p graph.Page) int {
	site, rest, ok := v.s.Read(p)
	if !ok {
		rest = nil
	}
	path, _, _ := bytes.Cut(rest, []byte("?"))
	path = path[:max(0, bytes.LastIndexByte(path, '/'))]
	for levels, i := 0, 0; i < len(path); i++ {
		if path[i] == '/' {
			levels++
		}
		if levels > mostLevels {
			path = path[:i]
		}
	}
	return v.directory(site, path)
}

// mostLevels is the number of directories above a page that are told apart: anybody can make
// long paths.
const mostLevels = 8

// directory returns the number of a directory, given without its last slash. When there is no
// room for more, a new one is taken to be the one above it, or the first of all.
func (v *revisits) directory(site graph.Site, path []byte) int {
	key := policy.Hash(xxh3.Hash(path), uint64(site))
	if n, ok := v.dirs.Find(key); ok {
		return n
	}
	above := -1
	if i := bytes.LastIndexByte(path, '/'); i >= 0 {
		above = v.directory(site, path[:i])
	}
	if v.dirs.Len() >= v.room {
		return max(above, 0)
	}
	v.dirs.Add(key)
	return v.AddPlace(above)
}
