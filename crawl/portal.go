package crawl

import (
	"bytes"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// A captive portal answers in the place of all sites: it sends every request to its own
// host, or gives everybody the same page. What it says is not what the sites say.
//
// portal watches the answers in the order in which they come. When several in a row are
// the same it suspects one: from then on such answers count as none, so that the outage
// asks a site which answered before. If that one gets the same answer, we are cut off, and
// what came since the first of them is taken back; if not, this answer is never suspected
// again.
type portal struct {
	same   string       // what the last answers have in common: see sameness
	run    int          // how many there were in a row
	pages  []graph.Page // whose answers they were
	rules  []graph.Site // whose robots.txt they were
	honest map[string]bool

	resolver page.Resolver
}

// portalRun is how many equal answers in a row are suspect, maxHonest how many kinds of
// them are remembered as proper.
const (
	portalRun = 5
	maxHonest = 1000
)

// htmlRobots is the sameness of a robots.txt that is a page: it goes with any other.
const htmlRobots = "a page"

// suspected reports whether something seems to answer in the place of all sites.
func (p *portal) suspected() bool { return p.run >= portalRun }

// sameness is what an answer has in common with those of a portal: the foreign host that
// it leads to, or its content. It is "" for an answer that no portal gives.
func (o *owner) sameness(t *task) string {
	switch a := t.answer; {
	case a.Class == policy.Redirect:
		return o.leadsTo(t)
	case t.work.Kind == frontier.Fetch && a.Class == policy.OK && !t.found.Digest.IsZero():
		return "is " + string(t.found.Digest[:])
	case t.work.Kind == frontier.Robots && a.Class == policy.OK && strings.Contains(a.Header.Get("Content-Type"), "html"):
		return htmlRobots
	}
	return ""
}

// leadsTo is the host to which a redirect leads, if it belongs to another domain.
func (o *owner) leadsTo(t *task) string {
	r := &o.portal.resolver
	if !r.Document([]byte(t.url)).Usable() {
		return ""
	}
	to, v := r.Resolve(nil, []byte(t.answer.Location))
	if !v.Usable() {
		return ""
	}
	site, _ := page.Site(to)
	host, home := page.Host(site), page.Host(o.s.seen.Name(t.work.Site))
	if bytes.Equal(host, home) || page.Domain(host) == page.Domain(home) {
		return ""
	}
	return leads + string(host)
}

const leads = "leads to "

// ofPortal reports whether a site is the one to which the last answers lead: what it says
// itself proves nothing.
func (o *owner) ofPortal(s graph.Site) bool {
	host, ok := strings.CutPrefix(o.portal.same, leads)
	return ok && string(page.Host(o.s.seen.Name(s))) == host
}

// atPortal takes an answer, and reports whether it seems to come from a portal.
func (o *owner) atPortal(t *task) bool {
	p := &o.portal
	same := o.sameness(t)
	switch {
	case same == htmlRobots && p.run > 0:
		same = p.same
	case same == "" || same == htmlRobots || p.honest[same] || p.run > 0 && p.same != same:
		o.clearPortal()
	}
	if same == "" || same == htmlRobots || p.honest[same] {
		return false
	}
	p.same = same
	if p.run++; p.suspected() {
		return true
	}
	if t.work.Kind == frontier.Fetch {
		p.pages = append(p.pages, t.work.Page)
	} else {
		p.rules = append(p.rules, t.work.For)
	}
	return false
}

// clearPortal ends a suspicion: another answer has come. If a doubt was cleared by it, the
// answers before were proper, however equal.
func (o *owner) clearPortal() {
	p := &o.portal
	if p.suspected() && !o.outage.On() && len(p.honest) < maxHonest {
		if p.honest == nil {
			p.honest = map[string]bool{}
		}
		p.honest[p.same] = true
	}
	p.same, p.run, p.pages, p.rules = "", 0, p.pages[:0], p.rules[:0]
}

// takeBack gives pages another chance that a portal answered for, and lets robots.txt be
// asked for again that it answered for.
func (o *owner) takeBack(now time.Duration) {
	p := &o.portal
	if !p.suspected() {
		return
	}
	r := o.begin(frontier.Retried, now)
	for _, q := range p.pages {
		if o.s.f.State(q) == frontier.Fetched {
			r.Event.Admit = append(r.Event.Admit, q)
			o.fetched--
		}
	}
	if len(r.Event.Admit) > 0 {
		o.record()
	}
	for _, s := range p.rules {
		if o.s.f.CanProbe(s) {
			r := o.begin(frontier.Probed, now)
			r.Event.Site = s
			o.record()
		}
	}
	p.pages, p.rules = p.pages[:0], p.rules[:0]
}

// silence makes an answer of a portal none: it counts against nobody and is not kept.
func silence(t *task) {
	a := t.answer
	a.Class, a.Status, a.Note, a.RetryAfter, a.Keep = policy.ConnectError, 0, "something else answered in the place of the site", 0, false
	f := &t.found
	f.Records.Bytes, f.Records.Main = f.Records.Bytes[:0], 0
	f.Class, f.Note = a.Class, a.Note
	t.hop = ""
}
