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
// host, or gives everybody the same page. Its answers say nothing about the sites.
//
// Several equal answers in a row raise the suspicion of a portal. Then a site that answered
// before is asked for its robots.txt (see trouble.Outage). If that answer is a page, or
// leads to the same host, we are cut off until another answer arrives, and all answers
// since the first of the equal ones are discarded. If it is a proper answer, answers like
// those are believed from then on. But if it arrived late, the portal may just have gone,
// and they are discarded as well.

// portal holds the last answers that are equal.
type portal struct {
	Same  string       // what they have in common: see sameness
	Run   int          // how many there were in a row
	Pages []graph.Page // whose answers they were
	Rules []graph.Site // whose robots.txt was fetched meanwhile
	Last  time.Duration
}

// portalRun is how many equal answers in a row are suspect, portalPages how many of them can
// be discarded, PortalPause the least time between two suspicions, PortalLate the time
// after the last of them from which on another answer proves nothing.
const (
	portalRun   = 5
	portalPages = 1000
	PortalPause = 5 * time.Minute
	PortalLate  = time.Minute
)

// What the answers of a portal have in common: the foreign host that they lead to, or their
// content.
const (
	leadsTo = "leads to "
	says    = "says "
)

// Suspected reports whether something seems to answer in the place of all sites.
func (p *portal) Suspected() bool { return p.Run >= portalRun }

// leads reports whether the last answers lead to one host.
func (p *portal) leads() bool { return strings.HasPrefix(p.Same, leadsTo) }

// Says reports whether the last answers had the content with a digest.
func (p *portal) Says(digest [16]byte) bool { return p.Same == says+string(digest[:]) }

// LeadsTo reports whether the last answers led to the host of a site, as an answer of the
// site home does.
func (p *portal) LeadsTo(home, site []byte) bool { return p.Same == away(home, site) }

// IsHost reports whether the last answers lead to a site: what that one says itself proves
// nothing.
func (p *portal) IsHost(site []byte) bool { return p.Same == leadsTo+string(page.Host(site)) }

// note takes an answer that was recorded.
func (p *portal) note(s *State, r *journal.Record) {
	e := &r.Event
	if e.Kind == event.Retried {
		p.Pages, p.Rules = nil, nil
	}
	if e.Class.Failed() || e.Again {
		return
	}
	same := ""
	switch e.Kind {
	case event.Ruled:
		if p.Run > 0 && len(p.Rules) < portalPages {
			p.Rules = append(p.Rules, e.For)
		}
		return
	case event.Listed:
	case event.Done:
		if p.IsHost(s.Table.Name(s.Frontier.Site(e.Page))) {
			return
		}
		same = sameness(s, r)
	default:
		return
	}
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

// sameness returns what a page has in common with those of a portal, "" for one that no
// portal gives.
func sameness(s *State, r *journal.Record) string {
	e := &r.Event
	switch {
	case r.Facts.Status == NotModified:
		return ""
	case e.Class == event.Redirect && len(e.Links) == 1:
		return away(s.Table.Name(s.Frontier.Site(e.Page)), s.Table.Name(s.Frontier.Site(e.Links[0])))
	case e.Class == event.OK || e.Class == event.Duplicate:
		if d := r.Facts.Digest; d != [16]byte{} {
			return says + string(d[:])
		}
	}
	return ""
}

// away returns what redirects from the site home to the host of another site have in
// common, "" if both are of one domain.
func away(home, site []byte) string {
	from, to := page.Host(home), page.Host(site)
	if bytes.Equal(from, to) || page.Domain(from) == page.Domain(to) {
		return ""
	}
	return leadsTo + string(to)
}
