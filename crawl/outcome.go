package crawl

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/bits"
	"net/http"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/index"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/trouble"
)

// outcomes decide what the result of a task means, and record it.
type outcomes struct {
	*session
	admission *admission
	limits    *limits
	weather   *weather
	index     *index.Indexer
	robots    robots.Limits
	crashes   int              // of the parser, in this session
	failure   *history.Failure // the last one of a page in this session
}

// take records the result of a task.
func (o *outcomes) take(now time.Duration, t *task) {
	switch t.work.Kind {
	case event.Resolve:
		o.resolved(now, t)
	case event.Robots:
		o.ruled(now, t)
	case event.Sitemap:
		o.listed(now, t)
	case event.Requisite:
		o.brought(now, t)
	default:
		o.done(now, t)
	}
}

// outcome begins the record of a result with what all results have.
func (o *outcomes) outcome(kind event.Kind, now time.Duration, t *task) *journal.Record {
	r := o.begin(kind, now)
	e, a := &r.Event, t.answer
	e.Site, e.Start, e.End = t.work.Site, t.start, t.end
	if a == nil {
		return r
	}
	e.Class, e.Bytes, e.Retry = a.Class, a.Bytes, a.RetryAfter
	r.Facts.Status, r.Facts.Note, r.Facts.Phases = uint16(a.Status), a.Note, a.Phases
	r.Facts.Cause = a.Cause
	r.Facts.Size, r.Facts.Shift = t.found.Size, t.shift
	if b := t.found.Records.Bytes; len(b) > 0 {
		at := o.warc.Append(b)
		o.index.Add(o.warc.Current(), at.Offset, &t.found.Records)
		r.Facts.Place = journal.Place{File: uint32(at.File), Offset: at.Offset, Length: int64(t.found.Records.Main)}
	}
	return r
}

// listed records a sitemap file. Its pages become known, although nothing links to them.
func (o *outcomes) listed(now time.Duration, t *task) {
	r := o.outcome(event.Listed, now, t)
	e, f := &r.Event, &t.found
	e.Class = f.Class
	o.state.Weather.Retry(r, t.answer.Stale || o.weather.outage.On())
	var own, others []string
	if !e.Class.Failed() {
		o.state.Discover(r, graph.NoPage, e.Site, &f.Links)
		r.Facts.Feed = f.Feed
		o.state.Tell(r, &f.Links, e.End)
		o.state.Hint(r, &f.Links)
		own, others = o.split(e.Site, f.Files)
		r.Facts.Files = o.state.Sitemaps.Listed(e.Site, own)
		e.Files = uint32(len(r.Facts.Files))
		r.Facts.Dropped = uint32(f.Dropped + len(own) - len(r.Facts.Files))
	}
	o.record()
	o.admission.admitNearer(now)
	for _, url := range others {
		o.admission.nameFile(now, url)
	}
}

// done records an attempt at a page.
func (o *outcomes) done(now time.Duration, t *task) {
	r := o.outcome(event.Done, now, t)
	e, f := &r.Event, &t.found
	e.Page, e.Class = t.work.Page, f.Class
	if o.gone(e.Page, t.answer) {
		e.Class = event.Gone
	}
	if f.Note != "" {
		r.Facts.Note = f.Note
	}
	o.state.Weather.Retry(r, t.answer.Stale || o.weather.outage.On())
	if !e.Class.Failed() {
		if r.Facts.Render = o.shows(t); !r.Facts.Render {
			o.discover(r, f)
		}
		o.describe(r, t)
		if o.state.Revisits == nil { // otherwise the plan says when
			e.Due = state.After(e.End, o.config.Recrawl.Duration)
		}
		o.visits++
		if !o.state.WasFetched(e.Page) && e.Class != event.Redirect {
			o.fetched++
		}
	} else {
		o.failure = &history.Failure{URL: t.url, Class: e.Class.String(), Status: int(r.Facts.Status), Note: r.Facts.Note, At: o.state.Wall(e.End)}
	}
	e.Keep = t.conn.line != nil && t.who.served < o.overrides.PerConnection(o.state.Table.Name(e.Site)) && t.conn.line.Usable() && o.limits.mayFetch() && o.state.Frontier.Continues(e.Site)
	t.shown, t.duplicate = o.visitor.wants(e.Class, o.config), e.Class == event.Duplicate
	to, moved := o.state.Revisits.Moves(r)
	failed := e.Class.Failed()
	o.record()
	if !failed {
		o.need(now, &f.Needs, t.work.Site, t.work.Page, 1)
	}
	o.admission.admitNearer(now)
	if moved {
		o.follow(now, to)
	}
	for _, url := range f.Feeds {
		o.admission.nameFeed(now, url)
	}
}

// brought records an attempt at a requisite.
func (o *outcomes) brought(now time.Duration, t *task) {
	r := o.outcome(event.Brought, now, t)
	e, f, x := &r.Event, &t.found, &r.Facts
	e.Page, e.Class, x.Media = t.work.Page, f.Class, f.Media
	if f.Note != "" {
		x.Note = f.Note
	}
	if d := f.Records.Payload; !d.IsZero() {
		x.Payload = append([]byte{byte(d.Algorithm())}, d.Bytes()...)
	}
	o.state.Weather.Retry(r, t.answer.Stale || o.weather.outage.On())
	part, _ := o.state.Requisites.First(e.Site)
	failed := e.Class.Failed()
	o.record()
	if !failed {
		o.need(now, &f.Needs, t.work.Site, part.Page, part.Step+1)
	}
}

// need records the requisites that an answer of a site names, for a page that is so many answers
// away.
func (o *outcomes) need(now time.Duration, n *gather.Needs, home graph.Site, p graph.Page, step uint8) {
	if n.Len()+n.Dropped > 0 && o.state.Need(o.begin(event.Needed, now), p, step, home, n) {
		if o.record(); p == graph.NoPage {
			o.holdTold()
		}
	}
}

// discover adds to a record what a page contains: its links, unless they are those of another page,
// and what it has to do with the topic.
func (o *outcomes) discover(r *journal.Record, f *gather.Found) {
	e := &r.Event
	e.Read.Set(&f.Read)
	if !o.config.Duplicates || !o.compare(r, f) {
		o.state.Discover(r, e.Page, o.state.Frontier.Site(e.Page), &f.Links)
	}
	o.describeContent(r, f)
	r.Facts.Doubt = len(e.New) > 0 && o.state.Traps.Doubts(r)
	if w := o.limits.watch; w != nil {
		w.Fetched(e.Page, e.Links, e.Class == event.Duplicate)
	}
}

// follow lets the page to which another one has moved for good go before all others, if it
// waits: its content is that of a page that was fetched.
func (o *outcomes) follow(now time.Duration, to graph.Page) {
	if !o.state.Frontier.Waits(to) {
		return
	}
	r := o.begin(event.Revisit, now)
	r.Event.Admit, r.Facts.Urgent = append(r.Event.Admit, to), true
	o.record()
}

// compare records of which page the page of a record is a duplicate, or nearly. It reports
// whether its links are those of the other page, so that they need not be followed.
func (o *outcomes) compare(r *journal.Record, f *gather.Found) bool {
	e := &r.Event
	q, plain, same := o.state.Duplicates.Of(e.Page, f)
	if same {
		e.Class, r.Facts.Plain = event.Duplicate, plain
	} else if near, ok := o.state.Content.NearDuplicate(e.Page, f); ok {
		q = near
	}
	if q != graph.NoPage {
		r.Facts.Near = uint32(q) + 1
	}
	return same
}

// describeContent adds to a record what is known of the content of a page.
func (o *outcomes) describeContent(r *journal.Record, f *gather.Found) {
	x := &r.Facts
	x.Digest, x.SimHash, x.Targets, x.Change = f.Digest, f.SimHash, f.Targets, f.Change
	if bits.OnesCount64(f.Terms) <= trap.FewTerms {
		x.Terms = f.Terms
	}
	if o.state.Traps.KnowsWords(r) {
		x.Numbers, x.Pictures = f.Numbers, f.Pictures
	}
	x.Title, x.Tags, x.Cut, x.Dropped = f.Title, uint8(f.Tags), uint8(f.Cut), uint32(f.Dropped)
}

// describe adds to a record what is known of a fetched page apart from its content.
func (o *outcomes) describe(r *journal.Record, t *task) {
	f, x := &t.found, &r.Facts
	x.Media, x.ETag, x.Modified, x.Title, x.Tags = f.Media, f.ETag, f.Modified, f.Title, uint8(f.Tags)
	if x.Render { // for its next visit: whether it has changed
		x.Digest, x.SimHash, x.Targets, x.Change = f.Digest, f.SimHash, f.Targets, f.Change
	}
	if d := f.Records.Payload; !d.IsZero() {
		x.Payload = append([]byte{byte(d.Algorithm())}, d.Bytes()...)
	}
	if f.Revisit {
		was := &t.past.Original
		x.Revisit = 1 + saved(x, was.Length)
		x.Origin = journal.Origin{Date: was.Time.UnixMilli(), Length: was.Length, Named: was.Named}
	}
}

// saved returns the bytes that a revisit record saved: in the transfer if the server answered
// that the page was not modified, in the archive if it was sent again. length is that of the
// record to which it refers.
func saved(f *journal.Facts, length int64) int64 {
	if f.Status == journal.NotModified {
		return length
	}
	return max(0, length-f.Place.Length)
}

// gone reports whether a page that was fetched before is no longer there.
func (o *outcomes) gone(p graph.Page, a *fetch.Answer) bool {
	return (a.Status == http.StatusNotFound || a.Status == http.StatusGone) && a.Class == event.HTTPError && o.state.WasFetched(p)
}

// logTrouble logs why a site cannot be requested. Until the first page is fetched it is a
// warning; later it is one site of many.
func (o *outcomes) logTrouble(what string, s graph.Site, r *journal.Record) {
	level := slog.LevelInfo
	if o.fetched == 0 {
		level = slog.LevelWarn
	}
	next := "never"
	if r.Event.Again {
		next = "in " + (r.Event.Due - r.Event.End).Round(time.Second).String()
	}
	why := r.Facts.Note
	if r.Facts.Status != 0 {
		why = fmt.Sprintf("status %d", r.Facts.Status)
	}
	o.log.Log(context.Background(), level, what, "site", string(o.state.Table.Name(s)), "why", why, "retry", next)
}

// maxCrashes is the largest number of crashes that a session logs. All of them are in the
// journal, and counted in the status.
const maxCrashes = 20

// logCrash logs an answer on which the parser crashed. That is a bug of winnow, and those
// who can fix it need the URL.
func (o *outcomes) logCrash(t *task) {
	if t.answer == nil || t.answer.Class != event.Crashed {
		return
	}
	if o.crashes++; o.crashes <= maxCrashes {
		o.log.Error("the parser crashed on an answer: the page counts as failed, and the crawl continues; please report the URL and what follows",
			"url", t.url, "why", t.answer.Note, "stack", t.stack)
	}
}

// resolved records the addresses of a site.
func (o *outcomes) resolved(now time.Duration, t *task) {
	r := o.outcome(event.Resolved, now, t)
	r.Event.Class, r.Facts.Note, r.Facts.Cause = t.class, t.note, t.cause
	o.state.Weather.Resolve(r, &state.Lookup{Host: t.host, Addrs: t.names.Addrs, TTL: t.names.TTL, Again: t.again}, o.weather.outage.On())
	if t.class != event.OK {
		o.logTrouble("cannot find the address of a site", r.Event.Site, r)
	}
	o.record()
}

// retrySite makes a robots.txt due again. Until then rules that the site has stay in force,
// and a site without rules is skipped.
func (o *outcomes) retrySite(r *journal.Record, after time.Duration) {
	state.RetryAfter(r, after, o.weather.outage.On())
}

// ruled records the robots.txt of a site.
func (o *outcomes) ruled(now time.Duration, t *task) {
	r := o.outcome(event.Ruled, now, t)
	e, id := &r.Event, t.work.For
	e.For = id
	class, again := o.judge(now, t)
	var others []string
	if o.state.IsForeign(id) {
		o.ruledFor(r, t, class, again)
		return
	}
	switch class {
	case robots.Found:
		rule(r, t.rules, again)
		others = o.nameFiles(r, t)
	case robots.Moved:
		o.hopTo(r, t.hop)
	case robots.Unavailable:
		rule(r, robots.Rules{}, again)
		others = o.nameFiles(r, t)
	default:
		if !trouble.Passes(e.Class) {
			e.Class = event.ServerError // such as an endless redirect
		}
		if t.answer.Stale {
			state.RetryAfter(r, o.config.RetryDelay.Duration, true)
			break
		}
		if o.fetched == 0 && t.answer.Status == 0 {
			again = min(again, firstRetry)
		}
		o.retrySite(r, again)
		o.logTrouble("cannot fetch robots.txt", id, r)
	}
	files := r.Facts.Files
	o.record()
	for _, url := range others {
		o.admission.nameFile(now, url)
	}
	if len(files) > 0 && !o.state.Frontier.Wanting(id) { // it would not be requested
		if o.state.Sitemaps.Stand(o.begin(event.Named, now), files[0]) {
			o.record()
		}
	}
}

// nameFiles adds the sitemap files of a site to the record of its robots.txt, and returns those
// of other sites of the same name. With --sitemap-only a site that names none may have one at
// the usual place.
func (o *outcomes) nameFiles(r *journal.Record, t *task) (others []string) {
	id := t.work.For
	if !o.readsSitemaps(id) {
		return nil
	}
	return o.nameFilesOf(r, id, t.sitemaps, t.rules)
}

func (o *outcomes) nameFilesOf(r *journal.Record, id graph.Site, files []string, rules robots.Rules) (others []string) {
	own, others := o.split(id, config.Union(nil, files))
	if len(own)+len(others) == 0 && o.config.SitemapOnly {
		own = []string{string(o.state.Table.Name(id)) + "/sitemap.xml"}
	}
	own = slices.DeleteFunc(own, func(url string) bool { return o.state.Sitemaps.Has(id, url) })
	own = append(own, o.state.Sitemaps.Feeds[id]...)
	n := len(own)
	r.Facts.Files = o.state.Sitemaps.Wanted(rules, own)
	r.Event.Files = uint32(len(r.Facts.Files))
	r.Facts.Dropped = uint32(n - len(r.Facts.Files))
	return slices.DeleteFunc(others, o.namesOwn)
}

// split separates the sitemap files of a site from those of sites with the same name. Files
// of other names are left out.
func (o *outcomes) split(id graph.Site, files []string) (own, others []string) {
	home := o.state.Table.Name(id)
	for _, url := range files {
		switch site, _ := page.Site([]byte(url)); {
		case bytes.Equal(site, home):
			own = append(own, url)
		case gather.SameName(site, home):
			others = append(others, url)
		}
	}
	return own, others
}

// namesOwn reports whether the robots.txt of the site of a sitemap file has named files. It
// most likely named this one, too.
func (o *outcomes) namesOwn(url string) bool {
	site, _ := page.Site([]byte(url))
	id, known := o.state.Table.LookupSite(o.state.Key.Site(site), site)
	return known && o.state.Sitemaps.Named(id)
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
	return o.config.ReadsSitemaps() &&
		(!o.state.Sitemaps.Named(id) || o.config.Recrawl.Duration > 0 && len(o.state.Sitemaps.Files[id]) == 0)
}

// rule sets the rules of a site in a record.
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
	name, _ := page.Site([]byte(url))
	if !denied {
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
