package answer

import (
	"net/netip"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/graph"
)

// Expected describes what a crawler meets at a page: the truth that a crawl is checked by.
type Expected struct {
	Class      Class
	Status     int        // of the lasting answer; 0: there is none (a page that resets connections for ever)
	Whole      bool       // the lasting answer has an end, and can be read
	Soft       bool       // its text is "not found", with any status
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
	Declared   string     // where that is declared: header, meta, or "" for nowhere
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

// A SiteTruth describes what a crawler meets at a site.
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

	// Of a changing web.

	Validators Validators
	Dates      Dates         // of its sitemap
	Feed       string        // its path; "" for none
	FeedFalse  bool          // it names pages that did not change
	OutFrom    time.Duration // it answers 404 to everything but robots.txt from then on
	OutUntil   time.Duration // and no longer then
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
		Validators: r.honesty(&site), Dates: r.dates(&site),
		Feed: r.feedPath(&site), FeedFalse: r.feedPath(&site) != "" && r.feedFalse(&site),
	}
	t.OutFrom, t.OutUntil = r.outage(&site)
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

// Limits holds the limits of a crawl that decide which pages it has to fetch.
type Limits struct {
	Seeds    []graph.Page // nil means page 0, from which everything can be reached
	MaxDepth int          // links from a seed; 0: any number
	Sitemaps bool         // pages named by the sitemap of a site count as seeds once the site is known
	MaxBody  int          // larger pages are requested but not wanted; 0: any size
	// Site, if not nil, restricts the crawl to the sites for which it returns true.
	Site func(graph.Site) bool
}

// Wanted describes what a correct crawl within limits does. The sets are
// in ascending id and exclude each other.
type Wanted struct {
	Pages     []graph.Page // each answered with exactly one full 200
	Requested []graph.Page // to be requested, too: redirects, failing pages, what is not HTML or too large
	Refused   []graph.Page // found, but forbidden by robots.txt
	Lost      []graph.Page // found, but on sites without an address, or that take no connections
	// Maybe holds pages that may be requested or not: found only through answers that some
	// read and others do not (broken codings, half bodies, long chains of redirects,
	// traps), or forbidden from some time on.
	Maybe []graph.Page
	Depth []int32 // by page: links from the nearest seed; -1: never found
	// Behind: a copy that links elsewhere than its original is a page of its own, so that
	// pages behind copies may be requested. Wanted sets it.
	Behind bool
}

// Wanted walks the web breadth-first, as a crawler sees it: over pages that answer 200
// or redirect, that are allowed and whose links may be followed. On a hostile web it walks
// twice, the second time over everything that might lead somewhere. A copy, a trap and
// what lies behind them are no pages: they are in none of the sets, and what a crawl
// does with them is counted (Summary).
func (w *World) Wanted(l Limits) *Wanted {
	if l.Seeds == nil {
		l.Seeds = []graph.Page{0}
	}
	sure := w.walk(l, false)
	all := sure
	if w.rules.unsure() {
		all = w.walk(l, true)
	}
	x := &Wanted{Depth: all, Behind: true}
	for p, depth := range all {
		switch {
		case depth < 0:
		case sure[p] < 0:
			x.Maybe = append(x.Maybe, graph.Page(p))
		default:
			x.Depth[p] = sure[p]
			x.sort(w, l, graph.Page(p))
		}
	}
	return x
}

// unsure reports whether there is anything that some crawlers follow and others do not.
func (r *rules) unsure() bool {
	p := &r.opt.Pages
	return r.hostile || p.CutBody+p.FalseLength+p.BrokenCoding+r.opt.Robots.Changing > 0
}

// walk returns the depth of each page, over all links that might lead somewhere or over
// those that certainly do.
func (w *World) walk(l Limits, all bool) []int32 {
	v := &wantedWalk{w: w, l: l, all: all, known: make([]bool, w.web.Sites()), depth: make([]int32, w.web.Spec().Pages)}
	for p := range v.depth {
		v.depth[p] = -1
	}
	for _, p := range l.Seeds {
		v.find(p, 0)
	}
	for len(v.queue) > 0 {
		p := v.queue[0]
		v.queue = v.queue[1:]
		v.visit(p)
	}
	return v.depth
}

type wantedWalk struct {
	w     *World
	l     Limits
	all   bool
	depth []int32
	queue []graph.Page
	known []bool // by site: its sitemap was read
	links []graph.Page
}

// find makes a page known, or known nearer to a seed than before.
func (v *wantedWalk) find(p graph.Page, depth int32) {
	if d := v.depth[p]; d >= 0 && d <= depth || v.l.MaxDepth > 0 && int(depth) > v.l.MaxDepth {
		return
	}
	if v.l.Site != nil && !v.l.Site(v.w.web.SiteOf(p)) {
		return
	}
	v.depth[p] = depth
	v.queue = append(v.queue, p)
}

// visit follows the links of a page. Sitemaps make depths fall later, so a page may be
// visited several times.
func (v *wantedWalk) visit(p graph.Page) {
	e := v.w.Truth(p)
	if !e.Reachable {
		return
	}
	v.sitemap(v.w.web.SiteOf(p))
	redirects := e.Class == Redirect || e.Class == Loop || e.Class == Chain
	if e.Forbidden || e.Later && !v.all || e.NoFollow && !redirects {
		return
	}
	if v.l.MaxBody > 0 && e.Size > v.l.MaxBody {
		return
	}
	v.links = v.w.Seen(v.links[:0], p)
	if v.all {
		v.links = v.w.perhaps(v.links, p, &e)
	}
	for _, q := range v.links {
		v.find(q, v.depth[p]+1)
		if v.all && v.l.Site != nil {
			v.throughCopy(q, v.depth[p]+2)
		}
	}
}

// throughCopy finds the links of a page that is outside the limits by its copy on a site
// that is inside.
func (v *wantedWalk) throughCopy(p graph.Page, depth int32) {
	st, j := v.w.web.Locate(p)
	if at, ok := v.w.rules.elsewhere(&st, j); ok && !v.l.Site(st.ID) && v.l.Site(at.ID) {
		for _, q := range v.w.web.Links(nil, p) {
			v.find(q, depth)
		}
	}
}

// perhaps appends what some crawlers find at page p and others do not.
func (w *World) perhaps(dst []graph.Page, p graph.Page, e *Expected) []graph.Page {
	switch {
	case e.Class == Chain:
		return append(dst, e.RedirectTo)
	case e.Soft || e.Class == Crowd:
		return append(dst, w.web.Home(w.web.SiteOf(p)))
	case e.Status != 200 || !e.Class.readable():
		return dst
	case !e.Whole:
		dst = w.web.Links(dst, p)
	}
	if !w.rules.extras {
		return dst
	}
	return w.perhapsBeside(dst, p)
}

// perhapsBeside appends where the links of page p lead that are not of the graph: the
// pages of traps and those behind copies link to the home page of their site. A directory of
// copies may replace the first pages, and a session all pages that they lead to.
func (w *World) perhapsBeside(dst []graph.Page, p graph.Page) []graph.Page {
	st, k := w.web.Locate(p)
	for _, link := range w.Beside(p) {
		if at, _ := w.Place(link); at.Kind == KindCopy && strings.Contains(link, "/copy/") {
			dst = append(dst, w.web.Home(w.web.SiteOf(at.Page)))
		}
	}
	if len(w.rules.entrances(nil, &st, k, 0)) > 0 {
		for j := range min(st.Pages, firstPages) {
			if j == 0 || w.rules.has(&st, CopyDirectory) {
				dst = append(dst, graph.Page(st.First+j))
			}
		}
	}
	return dst
}

// sort puts a page into its set.
func (x *Wanted) sort(w *World, l Limits, p graph.Page) {
	e, set := w.Truth(p), &x.Requested
	switch {
	case !e.Reachable:
		set = &x.Lost
	case e.Forbidden:
		set = &x.Refused
	case e.Later:
		set = &x.Maybe
	case e.Fetched() && e.Class != Other && (l.MaxBody == 0 || e.Size <= l.MaxBody):
		set = &x.Pages
	}
	*set = append(*set, p)
}

// sitemap finds the pages that the sitemap of a known site names, at depth 0.
func (v *wantedWalk) sitemap(id graph.Site) {
	if !v.l.Sitemaps || v.known[id] {
		return
	}
	v.known[id] = true
	r, site := &v.w.rules, v.w.web.Site(id)
	if !r.showsSitemap(&site) {
		return
	}
	for j := range site.Pages {
		if r.inSitemap(&site, j) {
			v.find(graph.Page(site.First+j), 0)
		}
	}
}
