package state

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/naming"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// A Cap is a limit of the configuration that left something out.
type Cap struct {
	Key   string `json:"key"`             // as in files, site.max_pages and site.max_body of a [[site]]; "" where it cannot be set
	Value string `json:"value,omitempty"` // in force
	What  string `json:"what"`            // pages, links, sitemap entries
	Left  int64  `json:"left_out"`
	Raise string `json:"raise,omitempty"` // a value under which nothing that is known would have been left out
	// Where names the sites (or domains) with most of it, in a crawl that does not run.
	Where []CapPlace `json:"where,omitempty"`
}

// A CapPlace is a site or domain where a limit left something out.
type CapPlace struct {
	Name string `json:"name"`
	Left int64  `json:"left_out"`
}

// cuts holds the pages of which links were left out.
type cuts struct {
	Pages map[graph.Page]cutPage // few
	links int64                  // left out of all of them
}

// A cutPage is a page with more links than it may have.
type cutPage struct{ Kept, Left uint32 }

// note records what was left out of a fetched page.
func (c *cuts) note(p graph.Page, kept int, x *journal.Facts) {
	c.links -= int64(c.Pages[p].Left)
	if page.Cut(x.Cut)&page.CutLinks == 0 {
		delete(c.Pages, p)
		return
	}
	c.Pages[p] = cutPage{uint32(kept), x.Dropped}
	c.links += int64(x.Dropped)
}

// most returns the number of links of the page that has most of them.
func (c *cuts) most() (n int) {
	for _, x := range c.Pages {
		n = max(n, int(x.Kept)+int(x.Left))
	}
	return n
}

// CapsOf returns the limits that left something out, by counts alone.
func (s *State) CapsOf(c *config.Config) (list []Cap) {
	_, bars, failed := s.Frontier.Census()
	add := func(key, value, what string, left int64, raise string) {
		if left > 0 {
			list = append(list, Cap{Key: key, Value: value, What: what, Left: left, Raise: raise})
		}
	}
	add("site_pages", strconv.Itoa(c.SitePages), "pages", bars[event.BarSitePages], "")
	add("domain_pages", strconv.Itoa(c.DomainPages), "pages", bars[event.BarDomainPages], "")
	key, limit := "max_depth", c.MaxDepth
	if limit < 0 {
		key, limit = "max_depth_dynamic", c.MaxDepthDynamic
	}
	add(key, limit.String(), "pages", bars[event.BarDepth], "none")
	most := "" // a page may have been cut for the bytes of its links, which cannot be set
	if n := roundUp(s.Cut.most()); n > c.MaxLinks {
		most = strconv.Itoa(n)
	}
	add("max_links", strconv.Itoa(c.MaxLinks), "links", s.Cut.links, most)
	add("max_body", c.MaxBody.String(), "pages", failed[event.TooLarge], (2 * c.MaxBody).String()) // their sizes are unknown
	add("", "", "sitemap entries", s.CutFiles, "")
	add("max_requisites", strconv.Itoa(c.MaxRequisites), "requisites", s.Requisites.LeftOut, "")
	add("", "", "requisites of sites where too many wait", s.Requisites.Crowded, "")
	return list
}

// Caps returns the same as CapsOf, with the places. It looks at every page.
func (s *State) Caps(c *config.Config) []Cap {
	list, l := s.CapsOf(c), capPlacer{s, c}
	var more []Cap
	for i := range list {
		switch x := &list[i]; x.Key {
		case "site_pages":
			more = append(more, l.sites(x))
		case "domain_pages":
			l.domains(x)
		case "max_body":
			more = append(more, l.bodies(x))
		case "max_depth":
			more = append(more, l.dynamic(x))
		}
	}
	return slices.DeleteFunc(append(list, more...), func(x Cap) bool { return x.Left == 0 })
}

// A capPlacer finds the places where limits left something out.
type capPlacer struct {
	s *State
	c *config.Config
}

// sites names the sites of which pages were left out. It moves the pages of sites with a
// limit of their own to another Cap, which it returns.
func (l *capPlacer) sites(x *Cap) (own Cap) {
	own = Cap{Key: "site.max_pages", What: "pages"}
	most := 0
	for site, n := range l.refusedBy(event.BarSitePages) {
		name := l.s.Table.Name(site)
		place := CapPlace{string(name), n}
		if o := l.c.OverrideFor(string(page.Host(name))); o != nil && o.MaxPages > 0 {
			own.Left += n
			own.Where = append(own.Where, place)
			continue
		}
		x.Where = append(x.Where, place)
		most = max(most, int(l.s.Limits.admitted.At(int(site)))+int(n))
	}
	x.Left -= own.Left
	if most > 0 {
		x.Raise = strconv.Itoa(roundUp(most))
	}
	x.Where, own.Where = mostLeft(x.Where), mostLeft(own.Where)
	return own
}

// bodies moves the pages of sites with a limit of their own to another Cap, which it
// returns.
func (l *capPlacer) bodies(x *Cap) (own Cap) {
	own = Cap{Key: "site.max_body", What: "pages"}
	by := map[graph.Site]int64{}
	for i := range l.s.Frontier.Pages() {
		p := graph.Page(i)
		if l.s.Frontier.State(p) == frontier.Failed && l.s.Frontier.FailedBy(p) == event.TooLarge {
			by[l.s.Frontier.Site(p)]++
		}
	}
	for site, n := range by {
		name := l.s.Table.Name(site)
		if o := l.c.OverrideFor(string(page.Host(name))); o != nil && o.MaxBody > 0 {
			own.Left += n
			own.Where = append(own.Where, CapPlace{string(name), n})
		}
	}
	x.Left -= own.Left
	own.Where = mostLeft(own.Where)
	return own
}

// domains names the domains of which pages were left out.
func (l *capPlacer) domains(x *Cap) {
	by, first := map[uint32]int64{}, map[uint32]graph.Site{}
	for site, n := range l.refusedBy(event.BarDomainPages) {
		d := l.s.Limits.domain.At(int(site))
		by[d] += n
		if at, ok := first[d]; !ok || site < at {
			first[d] = site
		}
	}
	most := 0
	for d, n := range by {
		x.Where = append(x.Where, CapPlace{page.Domain(page.Host(l.s.Table.Name(first[d]))), n})
		most = max(most, int(l.s.Limits.shares.At(int(d)))+int(n))
	}
	x.Raise = strconv.Itoa(roundUp(most))
	x.Where = mostLeft(x.Where)
}

// dynamic moves the pages for which the limit of dynamic pages alone was too small to
// another Cap, which it returns.
func (l *capPlacer) dynamic(x *Cap) (dynamic Cap) {
	if l.c.MaxDepthDynamic < 0 {
		return Cap{}
	}
	dynamic = Cap{Key: "max_depth_dynamic", Value: l.c.MaxDepthDynamic.String(), What: "pages", Raise: "none"}
	for p := range l.s.Frontier.Pages() {
		if l.s.Frontier.Bar(graph.Page(p)) == event.BarDepth && l.c.MaxDepth.Within(l.s.Depth(graph.Page(p))) {
			dynamic.Left++
		}
	}
	x.Left -= dynamic.Left
	return dynamic
}

// refusedBy counts the pages of each site that were refused for a reason.
func (l *capPlacer) refusedBy(bar event.Bar) map[graph.Site]int64 {
	by := map[graph.Site]int64{}
	for p := range l.s.Frontier.Pages() {
		if l.s.Frontier.Bar(graph.Page(p)) == bar {
			by[l.s.Frontier.Site(graph.Page(p))]++
		}
	}
	return by
}

// capPlaces is the number of places that are named for a limit.
const capPlaces = 5

// mostLeft returns the places where most was left out, in an order that depends on nothing
// else.
func mostLeft(list []CapPlace) []CapPlace {
	slices.SortFunc(list, func(a, b CapPlace) int {
		return cmp.Or(cmp.Compare(b.Left, a.Left), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), capPlaces)]
}

// roundUp returns the next number with two digits and zeros: what people type.
func roundUp(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step - 1) / step * step
}

// Limits holds the limits of a crawl that depend on more than the URL of a page.
type Limits struct {
	Depth, Dynamic config.Depth // links from a seed, of all pages and of dynamic ones
	Site, Domain   int          // pages of each; 0: any number
	Sites          func(name []byte) int
}

// Deep reports whether the depth of a page matters.
func (l *Limits) Deep() bool { return l.Depth >= 0 || l.Dynamic >= 0 }

// limits counts the pages of each site and of each registered domain that are not barred,
// and compares them with the limits in force.
type limits struct {
	Limits   // zero on replay, where the journal holds what was decided
	names    *naming.Names
	admitted *graph.Column[uint32] // by site
	domain   *graph.Column[uint32] // by site: number of its domain; the guard has the column
	shares   *graph.Column[uint32] // by domain
	domains  domainTable
	guard    *trap.Guard
	Freed    bool // a page no longer counts since Freed was last cleared
}

// A domainTable finds registered domains by the hash of their names: 14 bytes each.
type domainTable struct{ *urltable.Table }

// Memory calls each once, for all columns together.
func (t domainTable) Memory(each func(name string, bytes int64)) { each("domain names", t.Bytes()) }

// number returns the number of a registered domain, and whether it is new.
func (t domainTable) number(domain string) (n uint32, fresh bool) {
	p, fresh := t.Page(t.Key().Page(0, []byte(domain)))
	return uint32(p), fresh
}

// addSite adds the next site, by its host, and returns its domain.
func (l *limits) addSite(host []byte) (n uint32, domain string) {
	l.admitted.Append(0)
	domain = page.Domain(host)
	n, _ = l.domainAt(l.domains.Key().Page(0, []byte(domain)), true)
	return n, domain
}

// domainAt returns the number of the domain with a hash. It adds the domain if it is new and add is
// set.
func (l *limits) domainAt(hash uint64, add bool) (n uint32, ok bool) {
	if p, ok := l.domains.LookupPage(hash); ok || !add {
		return uint32(p), ok
	}
	p, _ := l.domains.Page(hash)
	l.shares.Append(0)
	l.guard.AddDomain(hash)
	return uint32(p), true
}

// restore numbers the domains of all sites again, as they were numbered when each site
// became known.
func (l *limits) restore() {
	for _, hash := range l.guard.DomainNames() {
		l.domains.Page(hash)
	}
	for i := range l.names.Table.Sites() {
		l.domains.number(page.Domain(page.Host(l.names.Table.Name(graph.Site(i)))))
	}
}

// admit counts a page towards the limits of its site.
func (l *limits) admit(id graph.Site) {
	l.admitted.Slice()[id]++
	l.shares.Slice()[l.domain.At(int(id))]++
}

// dismiss undoes admit. Where records are lost there may be nothing to undo.
func (l *limits) dismiss(id graph.Site) {
	site, domain := &l.admitted.Slice()[id], &l.shares.Slice()[l.domain.At(int(id))]
	*site, *domain = max(*site, 1)-1, max(*domain, 1)-1
	l.Freed = true
}

// Judge returns the reason not to request another page of a site, apart from its URL. depth
// is that of the page.
func (l *limits) Judge(id graph.Site, rest []byte, depth int) event.Bar {
	switch {
	case l.tooDeep(id, rest, depth):
		return event.BarDepth
	case l.fullSite(id):
		return event.BarSitePages
	case l.fullDomain(id):
		return event.BarDomainPages
	}
	return event.NoBar
}

// NoRoom reports whether a site, or its domain, has as many pages as it may.
func (l *limits) NoRoom(id graph.Site) bool { return l.fullSite(id) || l.fullDomain(id) }

// tooDeep reports whether a page is too many links away from a seed.
func (l *limits) tooDeep(id graph.Site, rest []byte, depth int) bool {
	return !l.Depth.Within(depth) || !l.Dynamic.Within(depth) && page.Dynamic(l.names.URL(id, rest))
}

// fullSite reports whether a site has as many pages as it may.
func (l *limits) fullSite(id graph.Site) bool {
	most := l.Site
	if l.Sites != nil {
		if n := l.Sites(l.names.Table.Name(id)); n > 0 {
			most = n
		}
	}
	return most > 0 && int(l.admitted.At(int(id))) >= most
}

// fullDomain reports whether the domain of a site has as many pages as it may.
func (l *limits) fullDomain(id graph.Site) bool {
	return l.Domain > 0 && int(l.shares.At(int(l.domain.At(int(id))))) >= l.Domain
}
