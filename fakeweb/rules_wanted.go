package fakeweb

import (
	"strings"

	"github.com/winnow-crawler/winnow/graph"
)

// Limits are those of a crawl, as far as they decide which pages it has to fetch.
type Limits struct {
	Seeds    []graph.Page // nil means page 0, from which everything can be reached
	MaxDepth int          // links from a seed; 0: any number
	Sitemaps bool         // pages named by the sitemap of a site count as seeds once the site is known
	MaxBody  int          // larger pages are asked for but not wanted; 0: any size
	// Site, if given, keeps the crawl to the sites for which it says yes.
	Site func(graph.Site) bool
}

// Wanted is what a crawl within limits does when it does everything right. The sets are
// in ascending id and exclude each other.
type Wanted struct {
	Pages   []graph.Page // each answered with exactly one full 200
	Asked   []graph.Page // to be asked for, too: redirects, failing pages, what is not HTML or too large
	Refused []graph.Page // found, but forbidden by robots.txt
	Lost    []graph.Page // found, but on sites without an address, or that take no connections
	// Maybe are pages that may be asked for or not: found only through answers that some
	// read and others do not (broken codings, half bodies, long chains of redirects, traps),
	// or forbidden from some time on.
	Maybe []graph.Page
	Depth []int32 // by page: links from the nearest seed; -1: never found
	// Behind: a copy that links elsewhere than its original is a page of its own, so that
	// pages behind copies may be asked for. Wanted sets it.
	Behind bool
}

// Wanted walks the web breadth-first, as a crawler sees it: over pages that answer 200
// or redirect, that are allowed and whose links may be followed. On a hostile web it walks
// twice, the second time over everything that might lead somewhere. A copy, a trap and
// what lies behind them are no pages: they are in none of the sets, and what a crawl
// does with them is counted (Summary).
func (s *Server) Wanted(l Limits) *Wanted {
	if l.Seeds == nil {
		l.Seeds = []graph.Page{0}
	}
	sure := s.walk(l, false)
	all := sure
	if s.rules.unsure() {
		all = s.walk(l, true)
	}
	w := &Wanted{Depth: all, Behind: true}
	for p, depth := range all {
		switch {
		case depth < 0:
		case sure[p] < 0:
			w.Maybe = append(w.Maybe, graph.Page(p))
		default:
			w.Depth[p] = sure[p]
			w.sort(s, l, graph.Page(p))
		}
	}
	return w
}

// unsure tells whether there is anything that some crawlers follow and others do not.
func (r *rules) unsure() bool {
	p := &r.opt.Pages
	return r.hostile || p.CutBody+p.FalseLength+p.BrokenCoding+r.opt.Robots.Changing > 0
}

// walk is the depth of each page, over all that might lead somewhere or over what certainly does.
func (s *Server) walk(l Limits, all bool) []int32 {
	v := &wantedWalk{s: s, l: l, all: all, known: make([]bool, s.web.Sites()), depth: make([]int32, s.web.spec.Pages)}
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
	s     *Server
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
	if v.l.Site != nil && !v.l.Site(v.s.web.SiteOf(p)) {
		return
	}
	v.depth[p] = depth
	v.queue = append(v.queue, p)
}

// visit follows the links of a page. Sitemaps make depths fall later, so a page may be
// visited several times.
func (v *wantedWalk) visit(p graph.Page) {
	e := v.s.Truth(p)
	if !e.Reachable {
		return
	}
	v.sitemap(v.s.web.SiteOf(p))
	redirects := e.Class == Redirect || e.Class == Loop || e.Class == Chain
	if e.Forbidden || e.Later && !v.all || e.NoFollow && !redirects {
		return
	}
	if v.l.MaxBody > 0 && e.Size > v.l.MaxBody {
		return
	}
	v.links = v.s.Seen(v.links[:0], p)
	if v.all {
		v.links = v.s.perhaps(v.links, p, &e)
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
	st := v.s.web.site(v.s.web.SiteOf(p))
	if at, ok := v.s.rules.elsewhere(&st, uint32(p)-st.first); ok && !v.l.Site(st.id) && v.l.Site(at.id) {
		for _, q := range v.s.web.Links(nil, p) {
			v.find(q, depth)
		}
	}
}

// perhaps appends what some crawlers find at page p and others do not.
func (s *Server) perhaps(dst []graph.Page, p graph.Page, e *Expected) []graph.Page {
	switch {
	case e.Class == Chain:
		return append(dst, e.RedirectTo)
	case e.Soft || e.Class == Crowd:
		return append(dst, s.web.Home(s.web.SiteOf(p)))
	case e.Status != 200 || !e.Class.readable():
		return dst
	case !e.Whole:
		dst = s.web.Links(dst, p)
	}
	if !s.rules.extras {
		return dst
	}
	return s.perhapsBeside(dst, p)
}

// perhapsBeside appends where the links of page p lead that are not of the graph: the
// pages of traps and those behind copies link to the home page of their site. A directory of
// copies may stand for the first pages, and a session for all that they lead to.
func (s *Server) perhapsBeside(dst []graph.Page, p graph.Page) []graph.Page {
	st := s.web.site(s.web.SiteOf(p))
	for _, link := range s.Beside(p) {
		if at, _ := s.Place(link); at.Kind == KindCopy && strings.Contains(link, "/copy/") {
			dst = append(dst, s.web.Home(s.web.SiteOf(at.Page)))
		}
	}
	if len(s.rules.entrances(nil, &st, uint32(p)-st.first, 0)) > 0 {
		for j := range min(st.pages, firstPages) {
			if j == 0 || s.rules.has(&st, CopyDirectory) {
				dst = append(dst, graph.Page(st.first+j))
			}
		}
	}
	return dst
}

// sort puts a page into its set.
func (w *Wanted) sort(s *Server, l Limits, p graph.Page) {
	e, set := s.Truth(p), &w.Asked
	switch {
	case !e.Reachable:
		set = &w.Lost
	case e.Forbidden:
		set = &w.Refused
	case e.Later:
		set = &w.Maybe
	case e.Fetched() && e.Class != Other && (l.MaxBody == 0 || e.Size <= l.MaxBody):
		set = &w.Pages
	}
	*set = append(*set, p)
}

// sitemap finds the pages that the sitemap of a known site names, at depth 0.
func (v *wantedWalk) sitemap(id graph.Site) {
	if !v.l.Sitemaps || v.known[id] {
		return
	}
	v.known[id] = true
	r, site := &v.s.rules, v.s.web.site(id)
	if !r.showsSitemap(&site) {
		return
	}
	for j := range site.pages {
		if r.inSitemap(&site, j) {
			v.find(graph.Page(site.first+j), 0)
		}
	}
}
