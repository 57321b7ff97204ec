package answer

import (
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/poisson"
	"github.com/winnow-crawler/winnow/graph"
)

// Streams of the HTTP half; package fakeweb has those of the graph. Renumbering them changes
// every synthetic web.
const (
	streamClass = iota + 64
	streamRedirect
	streamBusy
	streamSize
	streamRobots      // class of robots.txt
	streamRobotsRules // whether it forbids anything
	streamForbid      // by directory: whether and how
	streamGroups      // how the groups are written
	streamCrawlDelay
	streamRobotsLarge
	streamSitemap
	streamInSitemap
	streamMessy
	streamForm // of a link
	streamNoFollow
	streamNoArchive
	streamCharset
	streamValidators
	streamKeepAlive
	streamHTTPS
	streamEncoding
	streamDNS
	streamDNSSlow
	streamAddress
	streamLatency
	streamSlow
	streamRate
	streamChange
	streamText
	streamTitle
	streamOther
)

// A Class describes how a page answers.
type Class uint8

const (
	OK       Class = iota // 200, HTML
	Redirect              // to RedirectTo
	NotFound              // 404
	Gone                  // 410
	Broken                // 500
	Busy                  // 503 or 429 with Retry-After, then as OK
	Reset                 // no answer, then as OK
	Other                 // 200, not HTML
	Large                 // 200, HTML, larger than crawlers care for

	// Hostile ones: see PageShares.

	Hang          // no answer
	Drip          // 200, without end
	CutHeader     // half a header, then as OK
	CutBody       // half a body, then as OK
	EndlessHeader // no more than a header
	EndlessBody   // 200, without end
	FalseLength   // 200, but less than was promised
	BrokenCoding  // 200, unreadable
	WrongCharset  // 200, as OK, under a wrong label
	BadUTF8       // 200, as OK, with odd bytes in it
	Loop          // a redirect to itself
	Chain         // redirects to RedirectTo
	Crowd         // 200, with links without number
	Bomb          // 200, unpacks to more than anybody can read
)

var classNames = [...]string{
	"ok", "redirect", "not found", "gone", "broken", "busy", "reset", "other", "large",
	"hang", "drip", "cut header", "cut body", "endless header", "endless body", "false length",
	"broken coding", "wrong charset", "bad utf-8", "loop", "chain", "crowd", "bomb",
}

func (c Class) String() string { return classNames[c] }

type robotsClass uint8

const (
	robotsPlain robotsClass = iota
	robotsMissing
	robotsBroken
	robotsBusy
	robotsMoved
	robotsHanging
)

type dnsClass uint8

const (
	dnsPlain dnsClass = iota
	dnsMissing
	dnsFailing
	dnsTruncated
	dnsAlias
)

// rules applies the options to a web: it computes what each page and each site does from
// the seeds. The answers and the truth about them both use it, so they cannot differ. There
// is a type for each kind of rule.
type rules struct {
	*dice
	*servers
	*robotsRules
	*pageRules
	*sitemapRules
	*copyRules
	*trapRules
	extras  bool // pages may have links that the graph has not
	hostile bool // there may be URLs that the graph has not
}

func newRules(w *fakeweb.Web, o Options) rules {
	d := &dice{web: w, opt: o, salt: draw.Mix(o.Seed)}
	servers := &servers{dice: d, dns: draw.Cumulate(o.DNS.list()), downs: draw.Cumulate(o.Servers.list()),
		latencies: draw.NewPowers(float64(max(o.MinLatency, 1)), float64(max(o.MaxLatency, 1)))}
	robots := &robotsRules{dice: d, servers: servers, classes: draw.Cumulate(o.Robots.list())}
	pages := &pageRules{dice: d, servers: servers, classes: draw.Cumulate(o.Pages.list()),
		sizes:     draw.NewPowers(float64(o.MinSize), float64(o.MaxSize)),
		intervals: draw.NewPowers(float64(o.Changes.Min), float64(o.Changes.Max)),
		exp:       draw.NewExponential(), poisson: poisson.New(streamEpoch, streamPoint, streamJoin), fates: draw.Cumulate(o.Changes.Fates.list())}
	extras := o.Copies.any() || o.Traps.any()
	return rules{
		dice: d, servers: servers, robotsRules: robots, pageRules: pages,
		sitemapRules: &sitemapRules{dice: d, robots: robots, pages: pages},
		copyRules:    &copyRules{d, servers, robots, pages},
		trapRules:    &trapRules{d, o.Traps.list()},
		extras:       extras,
		hostile:      extras || o.Pages.Loop+o.Pages.Chain+o.Pages.Crowd > 0,
	}
}

// dice draws random numbers, each a function of the seeds.
type dice struct {
	web  *fakeweb.Web
	opt  Options
	salt uint64
}

// servers holds the rules about whole sites: names, connections, latencies.
type servers struct {
	*dice
	dns, downs []uint64 // cumulated shares
	latencies  draw.Powers
}

// pageRules holds the rules about single pages.
type pageRules struct {
	*dice
	*servers
	classes   []uint64 // cumulated shares
	sizes     draw.Powers
	intervals draw.Powers
	exp       draw.Exponential
	poisson   *poisson.Family
	fates     []uint64 // cumulated shares
}

// draw returns 64 random bits for number x of a site.
func (r *dice) draw(s *fakeweb.Site, stream, x uint64) uint64 {
	return draw.Hash(s.Seed^r.salt, stream, x)
}

// meets reports whether number x of a site belongs to a share.
func (r *dice) meets(share float64, s *fakeweb.Site, stream, x uint64) bool {
	return share > 0 && r.draw(s, stream, x)>>1 < uint64(share*(1<<63))
}

// class returns how page j answers.
func (r *pageRules) class(s *fakeweb.Site, j uint32) Class {
	if s.First+j == 0 {
		return OK
	}
	if _, k := s.Place(j); k == 0 && !r.opt.HubsFail {
		return OK
	}
	h := r.draw(s, streamClass, uint64(j))
	if r.fastErrors(s) && h&0xff < errorShare {
		return Broken
	}
	return Class(draw.Pick(r.classes, h))
}

// redirect returns where page j leads, if its class is Redirect, and with which status: a
// page before it in its site, in one case of four the home page of a site before it.
func (r *pageRules) redirect(s *fakeweb.Site, j uint32) (to graph.Page, status int) {
	h := r.draw(s, streamRedirect, uint64(j))
	status = [...]int{301, 302, 307, 308}[h>>2&3]
	if j > 0 && (h&3 != 0 || s.ID == 0) {
		return graph.Page(s.First + uint32(draw.Below(h, uint64(j)))), status
	}
	return r.web.Home(graph.Site(draw.Below(h, uint64(s.ID)))), status
}

// failures returns the number of failing answers before the lasting one; negative: it fails
// for ever.
func (r *pageRules) failures(c Class) int {
	switch c {
	case Busy:
		return r.opt.BusyTimes
	case Reset:
		return r.opt.ResetTimes
	case CutHeader, CutBody:
		return r.opt.CutTimes
	}
	return 0
}

// busy returns the answer of a busy page: the status, whole seconds to wait, and whether
// Retry-After is a date.
func (r *pageRules) busy(s *fakeweb.Site, x uint64) (status int, wait time.Duration, date bool) {
	h := r.draw(s, streamBusy, x)
	status = [...]int{503, 503, 503, 429}[h&3]
	most := max(1, uint64(r.opt.RetryAfter/time.Second))
	return status, time.Duration(1+draw.Below(h, most)) * time.Second, h&4 != 0
}

// size returns the number of bytes that page j has before content coding.
func (r *pageRules) size(s *fakeweb.Site, j uint32, c Class) int {
	switch {
	case c == Large:
		return r.opt.LargeSize
	case c == Crowd:
		return r.crowdSize()
	case c == Bomb:
		return r.opt.BombSize
	case r.opt.Times.Size != nil:
		return int(r.opt.Times.Size(graph.Page(s.First + j)))
	}
	return int(r.sizes.At(r.draw(s, streamSize, uint64(j))))
}

// otherTypes are the types of pages that are not HTML.
var otherTypes = [...]string{"application/pdf", "image/png", "text/plain; charset=utf-8"}

func (r *pageRules) otherType(s *fakeweb.Site, j uint32) string {
	return otherTypes[r.draw(s, streamOther, uint64(j))%uint64(len(otherTypes))]
}

func (r *pageRules) noFollow(s *fakeweb.Site, j uint32) bool {
	return r.meets(r.opt.NoFollow, s, streamNoFollow, uint64(j))
}

func (r *pageRules) noArchive(s *fakeweb.Site, j uint32) bool {
	return r.meets(r.opt.NoArchive, s, streamNoArchive, uint64(j))
}

func (r *servers) https(s *fakeweb.Site) bool { return r.meets(r.opt.HTTPS, s, streamHTTPS, 0) }

func (r *servers) dnsClass(s *fakeweb.Site) dnsClass {
	return dnsClass(draw.Pick(r.dns, r.draw(s, streamDNS, 0)))
}

// firstByte returns the time from a request to the first byte of its answer.
func (r *servers) firstByte(s *fakeweb.Site, p graph.Page, attempt uint32) time.Duration {
	if f := r.opt.Times.FirstByte; f != nil {
		return f(s.ID, p, attempt)
	}
	if r.fastErrors(s) {
		return 0
	}
	var d float64
	if r.opt.MaxLatency > 0 {
		h := r.draw(s, streamLatency, uint64(p)+1)
		d = r.latencies.At(r.draw(s, streamLatency, 0)) * (0.5 + draw.Unit(h))
	}
	if r.meets(r.opt.Slow, s, streamSlow, 0) {
		d += float64(r.opt.SlowBy)
	}
	return time.Duration(d)
}

// body returns the time from the first byte of a body to its last.
func (r *servers) body(s *fakeweb.Site, p graph.Page, bytes int) time.Duration {
	switch {
	case r.opt.Times.Body != nil:
		return r.opt.Times.Body(s.ID, p, bytes)
	case r.opt.Speed > 0:
		return time.Duration(float64(bytes) / r.opt.Speed * 1e9)
	}
	return 0
}

// contentType returns the Content-Type of the lasting answer of page j.
func (r *pageRules) contentType(s *fakeweb.Site, j uint32, c Class) string {
	switch {
	case c == Other:
		return r.otherType(s, j)
	case c == Hang || c == EndlessHeader:
		return ""
	case c == WrongCharset:
		return r.wrongType(s, j)
	case !c.readable():
		return plainHTML
	case r.declared(s) == inHeader:
		return htmlTypes[r.charset(s)]
	}
	return "text/html"
}

// readable reports whether pages of a class have the content of plain ones in the end.
func (c Class) readable() bool {
	switch c {
	case OK, Busy, Reset, Large, CutHeader, CutBody, FalseLength, BrokenCoding, WrongCharset, BadUTF8:
		return true
	}
	return false
}

var htmlTypes = [charsets]string{
	"text/html; charset=utf-8", "text/html; charset=ISO-8859-1",
	"text/html; charset=windows-1251", "text/html; charset=Shift_JIS",
}

// wrongType names another charset than that of the site, or one that does not exist. All of
// them agree with ASCII where links are concerned.
func (r *pageRules) wrongType(s *fakeweb.Site, j uint32) string {
	h := r.draw(s, streamLabel, uint64(j))
	if h&3 == 0 {
		return "text/html; charset=klingon-8"
	}
	return htmlTypes[(uint64(r.charset(s))+1+draw.Below(h, charsets-1))%charsets]
}
