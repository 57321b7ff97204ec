package answer

import (
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
)

// Streams of the hostile half. Renumbering them changes every hostile web.
const (
	streamDown = iota + 128
	streamStorm
	streamErrors
	streamLater     // which directory robots.txt forbids later on
	streamEndless   // whether robots.txt has no end
	streamLoop      // directly or not
	streamChain     // across sites or not, and which
	streamCoding    // how it is broken
	streamLabel     // which wrong charset
	streamSame      // copies on the same site
	streamElsewhere // copies on another site
	streamNear      // near copies
	streamMirror    // mirrored or not; by page: with another text or not
	streamDoor      // which pages link to the traps of their site
	streamTrap      // by kind of trap: whether the site has it
	streamTrapStyle // by kind of trap: how it looks
	streamTrapText
	streamSession
	streamBeside // whether a link has one to a copy beside it
	streamEvil   // titles that are written to harm
)

// A Down is a way of being down.
type Down uint8

const (
	Up      Down = iota
	Refused      // refuses connections
	Silent       // never takes a connection
)

var downNames = [...]string{"", "refused", "silent"}

// down reports whether a site takes connections.
func (r *servers) down(s *fakeweb.Site) Down {
	if s.ID == 0 {
		return Up
	}
	return Down(pick(r.downs, r.draw(s, streamDown, 0)))
}

// reachable reports whether a site has an address that takes connections.
func (r *servers) reachable(s *fakeweb.Site) bool {
	c := r.dnsClass(s)
	return c != dnsMissing && c != dnsFailing && r.down(s) == Up
}

// errorShare of 256 pages of a site with fast errors answer 500.
const errorShare = 230

// fastErrors reports whether a site answers 500 at once for most pages.
func (r *servers) fastErrors(s *fakeweb.Site) bool {
	return s.ID != 0 && r.meets(r.opt.Servers.Errors, s, streamErrors, 0)
}

// A Storm is a time in which a site answers 429 or 503 to everything but robots.txt. Each
// site has one at most.
type Storm struct {
	After      int           // it begins with this request to the site, robots.txt not counted
	For        time.Duration // since that request
	Status     int
	RetryAfter bool // says how long it takes
}

// storm returns the storm of a site; After is 0 if it has none.
func (r *servers) storm(s *fakeweb.Site) Storm {
	if s.ID == 0 || !r.meets(r.opt.Servers.Storm, s, streamStorm, 0) {
		return Storm{}
	}
	h := r.draw(s, streamStorm, 1)
	return Storm{
		After: 1 + int(draw.Below(h, uint64(r.opt.Servers.StormAfter))), For: r.opt.Servers.StormFor,
		Status: [...]int{503, 429}[h&1], RetryAfter: h&2 != 0,
	}
}

// sound reports whether a crawl can fetch the pages of a site.
func (r *servers) sound(s *fakeweb.Site) bool {
	return r.reachable(s) && !r.fastErrors(s)
}

// loopsDirectly reports whether a page that redirects to itself does so without a second
// URL.
func (r *pageRules) loopsDirectly(s *fakeweb.Site, j uint32) bool {
	return r.draw(s, streamLoop, uint64(j))&1 == 0
}

// hopSite returns where step n of the chain of page j stands: on its own site, or each on
// another.
func (r *pageRules) hopSite(s *fakeweb.Site, j uint32, n int) fakeweb.Site {
	if r.draw(s, streamChain, uint64(j))&1 == 0 {
		return *s
	}
	h := r.draw(s, streamChain, draw.Pair(j, uint32(n)))
	return r.web.Site(siteBelow(h, r.web.Sites()))
}

// robotsEndless reports whether robots.txt has no end.
func (r *robotsRules) robotsEndless(s *fakeweb.Site) bool {
	return r.meets(r.opt.Robots.Endless, s, streamEndless, 0)
}

// crowdLink is the length of a link of a crowded page, in bytes.
const crowdLink = len(`<a href=/c/0000000>x</a> `)

func (r *pageRules) crowdSize() int { return crowdLink*r.opt.CrowdLinks + len(crowdHead) + len(footer) }

const crowdHead = "<!DOCTYPE html>\n<title>All of them</title>\n<p>"
