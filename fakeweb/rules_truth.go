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
	Failures   int        // failing answers before it
	RedirectTo graph.Page // graph.NoPage unless Class is Redirect
	Forbidden  bool       // by the robots.txt in force
	Reachable  bool       // its site has an address
	NoFollow   bool       // its links are not to be followed
	NoArchive  bool       // it is not to be stored
	Size       int        // bytes before content coding; longer where the links need it
	Type       string     // Content-Type
	Charset    string     // in which it is written: utf-8, iso-8859-1, windows-1251, shift_jis
	Declared   string     // where that is said: header, meta, or "" for nowhere
}

// Fetched tells whether asking for the page, as often as it takes, brings 200.
func (e *Expected) Fetched() bool { return e.Status == 200 && e.Reachable && !e.Forbidden }

// Truth is what a crawler meets at page p.
func (s *Server) Truth(p graph.Page) Expected {
	site := s.web.site(s.web.SiteOf(p))
	return s.rules.truth(&site, uint32(p)-site.first)
}

func (r *rules) truth(s *site, j uint32) Expected {
	c := r.class(s, j)
	e := Expected{
		Class: c, Status: r.status(s, j, c), Failures: max(0, r.failures(c)), RedirectTo: graph.NoPage,
		Forbidden: r.forbidden(s, j), Reachable: r.resolves(s),
		NoFollow: r.noFollow(s, j), NoArchive: r.noArchive(s, j),
		Size: r.size(s, j, c), Type: r.contentType(s, j, c),
		Charset: charsetNames[r.charset(s)], Declared: declared[r.declared(s)],
	}
	if c == Redirect {
		e.RedirectTo, _ = r.redirect(s, j)
	}
	return e
}

// status is that of the lasting answer.
func (r *rules) status(s *site, j uint32, c Class) int {
	if r.failures(c) < 0 {
		if c == Reset {
			return 0
		}
		status, _, _ := r.busy(s, uint64(j))
		return status
	}
	switch c {
	case Redirect:
		_, status := r.redirect(s, j)
		return status
	case NotFound:
		return 404
	case Gone:
		return 410
	case Broken:
		return 500
	}
	return 200
}

// resolves tells whether a site has an address.
func (r *rules) resolves(s *site) bool {
	c := r.dnsClass(s)
	return c != dnsMissing && c != dnsFailing
}

// SiteTruth is what a crawler meets at a site.
type SiteTruth struct {
	Name       string // host name
	Origin     string // scheme, host and port
	Address    netip.Addr
	Reachable  bool          // its name resolves
	Robots     string        // plain, missing, broken, busy or moved
	RobotsOf   graph.Site    // whose rules hold
	CrawlDelay time.Duration // in force
	Sitemap    string        // its path; "" for none
	Slow       bool
	KeepAlive  bool
	Pages      int
}

var robotsNames = [...]string{"plain", "missing", "broken", "busy", "moved"}

// SiteTruth is what a crawler meets at site id.
func (s *Server) SiteTruth(id graph.Site) SiteTruth {
	r, site := &s.rules, s.web.site(id)
	t := SiteTruth{
		Name: s.hostName(id), Origin: string(s.appendOrigin(nil, &site)), Address: s.Address(id),
		Reachable: r.resolves(&site), Robots: robotsNames[r.robotsClass(&site)], RobotsOf: r.robotsOf(&site).id,
		CrawlDelay: r.crawlDelay(&site), Slow: r.meets(r.opt.Slow, &site, streamSlow, 0),
		KeepAlive: !r.meets(r.opt.NoKeepAlive, &site, streamKeepAlive, 0), Pages: int(site.pages),
	}
	if r.hasSitemap(&site) {
		t.Sitemap = r.sitemapName(&site)
	}
	return t
}

// Seen appends the links that a crawler sees at page p, ascending: those of the graph,
// for a redirect its target alone, and none for a page that never answers with HTML.
// Whether they may be followed is another question (Expected.NoFollow).
func (s *Server) Seen(dst []graph.Page, p graph.Page) []graph.Page {
	switch e := s.Truth(p); {
	case e.Class == Redirect:
		return append(dst, e.RedirectTo)
	case e.Status != 200 || e.Class == Other:
		return dst
	}
	return s.web.Links(dst, p)
}
