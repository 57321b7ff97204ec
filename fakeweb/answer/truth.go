package answer

import (
	"net/netip"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
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

// Fetched reports whether requesting the page, as often as it takes, ends in status 200.
func (e *Expected) Fetched() bool {
	return e.Status == 200 && e.Whole && !e.Soft && e.Reachable && !e.Forbidden
}

// Truth returns what a crawler meets at page p.
func (w *World) Truth(p graph.Page) Expected {
	site, j := w.web.Locate(p)
	return w.rules.truth(&site, j)
}

func (r *rules) truth(s *fakeweb.Site, j uint32) Expected {
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
		e.RedirectTo = graph.Page(s.First + j)
	}
	return e
}

// whole reports whether the lasting answer of a class has an end and can be read.
func (r *pageRules) whole(c Class) bool {
	switch c {
	case Hang, Drip, EndlessHeader, EndlessBody, FalseLength, BrokenCoding, Bomb:
		return false
	}
	return r.failures(c) >= 0
}

// status returns the status of the lasting answer.
func (r *rules) status(s *fakeweb.Site, j uint32, c Class) int {
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
	KeepAlive  bool
	Pages      int
	Traps      []Trap
	Mirror     string // scheme, host and port of its mirror; "" for none
	Storm      Storm
	FastErrors bool
}

var robotsNames = [...]string{"plain", "missing", "broken", "busy", "moved", "hanging"}

// SiteTruth returns what a crawler meets at site id.
func (w *World) SiteTruth(id graph.Site) SiteTruth {
	r, site := &w.rules, w.web.Site(id)
	t := SiteTruth{
		Name: w.HostName(id), Origin: string(w.appendOrigin(nil, &site)), Address: w.Address(id),
		Reachable: r.reachable(&site), Down: downNames[r.down(&site)], Robots: robotsNames[r.robotsClass(&site)], RobotsOf: r.robotsOf(&site).ID,
		Endless:    r.robotsEndless(&site) && r.robotsClass(&site) == robotsPlain,
		CrawlDelay: r.crawlDelay(&site),
		KeepAlive:  !r.meets(r.opt.NoKeepAlive, &site, streamKeepAlive, 0), Pages: int(site.Pages),
		Storm: r.storm(&site), FastErrors: r.fastErrors(&site),
	}
	for trap := Calendar; trap < trapKinds; trap++ {
		if r.has(&site, trap) {
			t.Traps = append(t.Traps, trap)
		}
	}
	if r.mirrored(&site) {
		t.Mirror = string(w.appendMirror(nil, &site))
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
func (w *World) Seen(dst []graph.Page, p graph.Page) []graph.Page {
	switch e := w.Truth(p); {
	case e.Class == Redirect || e.Class == Loop:
		return append(dst, e.RedirectTo)
	case e.Status != 200 || e.Soft || !e.Whole || !e.Class.readable():
		return dst
	}
	return w.web.Links(dst, p)
}
