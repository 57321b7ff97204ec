package recut

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A translation knows the numbers of pages and sites on the other side.
type translation struct {
	page  func(graph.Page) (graph.Page, bool) // false: the other side does not know it
	site  func(graph.Site) graph.Site
	part  func(graph.Page) graph.Page // of a requisite
	place func(journal.Place) journal.Place
	later time.Duration // by which instants of the other side are later
}

// begin makes to an empty record of a kind, and keeps the memory of its lists.
func begin(to *journal.Record, kind event.Kind, now time.Duration) {
	e := &to.Event
	names := to.Facts.Names
	names.Reset()
	e.Read.Reset()
	*to = journal.Record{Now: now, Facts: journal.Facts{Names: names}, Event: event.Event{
		Kind: kind, New: e.New[:0], Bars: e.Bars[:0], Admit: e.Admit[:0], Links: e.Links[:0], Anchors: e.Anchors[:0], Needs: e.Needs[:0], Read: e.Read,
		Exchange: event.Exchange{Gifts: e.Gifts[:0], Amounts: e.Amounts[:0], Lessons: e.Lessons[:0]},
	}}
}

// copy makes to the same record as from on the other side, but for the pages that it makes known
// (Event.New, with Bars and Names), which are set before. Pages that the other side does not know
// are left out of all lists.
func (t *translation) copy(to, from *journal.Record) {
	e, x := &to.Event, &from.Event
	t.head(e, x)
	e.Admit = t.pages(e.Admit, x.Admit)
	t.links(e, x)
	t.facts(&to.Facts, from)
}

// head copies what is no list.
func (t *translation) head(e, x *event.Event) {
	lists := *e
	*e = *x
	e.New, e.Bars, e.Admit, e.Links, e.Anchors, e.Needs = lists.New, lists.Bars, lists.Admit[:0], lists.Links[:0], lists.Anchors[:0], lists.Needs
	e.Read, e.Exchange, e.Hints = lists.Read, event.Exchange{Gifts: lists.Gifts, Amounts: lists.Amounts, Lessons: lists.Lessons}, nil
	switch x.Kind {
	case event.Took, event.Ruled:
		e.Site, e.For = t.site(x.Site), t.site(x.For)
	case event.Resolved, event.Listed, event.Probed, event.Withdrawn, event.Named, event.Brought, event.Unneeded:
		e.Site = t.site(x.Site)
	}
	if x.Kind == event.Refused || x.Kind == event.Done || x.Kind == event.Judged || x.Kind == event.Took && x.Task.Kind == event.Fetch {
		e.Page, _ = t.page(x.Page)
	}
	if x.Kind == event.Brought || x.Kind == event.Took && x.Task.Kind == event.Requisite {
		e.Page = t.part(x.Page)
	}
	for _, at := range []*time.Duration{&e.Start, &e.End} {
		*at += t.later
	}
	for _, at := range []*time.Duration{&e.Due, &e.Expiry} {
		if *at != 0 {
			*at += t.later
		}
	}
}

// pages appends the numbers of pages on the other side.
func (t *translation) pages(to, from []graph.Page) []graph.Page {
	for _, p := range from {
		if q, ok := t.page(p); ok {
			to = append(to, q)
		}
	}
	return to
}

// links copies the links with their anchors and the terms at them.
func (t *translation) links(e, x *event.Event) {
	hits := x.Read.Hits
	e.Read.Set(&x.Read)
	e.Read.Hits = e.Read.Hits[:0]
	for i, p := range x.Links {
		hit := event.Hit{}
		if len(hits) > 0 && int(hits[0].Link) == i {
			hit, hits = hits[0], hits[1:]
		}
		q, ok := t.page(p)
		if !ok {
			continue
		}
		if hit.Anchor|hit.Around != 0 {
			hit.Link = uint32(len(e.Links))
			e.Read.Hits = append(e.Read.Hits, hit)
		}
		e.Links = append(e.Links, q)
		if len(x.Anchors) > 0 {
			e.Anchors = append(e.Anchors, x.Anchors[i])
		}
	}
	if !e.HasAnchors() {
		e.Anchors = e.Anchors[:0]
	}
}

// facts copies the facts, but for the names.
func (t *translation) facts(f *journal.Facts, from *journal.Record) {
	names, x := f.Names, &from.Facts
	*f = *x
	f.Names = names
	f.Plain, f.Told, f.Hints = t.pages(nil, x.Plain), t.pages(nil, x.Told), nil
	for _, h := range x.Hints {
		if q, ok := t.page(h.Page); ok {
			h.Page = q
			f.Hints = append(f.Hints, h)
		}
	}
	f.Parts = nil
	for _, n := range x.Parts {
		f.Parts = append(f.Parts, t.part(n))
	}
	if x.Near > 0 {
		f.Near = 0
		if q, ok := t.page(graph.Page(x.Near - 1)); ok {
			f.Near = uint32(q) + 1
		} else {
			f.Doubt = true // to the order it is a near duplicate all the same
		}
	}
	if x.Clock != 0 {
		f.Clock += t.later
	}
	if x.Place.Length > 0 {
		f.Place = t.place(x.Place)
	}
}
