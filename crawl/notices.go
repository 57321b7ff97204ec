package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/notice"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// listen begins to receive notices, if the configuration wants them. Those of several partitions are
// received by one for all.
func (s *session) listen() (*notice.Receiver, error) {
	if s.port != nil {
		return nil, nil
	}
	return Listen(s.options, s.scope)
}

// Listen begins to receive notices of pages in a scope, if the configuration wants them. Otherwise it
// returns nil.
func Listen(o *RunOptions, scope *gather.Scope) (*notice.Receiver, error) {
	addr, err := o.Config.NoticesAddress()
	if addr == "" || err != nil {
		return nil, err
	}
	return notice.Listen(o.Machine.Listen, addr, o.Log, func(site, rest []byte) bool { return scope.Judge(site, rest) == event.NoBar })
}

// notify records what notices say: pages that have changed are signals, a feed is read again, and
// pages that were not known, of sites that are, become known.
func (a *admission) notify(now time.Duration, urls []string) {
	r := a.begin(event.Seed, now)
	r.Facts.Old, r.Facts.Notice = true, true
	var feeds []string
	for _, url := range urls {
		switch {
		case a.state.Sitemaps.IsFeed(url):
			feeds = append(feeds, url)
		case a.state.Notify(r, url) || !a.welcome(url):
		default:
			a.state.Recall(r, []byte(url))
		}
	}
	if len(r.Event.New)+len(r.Facts.Told) > 0 {
		a.record()
	}
	for _, url := range feeds {
		if a.state.Sitemaps.ReadFeed(a.begin(event.Named, now), url) {
			a.record()
		}
	}
}

// welcome reports whether a page that a notice names may become known: its site is, and nothing
// speaks against its URL.
func (a *admission) welcome(url string) bool {
	site, rest := page.Site([]byte(url))
	if _, known := a.state.Table.LookupSite(a.state.Key.Site(site), site); !known || a.state.Full() {
		return false
	}
	return a.scope.Judge(site, rest) == event.NoBar && !a.config.SitemapOnly && !a.config.List &&
		(!a.overrides.HTMLOnly(site) || page.Extension([]byte(url)).MayBePage())
}
