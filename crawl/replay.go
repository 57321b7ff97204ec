package crawl

import (
	"fmt"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// replay applies a record that was read. One that does not fit, because records before
// it are lost, is passed over and counted: its own page is known again at the next
// session, and the ids that lost records gave stay unused.
func (s *state) replay(r *journal.Record) error {
	s.fill(r)
	if err := s.f.Check(&r.Event); err != nil {
		s.holes++
		s.next = r.Seq + 1
		return nil
	}
	if err := s.learn(r); err != nil {
		return fmt.Errorf("record %d (%v): %w", r.Seq, r.Event.Kind, err)
	}
	s.apply(r, true)
	s.settled(r)
	return s.err
}

// fill leaves out the ids that records before this one gave, and that are lost with
// them.
func (s *state) fill(r *journal.Record) {
	e, names := &r.Event, &r.Facts.Names
	if len(e.New) > 0 && int(r.First) > s.seen.Pages() {
		s.skip(int(r.First) - s.seen.Pages())
	}
	sites := s.seen.Sites()
	for i, id := range e.New {
		if i < names.Len() && names.Site(i) != nil {
			s.skipSites(int(id) - sites) // the first new one tells
			return
		}
		s.skipSites(int(id) + 1 - s.seen.Sites())
	}
	if e.Hop && names.Len() > 0 {
		s.skipSites(int(e.To) - sites)
	}
}

// settled lets the site of an outcome go on: what is read was committed.
func (s *state) settled(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case frontier.Ruled, frontier.Listed:
		s.f.Settle(r.Now, e.Site)
	case frontier.Done:
		s.f.Settle(r.Now, s.f.Site(e.Page))
	}
}

// learn enters the names of a record: the sites and pages that it made known.
func (s *state) learn(r *journal.Record) error {
	e, names := &r.Event, &r.Facts.Names
	if e.Kind == frontier.Ruled && names.Len() > 0 { // a site to which a robots.txt moved
		return s.learnSite(names.Site(0), e.To)
	}
	if names.Len() != len(e.New) {
		return fmt.Errorf("%d URLs for %d new pages", names.Len(), len(e.New))
	}
	for i, id := range e.New {
		if err := s.learnSite(names.Site(i), id); err != nil {
			return err
		}
		bar := frontier.NoBar
		if len(e.Bars) > 0 {
			bar = e.Bars[i]
		}
		if err := s.learnPage(r.First+graph.Page(i), id, names.Rest(i), bar); err != nil {
			return err
		}
	}
	for _, p := range e.Admit {
		s.sites.admit(s.f.Site(p))
	}
	return nil
}

// learnSite enters a site if it has a name, which makes it new.
func (s *state) learnSite(name []byte, want graph.Site) error {
	if name == nil {
		return nil
	}
	if id, fresh := s.site(s.key.Site(name), name); id != want || !fresh {
		return fmt.Errorf("site %s is number %d (new: %t), want %d", name, id, fresh, want)
	}
	return nil
}

func (s *state) learnPage(want graph.Page, id graph.Site, rest []byte, bar frontier.Bar) error {
	if int(id) >= s.seen.Sites() {
		return fmt.Errorf("page %d is on site %d of %d", want, id, s.seen.Sites())
	}
	p, fresh := s.seen.Page(s.key.Page(s.key.Site(s.seen.Name(id)), rest))
	if p != want || !fresh {
		return fmt.Errorf("page %s%s is number %d (new: %t), want %d", s.seen.Name(id), rest, p, fresh, want)
	}
	s.enter(p, id, rest, bar)
	return nil
}

// skip leaves out pages whose record is lost: they have no URL and are never asked.
// When a link leads to such a page again it gets another id.
func (s *state) skip(n int) {
	s.holes++
	if s.seen.Sites() == 0 {
		s.skipSites(1)
	}
	for range n {
		name := fmt.Appendf(nil, "/lost/%d", s.seen.Pages())
		p, _ := s.seen.Page(s.key.Page(0, name))
		s.enter(p, 0, name, frontier.BarLost)
	}
	s.f.Skip(n)
}

// skipSites leaves out sites whose record is lost.
func (s *state) skipSites(n int) {
	if n <= 0 {
		return
	}
	s.holes++
	for range n {
		name := fmt.Appendf(nil, "lost://%d", s.seen.Sites())
		s.site(s.key.Site(name), name)
	}
	s.f.SkipSites(n)
}
