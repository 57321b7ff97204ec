package state

import (
	"slices"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Need adds to a record the requisites that an answer names and that are not known: each with its
// number, and a bar if it must not be requested. A URL that is a page to be fetched is none. from
// is the page that needs them, and step the number of answers from it to them. home is the site of
// the answer. Need reports whether there is anything to record.
func (s *State) Need(r *journal.Record, from graph.Page, step uint8, home graph.Site, needs *gather.Needs) bool {
	e := &r.Event
	e.Page, r.Facts.Step, r.Facts.Dropped = from, step, uint32(needs.Dropped)
	if step > requisite.MaxSteps {
		r.Facts.Dropped += uint32(needs.Len())
		return r.Facts.Dropped > 0
	}
	e.First = graph.Page(s.Requisites.Len())
	waiting := map[graph.Site]int{} // at a site after this record
	for i := range needs.Len() {
		link := needs.At(i)
		if s.Requisites.Knows(link.Hash) || s.isPage(link.Hash) || s.Full() {
			continue
		}
		id, name := home, []byte(nil)
		if !link.Local {
			fresh := false
			if id, fresh = s.Site(link.SiteHash, needs.Site(i)); fresh {
				name = needs.Site(i)
			}
			if id == graph.NoSite {
				continue // its name is too long
			}
		}
		if _, ok := waiting[id]; !ok {
			waiting[id] = len(s.Requisites.Waiting(id))
		}
		bar := event.BarForeign
		if !s.IsForeign(id) {
			bar = s.RequisiteBar(id, needs.Rest(i))
		}
		if bar == event.NoBar {
			if waiting[id]++; waiting[id] > requisite.MaxWaiting {
				bar = event.BarSitePages
			}
		}
		s.Requisites.Number(link.Hash)
		e.Needs, e.Bars = append(e.Needs, id), append(e.Bars, bar)
		r.Facts.Names.Add(name, needs.Rest(i))
	}
	if len(e.Needs) == 0 {
		e.First = 0
	}
	return len(e.Needs) > 0 || r.Facts.Dropped > 0
}

// A PartAsk asks another partition for a requisite on one of its sites.
type PartAsk struct {
	URL  string
	Step uint8 // answers between a page and it
}

// askPart asks the partition of a site for a requisite of a record.
func (m *mail) askPart(r *journal.Record, i int) {
	s, id := m.s, r.Event.Needs[i]
	x := &PartAsk{string(s.URL(id, r.Facts.Names.Rest(i))), r.Facts.Step}
	m.add(s.Setup.Owner(s.Table.Name(id)), notePart, pack(x))
}

// NeedFor adds to a record the requisite for which another partition asks. It belongs to no page of
// this one. NeedFor reports whether there is anything to record.
func (s *State) NeedFor(r *journal.Record, x *PartAsk) bool {
	name, rest := page.Site([]byte(x.URL))
	site := s.Key.Site(name)
	hash := s.Key.Page(site, rest)
	if s.Requisites.Knows(hash) || s.isPage(hash) || s.Full() {
		return false
	}
	id, fresh := s.Site(site, name)
	if id == graph.NoSite {
		return false
	}
	bar := s.RequisiteBar(id, rest)
	if bar == event.NoBar && len(s.Requisites.Waiting(id)) >= requisite.MaxWaiting {
		bar = event.BarSitePages
	}
	if !fresh {
		name = nil
	}
	e := &r.Event
	e.Page, e.First, r.Facts.Step = graph.NoPage, graph.Page(s.Requisites.Len()), x.Step
	e.Needs, e.Bars = append(e.Needs, id), append(e.Bars, bar)
	s.Requisites.Number(hash)
	r.Facts.Names.Add(name, rest)
	return true
}

// isPage reports whether a URL is that of a page that was or will be fetched, by its hash.
func (s *State) isPage(hash uint64) bool {
	p, known := s.Table.LookupPage(hash)
	return known && int(p) < s.Frontier.Pages() && s.Frontier.State(p) != frontier.RefusedPage && s.Frontier.State(p) != frontier.Lost
}

// RequisiteBar returns the reason not to request a requisite, or NoBar.
func (s *State) RequisiteBar(id graph.Site, rest []byte) event.Bar {
	rules := s.Robots.Of(id)
	switch {
	case s.Setup.robots && !rules.Test(string(rest)).Allowed:
		return event.BarRobots
	case s.Scope == nil:
		return event.NoBar
	}
	return s.Scope.JudgeRequisite(s.Table.Name(id), rest)
}

// learnNeeds adds the sites and requisites that a record made known.
func (s *State) learnNeeds(r *journal.Record) error {
	e, names := &r.Event, &r.Facts.Names
	for n := s.Requisites.Len(); n < int(e.First); n++ {
		s.end(r, graph.Page(n)) // its record is lost
	}
	s.Requisites.Skip(e.First, s.Key)
	for i, id := range e.Needs {
		if i >= names.Len() {
			break
		}
		if err := s.learnSite(names.Site(i), id); err != nil {
			return err
		}
		if int(id) < s.Table.Sites() {
			s.Requisites.Number(s.Key.Page(s.Key.Site(s.Table.Name(id)), names.Rest(i)))
		}
	}
	return nil
}

// needed records requisites that became known.
func (s *State) needed(r *journal.Record) {
	e := &r.Event
	s.Requisites.LeftOut += int64(r.Facts.Dropped)
	for i, id := range e.Needs {
		bar := event.NoBar
		if len(e.Bars) > 0 {
			bar = e.Bars[i]
		}
		if bar == event.BarForeign {
			s.Mail.askPart(r, i)
		}
		p := requisite.Part{Number: e.First + graph.Page(i), Rest: string(r.Facts.Names.Rest(i)), Page: e.Page, Step: r.Facts.Step}
		if s.Requisites.Needed(id, p, bar, s.Frontier.Closed(id)); bar != event.NoBar || s.Frontier.Closed(id) {
			s.end(r, p.Number)
		}
	}
}

// end notes requisites that will not come.
func (s *State) end(r *journal.Record, numbers ...graph.Page) {
	for _, n := range numbers {
		s.Renders.Brought(r, n, false)
	}
}

// closeRequisites gives up the requisites of a site if it cannot be requested. If it cannot be
// reached, nothing waits for them.
func (s *State) closeRequisites(r *journal.Record, id graph.Site) {
	if e := &r.Event; e.Again && e.Class.Failed() { // it may take days, and pages do not wait for it
		for _, p := range s.Requisites.Waiting(id) {
			s.Renders.Late(r, p.Number)
		}
	}
	if !s.Frontier.Closed(id) {
		return
	}
	for _, p := range s.Requisites.Waiting(id) {
		s.end(r, p.Number)
	}
	s.Requisites.CloseIf(true, id)
}

// Asked returns the requisites among what a page asked for that have come since, or may come. They
// must be recorded already, by Need.
func (s *State) Asked(asked *gather.Needs, had []graph.Page) (parts []graph.Page) {
	for i := range asked.Len() {
		n, known := s.Requisites.Seen().LookupPage(asked.At(i).Hash)
		if known && s.Renders.Mark(n) != render.None && !slices.Contains(had, n) && !slices.Contains(parts, n) {
			parts = append(parts, n)
		}
	}
	return parts
}

// brought records the end of an attempt at a requisite.
func (s *State) brought(r *journal.Record) {
	e := &r.Event
	s.Bytes += e.Bytes
	p, _ := s.Requisites.First(e.Site)
	tries, _ := s.Weather.count(p.Tries, e.Site, r)
	s.Requisites.Brought(e.Site, e.Page, e.Class, e.Bytes, e.Again, tries)
	if !e.Again {
		s.Renders.Brought(r, e.Page, true)
	}
}

// RequisiteURL returns the URL of the requisite of a site that is fetched next.
func (s *State) RequisiteURL(id graph.Site) (requisite.Part, string) {
	p, _ := s.Requisites.First(id)
	return p, string(s.URL(id, []byte(p.Rest)))
}
