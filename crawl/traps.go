package crawl

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// look is what the guard is to know of a page. It is valid until the next page is read.
func (s *state) look(p graph.Page) (trap.Page, bool) {
	site, rest, ok := s.read(p)
	in := s.in.At(int(p))
	return trap.Page{ID: p, Site: site, Rest: rest, Single: in&linksIn <= 1 || in&vouched == 0}, ok
}

// parent is the page that linked to another first.
func (s *state) parent(p *trap.Page) (trap.Page, bool) {
	from := s.f.From(p.ID)
	if from == graph.NoPage {
		return trap.Page{}, false
	}
	return s.look(from)
}

// known reports whether a page of a site is known.
func (s *state) known(id graph.Site, rest []byte) bool {
	_, ok := s.seen.LookupPage(s.key.Page(s.key.Site(s.seen.Name(id)), rest))
	return ok
}

// trapped is what the guard has against a page that would be handed out. Seeds, pages of
// sitemaps and pages that came are none of its business.
func (s *state) trapped(p graph.Page) event.Bar {
	if !s.traps || s.f.Depth(p) == 0 || s.in.At(int(p))&came != 0 {
		return event.NoBar
	}
	x, ok := s.look(p)
	if !ok {
		return event.NoBar
	}
	return s.guard.Judge(&x)
}

// notice tells the guard what a record says, after the frontier and before it counts
// for anything else.
func (s *state) notice(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Seed:
		for _, site := range e.New {
			s.guard.Seed(site)
		}
	case event.Took:
		if x, ok := s.look(e.Page); e.Task.Kind == event.Fetch && ok {
			s.guard.Asked(&x)
		}
	case event.Refused:
		s.noticeRefusal(e)
	case event.Done:
		s.noticeDone(r)
	}
	s.noticeBars(&r.Event, r.Facts.Trial)
}

// noticeRefusal notes a page that is skipped after all: it does not count towards the
// limits of its site any more.
func (s *state) noticeRefusal(e *event.Event) {
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
func (s *state) noticeBars(e *event.Event, trial bool) {
	for i, b := range e.Bars {
		if trap.IsTrap(b) {
			s.guard.Barred(e.New[i], b, e.Page)
		}
	}
	if trial {
		return // see noticeTrial
	}
	for _, p := range e.Admit {
		if x, ok := s.look(p); ok {
			s.guard.Admitted(&x)
		}
	}
}

// noticeTrial notes pages that are tried, before the frontier forgets why they were
// refused.
func (s *state) noticeTrial(r *journal.Record) {
	if r.Facts.Trial {
		s.guard.Tried(r.Event.Admit, s.look, s.f.Bar)
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
	for _, to := range e.New {
		s.guard.MadeKnown(home, to)
	}
	if e.Class == event.Redirect {
		s.in.Slice()[e.Page] |= dull // until its target has come
	}
	if e.Class != event.OK && e.Class != event.Duplicate {
		return
	}
	s.guard.Brought(e.Page, len(e.New))
	x, ok := s.look(e.Page)
	if !ok {
		return
	}
	s.compare(r, home)
	s.noticeNews(&x, r)
}

// noticeNews notes what a page brought, and that what led to it was worth it.
func (s *state) noticeNews(x *trap.Page, r *journal.Record) {
	f := &r.Facts
	news := trap.News{
		Change: f.Change, Terms: f.Terms, Numbers: f.Numbers, Pictures: f.Pictures,
		Soft: saysNotFound(f.Title), Ends: !leadsDeeper(r, x), Title: titleBeside(f.Title, x.Rest),
	}
	if p, same, exact := s.like(r); p != graph.NoPage {
		news.Same, news.Like = s.f.Site(p) == x.Site, p
		news.Text, news.Exact = news.Same && same, news.Same && exact
		news.Elsewhere = !news.Same && same
	}
	if again, ok := s.look(x.ID); ok { // others may have been read since
		*x = again
	}
	if !s.guard.Came(x, news) {
		s.in.Slice()[x.ID] |= dull
		return
	}
	s.credit(x.ID)
}

// credit lets the page that linked first to one with news count as good, once, and so the
// one behind it: between a list and what is on it there may be a redirect.
func (s *state) credit(p graph.Page) {
	for range 2 {
		p = s.f.From(p)
		if p == graph.NoPage || s.in.At(int(p))&dull == 0 {
			return
		}
		s.in.Slice()[p] &^= dull
		if x, ok := s.look(p); ok {
			s.guard.Led(&x)
		}
	}
}

// like is the page whose text a page repeats, or nearly; NoPage without one. It is the same
// if the text is, and exact if links and pictures are, too, but for ids.
func (s *state) like(r *journal.Record) (p graph.Page, same, exact bool) {
	if p, targets, ok := s.content.of(r.Facts.Digest); ok && p != r.Event.Page {
		return p, true, alikeTargets(targets, r.Facts.Targets)
	}
	if n := r.Facts.Near; n > 0 && int(n) <= s.f.Pages() {
		return graph.Page(n - 1), false, false
	}
	return graph.NoPage, false, false
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

// titleBeside is a hash of the words of a title, without numbers, that are not in path and
// query of the page: what repeats the URL says nothing. 0: there is none.
func titleBeside(title string, rest []byte) uint64 {
	url := bytes.ToLower(rest)
	left := make([]byte, 0, 64)
	for _, word := range bytes.Fields(bytes.ToLower([]byte(title))) {
		if word = bytes.Trim(word, ".,:;!?()[]\"'|-"); len(word) > 0 && !bytes.Contains(url, word) {
			left = append(append(left, word...), ' ')
		}
	}
	return page.GistOf(nil, left).Change
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

// eachTrapped goes over the pages that are refused as traps and that the guard does not
// hold: by the shape of their URLs, or because there were too many.
func (s *state) eachTrapped(each func(*trap.Page, event.Bar)) {
	for i := range s.f.Pages() {
		p := graph.Page(i)
		if s.f.State(p) != frontier.RefusedPage || !trap.IsTrap(s.f.Bar(p)) || s.guard.Holding(p) {
			continue
		}
		if x, ok := s.look(p); ok {
			each(&x, s.f.Bar(p))
		}
	}
}

// lookFree is look for pages that are held; others are not to be admitted.
func (s *state) lookFree(p graph.Page) (trap.Page, bool) {
	if s.f.State(p) != frontier.RefusedPage {
		return trap.Page{}, false
	}
	return s.look(p)
}
