package state

import (
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Limits decide which pages a crawl asks for, beyond what their URLs say.
type Limits struct {
	Depth, Dynamic config.Depth // links from a seed, of all pages and of dynamic ones (W25)
	Site, Domain   int          // pages (W26); 0 any number
	Sites          func(name []byte) int
}

// Deep reports whether the depth of a page matters.
func (l *Limits) Deep() bool { return l.Depth >= 0 || l.Dynamic >= 0 }

// Judge is why a page that is new on a site is not to be asked for, beyond what its URL
// says; depth is that of the page.
func (s *State) Judge(l *Limits, id graph.Site, rest []byte, depth int) event.Bar {
	switch {
	case s.tooDeep(l, id, rest, depth):
		return event.BarDepth
	case s.fullSite(l, id):
		return event.BarSitePages
	case s.fullDomain(l, id):
		return event.BarDomainPages
	}
	return event.NoBar
}

// NoRoom reports whether a site, or its domain, has as many pages as it may.
func (s *State) NoRoom(l *Limits, id graph.Site) bool {
	return s.fullSite(l, id) || s.fullDomain(l, id)
}

// fullDomain reports whether the domain of a site has as many pages as it may.
func (s *State) fullDomain(l *Limits, id graph.Site) bool {
	return l.Domain > 0 && int(s.shares.At(int(s.domain.At(int(id))))) >= l.Domain
}

// tooDeep reports whether a page is too many links away from a seed.
func (s *State) tooDeep(l *Limits, id graph.Site, rest []byte, depth int) bool {
	return !l.Depth.Within(depth) || !l.Dynamic.Within(depth) && s.dynamic(id, rest)
}

// Depth is the number of links from a seed to a page, as limits count it: a page that a
// sitemap lists is no seed.
func (s *State) Depth(p graph.Page) int {
	if s.IsSeed(p) {
		return 0
	}
	return max(1, s.Frontier.Depth(p))
}

func (s *State) dynamic(id graph.Site, rest []byte) bool {
	s.text = append(append(s.text[:0], s.Table.Name(id)...), rest...)
	return page.Dynamic(s.text)
}

// fullSite reports whether a site has as many pages as it may.
func (s *State) fullSite(l *Limits, id graph.Site) bool {
	most := s.siteLimit(l, id)
	return most > 0 && int(s.admitted.At(int(id))) >= most
}

// siteLimit is the most pages of a site, 0 any number.
func (s *State) siteLimit(l *Limits, id graph.Site) int {
	if l.Sites != nil {
		if n := l.Sites(s.Table.Name(id)); n > 0 {
			return n
		}
	}
	return l.Site
}

// Discover numbers the targets of links and adds them to a record: those that are new
// in the order of the links, those that were barred and need not be any more, and for
// a page all of them. from is the page with the links, NoPage for seeds and sitemaps.
func (s *State) Discover(r *journal.Record, l *Limits, from graph.Page, home graph.Site, links *gather.Links) {
	depth := 1
	if from != graph.NoPage {
		depth = s.Frontier.Depth(from) + 1
	}
	e := &r.Event
	for i := range links.Len() {
		link := links.At(i)
		p, ok := s.target(r, l, from, home, depth, links, i, &link)
		if !ok {
			continue // there is no room for it
		}
		if from != graph.NoPage {
			e.Links = append(e.Links, p)
		}
	}
}

// target is the page of one link.
func (s *State) target(r *journal.Record, l *Limits, from graph.Page, home graph.Site, depth int, links *gather.Links, i int, link *gather.Link) (graph.Page, bool) {
	if s.Full() {
		p, ok := s.Table.LookupPage(link.Hash)
		return p, ok
	}
	id, name := home, []byte(nil)
	if !link.Local {
		fresh := false
		if id, fresh = s.Site(link.SiteHash, links.Site(i)); fresh {
			name = links.Site(i)
		}
		if id == graph.NoSite {
			return graph.NoPage, false // its name is too long
		}
	}
	p, fresh := s.Table.Page(link.Hash)
	bar := link.Bar
	switch {
	case fresh:
		if bar == event.NoBar {
			bar = s.Judge(l, id, links.Rest(i), depth)
		}
		s.Add(r, p, id, name, links.Rest(i), bar)
	case bar == event.NoBar && s.admits(l, p, id, links.Rest(i), depth):
		r.Event.Admit = append(r.Event.Admit, p)
		s.sites.Admit(id)
	case from == graph.NoPage && s.comesNearer(p):
		r.Event.Admit = append(r.Event.Admit, p)
	}
	return p, true
}

// comesNearer reports whether it makes a page nearer that a sitemap lists it: depths are
// exact, and the page is not refused, which it would not be any more.
func (s *State) comesNearer(p graph.Page) bool {
	return s.Setup.Frontier.Depths && int(p) < s.Frontier.Pages() && s.Frontier.Depth(p) > 0 && s.Frontier.State(p) != frontier.RefusedPage
}

// Add makes a page known, and says so in the record.
func (s *State) Add(r *journal.Record, p graph.Page, id graph.Site, name, rest []byte, bar event.Bar) {
	s.Enter(p, id, rest, bar)
	r.Event.New = append(r.Event.New, id)
	r.Event.Bars = append(r.Event.Bars, bar)
	r.Facts.Names.Add(name, rest)
}

// admits reports whether a page that is barred may be asked for after all: it was known
// only by links that are not to be followed, or that lie too deep, or by a single one
// from within a trap.
func (s *State) admits(l *Limits, p graph.Page, id graph.Site, rest []byte, depth int) bool {
	if int(p) >= s.Frontier.Pages() || s.Frontier.State(p) != frontier.RefusedPage { // new by this very record
		return false
	}
	switch s.Frontier.Bar(p) {
	case event.BarNoFollow, event.BarDepth:
		return s.Judge(l, id, rest, depth) == event.NoBar
	case event.BarNoNews, event.BarGrows, event.BarHosts, event.BarFarm: // this is another link
		return s.Judge(l, id, rest, depth) == event.NoBar && s.Traps && s.Guard.Judge(&trap.Page{ID: p, Site: id, Rest: rest}) == event.NoBar
	}
	return false
}
