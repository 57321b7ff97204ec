package crawl

import (
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/trouble"
)

// weather watches whether the crawler itself is cut off: nothing answers any more, or a
// portal answers in the place of every site.
type weather struct {
	*session
	outage       trouble.Outage
	witness      graph.Site // the site that was last requested to see whether we are cut off
	witnessSince time.Duration
	quiet        time.Duration   // since when no site is left that answers; 0: there is one
	searched     bool            // refused pages were judged again since then
	hopeAt       time.Duration   // when to look again
	heard        bool            // some server has answered, be it with an error
	honest       map[string]bool // answers that many pages give, but no portal: see atPortal
	portalAt     time.Duration   // when a portal may be suspected again
	discarded    time.Duration   // instant of the last portal answer that was discarded
	resolver     page.Resolver
}

// note records an attempt that ended. A name that was found proves nothing: it may come
// from a cache, or from a resolver that lies. Nor does a kept connection that was dropped.
func (w *weather) note(now time.Duration, t *task) {
	if t.answer == nil && t.class == event.OK || t.answer != nil && t.answer.Stale || w.state.Portal.IsHost(w.state.Table.Name(t.work.Site)) {
		return
	}
	answered := t.answer != nil && t.answer.Status != 0
	w.heard = w.heard || answered
	if answered {
		like, none := w.atPortal(now, t)
		switch {
		case none:
			answered = false
			silence(t)
		case like:
			return // the answer of the witness decides
		case t.work.Kind != event.Robots && !trouble.Passes(t.answer.Class): // a site may have nothing but a robots.txt
			w.quiet = 0
		}
	}
	if w.outage.Note(now, t.work.Site, answered) {
		w.discardPortal(now)
		w.log.Warn("nothing can be reached any more, not even sites that answered before; the crawl waits until one of them does")
	}
}

// doubt requests the robots.txt of a site that keeps failing, to see whether anything
// answers there.
func (w *weather) doubt(now time.Duration, s graph.Site) {
	if !w.outage.On() && trouble.Doubt(w.state.Frontier.Failures(s)) && w.mayProbeSite(s) {
		w.recordSite(event.Probed, now, s)
	}
}

// mayProbeSite reports whether the robots.txt of a site may be requested out of turn.
func (w *weather) mayProbeSite(s graph.Site) bool {
	return w.state.Frontier.CanProbe(s) && !w.scope.DeniesSite(w.state.Table.Name(s))
}

// requestWitness requests the robots.txt of a site that answered before, when we may be cut
// off. The request waits for the clock of the site.
func (w *weather) requestWitness(now time.Duration) {
	if s, ok := w.outage.Witness(now, w.mayProbeSite); ok {
		w.recordSite(event.Probed, now, s)
		w.witness, w.witnessSince = s, now
	}
}

// witnessPatience is the time to wait for a witness that cannot be requested.
const witnessPatience = 10 * time.Minute

// mayProbe reports whether the next task, while we are cut off, is a request to a witness:
// the harvesters are idle, and its instant has come.
func (w *weather) mayProbe(now time.Duration, idle bool) bool {
	if now-w.witnessSince > witnessPatience {
		w.outage.Forget()
	}
	return idle && w.outage.Pending() && w.state.Frontier.Instant(w.witness) <= now
}

// probeAt returns the instant of the next request to a witness.
func (w *weather) probeAt(now time.Duration, idle bool) time.Duration {
	if idle && w.outage.On() && w.outage.Pending() {
		return max(w.state.Frontier.Instant(w.witness), now+time.Second) // it may be held a moment longer
	}
	return w.outage.Wake()
}

const (
	// hopeEvery is the time between two searches for a site that answers.
	hopeEvery = 10 * time.Second
	// firstPatience is the time after which a crawl without any answer gives up. One with
	// answers but without a page has earlyPatience: a server may demand a pause.
	firstPatience = time.Minute
	earlyPatience = 5 * time.Minute
	// partPatience is the time after which a crawl gives up that has fetched its pages, and has
	// only requisites left.
	partPatience = 2 * time.Minute
	// firstRetry is the longest time until the next attempt at a robots.txt before there is
	// a page, where no server answers.
	firstRetry = firstPatience / 4
)

// An outlook says what is left to do.
type outlook int

const (
	bright   outlook = iota // sites answer, or it was not time to look
	bleak                   // only sites are left that cannot be reached; said once
	hopeless                // the same, for the time of --patience
)

// look looks for a site that answers and has something left to do. It says bleak at the
// second look without one: then no page of such a site is under way, either.
func (w *weather) look(now time.Duration) outlook {
	if now < w.hopeAt {
		return bright
	}
	patience := w.config.Patience.Duration
	f := w.state.Frontier
	n := f.Counts()
	asked := 0 // by other partitions, for a robots.txt
	if w.port != nil {
		asked = n.Hops
	}
	switch {
	case w.fetched > 0 && n.Queued+n.Due+asked == 0 && !w.outage.On():
		patience = min(patience, partPatience)
	case w.fetched > 0:
	case w.heard:
		patience = min(patience, earlyPatience)
	default:
		patience = min(patience, firstPatience)
	}
	w.hopeAt = now + min(hopeEvery, patience/8)
	switch {
	case !w.outage.On() && f.Hopeful(), n.Queued+n.Due+n.Requisites+asked == 0:
		w.quiet = 0
	case w.quiet == 0:
		w.quiet, w.searched = max(now, 1), false
	case !w.searched && !w.outage.On():
		w.searched = true
		return bleak
	case now-w.quiet >= patience:
		return hopeless
	}
	return bright
}

// atPortal reports whether an answer looks like that of a portal, and whether that is
// certain enough to discard it: the portal is known, or the answer is that of a witness.
func (w *weather) atPortal(now time.Duration, t *task) (like, none bool) {
	p := &w.state.Portal
	if !p.Suspected() || w.honest[p.Same] {
		return false, false
	}
	if w.asPortal(t) {
		if now >= w.portalAt && !w.outage.On() {
			w.portalAt = now + state.PortalPause
			w.outage.Suspect()
		}
		return true, w.outage.On() || t.work.Kind == event.Robots
	}
	if w.outage.On() || now-p.Last > state.PortalLate {
		w.discardPortal(now)
	} else {
		w.honest[p.Same] = true
	}
	return false, false
}

// asPortal reports whether an answer is like the last ones. A robots.txt that is an HTML
// page is like any of them.
func (w *weather) asPortal(t *task) bool {
	p, a := &w.state.Portal, t.answer
	switch {
	case a.Class == event.Redirect:
		return w.redirects(t)
	case t.work.Kind == event.Robots:
		return a.Class == event.OK && strings.Contains(a.Header.Get("Content-Type"), "html")
	}
	return a.Class == event.OK && p.Says(t.found.Digest)
}

// redirects reports whether a redirect leads where those of a portal do.
func (w *weather) redirects(t *task) bool {
	to := gather.RedirectTarget(&w.resolver, t.url, t.answer)
	if to == "" {
		return false
	}
	site, _ := page.Site([]byte(to))
	return w.state.Portal.LeadsTo(w.state.Table.Name(t.work.Site), site)
}

// discardPortal retries the pages that a portal may have answered for, and requests their
// robots.txt again. It does so once for each answer of the portal.
func (w *weather) discardPortal(now time.Duration) {
	p := &w.state.Portal
	if !p.Suspected() || w.honest[p.Same] || w.discarded == p.Last {
		return
	}
	w.discarded = p.Last
	pages, rules := slices.Clone(p.Pages), slices.Clone(p.Rules)
	r := w.begin(event.Retried, now)
	for _, q := range pages {
		if w.state.Frontier.State(q) == frontier.Fetched {
			r.Event.Admit = append(r.Event.Admit, q)
			w.fetched--
		}
	}
	if len(r.Event.Admit) > 0 {
		w.record()
	}
	for _, s := range rules {
		if w.mayProbeSite(s) {
			w.recordSite(event.Probed, now, s)
		}
	}
}

// silence turns the answer of a portal into a missing one: it is not stored, and does not
// count against its site.
func silence(t *task) {
	a := t.answer
	a.Class, a.Status, a.Note, a.Cause, a.RetryAfter, a.Keep = event.ConnectError, 0, "something else answered in the place of the site", event.NoCause, 0, false
	f := &t.found
	f.Records.Bytes, f.Records.Main = f.Records.Bytes[:0], 0
	f.Class, f.Note = a.Class, a.Note
	t.hop = ""
}
