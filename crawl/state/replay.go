package state

import (
	"fmt"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Replay applies a record that was read. One that does not fit, because records before
// it are lost, is passed over and counted: its own page is known again at the next
// session, and the ids that lost records gave stay unused.
func (s *State) Replay(r *journal.Record) error {
	s.Fill(r)
	s.settling.Decide(s, r)
	if err := s.Frontier.Check(&r.Event); err != nil {
		s.holes++
		s.Next = r.Seq + 1
		return nil
	}
	if err := s.Learn(r); err != nil {
		return fmt.Errorf("record %d (%v): %w", r.Seq, r.Event.Kind, err)
	}
	s.Apply(r, true)
	s.settling.Ended(s, r)
	return s.Err
}

// Fill leaves out the ids that records before this one gave, and that are lost with
// them.
func (s *State) Fill(r *journal.Record) {
	e, names := &r.Event, &r.Facts.Names
	if len(e.New) > 0 && int(r.First) > s.Table.Pages() {
		s.skip(int(r.First) - s.Table.Pages())
	}
	for i, id := range e.New {
		if i < names.Len() && names.Site(i) != nil {
			s.skipSites(int(id) - s.Table.Sites()) // the first new one tells
			return
		}
		s.skipSites(int(id) + 1 - s.Table.Sites())
	}
	if e.Hop && names.Len() > 0 {
		s.skipSites(int(e.To) - s.Table.Sites())
	}
}

// Committed is called at the end of a group. Ids that its commit tells of and that no
// record brought are lost, too: the journal goes on after them.
func (s *State) Committed(c *journal.Commit) {
	s.settling.commit(s)
	s.skipSites(int(c.Sites) - s.Table.Sites())
	if n := int(c.Pages) - s.Table.Pages(); n > 0 {
		s.skip(n)
	}
}

// settling repeats on replay when sites were held: an outcome is settled when its group
// is on disk and the owner has heard of it, which is at some moment of the group after.
// Decisions say on which side of that moment they lie.
type settling struct{ before, now []graph.Site } // with outcomes in the group before, in this one

// Decide is called before a record: a decision that was not early saw the group before
// settled.
func (x *settling) Decide(s *State, r *journal.Record) {
	switch r.Event.Kind {
	case event.Took, event.Refused, event.Asked:
		if !r.Facts.Early {
			x.before = settle(s, r, x.before)
		}
	}
}

// Ended is called after a record: an outcome holds its site.
func (x *settling) Ended(s *State, r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Ruled:
		x.now = append(x.now, e.Site)
		if e.For != e.Site && !e.Hop {
			x.now = append(x.now, e.For)
		}
	case event.Listed:
		x.now = append(x.now, e.Site)
	case event.Done:
		x.now = append(x.now, s.Frontier.Site(e.Page))
	case event.Session: // nothing is held any more
		x.before, x.now = x.before[:0], x.now[:0]
	}
}

// commit is called at the end of a group.
func (x *settling) commit(s *State) {
	x.before = settle(s, &journal.Record{Now: s.Now}, x.before)
	x.before, x.now = x.now, x.before
}

func settle(s *State, r *journal.Record, list []graph.Site) []graph.Site {
	for _, id := range list {
		s.Frontier.Settle(r.Now, id)
	}
	return list[:0]
}

// Learn enters the names of a record: the sites and pages that it made known.
func (s *State) Learn(r *journal.Record) error {
	e, names := &r.Event, &r.Facts.Names
	if e.Kind == event.Ruled && names.Len() > 0 { // a site to which a robots.txt moved
		return s.learnSite(names.Site(0), e.To)
	}
	if names.Len() != len(e.New) {
		return fmt.Errorf("%d URLs for %d new pages", names.Len(), len(e.New))
	}
	for i, id := range e.New {
		if err := s.learnSite(names.Site(i), id); err != nil {
			return err
		}
		bar := event.NoBar
		if len(e.Bars) > 0 {
			bar = e.Bars[i]
		}
		if err := s.learnPage(r.First+graph.Page(i), id, names.Rest(i), bar); err != nil {
			return err
		}
	}
	if e.Kind == event.Retried || e.Kind == event.Revisit {
		return nil // they are counted, or see retried
	}
	for _, p := range e.Admit {
		if e.Kind != event.Revisit && int(p) < s.Frontier.Pages() && s.Frontier.State(p) == frontier.RefusedPage {
			s.sites.Admit(s.Frontier.Site(p))
		}
	}
	return nil
}

// learnSite enters a site if it has a name, which makes it new.
func (s *State) learnSite(name []byte, want graph.Site) error {
	if name == nil {
		return nil
	}
	if id, fresh := s.Site(s.Key.Site(name), name); id != want || !fresh {
		return fmt.Errorf("site %s is number %d (new: %t), want %d", name, id, fresh, want)
	}
	return nil
}

func (s *State) learnPage(want graph.Page, id graph.Site, rest []byte, bar event.Bar) error {
	if int(id) >= s.Table.Sites() {
		return fmt.Errorf("page %d is on site %d of %d", want, id, s.Table.Sites())
	}
	p, fresh := s.Table.Page(s.Key.Page(s.Key.Site(s.Table.Name(id)), rest))
	if p != want || !fresh {
		return fmt.Errorf("page %s%s is number %d (new: %t), want %d", s.Table.Name(id), rest, p, fresh, want)
	}
	s.Enter(p, id, rest, bar)
	return nil
}

// skip leaves out pages whose record is lost: they have no URL and are never asked.
// When a link leads to such a page again it gets another id.
func (s *State) skip(n int) {
	s.holes++
	if s.Table.Sites() == 0 {
		s.skipSites(1)
	}
	for range n {
		name := fmt.Appendf(nil, "/lost/%d", s.Table.Pages())
		p, _ := s.Table.Page(s.Key.Page(0, name))
		s.Enter(p, 0, name, event.BarLost)
	}
	s.Frontier.Skip(n)
}

// skipSites leaves out sites whose record is lost.
func (s *State) skipSites(n int) {
	if n <= 0 {
		return
	}
	s.holes++
	for range n {
		name := fmt.Appendf(nil, "lost://%d", s.Table.Sites())
		s.Site(s.Key.Site(name), name)
	}
	s.Frontier.SkipSites(n)
}
