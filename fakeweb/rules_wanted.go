package fakeweb

import "github.com/winnow-crawler/winnow/graph"

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
	Lost    []graph.Page // found, but on sites without an address
	Depth   []int32      // by page: links from the nearest seed; -1: never found
}

// Wanted walks the web breadth-first, as a crawler sees it: over pages that answer 200
// or redirect, that are allowed and whose links may be followed.
func (s *Server) Wanted(l Limits) *Wanted {
	v := &wantedWalk{s: s, l: l, known: make([]bool, s.web.Sites())}
	v.w.Depth = make([]int32, s.web.spec.Pages)
	for p := range v.w.Depth {
		v.w.Depth[p] = -1
	}
	if l.Seeds == nil {
		l.Seeds = []graph.Page{0}
	}
	for _, p := range l.Seeds {
		v.find(p, 0)
	}
	for len(v.queue) > 0 {
		p := v.queue[0]
		v.queue = v.queue[1:]
		v.visit(p)
	}
	for p, depth := range v.w.Depth {
		if depth >= 0 {
			v.sort(graph.Page(p))
		}
	}
	return &v.w
}

type wantedWalk struct {
	s     *Server
	l     Limits
	w     Wanted
	queue []graph.Page
	known []bool // by site: its sitemap was read
	links []graph.Page
}

// find makes a page known, or known nearer to a seed than before.
func (v *wantedWalk) find(p graph.Page, depth int32) {
	if d := v.w.Depth[p]; d >= 0 && d <= depth || v.l.MaxDepth > 0 && int(depth) > v.l.MaxDepth {
		return
	}
	if v.l.Site != nil && !v.l.Site(v.s.web.SiteOf(p)) {
		return
	}
	v.w.Depth[p] = depth
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
	if e.Forbidden || e.NoFollow && e.Class != Redirect {
		return
	}
	if v.l.MaxBody > 0 && e.Size > v.l.MaxBody {
		return
	}
	v.links = v.s.Seen(v.links[:0], p)
	for _, q := range v.links {
		v.find(q, v.w.Depth[p]+1)
	}
}

// sort puts a page into its set.
func (v *wantedWalk) sort(p graph.Page) {
	e, set := v.s.Truth(p), &v.w.Asked
	switch {
	case !e.Reachable:
		set = &v.w.Lost
	case e.Forbidden:
		set = &v.w.Refused
	case e.Status == 200 && e.Class != Other && (v.l.MaxBody == 0 || e.Size <= v.l.MaxBody):
		set = &v.w.Pages
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
