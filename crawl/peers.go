package crawl

import (
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/journal"
)

// askPages asks for pages of a common limit when there are none left, and grants them if this is the
// coordinator. When the limit is a new one, what was not fetched of the old one goes back.
func (l *loop) askPages(now time.Duration) {
	b, limit := &l.state.Budget, l.config.Pages
	if l.port == nil || limit == 0 || l.limits.stopped() {
		return
	}
	switch {
	case b.Limit != limit:
		l.wantPages(now, b.Allowed-l.limits.used(), true)
	case l.starves() && !b.Waits:
		l.wantPages(now, 0, true)
	}
	if b.Purse == nil {
		return
	}
	for {
		part, pages := b.Purse.Next(limit)
		if pages == 0 {
			return
		}
		e := &l.begin(event.Granted, now).Event
		e.Part, e.Pages = uint16(part), pages
		l.record()
	}
}

// wantPages gives back pages of the common limit, and asks for others.
func (l *loop) wantPages(now time.Duration, back int64, more bool) {
	e := &l.begin(event.Wanted, now).Event
	e.Pages, e.Limit, e.Again = back, l.config.Pages, more
	l.record()
}

// returnPages gives back what the partition may fetch of a common limit and does not need. If only
// sites are left that cannot be reached, it keeps one page, to try them. It reports whether there was
// something.
func (l *loop) returnPages(now time.Duration) bool {
	b, keep := &l.state.Budget, int64(0)
	if l.weather.quiet != 0 {
		keep = 1
	}
	back := b.Allowed - l.fetched - keep
	if l.config.Pages == 0 || b.Limit != l.config.Pages || back <= 0 || l.limits.stopped() {
		return false
	}
	l.wantPages(now, back, false)
	return true
}

// converse takes the messages of other partitions, makes messages for them when it is time, and
// sends those whose records are on disk.
func (l *loop) converse(now time.Duration) {
	d := l.desk
	if d == nil {
		return
	}
	d.Receive(func() bool { return !l.limits.ceiling.full() }, func(m *exchange.Message) {
		r := l.begin(event.Linked, now)
		l.state.Link(r, m)
		l.record()
		d.Note(&r.Event.Exchange, true, l.nextCommit())
		l.holdTold()
		l.admission.admitNearer(now)
		state.Asks(m.Notes, func(x *state.Ask) {
			if l.state.Ask(l.begin(event.Asked, now), x) {
				l.record()
				l.holdTold()
			}
		}, func(x *state.Rules) { l.outcomes.told(now, x) }, func(x *state.PartAsk) {
			if l.config.Requisites && l.state.NeedFor(l.begin(event.Needed, now), x) {
				l.record()
				l.holdTold()
			}
		})
	})
	if !l.limits.stopped() {
		d.Tell(now, l.crew.busy() == 0, func(x event.Exchange) {
			r := l.begin(event.Sent, now)
			e := &r.Event
			e.Part, e.Message, e.Acked, e.Most = x.Part, x.Message, x.Acked, x.Most
			l.record()
			d.Note(&x, false, l.nextCommit())
		})
	}
	d.Send(now, l.commits)
}

// holdTold holds the sites that the last record has made known.
func (w *recorder) holdTold() {
	for _, s := range w.state.Frontier.Told() {
		w.hold(s)
	}
}

// nextCommit returns the number of the commit that will have the last record.
func (w *recorder) nextCommit() int64 {
	if w.busy {
		return w.commits + 2
	}
	return w.commits + 1
}

// hear obeys what all partitions are told: to stop, or to admit what gets its chance at the end of
// a crawl.
func (l *loop) hear(now time.Duration) error {
	if l.port == nil {
		return nil
	}
	w := l.port.Coordinator.Hear()
	if w.Stop != "" {
		l.limits.stop(now, w.Stop)
	}
	relent := w.Relent > l.heard.Relent && !l.limits.stopped()
	if l.heard = w; !relent {
		return nil
	}
	more, err := l.admission.last(now)
	if more {
		l.weather.quiet = 0
	}
	return err
}

// say tells the other partitions how this one stands. It reports whether the session ends: it was
// told to stop, and nothing is under way.
func (l *loop) say(ask time.Duration) (end bool) {
	rests := l.crew.busy() == 0 && l.committed()
	down := l.weather.quiet != 0
	if !down {
		l.hopeless = false
	}
	sent, applied := l.desk.Counters()
	r := port.Report{
		Sent: sent, Applied: applied,
		Fetched: l.fetched, Known: l.meter.status.Known, Bytes: l.state.Bytes, SinceHot: l.state.Frontier.Topical().SinceHot(), Work: l.state.Next, Heard: l.heard,
		Idle: rests && (ask == event.Never || down) && !l.crew.short && !l.weather.outage.On() && !l.starves() && !l.desk.Owes() && !l.limits.stopped(),
		Down: down, Hopeless: l.hopeless, Brings: l.config.Requisites && (l.state.Requisites.Left() > 0 || l.desk.Owes()),
	}
	if why := l.limits.stopping; why != whyReload && why != whyCommand {
		r.Stop = why
	}
	if r.Idle && l.returnPages(l.now()) {
		r.Idle = false // until that is told
	}
	l.port.Coordinator.Say(r)
	return rests && l.limits.stopped()
}

// starves reports whether there are pages to fetch, and other partitions have all that may still
// be fetched.
func (l *loop) starves() bool {
	return l.config.Pages > 0 && l.limits.used() >= l.limits.most() && l.state.Frontier.Counts().Queued > 0
}

// ruledFor records the robots.txt of a site of another partition, which moved to one of this.
func (o *outcomes) ruledFor(r *journal.Record, t *task, class robots.Class, again time.Duration) {
	switch class {
	case robots.Found:
		rule(r, t.rules, again)
		r.Facts.Files = append(r.Facts.Files, t.sitemaps...)
	case robots.Moved:
		r.Event.Class, r.Facts.Hop = event.Redirect, t.hop
	case robots.Unavailable:
		rule(r, robots.Rules{}, again)
	default:
		r.Event.Class = event.ServerError
		o.retrySite(r, again)
	}
	o.record()
}

// told records the robots.txt of a site that moved to one of another partition, which has requested
// it.
func (o *outcomes) told(now time.Duration, x *state.Rules) {
	id, known := o.state.Table.LookupSite(o.state.Key.Site([]byte(x.Site)), []byte(x.Site))
	to, waits := o.state.Frontier.Asks(id)
	if !known || !waits {
		return // it was closed meanwhile
	}
	var rules robots.Rules
	if !x.Again && x.Hop == "" {
		var err error
		if rules, err = robots.Decode(x.Rules); err != nil {
			x.Again, x.Wait = true, time.Hour // a partition of another version
		}
	}
	r := o.begin(event.Ruled, now)
	e := &r.Event
	e.Site, e.For, e.Start, e.End, e.Class = to, id, now, now, x.Class
	r.Facts.Status, r.Facts.Note = x.Status, x.Note
	var others []string
	switch {
	case x.Again: // that partition does not know how often it has failed
		status := int(x.Status)
		if x.Class == event.ServerError && status == 0 { // it was not requested
			status = http.StatusServiceUnavailable
		}
		_, again := o.state.Robots.Judge(o.robots, robots.Response{Status: status}, id, now)
		o.retrySite(r, max(x.Wait, again))
	case x.Hop != "":
		o.hopTo(r, x.Hop)
	default:
		rule(r, rules, x.Wait)
		if o.readsSitemaps(id) {
			others = o.nameFilesOf(r, id, x.Files, rules)
		}
	}
	moves := e.Hop
	if o.record(); !moves {
		o.hold(id)
	}
	for _, url := range others {
		o.admission.nameFile(now, url)
	}
}
