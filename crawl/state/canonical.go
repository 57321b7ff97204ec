package state

import (
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// duplicates finds the pages that repeat others.
type duplicates struct {
	s     *State
	plain []graph.Page // scratch of Of
	text  []byte       // scratch
}

// Of reports whether a fetched page is a duplicate, so that its links need not be
// followed. canonical is the page that it names and repeats, NoPage if it is a copy of a
// page that it does not name.
//
// What a page says of itself is not enough: many sites name their first page on every page.
// So the canonical page must have been fetched with nearly the same words, and every link
// must lead to a page that is known. Then nothing is lost, whatever the site meant. Plain
// are the pages that stand for links without their parameters and are not fetched yet: if one
// of them fails, the crawl follows such a link after all. It is valid until the next call.
func (d *duplicates) Of(p graph.Page, f *gather.Found) (canonical graph.Page, plain []graph.Page, ok bool) {
	d.plain = d.plain[:0]
	canonical, ok = d.of(p, f)
	return canonical, d.plain, ok
}

func (d *duplicates) of(p graph.Page, f *gather.Found) (canonical graph.Page, ok bool) {
	if f.Class != event.OK || f.Status == journal.NotModified {
		return graph.NoPage, false
	}
	if q, ok := d.repeats(p, f); ok {
		return q, true
	}
	ok = d.s.Content.Duplicate(p, f) && (len(f.Canonical.Spare) == 0 || d.knowsLinks(f))
	return graph.NoPage, ok
}

// repeats returns the canonical page of p, if p is a duplicate of it.
func (d *duplicates) repeats(p graph.Page, f *gather.Found) (graph.Page, bool) {
	if f.Canonical.Hash == 0 || f.Canonical.Self {
		return graph.NoPage, false
	}
	q, known := d.s.Table.LookupPage(f.Canonical.Hash)
	return q, known && q != p && d.s.Content.Agrees(q, f) && d.knowsLinks(f)
}

// knowsLinks reports whether every link of a page leads to a page that is known, as it is
// or without the parameters by which the page differs from its canonical one.
func (d *duplicates) knowsLinks(f *gather.Found) bool {
	d.plain = d.plain[:0]
	if f.Dropped > 0 {
		return false
	}
	for i := range f.Links.Len() {
		link := f.Links.At(i)
		if link.Bar != event.NoBar || d.settled(link.Hash) {
			continue
		}
		var cut bool
		if d.text, cut = f.Canonical.AppendPlain(d.text[:0], f.Links.Rest(i)); !cut || !link.Local {
			return false
		}
		if hash := d.s.Key.Page(link.SiteHash, d.text); !d.settled(hash) || !d.stands(hash) {
			return false
		}
	}
	return true
}

// settled reports whether the page with a hash is known and another link would not change
// what becomes of it.
func (d *duplicates) settled(hash uint64) bool {
	p, known := d.s.Table.LookupPage(hash)
	if !known || d.s.Frontier.State(p) != frontier.RefusedPage {
		return known
	}
	bar := d.s.Frontier.Bar(p)
	return bar != event.BarNoFollow && bar != event.BarDepth // see relents
}

// stands reports whether the known page with a hash may stand for a link: it did not fail. It
// notes one that is not fetched yet.
func (d *duplicates) stands(hash uint64) bool {
	p, _ := d.s.Table.LookupPage(hash)
	switch d.s.Frontier.State(p) {
	case frontier.Failed:
		return false
	case frontier.Known, frontier.Acquired:
		d.plain = append(d.plain, p)
	}
	return true
}
