package state

import (
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// Limits decide which pages a crawl requests, beyond what their URLs say.
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
	names    *names
	admitted *graph.Column[uint32] // by site
	domain   *graph.Column[uint32] // by site: number of its domain; the guard has the column
	shares   *graph.Column[uint32] // by domain
	domains  domainTable
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

// addSite enters the next site, by its host, and returns its domain.
func (l *limits) addSite(host []byte) (n uint32, domain string) {
	l.admitted.Append(0)
	domain = page.Domain(host)
	n, fresh := l.domains.number(domain)
	if fresh {
		l.shares.Append(0)
	}
	return n, domain
}

// restore numbers the domains of all sites again, as they were numbered when each site
// became known.
func (l *limits) restore() {
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

// Judge returns why another page of a site is not to be requested, beyond what its URL
// says. depth is that of the page.
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
	return !l.Depth.Within(depth) || !l.Dynamic.Within(depth) && page.Dynamic(l.names.url(id, rest))
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
