package crawl

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// staleTTL is how long an address is used that could not be renewed.
const staleTTL = 10 * time.Minute

// resolved records the addresses of a site.
func (o *outcomes) resolved(now time.Duration, t *task) {
	r := o.outcome(event.Resolved, now, t)
	e := &r.Event
	e.Class, r.Facts.Note = t.class, t.note
	switch old := o.state.AddressOf(e.Site); {
	case t.class == event.OK:
		o.address(r, o.inTurn(e.Site, t.names.Addrs), t.names.TTL)
	case old.IsValid(): // an old address is better than none (RFC 8767), and than a strange one
		e.Class = event.OK
		o.address(r, []netip.Addr{old}, staleTTL)
	case !o.nameless(t):
		o.retrySite(r, o.state.Setup.Trouble.NameWait(o.state.DownSites[e.Site].N, uint32(e.Site)))
	}
	if t.class != event.OK {
		o.logTrouble("a site has no address", e.Site, r)
	}
	o.record()
}

// address gives a site its addresses for a while.
func (o *outcomes) address(r *journal.Record, addrs []netip.Addr, ttl time.Duration) {
	r.Facts.Addrs = addrs
	r.Event.Address = o.state.Number(addrs[0])
	r.Event.Expiry = later(r.Event.End, ttl)
}

// inTurn puts the address first that is to be used: the one that the site had, or the next
// one if that did not answer.
func (o *outcomes) inTurn(s graph.Site, addrs []netip.Addr) []netip.Addr {
	i := slices.Index(addrs, o.state.AddressOf(s))
	if i < 0 {
		return addrs
	}
	if d, ok := o.state.DownSites[s]; ok && trouble.Of(d.Class, int(d.Status)) == trouble.Silence {
		i = (i + 1) % len(addrs)
	}
	return slices.Concat(addrs[i:], addrs[:i])
}

// nameless reports whether a name that was not found is believed not to exist: it was
// looked up several times, and the resolver found others meanwhile. An address in the
// place of a name is judged at once.
func (o *outcomes) nameless(t *task) bool {
	if t.again {
		return false
	}
	if _, err := netip.ParseAddr(strings.Trim(t.host, "[]")); err == nil || t.host == "localhost" {
		return true
	}
	d := o.state.DownSites[t.work.Site]
	return d.N+1 >= trouble.NameTries && o.state.Named > d.Since && !o.weather.outage.On()
}

// retrySite lets a name be looked up, or a robots.txt be requested, again. Until then rules
// that the site has stay in force, and a site without any is skipped.
func (o *outcomes) retrySite(r *journal.Record, after time.Duration) {
	r.Facts.Ours = o.weather.outage.On()
	r.Event.Again, r.Event.Due = true, later(r.Event.End, after)
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
			r.Facts.Files = o.state.Fits(0, o.state.WantedFiles(t.rules, t.sitemaps))
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

// silent is how much sooner a server is tried again that gave no answer at all than one
// that answered with an error: nobody is bothered by it, and most of them are gone.
const silent = 10

// judge returns what the answer to a request for a robots.txt means, and how long that
// holds.
func (o *outcomes) judge(now time.Duration, t *task) (robots.Class, time.Duration) {
	tr := o.state.Trouble[t.work.For]
	h, _ := o.state.HopAt(t.work.For, t.work.Site)
	q := gather.RobotsResponse(t.answer, h.N, t.hop)
	if q.Failures = tr.N; tr.N > 0 {
		q.Down = now - tr.Since
	}
	class, again := o.robots.Judge(q)
	if q.Status == 0 && class == robots.Unreachable {
		again /= silent
	}
	return class, again
}

// readsSitemaps reports whether to request the sitemap files that the robots.txt of a site
// names: the first time and, where pages are visited again, whenever those of the last time
// have been read.
func (o *outcomes) readsSitemaps(id graph.Site) bool {
	return o.config.Sitemaps && o.config.MaxDepth != 0 &&
		(!o.state.NamedFiles(id) || o.config.Recrawl.Duration > 0 && len(o.state.Files[id]) == 0)
}

// rule gives a site its rules.
func rule(r *journal.Record, rules robots.Rules, holds time.Duration) {
	e := &r.Event
	e.Class = event.OK
	e.Delay = rules.Delay()
	e.Expiry = later(e.End, holds)
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
