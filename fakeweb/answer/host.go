package answer

import (
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/padded"
	"github.com/winnow-crawler/winnow/graph"
)

// A role is the purpose of a host name.
type role uint8

const (
	roleSite     role = iota // s042.example
	roleMirror               // m042.example
	roleFarm                 // f042-7.example
	roleWildcard             // anything.s042.example
)

// A Host is a name that the world answers for. Hosts that are not sites of the graph use
// plain HTTP, and their robots.txt allows everything.
type Host struct {
	role role
	site fakeweb.Site // itself, the one that is mirrored, the door of the farm, the one above
	farm uint64       // number of a host of a farm
	key  uint64       // hash of the name
}

// Site returns the site of the graph that the host is, if it is one.
func (h *Host) Site() (id graph.Site, ok bool) { return h.site.ID, h.role == roleSite }

// hostNamed returns the host with a name, with or without port, in any case.
func (w *World) hostNamed(name string) (h Host, ok bool) {
	if id, ok := w.siteNamed(name); ok {
		return Host{site: w.web.Site(id)}, true
	}
	if !w.rules.extras {
		return h, false
	}
	name = TrimPort(name)
	h.key = textHash(name)
	switch dot := strings.IndexByte(name, '.'); {
	case dot < 2:
		return h, w.below(&h, name, dot)
	case name[0] == 'm':
		h.role = roleMirror
		return h, w.named(&h, "s"+name[1:]) && w.rules.mirrored(&h.site)
	case name[0] == 'f' && strings.IndexByte(name[:dot], '-') > 0:
		h.role = roleFarm
		number, which, _ := strings.Cut(name[1:dot], "-")
		n, err := strconv.ParseUint(which, 10, 32)
		h.farm = n
		return h, err == nil && strconv.FormatUint(n, 10) == which && n < uint64(w.rules.opt.Traps.FarmSites) &&
			w.named(&h, "s"+number+name[dot:]) && w.rules.has(&h.site, Farm)
	default:
		return h, w.below(&h, name, dot)
	}
}

// named sets the site of a host to the one with a name.
func (w *World) named(h *Host, name string) bool {
	id, ok := w.siteNamed(name)
	if ok {
		h.site = w.web.Site(id)
	}
	return ok
}

// below looks for a site above a host name: its last two labels.
func (w *World) below(h *Host, name string, dot int) bool {
	h.role = roleWildcard
	last := strings.LastIndexByte(name, '.')
	if dot < 1 || last <= dot {
		return false
	}
	at := strings.LastIndexByte(name[:last], '.')
	return w.named(h, name[at+1:]) && w.rules.has(&h.site, Wildcard)
}

// appendHost appends scheme, host and port of a host that is no site of the graph, by its
// name without .example.
func (w *World) appendHost(b []byte, name ...string) []byte {
	b = append(b, "http://"...)
	for _, part := range name {
		b = append(b, part...)
	}
	b = append(b, ".example"...)
	if w.network.Port != 0 {
		b = strconv.AppendInt(append(b, ':'), int64(w.network.Port), 10)
	}
	return b
}

// number returns the number of a site as written in names.
func (w *World) number(st *fakeweb.Site) string {
	return string(padded.Append(nil, uint64(st.ID), uint64(w.web.Sites()-1)))
}

// appendMirror appends scheme, host and port of the mirror of a site.
func (w *World) appendMirror(b []byte, st *fakeweb.Site) []byte {
	return w.appendHost(b, "m", w.number(st))
}

// farmURL returns the URL of page k of host i of the farm behind a site.
func (w *World) farmURL(st *fakeweb.Site, i, k uint64) string {
	b := w.appendHost(nil, "f", w.number(st), "-", strconv.FormatUint(i, 10))
	if k == 0 {
		return string(append(b, '/'))
	}
	b = strconv.AppendUint(append(b, "/p"...), k, 10)
	return string(append(b, ".html"...))
}

// wildURL returns the URL of a name below that of a site, by hash: one of 2^40.
func (w *World) wildURL(st *fakeweb.Site, h uint64) string {
	return string(append(w.appendHost(nil, "w", strconv.FormatUint(h>>24, 36), ".s", w.number(st)), '/'))
}

// farmAt reads the path of a page of a farm.
func (r *trapRules) farmAt(path string) (k uint64, ok bool) {
	if path == "/" {
		return 0, true
	}
	name, html := strings.CutSuffix(path, ".html")
	number, found := strings.CutPrefix(name, "/p")
	k, err := strconv.ParseUint(number, 10, 32)
	return k, html && found && err == nil && k >= 1 && k < uint64(r.opt.Traps.FarmPages) && strconv.FormatUint(k, 10) == number
}

// Links of a page of a farm, and of one of a wildcard host.
const (
	farmLinks = 12
	wildLinks = 4
)

// farmOnward appends the links of a page of a farm: half to home pages of the farm, half
// to any page.
func (w *World) farmOnward(dst []string, st *fakeweb.Site, key uint64) []string {
	t := &w.rules.opt.Traps
	for n := range uint64(farmLinks) {
		h, k := draw.Mix(key+n), uint64(0)
		if n%2 == 0 {
			k = draw.Below(draw.Mix(h), uint64(t.FarmPages))
		}
		dst = append(dst, w.farmURL(st, draw.Below(h, uint64(t.FarmSites)), k))
	}
	return dst
}

// wildOnward appends the links of a page below a site to further names.
func (w *World) wildOnward(dst []string, st *fakeweb.Site, key uint64) []string {
	for n := range uint64(wildLinks) {
		dst = append(dst, w.wildURL(st, draw.Mix(key+n)))
	}
	return dst
}

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
	return Down(draw.Pick(r.downs, r.draw(s, streamDown, 0)))
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
	RetryAfter bool // states how long it takes
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

// hopSite returns where step n of the chain of page j is: on its own site, or each on
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
