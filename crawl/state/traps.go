package state

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Look is what the guard is to know of a page. It is valid until the next page is read.
func (s *State) Look(p graph.Page) (trap.Page, bool) {
	site, rest, ok := s.Read(p)
	in := s.LinksTo.At(int(p))
	return trap.Page{ID: p, Site: site, Rest: rest, Single: in&LinksIn <= 1 || in&vouched == 0}, ok
}

// parent is the page that linked to another first.
func (s *State) parent(p *trap.Page) (trap.Page, bool) {
	from := s.Frontier.From(p.ID)
	if from == graph.NoPage {
		return trap.Page{}, false
	}
	return s.Look(from)
}

// known reports whether a page of a site is known.
func (s *State) known(id graph.Site, rest []byte) bool {
	_, ok := s.Table.LookupPage(s.Key.Page(s.Key.Site(s.Table.Name(id)), rest))
	return ok
}

// trapped is what the guard has against a page that would be handed out. Seeds, pages of
// sitemaps and pages that came are none of its business.
func (s *State) trapped(p graph.Page) event.Bar {
	if !s.Traps || s.Frontier.Depth(p) == 0 || s.LinksTo.At(int(p))&Came != 0 {
		return event.NoBar
	}
	x, ok := s.Look(p)
	if !ok {
		return event.NoBar
	}
	return s.Guard.Judge(&x)
}

// notice tells the guard what a record says, after the frontier and before it counts
// for anything else.
func (s *State) notice(r *journal.Record) {
	switch e := &r.Event; e.Kind {
	case event.Seed:
		for _, site := range e.New {
			s.Guard.Seed(site)
		}
	case event.Took:
		if x, ok := s.Look(e.Page); e.Task.Kind == event.Fetch && ok {
			s.Guard.Asked(&x)
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
func (s *State) noticeRefusal(e *event.Event) {
	if s.LinksTo.At(int(e.Page))&Came != 0 {
		return // it came before
	}
	s.sites.dismiss(s.Frontier.Site(e.Page))
	s.Freed = true
	if !trap.IsTrap(e.Bar) {
		return
	}
	if x, ok := s.Look(e.Page); ok {
		s.Guard.Refused(&x, e.Bar)
	}
}

// noticeBars notes pages that were refused as soon as they were known, and pages that are
// admitted.
func (s *State) noticeBars(e *event.Event, trial bool) {
	for i, b := range e.Bars {
		if trap.IsTrap(b) {
			s.Guard.Barred(e.New[i], b, e.Page)
		}
	}
	if trial {
		return // see noticeTrial
	}
	for _, p := range e.Admit {
		if x, ok := s.Look(p); ok {
			s.Guard.Admitted(&x)
		}
	}
}

// noticeTrial notes pages that are tried, before the frontier forgets why they were
// refused.
func (s *State) noticeTrial(r *journal.Record) {
	if r.Facts.Trial {
		s.Guard.Tried(r.Event.Admit, s.Look, s.Frontier.Bar)
	}
}

// noticeDone notes what a page brought, once.
func (s *State) noticeDone(r *journal.Record) {
	e := &r.Event
	if e.Again || e.Class.Failed() || s.LinksTo.At(int(e.Page))&Came != 0 {
		return
	}
	home, last := s.Frontier.Site(e.Page), graph.NoSite
	for _, p := range e.Links {
		if to := s.Frontier.Site(p); to != home && to != last {
			s.Guard.Linked(home, to)
			last = to
		}
	}
	for _, to := range e.New {
		s.Guard.MadeKnown(home, to)
	}
	if e.Class == event.Redirect {
		s.LinksTo.Slice()[e.Page] |= dull // until its target has come
	}
	if e.Class != event.OK && e.Class != event.Duplicate {
		return
	}
	s.Guard.Brought(e.Page, len(e.New))
	x, ok := s.Look(e.Page)
	if !ok {
		return
	}
	s.compare(r, home)
	s.noticeNews(&x, r)
}

// noticeNews notes what a page brought, and that what led to it was worth it.
func (s *State) noticeNews(x *trap.Page, r *journal.Record) {
	f := &r.Facts
	news := trap.News{
		Change: f.Change, Terms: f.Terms, Numbers: f.Numbers, Pictures: f.Pictures,
		Soft: saysNotFound(f.Title), Ends: !leadsDeeper(r, x), Title: titleBeside(f.Title, x.Rest),
	}
	if p, same, exact := s.Like(r); p != graph.NoPage {
		news.Same, news.Like = s.Frontier.Site(p) == x.Site, p
		news.Text, news.Exact = news.Same && same, news.Same && exact
		news.Elsewhere = !news.Same && same
	}
	if again, ok := s.Look(x.ID); ok { // others may have been read since
		*x = again
	}
	if !s.Guard.Came(x, news) {
		s.LinksTo.Slice()[x.ID] |= dull
		return
	}
	s.credit(x.ID)
}

// credit lets the page that linked first to one with news count as good, once, and so the
// one behind it: between a list and what is on it there may be a redirect.
func (s *State) credit(p graph.Page) {
	for range 2 {
		p = s.Frontier.From(p)
		if p == graph.NoPage || s.LinksTo.At(int(p))&dull == 0 {
			return
		}
		s.LinksTo.Slice()[p] &^= dull
		if x, ok := s.Look(p); ok {
			s.Guard.Led(&x)
		}
	}
}

// Like is the page whose text a page repeats, or nearly; NoPage without one. It is the same
// if the text is, and exact if links and pictures are, too, but for ids.
func (s *State) Like(r *journal.Record) (p graph.Page, same, exact bool) {
	if p, targets, ok := s.Content.Of(r.Facts.Digest); ok && p != r.Event.Page {
		return p, true, alikeTargets(targets, r.Facts.Targets)
	}
	if n := r.Facts.Near; n > 0 && int(n) <= s.Frontier.Pages() {
		return graph.Page(n - 1), false, false
	}
	return graph.NoPage, false, false
}

// leadsDeeper reports whether a page made pages known that lie below it.
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

// saysNotFound reports whether a title says that the page is not there. That alone is no
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

// EachTrapped goes over the pages that are refused as traps and that the guard does not
// hold: by the shape of their URLs, or because there were too many.
func (s *State) EachTrapped(each func(*trap.Page, event.Bar)) {
	for i := range s.Frontier.Pages() {
		p := graph.Page(i)
		if s.Frontier.State(p) != frontier.RefusedPage || !trap.IsTrap(s.Frontier.Bar(p)) || s.Guard.Holding(p) {
			continue
		}
		if x, ok := s.Look(p); ok {
			each(&x, s.Frontier.Bar(p))
		}
	}
}

// LookFree is look for pages that are held; others are not to be admitted.
func (s *State) LookFree(p graph.Page) (trap.Page, bool) {
	if s.Frontier.State(p) != frontier.RefusedPage {
		return trap.Page{}, false
	}
	return s.Look(p)
}
