package state

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Tell adds to the record of a sitemap or a feed the pages that have changed since their last
// visit, as the list says. end is when the list arrived: its dates count from there, so that
// neither our clock nor that of the server matters.
func (s *State) Tell(r *journal.Record, links *gather.Links, end time.Duration) {
	if s.Revisits == nil {
		return
	}
	for i := range links.Len() {
		link := links.At(i)
		if link.Since == 0 {
			continue
		}
		p, known := s.Table.LookupPage(link.Hash)
		at := end - time.Duration(link.Since-1)*time.Second
		if known && s.Revisits.news(p, sourceOf(r)) && at > s.Revisits.Seen(p) {
			r.Facts.Told = append(r.Facts.Told, p)
		}
	}
}

// Notify adds to a record a page that has changed, as a notice says, if it is known. It reports
// whether it is.
func (s *State) Notify(r *journal.Record, url string) (known bool) {
	p, known := s.Lookup(url)
	if known && s.Revisits != nil && s.Revisits.news(p, freshness.Notice) {
		r.Facts.Told = append(r.Facts.Told, p)
	}
	return known
}

// sourceOf returns where the signals of a record come from.
func sourceOf(r *journal.Record) freshness.Source {
	switch {
	case r.Event.Kind == event.Seed:
		return freshness.Notice
	case r.Facts.Feed:
		return freshness.Feed
	}
	return freshness.Sitemap
}

// news reports whether it is news that a page has changed since its last visit.
func (v *revisits) news(p graph.Page, s freshness.Source) bool {
	return v.Knows(p) && !v.Told(p, s)
}

// hear gives the signals of a record to the plan.
func (v *revisits) hear(r *journal.Record) {
	if v == nil {
		return
	}
	for _, p := range r.Facts.Told {
		if v.Knows(p) { // not if its record was lost
			v.Signal(p, sourceOf(r))
		}
	}
}

// called notes pages that are to be visited.
func (v *revisits) called(list []graph.Page) {
	if v == nil {
		return
	}
	for _, p := range list {
		if v.Knows(p) {
			v.Called(p)
		}
	}
}

// Feeds are read with the sitemaps of their site, whenever its robots.txt is requested.

// maxSiteFeeds is the number of feeds that are read of a site, maxFeedBytes that of the bytes of
// the names of all feeds.
const (
	maxSiteFeeds = 4
	maxFeedBytes = 8 << 20
)

// NameFeed does what Name does for a feed.
func (x *sitemaps) NameFeed(r *journal.Record, url string) bool {
	site, _ := page.Site([]byte(url))
	if id, known := x.s.Table.LookupSite(x.s.Key.Site(site), site); known && len(x.Feeds[id]) >= maxSiteFeeds {
		return false
	}
	r.Facts.Feed = true
	return x.feedBytes+len(url) <= maxFeedBytes && x.Name(r, url)
}

// IsFeed reports whether a URL is one of a feed that is read.
func (x *sitemaps) IsFeed(url string) bool {
	site, _ := page.Site([]byte(url))
	id, known := x.s.Table.LookupSite(x.s.Key.Site(site), site)
	return known && slices.Contains(x.Feeds[id], url)
}

// ReadFeed adds to a record that a known feed is to be read again. It reports false, and adds
// nothing, if it waits to be read, or must not be requested.
func (x *sitemaps) ReadFeed(r *journal.Record, url string) bool {
	site, _ := page.Site([]byte(url))
	id, _ := x.s.Table.LookupSite(x.s.Key.Site(site), site)
	if x.s.Frontier.Closed(id) || slices.Contains(x.Files[id], url) || x.Bar(x.s.Robots.Of(id), url) != event.NoBar || !x.Stand(r, url) {
		return false
	}
	r.Event.Files, r.Facts.Files, r.Facts.Feed = 1, []string{url}, true
	return true
}

// addFeeds keeps the feeds of a site.
func (x *sitemaps) addFeeds(id graph.Site, urls []string) {
	for _, url := range urls {
		if len(x.Feeds[id]) < maxSiteFeeds && !slices.Contains(x.Feeds[id], url) {
			x.Feeds[id] = append(x.Feeds[id], url)
			x.feedBytes += len(url)
		}
	}
}
