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
)

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
		w.takeBack(now)
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

// takeBack gives another chance to the pages that a portal may have answered for, and
// requests their robots.txt again. It does so once for each answer of the portal.
func (w *weather) takeBack(now time.Duration) {
	p := &w.state.Portal
	if !p.Suspected() || w.honest[p.Same] || w.takenBack == p.Last {
		return
	}
	w.takenBack = p.Last
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

// silence turns the answer of a portal into no answer: it is not kept, and does not count
// against its site.
func silence(t *task) {
	a := t.answer
	a.Class, a.Status, a.Note, a.RetryAfter, a.Keep = event.ConnectError, 0, "something else answered in the place of the site", 0, false
	f := &t.found
	f.Records.Bytes, f.Records.Main = f.Records.Bytes[:0], 0
	f.Class, f.Note = a.Class, a.Note
	t.hop = ""
}
