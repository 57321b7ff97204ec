package crawl

import (
	"net/netip"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// handOut gives works to idle harvesters. It returns the instant at which to ask again,
// Never when all are busy or nothing more is to be handed out.
func (o *owner) handOut(now time.Duration) (ask time.Duration) {
	o.hungry = false
	for o.mayHandOut(now) {
		w, again, ok := o.s.Frontier.Next(now)
		if o.s.Err != nil {
			return event.Never
		}
		o.recordRefusals(now)
		if !ok {
			if o.s.Frontier.Stirred() {
				o.begin(event.Asked, now)
				o.record()
			}
			o.hungry = o.s.Frontier.Counts().Held > 0
			return again
		}
		i := o.hire()
		o.served[i] = 0
		o.start(now, i, w)
	}
	return event.Never
}

// mayHandOut reports whether there is an idle harvester, and whether the limits let it
// work. Bytes that wait for the disk are the brake: when it cannot follow, nothing is
// asked for until it has.
func (o *owner) mayHandOut(now time.Duration) bool {
	return o.stopping == "" && (len(o.idle) > 0 || len(o.crew) < o.c.Fetchers) &&
		o.pagesLeft() && o.open.bytes < o.maxOpen() && (!o.outage.On() || o.mayProbe(now))
}

// maxOpen is how many bytes may wait for the disk beside the group that it has.
func (o *owner) maxOpen() int64 {
	if o.o.Memory == 0 {
		return mostOpen
	}
	return min(mostOpen, o.o.Memory/16)
}

const mostOpen = 64 << 20

// pagesLeft reports whether one more page may be asked for under --pages.
func (o *owner) pagesLeft() bool {
	if o.c.Pages == 0 || o.fetched+int64(o.fetching) < o.c.Pages {
		return true
	}
	if o.fetched >= o.c.Pages {
		o.stop(o.s.Now, whyPages)
	}
	return false
}

// hire is an idle harvester, a new one if there is none.
func (o *owner) hire() int {
	if n := len(o.idle); n > 0 {
		i := o.idle[n-1]
		o.idle = o.idle[:n-1]
		return i
	}
	o.crew = append(o.crew, o.h.start())
	o.served, o.conn = append(o.served, 0), append(o.conn, 0)
	return len(o.crew) - 1
}

func (o *owner) recordRefusals(now time.Duration) {
	for _, p := range o.s.Frontier.Refusals() {
		r := o.begin(event.Refused, now)
		r.Event.Page, r.Event.Bar = p, o.s.Frontier.Bar(p)
		if r.Event.Bar == event.NoBar { // it came before, and keeps that
			r.Event.Bar = o.s.Barred(p)
		}
		o.record()
	}
}

// start records a work and sends it to its harvester.
func (o *owner) start(now time.Duration, i int, w event.Task) {
	if o.served[i] == 0 && w.Kind != event.Resolve {
		o.conns++
		o.conn[i] = o.conns
	}
	r := o.begin(event.Took, now)
	e := &r.Event
	e.Task = w
	r.Facts.Clock = o.s.Frontier.Instant(w.Site)
	if w.Kind != event.Resolve {
		r.Facts.Address, r.Facts.Conn = o.s.Frontier.Address(w.Site), o.conn[i]
	}
	o.record()
	o.flight.note(w, true)
	t := o.task(w)
	t.who = i
	o.served[i]++
	if w.Kind == event.Fetch {
		o.fetching++
		t.last = o.served[i] >= o.perConnection(w)
	}
	o.crew[i].tasks <- t
}

// task puts a work into the terms of the Web.
func (o *owner) task(w event.Task) *task {
	t := o.newTask()
	t.work, t.last = w, true
	name := o.s.Table.Name(w.Site)
	switch w.Kind {
	case event.Resolve:
		t.host = string(page.Host(name))
		return t
	case event.Robots:
		t.url = string(name) + "/robots.txt"
		if h, ok := o.s.Robots.HopAt(w.For, w.Site); ok {
			t.url = h.URL
		}
	case event.Sitemap:
		t.url = o.s.Sitemaps.Files[w.Site][0]
	case event.Fetch:
		t.url = string(o.s.AppendURL(nil, w.Page))
		if !o.s.Recalled(w.Page) { // else all of it is wanted, changed or not
			t.etag, t.since = o.s.Visits.Of(w.Page)
		}
	}
	t.addrs = append(t.addrs[:0], o.addresses(w)...)
	t.extra = o.Headers.Of(name)
	return t
}

// addresses are where a site can be reached: the address that was resolved and
// recorded, which is also the one that is limited.
func (o *owner) addresses(w event.Task) []netip.Addr {
	if a := o.s.AddressOf(w.Site); a.IsValid() {
		return []netip.Addr{a}
	}
	return nil
}

// perConnection is how many pages one connection to the site of a work may serve.
func (o *owner) perConnection(w event.Task) int {
	n := o.c.PerConnection
	if m := o.Overrides.PerConnection(o.s.Table.Name(w.Site)); m > 0 {
		n = min(n, m)
	}
	return n
}

func (o *owner) newTask() *task {
	if n := len(o.spare); n > 0 {
		t := o.spare[n-1]
		o.spare = o.spare[:n-1]
		return t
	}
	return new(task)
}

// recycle gives a task back whose bytes are on disk or of no use.
func (o *owner) recycle(t *task) {
	if t.answer != nil {
		o.h.fetch.Budget.Give(t.answer.Held)
	}
	found, addrs := t.found, t.addrs
	found.Reset()
	*t = task{found: found, addrs: addrs[:0]}
	o.spare = append(o.spare, t)
}
