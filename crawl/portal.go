package crawl

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A captive portal answers in the place of all sites: it sends every request to its own
// host, or gives everybody the same page. What it says is not what the sites say.
//
// When several answers in a row are the same a portal is suspected, and a site that
// answered before is asked for its robots.txt (see trouble.Outage). If that answer is a
// page, or leads to the same host, we are cut off until another one comes, and what came
// since the first of the same answers is taken back. If it is a proper one, such answers
// are believed from then on; but when it came late, the portal may just have gone, and
// they are taken back as well.

// portal is the last answers that are the same, a fold of the records.
type portal struct {
	Same  string       // what they have in common: see sameness
	Run   int          // how many there were in a row
	Pages []graph.Page // whose answers they were
	Rules []graph.Site // whose robots.txt came meanwhile
	Last  time.Duration
}

// portalRun is how many equal answers in a row are suspect, portalPages how many of them can
// be taken back, portalPause the least time between two suspicions, portalLate the time
// after the last of them from which on another answer proves nothing.
const (
	portalRun   = 5
	portalPages = 1000
	portalPause = 5 * time.Minute
	portalLate  = time.Minute
)

// suspected reports whether something seems to answer in the place of all sites.
func (p *portal) suspected() bool { return p.Run >= portalRun }

// What answers of a portal have in common: the foreign host that they lead to, or their
// content.
const (
	leads = "leads to "
	says  = "says "
)

// note takes over an answer that was recorded.
func (p *portal) note(s *state, r *journal.Record) {
	e := &r.Event
	if e.Class.Failed() || e.Again {
		return
	}
	if e.Kind == event.Ruled {
		if p.Run > 0 && len(p.Rules) < portalPages {
			p.Rules = append(p.Rules, e.For)
		}
		return
	}
	if e.Kind == event.Done && s.ofPortal(s.f.Site(e.Page)) {
		return
	}
	same := s.sameness(r)
	if p.Same != same {
		*p = portal{Same: same, Pages: p.Pages[:0], Rules: p.Rules[:0]}
	}
	if same == "" {
		return
	}
	p.Run, p.Last = p.Run+1, e.End
	if len(p.Pages) < portalPages {
		p.Pages = append(p.Pages, e.Page)
	}
}

// sameness is what a page has in common with those of a portal, "" for one that no portal
// gives.
func (s *state) sameness(r *journal.Record) string {
	e := &r.Event
	switch {
	case e.Kind != event.Done || r.Facts.Status == notModified:
		return ""
	case e.Class == event.Redirect && len(e.Links) == 1:
		return s.leadsTo(s.f.Site(e.Page), s.seen.Name(s.f.Site(e.Links[0])))
	case e.Class == event.OK || e.Class == event.Duplicate:
		if d := r.Facts.Digest; d != [16]byte{} {
			return says + string(d[:])
		}
	}
	return ""
}

// leadsTo says that a site leads to another one, if that is of another domain.
func (s *state) leadsTo(from graph.Site, to []byte) string {
	host, home := page.Host(to), page.Host(s.seen.Name(from))
	if bytes.Equal(host, home) || page.Domain(host) == page.Domain(home) {
		return ""
	}
	return leads + string(host)
}

// ofPortal reports whether a site is the one to which the last answers lead: what it says
// itself proves nothing.
func (s *state) ofPortal(id graph.Site) bool {
	host, ok := strings.CutPrefix(s.portal.Same, leads)
	return ok && string(page.Host(s.seen.Name(id))) == host
}

// atPortal takes an answer that has come. It reports whether the answer seems to be a
// portal's, and whether that is certain enough for it to be none: it is that of a site that
// was asked whether there is one, or it is known that there is one.
func (o *owner) atPortal(now time.Duration, t *task) (like, none bool) {
	p := &o.s.portal
	if !p.suspected() || o.honest[p.Same] {
		return false, false
	}
	if o.asPortal(t) {
		if now >= o.portalAt && !o.outage.On() {
			o.portalAt = now + portalPause
			o.outage.Suspect()
		}
		return true, o.outage.On() || t.work.Kind == event.Robots
	}
	if o.outage.On() || now-p.Last > portalLate {
		o.takeBack(now)
	} else {
		o.honest[p.Same] = true
	}
	return false, false
}

// asPortal reports whether an answer is like the last ones. A robots.txt that is a page is
// like any.
func (o *owner) asPortal(t *task) bool {
	p, a := &o.s.portal, t.answer
	switch {
	case a.Class == event.Redirect:
		return o.redirects(t) == p.Same
	case t.work.Kind == event.Robots:
		return a.Class == event.OK && strings.Contains(a.Header.Get("Content-Type"), "html")
	}
	return a.Class == event.OK && p.Same == says+string(t.found.Digest[:])
}

// redirects is what a redirect has in common with those of a portal.
func (o *owner) redirects(t *task) string {
	if !o.resolves.Document([]byte(t.url)).Usable() {
		return ""
	}
	to, v := o.resolves.Resolve(nil, []byte(t.answer.Location))
	if !v.Usable() {
		return ""
	}
	site, _ := page.Site(to)
	return o.s.leadsTo(t.work.Site, site)
}

// takeBack gives pages another chance that a portal may have answered for, and lets
// robots.txt be asked for again that it may have answered for. It does so once: their
// answers bring it here again.
func (o *owner) takeBack(now time.Duration) {
	p := &o.s.portal
	if !p.suspected() || o.honest[p.Same] || o.takenBack == p.Last {
		return
	}
	o.takenBack = p.Last
	pages, rules := slices.Clone(p.Pages), slices.Clone(p.Rules)
	r := o.begin(event.Retried, now)
	for _, q := range pages {
		if o.s.f.State(q) == frontier.Fetched {
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
