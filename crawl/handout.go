package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// handOut hands tasks to idle harvesters. It returns the instant at which to try again,
// Never if all harvesters are busy or nothing more is to be handed out.
func (l *loop) handOut(now time.Duration) (again time.Duration) {
	l.hungry, l.crew.short = false, false
	for l.mayHandOut(now) {
		l.state.Frontier.Limit(l.limits.pagesLeft())
		board, some := l.crew.permits.Take()
		if l.crew.short = !some; !some {
			return l.want(now)
		}
		w, again, ok := l.state.Frontier.NextOn(now, board)
		if l.state.Err != nil || !ok {
			l.crew.permits.Give(1)
		}
		if l.state.Err != nil {
			return event.Never
		}
		l.recordRefusals(now)
		if !ok {
			if l.state.Frontier.Polled() {
				l.begin(event.Polled, now)
				l.record()
			}
			l.hungry = l.state.Frontier.Counts().Held > 0
			return again
		}
		l.assign(now, l.crew.hire(), w)
	}
	l.crew.permits.Decline()
	return event.Never
}

// want asks for a permit, for the best page that could be handed out. If there is none, it asks for
// nothing, and returns when to try again.
func (l *loop) want(now time.Duration) time.Duration {
	values := l.state.Frontier.Best(now, nil)
	l.recordRefusals(now)
	if l.state.Frontier.Polled() {
		l.begin(event.Polled, now)
		l.record()
	}
	if len(values) == 0 {
		l.crew.permits.Decline()
		return now + noPermit
	}
	l.crew.permits.Want(values, l.state.Frontier.Shares())
	return event.Never
}

// noPermit is the time after which a partition tries again that had neither a page to hand out nor
// a permit to ask for one.
const noPermit = 100 * time.Millisecond

// mostOpen is the largest number of bytes that may wait for the disk, without the group
// that is being written.
const mostOpen = 64 << 20

// mayHandOut reports whether a harvester is idle and may get a task. When the disk is too
// slow for the bytes that wait for it, nothing is requested until it has caught up.
func (l *loop) mayHandOut(now time.Duration) bool {
	return l.crew.available() && (l.limits.mayFetch() || l.limits.mayBring()) && l.open.bytes < min(mostOpen, l.memory/16) &&
		(!l.weather.outage.On() || l.weather.mayProbe(now, l.crew.busy() == 0))
}

// fetchMore lets a harvester continue with the next page of its site, if there is one that
// may be fetched now.
func (l *loop) fetchMore(now time.Duration, m *member, s graph.Site) bool {
	if !l.limits.mayFetch() {
		return false
	}
	w, ok := l.state.Frontier.More(now, s)
	l.recordRefusals(now)
	if ok {
		l.assign(now, m, w)
	}
	return ok
}

// recordRefusals records the pages that the frontier has just refused to hand out.
func (l *loop) recordRefusals(now time.Duration) {
	for _, p := range l.state.Frontier.Refusals() {
		r := l.begin(event.Refused, now)
		r.Event.Page, r.Event.Bar = p, l.state.Frontier.Bar(p)
		if r.Event.Bar == event.NoBar { // it was fetched before, and counts as fetched
			r.Event.Bar = l.state.Barred(p)
		}
		l.record()
	}
}

// assign records a task and sends it to a harvester.
func (l *loop) assign(now time.Duration, m *member, w event.Task) {
	if w.Kind == event.Requisite {
		p, _ := l.state.Requisites.First(w.Site)
		w.Page = p.Number
	}
	r := l.begin(event.Took, now)
	r.Event.Task = w
	r.Facts.Clock = l.state.Frontier.Instant(w.Site)
	var conn connection
	if w.Kind != event.Resolve {
		conn = l.crew.connect(now, w.Site, m.served > 0)
		r.Facts.Address, r.Facts.Conn = l.state.Frontier.Addresses().Of(w.Site), conn.number
	}
	l.record()
	l.underWay.begin(w)
	t := l.newTask(w)
	t.who, t.conn = m, conn
	m.served++
	t.last = !l.crew.lines.Trusts(w.Site) || l.config.KeepAlive.Duration == 0 &&
		(w.Kind != event.Fetch || m.served >= l.overrides.PerConnection(l.state.Table.Name(w.Site)))
	m.url = t.url
	m.tasks <- t
}

// newTask returns a task with all that a harvester needs to do it.
func (l *loop) newTask(w event.Task) *task {
	t := l.tasks.get()
	t.work = w
	name := l.state.Table.Name(w.Site)
	switch w.Kind {
	case event.Resolve:
		t.host = string(page.Host(name))
		return t
	case event.Robots:
		t.url = string(name) + "/robots.txt"
		if h, ok := l.state.Robots.HopAt(w.For, w.Site); ok {
			t.url = h.URL
		}
	case event.Sitemap:
		t.url = l.state.Sitemaps.Files[w.Site][0]
	case event.Requisite:
		_, t.url = l.state.RequisiteURL(w.Site)
		t.maxBody = l.overrides.MaxBody(name)
	case event.Fetch:
		t.url = string(l.state.AppendURL(nil, w.Page))
		t.mark, t.whole = l.state.Visits.Mark(w.Page), l.state.Recalled(w.Page) || l.state.Revisits.Plain(w.Page)
	}
	// Only the recorded address: it is also the one whose rate is limited.
	if a := l.state.AddressOf(w.Site); a.IsValid() {
		t.addrs = append(t.addrs, a)
	}
	t.extra, t.times = l.overrides.Headers.Of(name), l.overrides.Times(name)
	if w.Kind == event.Fetch {
		t.htmlOnly, t.maxBody = l.overrides.HTMLOnly(name), l.overrides.MaxBody(name)
	}
	return t
}
