package state

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Replay applies a record that was read. A record that does not fit, because records before
// it are lost, is skipped and counted. Its page is found again in the next session, and the
// ids of lost records stay unused.
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

// Fill skips the ids that lost records before this one assigned.
func (s *State) Fill(r *journal.Record) {
	e, names := &r.Event, &r.Facts.Names
	if len(e.New) > 0 && int(r.First) > s.Table.Pages() {
		s.skip(int(r.First) - s.Table.Pages())
	}
	for i, id := range e.New {
		if i < names.Len() && names.Site(i) != nil {
			s.skipSites(int(id) - s.Table.Sites()) // the first new site shows how many are missing
			return
		}
		s.skipSites(int(id) + 1 - s.Table.Sites())
	}
	for i, id := range e.Needs {
		if i < names.Len() && names.Site(i) != nil {
			s.skipSites(int(id) - s.Table.Sites())
			return
		}
	}
	if e.Hop && names.Len() > 0 {
		s.skipSites(int(e.To) - s.Table.Sites())
	}
}

// Committed ends a group. Ids that its commit counts and that no record assigned are lost,
// too: the journal continues after them.
func (s *State) Committed(c *journal.Commit) {
	s.settling.commit(s)
	s.skipSites(int(c.Sites) - s.Table.Sites())
	if n := int(c.Pages) - s.Table.Pages(); n > 0 {
		s.skip(n)
	}
}

// settling repeats on replay when sites were held. An outcome is settled when its group is
// on disk and the driver has learned of it, which is at some moment of the group after.
// Decisions record on which side of that moment they lie.
type settling struct{ before, now []graph.Site } // with outcomes in the group before, in this one

// Decide prepares a record: if it is a decision that was not early, the group before was
// settled then.
func (x *settling) Decide(s *State, r *journal.Record) {
	switch r.Event.Kind {
	case event.Took, event.Refused, event.Polled:
		if !r.Facts.Early {
			x.before = settle(s, r.Now, x.before)
		}
	}
}

// Ended completes a record: an outcome holds its site.
func (x *settling) Ended(s *State, r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Ruled:
		if !s.IsForeign(e.Site) {
			x.now = append(x.now, e.Site)
		}
		if e.For != e.Site && !e.Hop {
			x.now = append(x.now, e.For)
		}
	case event.Listed, event.Brought:
		x.now = append(x.now, e.Site)
	case event.Done:
		x.now = append(x.now, s.Frontier.Site(e.Page))
	case event.Linked, event.Asked:
		x.now = append(x.now, s.Frontier.Told()...)
	case event.Needed:
		if e.Page == graph.NoPage {
			x.now = append(x.now, s.Frontier.Told()...)
		}
	case event.Session: // nothing is held
		x.before, x.now = x.before[:0], x.now[:0]
	}
}

// commit ends a group.
func (x *settling) commit(s *State) {
	x.before, x.now = x.now, settle(s, s.Now, x.before)
}

// settle settles sites, and returns the list emptied.
func settle(s *State, now time.Duration, list []graph.Site) []graph.Site {
	for _, id := range list {
		s.Frontier.Settle(now, id)
	}
	return list[:0]
}

// Learn adds the sites and pages that a record made known.
func (s *State) Learn(r *journal.Record) error {
	e, names := &r.Event, &r.Facts.Names
	if e.Kind == event.Ruled && names.Len() > 0 { // the site to which a robots.txt moved
		return s.learnSite(names.Site(0), e.To)
	}
	if e.Kind == event.Needed {
		return s.learnNeeds(r)
	}
	if e.Kind == event.Asked {
		return errors.Join(s.learnSite(names.Site(0), e.Needs[0]), s.learnSite(names.Site(1), e.Needs[1]))
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
		return nil // they count already, or will: see weather.retried
	}
	for _, p := range e.Admit {
		if int(p) < s.Frontier.Pages() && s.Frontier.State(p) == frontier.RefusedPage && !s.Frontier.Foreign(p) {
			s.Limits.admit(s.Frontier.Site(p))
		}
	}
	return nil
}

// learnSite adds a site. Only new sites have a name.
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
	s.enter(p, id, rest, bar)
	return nil
}

// skip skips the ids of pages whose record is lost: they have no URL and are never
// requested. When a link leads to such a page again, the page gets another id.
func (s *State) skip(n int) {
	s.holes++
	if s.Table.Sites() == 0 {
		s.skipSites(1)
	}
	for range n {
		name := fmt.Appendf(nil, "/lost/%d", s.Table.Pages())
		p, _ := s.Table.Page(s.Key.Page(0, name))
		s.enter(p, 0, name, event.BarLost)
	}
	s.Frontier.Skip(n)
}

// skipSites skips the ids of sites whose record is lost.
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
