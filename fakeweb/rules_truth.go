package fakeweb

import (
	"net/netip"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Expected is what a crawler meets at a page: the truth that a crawl is checked by.
type Expected struct {
	Class      Class
	Status     int        // of the lasting answer; 0: there is none (a page that resets connections for ever)
	Whole      bool       // the lasting answer has an end, and can be read
	Soft       bool       // it says "not found", whatever the status
	Failures   int        // failing answers before it
	RedirectTo graph.Page // graph.NoPage unless Class is Redirect, Chain (its far end) or Loop (the page itself)
	Forbidden  bool       // by the robots.txt in force
	Later      bool       // by what that robots.txt changes to
	Reachable  bool       // its site has an address and takes connections
	NoFollow   bool       // its links are not to be followed
	NoArchive  bool       // it is not to be stored
	Size       int        // bytes before content coding; longer where the links need it
	Type       string     // Content-Type
	Charset    string     // in which it is written: utf-8, iso-8859-1, windows-1251, shift_jis
	Declared   string     // where that is said: header, meta, or "" for nowhere
}

// Fetched tells whether asking for the page, as often as it takes, brings 200.
func (e *Expected) Fetched() bool {
	return e.Status == 200 && e.Whole && !e.Soft && e.Reachable && !e.Forbidden
}

// Truth is what a crawler meets at page p.
func (s *Server) Truth(p graph.Page) Expected {
	site := s.web.site(s.web.SiteOf(p))
	return s.rules.truth(&site, uint32(p)-site.first)
}

func (r *rules) truth(s *site, j uint32) Expected {
	c := r.class(s, j)
	e := Expected{
		Class: c, Status: r.status(s, j, c), Failures: max(0, r.failures(c)), RedirectTo: graph.NoPage,
		Whole: r.whole(c), Soft: (c == NotFound || c == Gone) && r.has(s, Soft404),
		Forbidden: r.forbidden(s, j), Later: r.later(s, j), Reachable: r.reachable(s),
		NoFollow: r.noFollow(s, j), NoArchive: r.noArchive(s, j),
		Size: r.size(s, j, c), Type: r.contentType(s, j, c),
		Charset: charsetNames[r.charset(s)], Declared: declared[r.declared(s)],
	}
	switch c {
	case Redirect, Chain:
		e.RedirectTo, _ = r.redirect(s, j)
	case Loop:
		e.RedirectTo = graph.Page(s.first + j)
	}
	return e
}

// whole tells whether the lasting answer of a class has an end and can be read.
func (r *pageRules) whole(c Class) bool {
	switch c {
	case Hang, Drip, EndlessHeader, EndlessBody, FalseLength, BrokenCoding, Bomb:
		return false
	}
	return r.failures(c) >= 0
}

// status is that of the lasting answer.
func (r *rules) status(s *site, j uint32, c Class) int {
	switch {
	case c == Hang || c == EndlessHeader || r.failures(c) < 0 && (c == Reset || c == CutHeader):
		return 0
	case c == Busy && r.failures(c) < 0:
		status, _, _ := r.busy(s, uint64(j))
		return status
	}
	switch c {
	case Redirect, Chain:
		_, status := r.redirect(s, j)
		return status
	case Loop:
		return 302
	case NotFound:
		if !r.has(s, Soft404) {
			return 404
		}
	case Gone:
		if !r.has(s, Soft404) {
			return 410
		}
	case Broken:
		return 500
	}
	return 200
}

// SiteTruth is what a crawler meets at a site.
type SiteTruth struct {
	Name       string // host name
	Origin     string // scheme, host and port
	Address    netip.Addr
	Reachable  bool          // its name resolves, and it takes connections
	Down       string        // refused or silent; "" for neither
	Robots     string        // plain, missing, broken, busy, moved or hanging
	RobotsOf   graph.Site    // whose rules hold
	Endless    bool          // its robots.txt has no end
	CrawlDelay time.Duration // in force
	Sitemap    string        // its path; "" for none
	Slow       bool
	KeepAlive  bool
	Pages      int
	Traps      []Trap
	Mirror     string // scheme, host and port of its mirror; "" for none
	Storm      Storm
	FastErrors bool
}

var robotsNames = [...]string{"plain", "missing", "broken", "busy", "moved", "hanging"}

// SiteTruth is what a crawler meets at site id.
func (s *Server) SiteTruth(id graph.Site) SiteTruth {
	r, site := &s.rules, s.web.site(id)
	t := SiteTruth{
		Name: s.hostName(id), Origin: string(s.appendOrigin(nil, &site)), Address: s.Address(id),
		Reachable: r.reachable(&site), Down: downNames[r.down(&site)], Robots: robotsNames[r.robotsClass(&site)], RobotsOf: r.robotsOf(&site).id,
		Endless:    r.robotsEndless(&site) && r.robotsClass(&site) == robotsPlain,
		CrawlDelay: r.crawlDelay(&site), Slow: r.meets(r.opt.Slow, &site, streamSlow, 0),
		KeepAlive: !r.meets(r.opt.NoKeepAlive, &site, streamKeepAlive, 0), Pages: int(site.pages),
		Storm: r.storm(&site), FastErrors: r.fastErrors(&site),
	}
	for trap := Calendar; trap < trapKinds; trap++ {
		if r.has(&site, trap) {
			t.Traps = append(t.Traps, trap)
		}
	}
	if r.mirrored(&site) {
		t.Mirror = string(s.appendMirror(nil, &site))
	}
	if r.hasSitemap(&site) {
		t.Sitemap = r.sitemapName(&site)
	}
	return t
}

// Seen appends the links to pages that a crawler sees at page p, ascending: those of the
// graph, for a redirect its target alone, and none for a page that never answers with
// HTML. Whether they may be followed is another question (Expected.NoFollow). What else
// there is to be seen on a hostile web is in Beside.
func (s *Server) Seen(dst []graph.Page, p graph.Page) []graph.Page {
	switch e := s.Truth(p); {
	case e.Class == Redirect || e.Class == Loop:
		return append(dst, e.RedirectTo)
	case e.Status != 200 || e.Soft || !e.Whole || !e.Class.readable():
		return dst
	}
	return s.web.Links(dst, p)
}
