package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// resolved records the addresses of a site.
func (o *outcomes) resolved(now time.Duration, t *task) {
	r := o.outcome(event.Resolved, now, t)
	r.Event.Class, r.Facts.Note = t.class, t.note
	o.state.Weather.Resolve(r, &state.Lookup{Host: t.host, Addrs: t.names.Addrs, TTL: t.names.TTL, Again: t.again}, o.weather.outage.On())
	if t.class != event.OK {
		o.logTrouble("a site has no address", r.Event.Site, r)
	}
	o.record()
}

// retrySite lets a robots.txt be requested again. Until then rules that the site has stay in
// force, and a site without any is skipped.
func (o *outcomes) retrySite(r *journal.Record, after time.Duration) {
	state.RetryAfter(r, after, o.weather.outage.On())
}

// ruled records the robots.txt of a site.
func (o *outcomes) ruled(now time.Duration, t *task) {
	r := o.outcome(event.Ruled, now, t)
	e, id := &r.Event, t.work.For
	e.For = id
	class, again := o.judge(now, t)
	switch class {
	case robots.Found:
		rule(r, t.rules, again)
		// Only if it has not moved: otherwise it names files of another site.
		if o.readsSitemaps(id) && e.Site == id {
			r.Facts.Files = o.state.WantedFiles(t.rules, t.sitemaps)
			e.Files = uint32(len(r.Facts.Files))
			r.Facts.Dropped = uint32(len(t.sitemaps) - len(r.Facts.Files))
		}
	case robots.Moved:
		o.hopTo(r, t.hop)
	case robots.Unavailable:
		rule(r, robots.Rules{}, again)
	default:
		if !trouble.Passes(e.Class) {
			e.Class = event.ServerError // such as an endless redirect
		}
		o.retrySite(r, again)
		o.logTrouble("robots.txt is unavailable", id, r)
	}
	o.record()
}

// judge returns what the answer to a request for a robots.txt means, and how long that
// holds.
func (o *outcomes) judge(now time.Duration, t *task) (robots.Class, time.Duration) {
	h, _ := o.state.Robots.HopAt(t.work.For, t.work.Site)
	return o.state.Robots.Judge(o.robots, gather.RobotsResponse(t.answer, h.N, t.hop), t.work.For, now)
}

// readsSitemaps reports whether to request the sitemap files that the robots.txt of a site
// names: the first time and, where pages are visited again, whenever those of the last time
// have been read.
func (o *outcomes) readsSitemaps(id graph.Site) bool {
	return o.config.Sitemaps && o.config.MaxDepth != 0 &&
		(!o.state.Sitemaps.Named(id) || o.config.Recrawl.Duration > 0 && len(o.state.Sitemaps.Files[id]) == 0)
}

// rule gives a site its rules.
func rule(r *journal.Record, rules robots.Rules, holds time.Duration) {
	e := &r.Event
	e.Class = event.OK
	e.Delay = rules.Delay()
	e.Expiry = state.After(e.End, holds)
	r.Facts.Rules, _ = rules.AppendBinary(nil) // it never fails
}

// hopTo records to which site a robots.txt moved. It counts as unavailable if the deny list
// forbids the URL, there is no room for another site, or that site is closed.
func (o *outcomes) hopTo(r *journal.Record, url string) {
	e := &r.Event
	denied := o.state.DeniedHop(url)
	if !denied {
		name, _ := page.Site([]byte(url))
		id, fresh := o.state.Site(o.state.Key.Site(name), name)
		if id != graph.NoSite && (fresh || !o.state.Frontier.Closed(id)) {
			e.Class, e.Hop, e.To, r.Facts.Hop = event.Redirect, true, id, url
			if fresh {
				r.Facts.Names.Add(name, nil)
			}
			return
		}
	}
	e.Class = event.ServerError
	o.retrySite(r, time.Hour)
	if denied {
		r.Facts.Note = "robots.txt moved to a host on the deny list"
		o.log.Info("robots.txt moved to a host on the deny list; the site waits", "site", string(o.state.Table.Name(e.For)), "to", url)
	}
}
