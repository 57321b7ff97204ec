package state

import (
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// Duplicate reports whether a fetched page is a duplicate, so that its links need not be
// followed. canonical is the page that it names and repeats, NoPage if it is a copy of a
// page that it does not name.
//
// What a page says of itself is not enough: many sites name their first page on every page.
// So the canonical page must have been fetched with nearly the same words, and every link
// must lead to a page that is known. Then nothing is lost, whatever the site meant. Plain
// are the pages that stand for links without their parameters and are not fetched yet: if one
// of them fails, the crawl follows such a link after all. It is valid until the next call.
func (s *State) Duplicate(p graph.Page, f *gather.Found) (canonical graph.Page, plain []graph.Page, ok bool) {
	s.plain = s.plain[:0]
	canonical, ok = s.duplicate(p, f)
	return canonical, s.plain, ok
}

func (s *State) duplicate(p graph.Page, f *gather.Found) (canonical graph.Page, ok bool) {
	if f.Class != event.OK || f.Status == NotModified {
		return graph.NoPage, false
	}
	if q, ok := s.repeats(p, f); ok {
		return q, true
	}
	ok = s.Content.Duplicate(p, f) && (len(f.Canonical.Spare) == 0 || s.knowsLinks(f))
	return graph.NoPage, ok
}

// repeats returns the canonical page of p, if p is a duplicate of it.
func (s *State) repeats(p graph.Page, f *gather.Found) (graph.Page, bool) {
	if f.Canonical.Hash == 0 || f.Canonical.Self {
		return graph.NoPage, false
	}
	q, known := s.Table.LookupPage(f.Canonical.Hash)
	return q, known && q != p && s.Content.agrees(q, f) && s.knowsLinks(f)
}

// agrees reports whether q was fetched with the words that were found, or nearly.
func (c *contents) agrees(q graph.Page, f *gather.Found) bool {
	first, _, ok := c.original(f.Digest)
	return ok && first == q || c.near.Has(f.SimHash, q)
}

// knowsLinks reports whether every link of a page leads to a page that is known, as it is
// or without the parameters by which the page differs from its canonical one.
func (s *State) knowsLinks(f *gather.Found) bool {
	s.plain = s.plain[:0]
	if f.Dropped > 0 {
		return false
	}
	for i := range f.Links.Len() {
		link := f.Links.At(i)
		if link.Bar != event.NoBar || s.settled(link.Hash) {
			continue
		}
		var cut bool
		if s.text, cut = f.Canonical.AppendPlain(s.text[:0], f.Links.Rest(i)); !cut || !link.Local {
			return false
		}
		if hash := s.Key.Page(link.SiteHash, s.text); !s.settled(hash) || !s.stands(hash) {
			return false
		}
	}
	return true
}

// settled reports whether the page with a hash is known and another link would not change
// what becomes of it.
func (s *State) settled(hash uint64) bool {
	p, known := s.Table.LookupPage(hash)
	if !known || s.Frontier.State(p) != frontier.RefusedPage {
		return known
	}
	bar := s.Frontier.Bar(p)
	return bar != event.BarNoFollow && bar != event.BarDepth // see relents
}

// stands reports whether the known page with a hash may stand for a link: it did not fail. It
// notes one that is not fetched yet.
func (s *State) stands(hash uint64) bool {
	p, _ := s.Table.LookupPage(hash)
	switch s.Frontier.State(p) {
	case frontier.Failed:
		return false
	case frontier.Known, frontier.Acquired:
		s.plain = append(s.plain, p)
	}
	return true
}
