package frontier

import (
	"strings"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

func (s *script) resolved(a *arguments) {
	e := event.Event{Kind: event.Resolved, Task: event.Task{Site: s.site(a.one())}, Start: s.now, End: s.now, Address: uint32(a.number("addr"))}
	if a.has("fail") {
		e.Class = event.DNSError
	}
	if d := a.duration("expiry"); d > 0 {
		e.Expiry = s.now + d
	}
	s.again(a, &e)
	a.finish()
	s.apply(e)
}

func (s *script) ruled(a *arguments) {
	e := event.Event{Kind: event.Ruled, Task: event.Task{Site: s.site(a.one()), For: s.site(a.one())}, Start: s.now, End: s.now, Delay: a.duration("delay"), Retry: a.duration("retry"), Files: uint32(a.number("files"))}
	if d := a.duration("expiry"); d > 0 {
		e.Expiry = s.now + d
	}
	if a.has("fail") {
		e.Class = event.Timeout
	}
	if name, ok := a.take("for"); ok {
		e.For = s.site(name)
	}
	if name, ok := a.take("hop"); ok {
		id, _ := s.sites.id(name)
		e.Hop, e.To, e.Class = true, graph.Site(id), event.Redirect
	}
	s.again(a, &e)
	a.finish()
	s.apply(e)
}

// listed ends the fetch of a sitemap file: listed a -> a/2 a/3.
func (s *script) listed(a *arguments) {
	e := event.Event{Kind: event.Listed, Task: event.Task{Site: s.site(a.one())}, Start: s.now, End: s.now, Retry: a.duration("retry"), Files: uint32(a.number("files"))}
	if a.has("fail") {
		e.Class = event.HTTPError
	}
	e.New, e.Bars = s.know(a.links), s.bars(a)
	a.finish()
	s.apply(e)
}

// skip makes pages lost that have names for the script only.
func (s *script) skip(a *arguments) {
	s.know(a.words)
	s.f.Skip(len(a.words))
}

// all returns the numbers of known pages.
func (s *script) all(names []string) (pages []graph.Page) {
	for _, name := range names {
		pages = append(pages, s.page(name))
	}
	return pages
}

// bars reads bar=scope,none: why the new pages are not to be fetched.
func (s *script) bars(a *arguments) (bars []event.Bar) {
	list, ok := a.take("bar")
	if !ok {
		return nil
	}
	for _, name := range strings.Split(list, ",") {
		b := event.NoBar
		for b < event.MaxBar && b.String() != name {
			b++
		}
		if b == event.MaxBar {
			s.fatalf("unknown bar %q", name)
		}
		bars = append(bars, b)
	}
	return bars
}
