package crawl

import (
	"bytes"
	"time"

	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
)

// look is what the guard is to know of a page. It is valid until the next page is read.
func (s *state) look(p graph.Page) (trap.Page, bool) {
	site, rest, ok := s.read(p)
	return trap.Page{ID: p, Site: site, Rest: rest, Single: s.in.At(int(p))&linksIn <= 1}, ok
}

// parent is the page that linked to another first.
func (s *state) parent(p *trap.Page) (trap.Page, bool) {
	from := s.f.From(p.ID)
	if from == graph.NoPage {
		return trap.Page{}, false
	}
	return s.look(from)
}

// trapped is what the guard has against a page that would be handed out. Seeds, pages of
// sitemaps and pages that came are none of its business.
func (s *state) trapped(p graph.Page) frontier.Bar {
	if !s.traps || s.f.Depth(p) == 0 || s.in.At(int(p))&came != 0 {
		return frontier.NoBar
	}
	x, ok := s.look(p)
	if !ok {
		return frontier.NoBar
	}
	return s.guard.Judge(&x)
}

// notice tells the guard what a record says, after the frontier and before it counts
// for anything else.
func (s *state) notice(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case frontier.Seed:
		for _, site := range e.New {
			s.guard.Seed(site)
		}
	case frontier.Took:
		if x, ok := s.look(e.Page); e.Work == frontier.Fetch && ok {
			s.guard.Asked(&x)
		}
	case frontier.Refused:
		s.noticeRefusal(e)
	case frontier.Done:
		s.noticeDone(r)
	}
	s.noticeBars(&r.Event)
}

// noticeRefusal notes a page that is left alone after all: it does not count towards the
// limits of its site any more.
func (s *state) noticeRefusal(e *frontier.Event) {
	if s.in.At(int(e.Page))&came != 0 {
		return // it came before
	}
	s.sites.dismiss(s.f.Site(e.Page))
	s.freed = true
	if !trap.IsTrap(e.Bar) {
		return
	}
	if x, ok := s.look(e.Page); ok {
		s.guard.Refused(&x, e.Bar)
	}
}

// noticeBars notes pages that were refused as soon as they were known, and pages that are
// admitted.
func (s *state) noticeBars(e *frontier.Event) {
	for i, b := range e.Bars {
		if trap.IsTrap(b) {
			s.guard.Barred(e.New[i], b)
		}
	}
	for _, p := range e.Admit {
		if x, ok := s.look(p); ok {
			s.guard.Admitted(&x)
		}
	}
}

// noticeDone notes what a page brought, once.
func (s *state) noticeDone(r *journal.Record) {
	e := &r.Event
	if e.Again || e.Class.Failed() || s.in.At(int(e.Page))&came != 0 {
		return
	}
	home, last := s.f.Site(e.Page), graph.NoSite
	for _, p := range e.Links {
		if to := s.f.Site(p); to != home && to != last {
			s.guard.Linked(home, to)
			last = to
		}
	}
	if e.Class != policy.OK && e.Class != policy.Duplicate {
		return
	}
	s.guard.Brought(e.Page, len(e.New))
	x, ok := s.look(e.Page)
	if !ok {
		return
	}
	s.compare(r, home)
	news := trap.News{Soft: saysNotFound(r.Facts.Title), Ends: !leadsDeeper(r, &x)}
	if p, ok := s.like(r); ok {
		news.Same = s.f.Site(p) == home
		news.Exact = news.Same && e.Class == policy.Duplicate
		news.Elsewhere = !news.Same && e.Class == policy.Duplicate
	}
	s.guard.Came(&x, news)
}

// like is the page whose content a page repeats, or nearly.
func (s *state) like(r *journal.Record) (graph.Page, bool) {
	if r.Event.Class == policy.Duplicate {
		return s.content.of(r.Facts.Digest)
	}
	p := r.Facts.Near - 1
	return graph.Page(p), int(p) < s.f.Pages() // without one it is the largest number there is
}

// leadsDeeper tells whether a page made pages known that lie below it.
func leadsDeeper(r *journal.Record, x *trap.Page) bool {
	for i, site := range r.Event.New {
		if site == x.Site && i < r.Facts.Names.Len() && trap.Deeper(r.Facts.Names.Rest(i), x.Rest) {
			return true
		}
	}
	return false
}

// notFound is what titles of pages say that are not there, whatever their status: in
// lower case, in the languages in which most servers say it.
var notFound = [][]byte{
	[]byte("not found"), []byte("404"), []byte("does not exist"), []byte("nicht gefunden"), []byte("introuvable"),
	[]byte("no encontrad"), []byte("non trovat"), []byte("não encontrad"), []byte("niet gevonden"),
	[]byte("не найден"), []byte("见つかりません"), []byte("見つかりません"), []byte("未找到"), []byte("找不到"),
}

// saysNotFound tells whether a title says that the page is not there. That alone is no
// reason for anything: it makes a page one that brought nothing new.
func saysNotFound(title string) bool {
	if title == "" {
		return false
	}
	t := bytes.ToLower([]byte(title))
	for _, words := range notFound {
		if bytes.Contains(t, words) {
			return true
		}
	}
	return false
}

// relentEvery is after how many works held pages are looked at again.
const relentEvery = 256

// relent admits held pages for which something speaks by now; with all it goes over
// every one of them.
func (o *owner) relent(now time.Duration, all bool) (some bool) {
	if o.s.guard.Holds() == 0 || o.stopping != "" {
		return false
	}
	free := o.s.guard.Release(all || !o.s.traps, o.s.lookFree)
	if len(free) == 0 {
		return false
	}
	r := o.begin(frontier.Admitted, now)
	r.Event.Admit = append(r.Event.Admit, free...)
	for _, p := range free {
		o.s.sites.admit(o.s.f.Site(p))
	}
	o.record()
	return true
}

// lookFree is look for pages that are held; others are not to be admitted.
func (s *state) lookFree(p graph.Page) (trap.Page, bool) {
	if s.f.State(p) != frontier.RefusedPage {
		return trap.Page{}, false
	}
	return s.look(p)
}
