package crawl

import (
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
)

// atPortal takes an answer that has come. It reports whether the answer seems to be a
// portal's, and whether that is certain enough for it to be none: it is that of a site that
// was asked whether there is one, or it is known that there is one.
func (o *owner) atPortal(now time.Duration, t *task) (like, none bool) {
	p := &o.s.Portal
	if !p.Suspected() || o.honest[p.Same] {
		return false, false
	}
	if o.asPortal(t) {
		if now >= o.portalAt && !o.outage.On() {
			o.portalAt = now + state.PortalPause
			o.outage.Suspect()
		}
		return true, o.outage.On() || t.work.Kind == event.Robots
	}
	if o.outage.On() || now-p.Last > state.PortalLate {
		o.takeBack(now)
	} else {
		o.honest[p.Same] = true
	}
	return false, false
}

// asPortal reports whether an answer is like the last ones. A robots.txt that is a page is
// like any.
func (o *owner) asPortal(t *task) bool {
	p, a := &o.s.Portal, t.answer
	switch {
	case a.Class == event.Redirect:
		return o.redirects(t)
	case t.work.Kind == event.Robots:
		return a.Class == event.OK && strings.Contains(a.Header.Get("Content-Type"), "html")
	}
	return a.Class == event.OK && p.Says(t.found.Digest)
}

// redirects reports whether a redirect leads where the last ones did.
func (o *owner) redirects(t *task) bool {
	if !o.resolves.Document([]byte(t.url)).Usable() {
		return false
	}
	to, v := o.resolves.Resolve(nil, []byte(t.answer.Location))
	if !v.Usable() {
		return false
	}
	site, _ := page.Site(to)
	return o.s.Portal.LeadsTo(o.s.Table.Name(t.work.Site), site)
}

// takeBack gives pages another chance that a portal may have answered for, and lets
// robots.txt be asked for again that it may have answered for. It does so once: their
// answers bring it here again.
func (o *owner) takeBack(now time.Duration) {
	p := &o.s.Portal
	if !p.Suspected() || o.honest[p.Same] || o.takenBack == p.Last {
		return
	}
	o.takenBack = p.Last
	pages, rules := slices.Clone(p.Pages), slices.Clone(p.Rules)
	r := o.begin(event.Retried, now)
	for _, q := range pages {
		if o.s.Frontier.State(q) == frontier.Fetched {
			r.Event.Admit = append(r.Event.Admit, q)
			o.fetched--
		}
	}
	if len(r.Event.Admit) > 0 {
		o.record()
	}
	for _, s := range rules {
		if o.mayAsk(s) {
			r := o.begin(event.Probed, now)
			r.Event.Site = s
			o.record()
		}
	}
}

// silence makes an answer of a portal none: it counts against nobody and is not kept.
func silence(t *task) {
	a := t.answer
	a.Class, a.Status, a.Note, a.RetryAfter, a.Keep = event.ConnectError, 0, "something else answered in the place of the site", 0, false
	f := &t.found
	f.Records.Bytes, f.Records.Main = f.Records.Bytes[:0], 0
	f.Class, f.Note = a.Class, a.Note
	t.hop = ""
}
