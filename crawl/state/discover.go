package state

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A discovery numbers the pages that one record makes known.
type discovery struct {
	*State
	r     *journal.Record
	from  graph.Page // the page with the links; NoPage for seeds and sitemaps
	depth int        // of the targets
	seeds bool       // the targets are seeds
	told  bool       // another partition has found the links
}

// A target is the URL of a link or of a seed.
type target struct {
	gather.Link
	home       graph.Site // its site, if Local
	name, rest []byte     // of its site; path and query
}

// Discover numbers the targets of links and adds them to a record: new ones in the order
// of the links, those that were refused and may be requested now, and for a page all of
// them. from is the page with the links, NoPage for a sitemap; home is its site.
func (s *State) Discover(r *journal.Record, from graph.Page, home graph.Site, links *gather.Links) {
	d := discovery{State: s, r: r, from: from, depth: 1}
	if from != graph.NoPage {
		d.depth = s.Frontier.Depth(from) + 1
	}
	for i := range links.Len() {
		link := links.At(i)
		p, ok := d.number(&target{link, home, links.Site(i), links.Rest(i)})
		if ok && from != graph.NoPage {
			if x := links.Terms(i); x.Anchor|x.Around != 0 {
				r.Event.Read.Hits = append(r.Event.Read.Hits, event.Hit{Link: uint32(len(r.Event.Links)), Anchor: x.Anchor, Around: x.Around})
			}
			r.Event.Links, r.Event.Anchors = append(r.Event.Links, p), append(r.Event.Anchors, link.Anchor)
		}
	}
}

// Seed adds a seed to a record, unless it is one already and not refused. It reports
// whether there is room for it.
func (s *State) Seed(r *journal.Record, url string) bool {
	t := target{}
	t.name, t.rest = page.Site([]byte(url))
	t.SiteHash = s.Key.Site(t.name)
	t.Hash = s.Key.Page(t.SiteHash, t.rest)
	d := discovery{State: s, r: r, from: graph.NoPage, seeds: true}
	_, ok := d.number(&t)
	return ok
}

// Recall adds a page of an earlier crawl to a record, unless it is known. It is no seed, and
// limits apply to it. It reports whether there is room for it.
func (s *State) Recall(r *journal.Record, url []byte) bool {
	t := target{}
	t.name, t.rest = page.Site(url)
	t.SiteHash = s.Key.Site(t.name)
	t.Hash = s.Key.Page(t.SiteHash, t.rest)
	if _, known := s.Table.LookupPage(t.Hash); known {
		return true
	}
	if self, of := s.Self(); of > 0 && s.Setup.Owner(t.name) != self {
		return true // its partition makes it known
	}
	d := discovery{State: s, r: r, from: graph.NoPage}
	_, ok := d.number(&t)
	return ok
}

// number returns the page of a target, and reports whether there is room for it. It adds
// the page to the record if it is new, or refused no longer.
func (d *discovery) number(t *target) (graph.Page, bool) {
	if p, known := d.Table.LookupPage(t.Hash); known || d.Full() {
		if known && d.admits(p, t) {
			d.Admit(d.r, p)
		}
		return p, known
	}
	id, name := t.home, []byte(nil)
	if !t.Local {
		fresh := false
		if id, fresh = d.Site(t.SiteHash, t.name); fresh {
			name = t.name
		}
		if id == graph.NoSite {
			return graph.NoPage, false // its name is too long
		}
	}
	p, _ := d.Table.Page(t.Hash)
	bar := d.judge(id, t)
	d.enter(p, id, t.rest, bar)
	r := d.r
	r.Event.New, r.Event.Bars = append(r.Event.New, id), append(r.Event.Bars, bar)
	r.Facts.Names.Add(name, t.rest)
	return p, true
}

// judge returns the reason not to request a target. Limits do not apply to seeds.
func (d *discovery) judge(id graph.Site, t *target) event.Bar {
	switch {
	case t.Bar != event.NoBar:
		return t.Bar
	case d.IsForeign(id):
		return event.BarForeign // its partition judges the rest
	case d.seeds:
		return event.NoBar
	}
	return d.Limits.Judge(id, t.rest, d.depth)
}

// admits reports whether the record admits a page that is known.
func (d *discovery) admits(p graph.Page, t *target) bool {
	if int(p) >= d.Frontier.Pages() { // new by this very record
		return false
	}
	refused := d.Frontier.State(p) == frontier.RefusedPage
	switch {
	case d.seeds:
		return refused || !d.IsSeed(p)
	case refused:
		return t.Bar == event.NoBar && d.relents(p, t)
	case d.told:
		return false
	case d.from == graph.NoPage && d.IsSeed(p) && !d.has(p, listed):
		return true
	}
	// A page that a sitemap lists is nearer for it, where depths are exact.
	return d.from == graph.NoPage && d.Setup.Frontier.Depths && d.Frontier.Depth(p) > 0
}

// relents reports whether a refused page may be requested after all: it was known only by
// links that are not to be followed, or that lie too deep, or by a single one from within
// a trap, or by links alone where only pages of sitemaps count.
func (d *discovery) relents(p graph.Page, t *target) bool {
	id := d.Frontier.Site(p)
	switch d.Frontier.Bar(p) {
	case event.BarNoFollow, event.BarDepth:
		bar := d.judge(id, t)
		return bar == event.NoBar || bar == event.BarForeign // its partition is told
	case event.BarScope: // by --sitemap-only: now a sitemap names it
		return d.from == graph.NoPage && !d.told && !d.WasFetched(p) && d.judge(id, t) == event.NoBar
	case event.BarNoNews, event.BarGrows, event.BarHosts, event.BarFarm: // this is another link
		return d.judge(id, t) == event.NoBar && d.Traps.On && d.Traps.Guard.Judge(&trap.Page{ID: p, Site: id, Rest: t.rest}) == event.NoBar
	}
	return false
}

// Admit adds a page to those that a record admits. A refused page counts towards the limits
// of its site from now on.
func (s *State) Admit(r *journal.Record, p graph.Page) {
	r.Event.Admit = append(r.Event.Admit, p)
	if s.Frontier.State(p) == frontier.RefusedPage && !s.Frontier.Foreign(p) {
		s.Limits.admit(s.Frontier.Site(p))
	}
}

// enter adds a page that is new in the table: its URL, its columns, and, unless it is
// barred, one page to the counts of its site.
func (s *State) enter(p graph.Page, site graph.Site, rest []byte, bar event.Bar) {
	if err := s.URLs.Append(p, site, rest); err != nil {
		s.Fail(fmt.Errorf("write the URL of page %d: %w", p, err))
	}
	s.in.Append(0)
	if bar == event.NoBar {
		s.Limits.admit(site)
	}
}

// Site returns the id of the site with a name. It adds the site if it is new.
func (s *State) Site(hash uint64, name []byte) (id graph.Site, fresh bool) {
	id, fresh = s.Table.Site(hash, name)
	if fresh {
		host := page.Host(name)
		s.Robots.rules.Append(0)
		n, domain := s.Limits.addSite(host)
		s.Traps.Guard.AddSite(host, n, domain)
		if s.Setup.Owner != nil {
			s.Traps.Guard.SetPartition(id, s.Setup.Owner(name))
		}
	}
	return id, fresh
}

// Full reports whether there is no room for another page or site. Some policies limit their
// number.
func (s *State) Full() bool {
	return s.Table.Pages() >= s.Setup.Frontier.MaxPages || s.Table.Sites() >= s.Setup.Frontier.MaxSites
}

// Cost returns the number of bytes that the links of an answer will take, given the bytes
// of each new page.
func (s *State) Cost(links *gather.Links, each int64) (n int64) {
	for i := range links.Len() {
		link := links.At(i)
		if _, known := s.Table.LookupPage(link.Hash); known {
			continue
		}
		n += each
		if link.Local {
			continue
		}
		if _, known := s.Table.LookupSite(link.SiteHash, links.Site(i)); !known {
			n += MostPerSite
		}
	}
	return n
}
