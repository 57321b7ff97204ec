package state

import (
	"cmp"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// marks counts, for each page, the links to it from fetched pages. The upper bits of the
// number are marks.
type marks struct{ in *graph.Column[uint32] }

const (
	fetched  = 1 << 31  // the page was fetched
	seeded   = 1 << 30  // it is a seed
	recalled = 1 << 29  // it was fetched, and is to be fetched again
	dull     = 1 << 28  // it brought nothing new, and has led to nothing new yet
	vouched  = 1 << 27  // a page with news links to it, and does not have thousands of links
	listed   = 1 << 26  // a sitemap lists it
	listing  = 1 << 25  // it is a sitemap file: see NameFile
	read     = 1 << 24  // two such pages link to it, which vouch for it
	linksIn  = read - 1 // the number of links
)

func (m *marks) has(p graph.Page, mark uint32) bool { return m.in.At(int(p))&mark != 0 }
func (m *marks) set(p graph.Page, mark uint32)      { m.in.Slice()[p] |= mark }
func (m *marks) clear(p graph.Page, mark uint32)    { m.in.Slice()[p] &^= mark }

// LinksIn returns the number of links to p from fetched pages.
func (m *marks) LinksIn(p graph.Page) int64 { return int64(m.in.At(int(p)) & linksIn) }

// link counts a link to p, from a page that vouches for it or not.
func (m *marks) link(p graph.Page, vouches bool) {
	in := &m.in.Slice()[p]
	if *in&linksIn < linksIn {
		*in++
	}
	switch {
	case !vouches:
	case *in&vouched != 0:
		*in |= read
	default:
		*in |= vouched
	}
}

// IsSeed reports whether p is a seed.
func (m *marks) IsSeed(p graph.Page) bool { return m.has(p, seeded) }

// WasFetched reports whether p was fetched.
func (m *marks) WasFetched(p graph.Page) bool { return m.has(p, fetched) }

// Recalled reports whether p was fetched and is to be fetched again, changed or not.
func (m *marks) Recalled(p graph.Page) bool { return m.has(p, recalled) }

// markSeeds marks the pages of an event as seeds: the new ones, which are the last pages,
// and those that were known.
func (m *marks) markSeeds(e *event.Event, pages int) {
	for p := pages - len(e.New); p < pages; p++ {
		m.set(graph.Page(p), seeded)
	}
	for _, p := range e.Admit {
		m.set(p, seeded)
	}
}

// markListed marks the pages of an event Listed, as markSeeds does.
func (m *marks) markListed(e *event.Event, pages int) {
	for p := pages - len(e.New); p < pages; p++ {
		m.set(graph.Page(p), listed)
	}
	for _, p := range e.Admit {
		m.set(p, listed)
	}
}

// recall marks the fetched pages among those of an event Admitted. They are fetched again
// even in a crawl that visits no page again. A Revisit puts them in the queues.
func (m *marks) recall(list []graph.Page) {
	for _, p := range list {
		if m.has(p, fetched) {
			m.set(p, recalled)
		}
	}
}

// savedTally holds counts. Snapshots hold it as it is, with its name.
type savedTally struct {
	Requests [5]int64      // tasks handed out, by kind
	Outcomes [16]int64     // ends of attempts at pages, by class
	Statuses []statusCount // of attempts at pages, in the order of the status
	Bytes    int64
	Links    int64 // from fetched pages
	Gathered int64 // of these, to fetched pages
	Moved    int64 // fetched pages that are redirects
	CutFiles int64 // sitemap files and entries left out
	Withheld int64 // fetched pages that are not stored, because their authors want no copy
	Dropped  int64 // pages that are not kept any more, each as often as it was dropped
	Plain    int64 // links left out in favour of pages that were not fetched then: see Duplicate
	Sessions int64
	Spared
	Ran     time.Duration // in all sessions before the last
	Started time.Duration // instant at which the last session began
	Came    arrivals      // when pages were fetched
}

// Spared counts what visits of pages that had not changed saved.
type Spared struct {
	NotModified    int64 `json:"not_modified"`          // visits that the server answered with status 304
	NotTransferred int64 `json:"not_transferred_bytes"` // bytes of their originals, as they are stored
	Unchanged      int64 `json:"unchanged"`             // visits that brought the payload of the last one
	NotStored      int64 `json:"not_stored_bytes"`      // bytes by which their records are shorter than the originals
}

// countSaved counts what a successful visit saved.
func (t *Spared) countSaved(f *journal.Facts) {
	saved := max(0, f.Revisit-1)
	switch {
	case f.Status == journal.NotModified:
		t.NotModified++
		t.NotTransferred += saved
	case f.Revisit > 0:
		t.Unchanged++
		t.NotStored += saved
	}
}

type statusCount struct {
	Status uint16
	N      int64
}

// countStatus counts the status of an attempt at a page.
func (t *savedTally) countStatus(status uint16) {
	i, found := slices.BinarySearchFunc(t.Statuses, status, func(c statusCount, s uint16) int { return cmp.Compare(c.Status, s) })
	if !found {
		t.Statuses = slices.Insert(t.Statuses, i, statusCount{Status: status})
	}
	t.Statuses[i].N++
}

// Fetched returns the number of fetched pages, without redirects.
func (s *State) Fetched() int64 {
	states, _, _ := s.Frontier.Census()
	return states[frontier.Fetched] + states[frontier.Reacquired] - s.Moved
}

// PagesLeft returns the number of pages that may still be requested, -1 without a limit.
func (s *State) PagesLeft() int {
	if s.Setup.pages == 0 {
		return -1
	}
	states, _, _ := s.Frontier.Census()
	return int(max(0, s.Setup.pages-s.Fetched()-states[frontier.Acquired]))
}

// done records the end of an attempt at a page.
func (s *State) done(r *journal.Record) {
	e := &r.Event
	s.Outcomes[e.Class]++
	s.countStatus(r.Facts.Status)
	s.Bytes += e.Bytes
	if s.Weather.tried(r); e.Again {
		return
	}
	s.clear(e.Page, recalled)
	s.Revisits.note(r)
	if e.Class.Failed() {
		return
	}
	s.Plain += int64(len(r.Facts.Plain))
	s.Visits.Note(r)
	s.countSaved(&r.Facts)
	s.noteWithheld(e.Page, &r.Facts)
	s.Content.Note(r)
	s.Cut.note(e.Page, len(e.Links), &r.Facts)
	s.countLinks(e)
}

// countLinks counts the links of a page. The links of a page that was fetched before are
// not counted again, unless they made pages known.
func (s *State) countLinks(e *event.Event) {
	in, links := s.in.Slice(), e.Links
	if s.WasFetched(e.Page) {
		links = s.newOf(e)
	} else {
		s.Gathered += s.LinksIn(e.Page)
		s.Came.add(s.Active(e.End))
		s.Kinds.Learn(e)
		if e.Class == event.Redirect {
			s.Moved++
		}
		s.set(e.Page, fetched)
	}
	s.Links += int64(len(links))
	vouches := !s.has(e.Page, dull) && len(e.Links) <= trap.Crowd
	for _, p := range links {
		s.link(p, vouches)
		s.Gathered += int64(in[p] >> 31)
		s.Kept.linked(p)
	}
}

// newOf returns the links of a page to pages that it made known.
func (s *State) newOf(e *event.Event) (list []graph.Page) {
	first := graph.Page(s.Frontier.Pages() - len(e.New))
	for _, p := range e.Links {
		if p >= first {
			list = append(list, p)
		}
	}
	return list
}
