package fakeweb

import (
	"net/netip"
	"time"
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

// Ways of being down.
type down uint8

const (
	up down = iota
	refused
	silent
)

var downNames = [...]string{"", "refused", "silent"}

// down tells whether a site takes connections.
func (r *servers) down(s *site) down {
	if s.id == 0 {
		return up
	}
	return down(pick(r.downs, r.draw(s, streamDown, 0)))
}

// Sites that are down have addresses of their own, far from those that are listened on.
var (
	refusedNet = netip.AddrFrom4([4]byte{127, 255, 0, 0})
	silentAddr = netip.AddrFrom4([4]byte{127, 254, 0, 1})
)

// reachable tells whether a site has an address that takes connections.
func (r *servers) reachable(s *site) bool {
	c := r.dnsClass(s)
	return c != dnsMissing && c != dnsFailing && r.down(s) == up
}

// errorShare of 256 pages of a site with fast errors answer 500.
const errorShare = 230

// fastErrors tells whether a site answers 500 at once for most pages.
func (r *servers) fastErrors(s *site) bool {
	return s.id != 0 && r.meets(r.opt.Servers.Errors, s, streamErrors, 0)
}

// A Storm is a time in which a site answers 429 or 503 to everything but robots.txt. Each
// site has one at most.
type Storm struct {
	After      int           // it begins with this request to the site, robots.txt not counted
	For        time.Duration // since that request
	Status     int
	RetryAfter bool // says how long it takes
}

// storm is that of a site; After is 0 for none.
func (r *servers) storm(s *site) Storm {
	if s.id == 0 || !r.meets(r.opt.Servers.Storm, s, streamStorm, 0) {
		return Storm{}
	}
	h := r.draw(s, streamStorm, 1)
	return Storm{
		After: 1 + int(below(h, uint64(r.opt.Servers.StormAfter))), For: r.opt.Servers.StormFor,
		Status: [...]int{503, 429}[h&1], RetryAfter: h&2 != 0,
	}
}

// sound tells whether a crawl can have the pages of a site.
func (r *servers) sound(s *site) bool {
	return r.reachable(s) && !r.fastErrors(s)
}

// loopsDirectly tells whether a page that redirects to itself does so without a second
// URL.
func (r *pageRules) loopsDirectly(s *site, j uint32) bool {
	return r.draw(s, streamLoop, uint64(j))&1 == 0
}

// hopSite is where step n of the chain of page j stands: on its own site, or each on
// another.
func (r *pageRules) hopSite(s *site, j uint32, n int) site {
	if r.draw(s, streamChain, uint64(j))&1 == 0 {
		return *s
	}
	h := r.draw(s, streamChain, pair(j, uint32(n)))
	return r.web.site(siteBelow(h, r.web.Sites()))
}

// robotsEndless tells whether robots.txt has no end.
func (r *robotsRules) robotsEndless(s *site) bool {
	return r.meets(r.opt.Robots.Endless, s, streamEndless, 0)
}

// crowdLink is the length of a link of a crowded page, in bytes.
const crowdLink = len(`<a href=/c/0000000>x</a> `)

func (r *pageRules) crowdSize() int { return crowdLink*r.opt.CrowdLinks + len(crowdHead) + len(footer) }

const crowdHead = "<!DOCTYPE html>\n<title>All of them</title>\n<p>"
