package history

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// polite proves politeness from the records alone. It keeps its own clocks, made of what
// servers could see and were promised, and ignores the frontier, which made the decisions.
// A request to a site must meet these rules:
//
//   - It begins no sooner than the end of the last answer plus the largest of: the
//     configured delay for a site of its size, delay_factor times the time of that answer
//     up to delay_max, Crawl-delay, Retry-After. Back-off is voluntary, and not checked.
//   - http and https of one host, both at their usual port, are one server: they share
//     this clock.
//   - No other task is running at the site.
//   - The last answer is on disk.
//   - These do not hold for another request in a row over the same connection. Then there
//     must be no Crawl-delay and no Retry-After, the last answer was no failure of the
//     server, and the row has fewer than per_connection.
//   - A connection serves one site. It is not used again after keep_alive without a request,
//     after a request without an answer, or after a request to the other scheme of its host.
//   - Its IP address has fewer than ip_cap sites with a request or with an idle connection
//     that is used again later, and ip_delay has passed since the last answer from it.
//   - Its address is known. Unless it is for robots.txt itself, the rules of the site are
//     known, on disk, not expired, and allow the page.
//   - The deny list does not forbid it, nor, if it is for a sitemap file or a requisite, robots.txt
//     or the scope (verify_deny.go).
//   - After a restart the full delay has passed again, since the lost end of the last session may have made requests.
type polite struct {
	v     *verifier
	sites []siteWatch
	addrs []addressWatch
	kept  graph.Site // its connection may serve another page at once; NoSite: none
	conns uint32     // the highest number of a connection
	conf  *config.Config
	over  config.Overrides
	aims  aims // see verify_deny.go
}

// A siteWatch holds what the verifier knows about a site.
type siteWatch struct {
	due     time.Duration // no request before this instant
	crawl   time.Duration // Crawl-delay
	expiry  time.Duration // of its rules; 0 never
	took    time.Duration // instant at which the running task was handed out
	end     time.Duration // of the last answer
	since   time.Duration // instant of its record
	record  uint64        // number of its record
	ended   uint64        // group of its record
	ruled   uint64        // group of the record with its rules
	twin    graph.Site
	pages   uint32 // known
	address uint32
	conn    uint32 // of the last request
	row     uint32 // requests without a delay between them
	task    uint8  // kind of the running task, plus 1; 0: none
	stage   watchStage
	free    bool // the next request may follow at once in the same connection
}

// A watchStage records which facts about a site are known.
type watchStage uint8

const (
	knowsAddress watchStage = 1 << iota
	knowsRules
	givenUp // no more requests
)

func (w *polite) init(v *verifier) {
	w.v, w.kept, w.conf = v, graph.NoSite, v.conf()
	w.over = config.NewOverrides(w.conf)
	w.aims.scope = new(gather.Scope)
}

// before checks a record before it is applied.
func (w *polite) before(r *journal.Record) {
	e := &r.Event
	w.endKept(e)
	switch e.Kind {
	case event.Took:
		w.took(r)
	case event.Refused:
		if e.Bar == event.NoBar || e.Bar == event.BarRobots {
			w.refused(e.Page)
		}
	}
}

// after checks a record that was applied: new pages and sites have their names.
func (w *polite) after(r *journal.Record) {
	e := &r.Event
	for len(w.sites) < w.v.state.Table.Sites() {
		w.addSite()
	}
	for _, s := range e.New {
		w.sites[s].pages++
	}
	switch e.Kind {
	case event.Session:
		w.session(r.Now)
		w.setScope(r)
	case event.Denied:
		w.setDeny(r)
	case event.Resolved:
		w.resolved(e)
	case event.Retried:
		w.retried(e)
	case event.Ruled:
		if !w.v.state.IsForeign(e.Site) { // otherwise its partition has requested it
			w.answered(e.Site, e, event.Robots)
		}
		w.ruled(r)
	case event.Listed:
		w.answered(e.Site, e, event.Sitemap)
	case event.Brought:
		w.answered(e.Site, e, event.Requisite)
	case event.Done:
		s := w.v.state.Frontier.Site(e.Page)
		w.answered(s, e, event.Fetch)
		if w.sites[s].free {
			w.kept = s
		} else {
			w.leave(s)
		}
	}
}

// addSite adds the next site. It shares the clock of its twin.
func (w *polite) addSite() {
	id := graph.Site(len(w.sites))
	x := siteWatch{twin: w.v.state.Twin(id)}
	if x.twin < id {
		t := &w.sites[x.twin]
		t.twin, x.due = id, t.due
	} else {
		x.twin = graph.NoSite
	}
	w.sites = append(w.sites, x)
}

// session begins a session: running tasks are void, and every delay begins again.
func (w *polite) session(now time.Duration) {
	w.conf = w.v.conf()
	w.over = config.NewOverrides(w.conf)
	w.kept, w.conns = graph.NoSite, 0
	for i := range w.sites {
		x := &w.sites[i]
		x.due = max(x.due, now+max(w.delay(graph.Site(i)), w.crawlDelay(graph.Site(i))))
		x.task, x.free, x.conn = 0, false, 0
	}
	for i := range w.addrs {
		x := &w.addrs[i]
		x.begun = x.begun[:0]
		x.active, x.due = 0, max(x.due, now+w.conf.IPDelay.Duration)
	}
}

// delay returns the configured delay for a site of its size.
func (w *polite) delay(s graph.Site) time.Duration {
	if len(w.conf.Site) > 0 {
		if d, ok := w.over.Delay(w.v.state.Table.Name(s)); ok {
			return d
		}
	}
	if int(w.sites[s].pages) < w.conf.SmallSite {
		return w.conf.SmallDelay.Duration
	}
	return w.conf.Delay.Duration
}

// crawlDelay returns the Crawl-delay of the host.
func (w *polite) crawlDelay(s graph.Site) time.Duration {
	d := w.sites[s].crawl
	if t := w.sites[s].twin; t != graph.NoSite {
		d = max(d, w.sites[t].crawl)
	}
	return d
}

// demanded returns the time between an answer and the next request.
func (w *polite) demanded(s graph.Site, e *event.Event) time.Duration {
	d := max(w.delay(s), w.crawlDelay(s), e.Retry)
	if w.conf.DelayFactor > 0 {
		most := float64(w.conf.DelayMax.Duration)
		if most == 0 {
			most = math.MaxInt64 / 2
		}
		d = max(d, time.Duration(min(most, w.conf.DelayFactor*float64(e.End-e.Start))))
	}
	return d
}

// answered ends a request.
func (w *polite) answered(s graph.Site, e *event.Event, kind event.TaskKind) {
	x := &w.sites[s]
	if x.task != uint8(kind)+1 {
		w.v.found(FindEvent, s, graph.NoPage, "a %v task ended that was not running", kind)
	}
	switch now := w.v.rec.Now; {
	case e.Start < x.took, e.End < e.Start, e.End > now:
		w.v.found(FindClock, s, graph.NoPage, "handed out at %v, requested at %v, answered at %v, recorded at %v", x.took, e.Start, e.End, now)
	}
	due := e.End + w.demanded(s, e)
	x.due, x.task, x.end, x.since, x.record, x.ended = max(x.due, due), 0, e.End, w.v.rec.Now, w.v.rec.Seq, w.v.group
	x.free = kind == event.Fetch && e.Keep && e.Retry == 0 && w.crawlDelay(s) == 0 && !serversFault(e.Class)
	if t := x.twin; t != graph.NoSite {
		w.sites[t].due = max(w.sites[t].due, due)
	}
	if e.Class.Failed() && w.v.rec.Facts.Status == 0 {
		x.conn = 0 // closed: there was no answer
	}
	if kind != event.Fetch {
		w.leave(s)
	}
}

// serversFault reports whether a server failed, and needs a pause.
func serversFault(c event.Class) bool { return c >= event.ServerError && c <= event.Timeout }

// endKept closes a connection that was kept unless this record uses it.
func (w *polite) endKept(e *event.Event) {
	s := w.kept
	if s == graph.NoSite {
		return
	}
	switch {
	case e.Kind == event.Refused && int(e.Page) < w.v.state.Frontier.Pages() && w.v.state.Frontier.Site(e.Page) == s: // and looks for another
	case e.Kind == event.Needed && !needs(e, s): // what the page of the last answer needs elsewhere
	case e.Kind == event.Took && e.Site == s && w.v.rec.Facts.Conn == w.sites[s].conn:
		w.kept = graph.NoSite
	default:
		w.kept = graph.NoSite
		w.leave(s)
	}
}

// needs reports whether an event has requisites of a site that may be requested.
func needs(e *event.Event, s graph.Site) bool {
	for i, id := range e.Needs {
		if id == s && (len(e.Bars) == 0 || e.Bars[i] == event.NoBar) {
			return true
		}
	}
	return false
}

func (w *polite) resolved(e *event.Event) {
	x := &w.sites[e.Site]
	x.task = 0
	switch {
	case e.Again:
	case e.Class.Failed():
		x.stage |= givenUp
	default:
		x.stage |= knowsAddress
		x.address = e.Address
	}
}

// retried reopens the sites of pages that are to be retried.
func (w *polite) retried(e *event.Event) {
	for _, p := range e.Admit {
		x := &w.sites[w.v.state.Frontier.Site(p)]
		if x.stage&givenUp != 0 {
			x.stage = 0
		}
	}
}

// ruled sets the rules of a site.
func (w *polite) ruled(r *journal.Record) {
	e := &r.Event
	x := &w.sites[e.For]
	switch {
	case e.Hop:
	case e.Again:
		if x.stage&knowsRules != 0 { // the rules that it has stay in force
			x.expiry = max(1, e.Due)
		}
	case e.Class.Failed():
		x.stage |= givenUp
	default:
		x.stage |= knowsRules
		x.expiry, x.ruled = e.Expiry, w.v.group
		w.setCrawlDelay(r, x)
	}
}

// setCrawlDelay sets the Crawl-delay, which the rules contain, too. If they come from another
// site, this one was visited before the delay was known: it holds from now on.
func (w *polite) setCrawlDelay(r *journal.Record, x *siteWatch) {
	e := &r.Event
	if text, err := robots.Decode(r.Facts.Rules); err != nil || text.Delay() != e.Delay {
		w.v.found(FindRobots, e.For, graph.NoPage, "the rules have a Crawl-delay of %v, the event %v (%v)", text.Delay(), e.Delay, err)
	}
	x.crawl = e.Delay
	due := e.End + e.Delay
	x.due = max(x.due, due)
	if e.Site == e.For && x.twin != graph.NoSite {
		w.sites[x.twin].due = max(w.sites[x.twin].due, due)
	}
}

// refused checks that robots.txt forbids a page that was refused.
func (w *polite) refused(p graph.Page) {
	s := w.v.state
	if int(p) >= s.Frontier.Pages() {
		return // reported as an event that does not fit
	}
	if s.Allowed(p) {
		w.v.found(FindRobots, s.Frontier.Site(p), p, "it was skipped, but robots.txt allows it")
	}
}

// took checks a task that was handed out.
func (w *polite) took(r *journal.Record) {
	e := &r.Event
	if int(e.Site) >= len(w.sites) || e.Task.Kind > event.Requisite {
		return // reported as an event that does not fit
	}
	x := &w.sites[e.Site]
	w.alone(r, x)
	w.aimed(r)
	if e.Task.Kind != event.Resolve {
		w.request(r, x)
	}
	x.task, x.took = uint8(e.Task.Kind)+1, r.Now
}

// alone checks that no other task runs at the same server.
func (w *polite) alone(r *journal.Record, x *siteWatch) {
	e := &r.Event
	if x.task != 0 {
		w.v.found(FindAtOnce, e.Site, pageOf(e), "%v is handed out while %v is running", e.Task.Kind, event.TaskKind(x.task-1))
	}
	if x.twin == graph.NoSite || e.Task.Kind == event.Resolve {
		return
	}
	if t := &w.sites[x.twin]; t.task > uint8(event.Resolve)+1 {
		w.v.found(FindAtOnce, e.Site, pageOf(e), "%v is handed out while %v is running at %s", e.Task.Kind, event.TaskKind(t.task-1), w.v.state.Table.Name(x.twin))
	}
}

// pageOf returns the page of a task, NoPage if it has none.
func pageOf(e *event.Event) graph.Page {
	if e.Task.Kind == event.Fetch {
		return e.Page
	}
	return graph.NoPage
}

// request checks a request to a server.
func (w *polite) request(r *journal.Record, x *siteWatch) {
	w.connected(r, x)
	if x.free && x.conn == r.Facts.Conn {
		w.inRow(r, x)
	} else {
		w.waited(r, x)
		w.enter(r, x)
		x.conn, x.row = r.Facts.Conn, 0
	}
	x.row++
	if x.twin != graph.NoSite {
		w.sites[x.twin].conn = 0 // closed: a host has one connection
	}
	w.ready(r, x)
}

// waited checks the time since the last answer.
func (w *polite) waited(r *journal.Record, x *siteWatch) {
	e := &r.Event
	switch {
	case r.Now < x.due:
		w.v.found(FindGap, e.Site, pageOf(e), "requested at %v, %v after the last answer, which is %v too soon", r.Now, r.Now-x.end, x.due-r.Now)
	case r.Now < r.Facts.Clock:
		w.v.found(FindGap, e.Site, pageOf(e), "requested at %v, but its clock allowed it at %v", r.Now, r.Facts.Clock)
	}
	if x.end > 0 && x.ended == w.v.group {
		w.v.found(FindUncommitted, e.Site, pageOf(e), "requested before the answer of %v was on disk", x.end)
	}
}

// ready checks that address and rules are known.
func (w *polite) ready(r *journal.Record, x *siteWatch) {
	e := &r.Event
	if x.stage&knowsAddress == 0 && w.conf.Proxy == "" || x.stage&givenUp != 0 {
		w.v.found(FindAddress, e.Site, pageOf(e), "requested without an address, or after it was given up")
	}
	if e.Task.Kind == event.Robots || !w.conf.Robots {
		return
	}
	switch {
	case x.stage&knowsRules == 0:
		w.v.found(FindRobots, e.Site, pageOf(e), "requested before its robots.txt")
	case x.expiry > 0 && x.expiry <= r.Now:
		w.v.found(FindRobots, e.Site, pageOf(e), "requested after its robots.txt expired at %v", x.expiry)
	case x.ruled == w.v.group:
		w.v.found(FindUncommitted, e.Site, pageOf(e), "requested before its robots.txt was on disk")
	}
	if e.Task.Kind == event.Fetch && int(e.Page) < w.v.state.Frontier.Pages() && !w.v.state.Allowed(e.Page) {
		_, rest := page.Site(w.v.state.AppendURL(nil, e.Page))
		rule := w.v.state.Robots.Of(e.Site).Test(string(rest))
		w.v.found(FindRobots, e.Site, e.Page, "its robots.txt forbids it in line %d: %s", rule.Line, rule.Rule)
	}
}
