package fakeweb

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
)

// A Place is what a URL stands for.
type Place struct {
	Kind Kind
	Trap Trap       // in which it lies
	Page graph.Page // the page, or that of which it is a copy or behind whose copy it lies; graph.NoPage for others
	Near bool       // a copy that differs in a few words
}

// Place tells what a URL stands for; ok is false where no host of the web has its name.
func (s *Server) Place(link string) (Place, bool) {
	u, err := url.Parse(link)
	if err != nil {
		return Place{Page: graph.NoPage}, false
	}
	h, ok := s.hostNamed(u.Host)
	if !ok {
		return Place{Page: graph.NoPage}, false
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	_, sitemap := s.rules.sitemapFile(&h.site, path)
	switch {
	case path == "/robots.txt":
		return Place{Kind: KindRobots, Trap: h.trap(), Page: graph.NoPage}, true
	case sitemap && h.role == roleSite:
		return Place{Kind: KindSitemap, Page: graph.NoPage}, true
	case u.ForceQuery:
		return Place{Kind: KindUnknown, Trap: h.trap(), Page: graph.NoPage}, true
	}
	p := s.locate(&h, path, u.RawQuery)
	return Place{p.kind, p.trap, p.page, p.variant == copyNear}, true
}

// place is what path and query of a host stand for.
type place struct {
	kind    Kind
	trap    Trap
	page    graph.Page // whose content is there, in whatever form
	of      site       // its site
	j       uint32     // its place in it
	variant variant    // the form
	n       uint64     // number of a month, a hop, a page of a farm, a hidden page
	key     uint64     // hash of what varies in the URL
	path    string
	query   string // of trap pages
}

// trap is the trap that a host is by itself.
func (h *host) trap() Trap {
	switch h.role {
	case roleFarm:
		return Farm
	case roleWildcard:
		return Wildcard
	}
	return NoTrap
}

// locate finds out what path and query of a host stand for.
func (s *Server) locate(h *host, path, query string) place {
	r, nothing := &s.rules, place{kind: KindUnknown, page: graph.NoPage, trap: h.trap()}
	switch h.role {
	case roleMirror:
		if j, ok := h.site.pageAt(path); ok && query == "" && (r.inMirror(&h.site, j) || r.movedInMirror(&h.site, j)) {
			return pageAt(&h.site, j, KindCopy, copyMirror)
		}
		return nothing
	case roleFarm:
		if k, ok := r.farmAt(path); ok && query == "" {
			return place{kind: KindTrap, trap: Farm, page: graph.NoPage, n: k, key: mix(h.key + k)}
		}
		return nothing
	case roleWildcard:
		if path == "/" && query == "" {
			return place{kind: KindTrap, trap: Wildcard, page: graph.NoPage, key: h.key}
		}
		return nothing
	}
	if j, ok := h.site.pageAt(path); ok && query == "" {
		return pageAt(&h.site, j, KindPage, original)
	}
	if !r.hostile || !strings.HasPrefix(path, "/") {
		return nothing
	}
	return s.locateBeside(&h.site, path, query)
}

func pageAt(s *site, j uint32, kind Kind, v variant) place {
	return place{kind: kind, page: graph.Page(s.first + j), of: *s, j: j, variant: v}
}

// locateBeside looks for what a site has beside its pages.
func (s *Server) locateBeside(st *site, path, query string) place {
	r := &s.rules
	if p, trap, key, ok := r.cutSession(st, withQuery(path, query)); ok {
		if j, ok := st.pageAt(p); ok {
			at := pageAt(st, j, KindTrap, original)
			at.trap, at.key = trap, key
			return at
		}
	}
	if of, j, v := r.copyAt(st, path, query); v != original {
		return pageAt(&of, j, KindCopy, v)
	}
	if t, n, key := r.trapAt(st, path, query); t != NoTrap {
		return place{kind: KindTrap, trap: t, page: graph.NoPage, of: *st, n: n, key: key, query: query, path: path}
	}
	if query != "" {
		return place{kind: KindUnknown, page: graph.NoPage}
	}
	if p, ok := r.renamed(st, path); ok {
		return p
	}
	if j, n, ok := r.hiddenAt(st, path); ok {
		return place{kind: KindHidden, page: graph.Page(st.first + j), of: *st, j: j, n: n}
	}
	if n, ok := r.crowdNumber(path); ok {
		return place{kind: KindTrap, trap: CrowdLink, page: graph.NoPage, n: n}
	}
	return r.hopAt(st, path)
}

// renamed finds pages under names that change: /s-.../d3/p07.html and /again/.../.
func (r *rules) renamed(s *site, path string) (p place, ok bool) {
	first, rest, _ := strings.Cut(path[1:], "/")
	if id, found := strings.CutPrefix(first, "s-"); found && r.has(s, SessionPath) {
		key, sealed := r.sealed(s, id)
		j, ok := s.pageAt("/" + rest)
		p = pageAt(s, j, KindTrap, copySession)
		p.trap, p.key = SessionPath, key
		return p, ok && sealed
	}
	name, slash := strings.CutSuffix(rest, "/")
	if key, ok := r.sealed(s, name); ok && slash && first == "again" && r.has(s, CopyDirectory) {
		p = pageAt(s, r.again(s, key), KindTrap, copyAgain)
		p.trap, p.key = CopyDirectory, key
		return p, true
	}
	return p, false
}

// hopAt reads /hop/3/4711: step 3 of the chain that page 4711 begins, or the other end of
// its loop.
func (r *rules) hopAt(s *site, path string) place {
	nothing := place{kind: KindUnknown, page: graph.NoPage}
	rest, found := strings.CutPrefix(path, "/hop/")
	step, name, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(step, 10, 16)
	p, err2 := strconv.ParseUint(name, 10, 32)
	if !found || err != nil || err2 != nil || n < 1 || p >= uint64(r.web.spec.Pages) || hopPath(n, p) != path {
		return nothing
	}
	of := r.web.site(r.web.SiteOf(graph.Page(p)))
	j := uint32(p) - of.first
	switch at := r.hopSite(&of, j, int(n)); r.class(&of, j) {
	case Loop:
		if s.id != of.id || n != 1 || r.loopsDirectly(&of, j) {
			return nothing
		}
	case Chain:
		if s.id != at.id || n >= uint64(r.opt.ChainLength) {
			return nothing
		}
	default:
		return nothing
	}
	return place{kind: KindHop, page: graph.NoPage, of: of, j: j, n: n}
}

func hopPath(n, p uint64) string {
	return "/hop/" + strconv.FormatUint(n, 10) + "/" + strconv.FormatUint(p, 10)
}
