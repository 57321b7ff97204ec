package state

import (
	"bytes"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
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
	PortalPause = 5 * time.Minute
	PortalLate  = time.Minute
)

// Suspected reports whether something seems to answer in the place of all sites.
func (p *portal) Suspected() bool { return p.Run >= portalRun }

// What answers of a portal have in common: the foreign host that they lead to, or their
// content.
const (
	leads = "leads to "
	Says  = "says "
)

// note takes over an answer that was recorded.
func (p *portal) note(s *State, r *journal.Record) {
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
	if e.Kind == event.Done && s.OfPortal(s.Frontier.Site(e.Page)) {
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
func (s *State) sameness(r *journal.Record) string {
	e := &r.Event
	switch {
	case e.Kind != event.Done || r.Facts.Status == NotModified:
		return ""
	case e.Class == event.Redirect && len(e.Links) == 1:
		return s.LeadsTo(s.Frontier.Site(e.Page), s.Table.Name(s.Frontier.Site(e.Links[0])))
	case e.Class == event.OK || e.Class == event.Duplicate:
		if d := r.Facts.Digest; d != [16]byte{} {
			return Says + string(d[:])
		}
	}
	return ""
}

// LeadsTo says that a site leads to another one, if that is of another domain.
func (s *State) LeadsTo(from graph.Site, to []byte) string {
	host, home := page.Host(to), page.Host(s.Table.Name(from))
	if bytes.Equal(host, home) || page.Domain(host) == page.Domain(home) {
		return ""
	}
	return leads + string(host)
}

// OfPortal reports whether a site is the one to which the last answers lead: what it says
// itself proves nothing.
func (s *State) OfPortal(id graph.Site) bool {
	host, ok := strings.CutPrefix(s.Portal.Same, leads)
	return ok && string(page.Host(s.Table.Name(id))) == host
}
