package crawl

import (
	"context"
	"fmt"
	"log/slog"
	"math/bits"
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// end takes what came of a work: decides, records, and lets the harvester go on.
func (o *owner) end(now time.Duration, t *task) {
	w, i := t.work, t.who
	if w.Kind == event.Fetch {
		o.fetching--
	}
	o.flight.note(w, false)
	if t.void = t.void || o.bursts(t); !t.void {
		o.noteWeather(now, t)
		o.tellCrash(t)
	}
	switch {
	case t.void: // it did not happen: the next session will ask again
		o.recycle(t)
		o.idle = append(o.idle, i)
		return
	case w.Kind == event.Resolve:
		o.resolved(now, t)
	case w.Kind == event.Robots:
		o.ruled(now, t)
	case w.Kind == event.Sitemap:
		o.listed(now, t)
	default:
		o.done(now, t)
		o.doubt(now, w.Site)
	}
	kept := t.answer != nil && t.answer.Keep
	o.keep(t)
	switch {
	case w.Kind == event.Robots && w.For != w.Site && !o.rec.Event.Hop:
		o.hold(w.For)
		o.hold(w.Site)
	case w.Kind != event.Resolve:
		o.hold(w.Site)
	}
	if w.Kind == event.Robots {
		o.withdrawFiles(now, w.For) // the rules may be others
	}
	if w.Kind == event.Fetch && o.more(now, i, w.Site) {
		return
	}
	if kept {
		o.crew[i].tasks <- nil // hang up
	}
	o.idle = append(o.idle, i)
}

// more lets a harvester go on with the next page of the site that it has.
func (o *owner) more(now time.Duration, i int, s graph.Site) bool {
	if o.stopping != "" || !o.pagesLeft() {
		return false
	}
	w, ok := o.s.Frontier.More(now, s)
	o.recordRefusals(now)
	if ok {
		o.start(now, i, w)
	}
	return ok
}

// keep lets a task wait for the commit of its bytes, or uses it again at once.
func (o *owner) keep(t *task) {
	if t.found.Links.Len() > manyLinks {
		t.found.Links = gather.Links{} // they are in the record, and take megabytes
	}
	if n := len(t.found.Records.Bytes); n > 0 {
		o.open.tasks = append(o.open.tasks, t)
		o.open.bytes += int64(n)
		return
	}
	o.recycle(t)
}

// manyLinks is how many links are not kept for the next page.
const manyLinks = 5000

// outcome begins the record of an answer with what all of them have.
func (o *owner) outcome(kind event.Kind, now time.Duration, t *task) *journal.Record {
	r := o.begin(kind, now)
	e, a := &r.Event, t.answer
	e.Site, e.Start, e.End = t.work.Site, t.start, t.end
	if a == nil {
		return r
	}
	e.Class, e.Bytes, e.Retry = a.Class, a.Bytes, a.RetryAfter
	r.Facts.Status, r.Facts.Note, r.Facts.Phases = uint16(a.Status), a.Note, a.Phases
	r.Facts.Size, r.Facts.Shift = t.found.Size, t.shift
	if b := t.found.Records.Bytes; len(b) > 0 {
		at := o.warc.Append(b)
		r.Facts.Place = journal.Place{File: uint32(at.File), Offset: at.Offset, Length: int64(t.found.Records.Main)}
	}
	return r
}

// resolved takes the addresses of a site.
func (o *owner) resolved(now time.Duration, t *task) {
	r := o.outcome(event.Resolved, now, t)
	e := &r.Event
	e.Class, r.Facts.Note = t.class, t.note
	o.s.Weather.Resolve(r, &state.Lookup{Host: t.host, Addrs: t.names.Addrs, TTL: t.names.TTL, Again: t.again}, o.outage.On())
	if t.class != event.OK {
		o.tellTrouble("a site has no address", e.Site, r)
	}
	o.record()
}

// tellTrouble logs why a site cannot be asked. As long as nothing came at all this is
// what somebody who waits has to know; later it is one site of many.
func (o *owner) tellTrouble(what string, s graph.Site, r *journal.Record) {
	level := slog.LevelInfo
	if o.fetched == 0 {
		level = slog.LevelWarn
	}
	next := "no"
	if r.Event.Again {
		next = "in " + (r.Event.Due - r.Event.End).Round(time.Second).String()
	}
	why := r.Facts.Note
	if r.Facts.Status != 0 {
		why = fmt.Sprintf("status %d", r.Facts.Status)
	}
	o.log.Log(context.Background(), level, what, "site", string(o.s.Table.Name(s)), "why", why, "again", next)
}

// ruled takes the robots.txt of a site (W14).
func (o *owner) ruled(now time.Duration, t *task) {
	r := o.outcome(event.Ruled, now, t)
	e, id := &r.Event, t.work.For
	e.For = id
	class, again := o.judge(now, t)
	switch class {
	case robots.Found:
		e.Class = event.OK
		o.rule(r, t.rules, again)
		// Of its own robots.txt: one that moved names files of another site.
		if o.readsSitemaps(id) && e.Site == id {
			r.Facts.Files = o.s.WantedFiles(t.rules, t.sitemaps)
			e.Files = uint32(len(r.Facts.Files))
			r.Facts.Dropped = uint32(len(t.sitemaps) - len(r.Facts.Files))
		}
	case robots.Moved:
		e.Class, e.Hop, r.Facts.Hop = event.Redirect, true, t.hop
		o.hopTo(r, t.hop)
	case robots.Unavailable:
		e.Class = event.OK
		o.rule(r, robots.Rules{}, again)
	default:
		if !trouble.Passes(e.Class) {
			e.Class = event.ServerError // such as a redirect without end
		}
		state.RetryAfter(r, again, o.outage.On())
		o.tellTrouble("robots.txt is unavailable", id, r)
	}
	o.record()
}

// judge returns what the answer to a request for a robots.txt means, and when to request it
// again.
func (o *owner) judge(now time.Duration, t *task) (robots.Class, time.Duration) {
	h, _ := o.s.Robots.HopAt(t.work.For, t.work.Site)
	return o.s.Robots.Judge(o.robots, gather.RobotsResponse(t.answer, h.N, t.hop), t.work.For, now)
}

// rule gives a site its rules.
func (o *owner) rule(r *journal.Record, rules robots.Rules, holds time.Duration) {
	e := &r.Event
	e.Delay = rules.Delay()
	e.Expiry = state.After(e.End, holds)
	r.Facts.Rules, _ = rules.AppendBinary(nil) // it never fails
}

// hopTo names the site to which a robots.txt moved. If there is no room for another site,
// that one is given up, or the deny list forbids the URL, the robots.txt is unavailable.
func (o *owner) hopTo(r *journal.Record, url string) {
	if o.s.DeniedHop(url) {
		r.Event.Hop, r.Event.Class, r.Facts.Hop = false, event.ServerError, ""
		r.Facts.Note = "robots.txt moved to a host on the deny list"
		state.RetryAfter(r, time.Hour, o.outage.On())
		o.log.Info("robots.txt moved to a host on the deny list; the site waits", "site", string(o.s.Table.Name(r.Event.For)), "to", url)
		return
	}
	name, _ := page.Site([]byte(url))
	id, fresh := o.s.Site(o.s.Key.Site(name), name)
	if id == graph.NoSite || !fresh && o.s.Frontier.Closed(id) {
		r.Event.Hop, r.Event.Class, r.Facts.Hop = false, event.ServerError, ""
		state.RetryAfter(r, time.Hour, o.outage.On())
		return
	}
	if r.Event.To = id; fresh {
		r.Facts.Names.Add(name, nil)
	}
}

// listed takes a sitemap file: its pages are known, but nothing links to them.
func (o *owner) listed(now time.Duration, t *task) {
	r := o.outcome(event.Listed, now, t)
	e, f := &r.Event, &t.found
	e.Class = f.Class
	o.s.Weather.Retry(r, o.outage.On())
	if !e.Class.Failed() {
		o.s.Discover(r, graph.NoPage, e.Site, &f.Links)
		r.Facts.Files = o.s.ListedFiles(e.Site, f.Files)
		e.Files = uint32(len(r.Facts.Files))
		r.Facts.Dropped = uint32(f.Dropped + len(f.Files) - len(r.Facts.Files))
	}
	o.record()
	o.admitNearer(now)
}

// done takes an attempt at a page.
func (o *owner) done(now time.Duration, t *task) {
	r := o.outcome(event.Done, now, t)
	e, f := &r.Event, &t.found
	e.Page, e.Class = t.work.Page, f.Class
	if f.Note != "" {
		r.Facts.Note = f.Note
	}
	o.s.Weather.Retry(r, o.outage.On())
	if !e.Class.Failed() {
		if o.c.Duplicates && o.s.Content.Duplicate(e.Page, f) {
			e.Class = event.Duplicate // its links are those of the original
		} else {
			if q, ok := o.s.Content.NearDuplicate(e.Page, f); ok && o.c.Duplicates {
				r.Facts.Near = uint32(q) + 1
			}
			o.s.Discover(r, e.Page, e.Site, &f.Links)
		}
		o.describe(r, t)
		e.Due = state.After(e.End, o.c.Recrawl.Duration)
		o.visits++
		if !o.s.WasFetched(e.Page) && e.Class != event.Redirect {
			o.fetched++
		}
	}
	e.Keep = t.answer.Keep && o.stopping == "" && o.pagesLeft()
	o.record()
	o.admitNearer(now)
}

// describe adds what is known of a page that came.
func (o *owner) describe(r *journal.Record, t *task) {
	f, x := &t.found, &r.Facts
	x.Digest, x.SimHash, x.Targets, x.Change = f.Digest, f.SimHash, f.Targets, f.Change
	if bits.OnesCount64(f.Terms) <= trap.FewTerms {
		x.Terms = f.Terms
	}
	if o.s.Traps.KnowsWords(r) {
		x.Numbers, x.Pictures = f.Numbers, f.Pictures
	}
	x.Media, x.ETag, x.Modified, x.Title = f.Media, f.ETag, f.Modified, f.Title
	x.Tags, x.Cut, x.Dropped = uint8(f.Tags), uint8(f.Cut), uint32(f.Dropped)
	if d := f.Records.Payload; !d.IsZero() {
		x.Payload = append([]byte{byte(d.Algorithm())}, d.Bytes()...)
	}
}
