package answer

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// A Place is what path and query of a host stand for.
type Place struct {
	Kind    Kind
	Trap    Trap       // in which it lies
	Page    graph.Page // the page, or that of which it is a copy or behind whose copy it lies; graph.NoPage for others
	Variant Variant    // the form in which the content of the page is there

	of    fakeweb.Site // the site of the page
	j     uint32       // its number in the site
	n     uint64       // number of a month, a hop, a page of a farm, a hidden page
	key   uint64       // hash of what varies in the URL
	path  string
	query string // of trap pages
}

// Place returns what a URL stands for. ok is false if no host of the web has its name.
func (w *World) Place(link string) (p Place, ok bool) {
	u, err := url.Parse(link)
	if err != nil {
		return Place{Page: graph.NoPage}, false
	}
	if u.Path == "" {
		u.Path = "/"
	}
	t, ok := w.Target(u.Host, u)
	return t.Place, ok
}

// trap returns the trap that a host is by itself.
func (h *Host) trap() Trap {
	switch h.role {
	case roleFarm:
		return Farm
	case roleWildcard:
		return Wildcard
	}
	return NoTrap
}

// locate returns what path and query of a host stand for.
func (w *World) locate(h *Host, path, query string) Place {
	r, nothing := &w.rules, Place{Kind: KindUnknown, Page: graph.NoPage, Trap: h.trap()}
	switch h.role {
	case roleMirror:
		if j, ok := h.site.PageAt(path); ok && query == "" && (r.inMirror(&h.site, j) || r.movedInMirror(&h.site, j)) {
			return pageAt(&h.site, j, KindCopy, CopyMirror)
		}
		return nothing
	case roleFarm:
		if k, ok := r.farmAt(path); ok && query == "" {
			return Place{Kind: KindTrap, Trap: Farm, Page: graph.NoPage, n: k, key: draw.Mix(h.key + k)}
		}
		return nothing
	case roleWildcard:
		if path == "/" && query == "" {
			return Place{Kind: KindTrap, Trap: Wildcard, Page: graph.NoPage, key: h.key}
		}
		return nothing
	}
	if j, ok := h.site.PageAt(path); ok && query == "" {
		return pageAt(&h.site, j, KindPage, Original)
	}
	if !r.hostile || !strings.HasPrefix(path, "/") {
		return nothing
	}
	return w.locateBeside(&h.site, path, query)
}

func pageAt(s *fakeweb.Site, j uint32, kind Kind, v Variant) Place {
	return Place{Kind: kind, Page: graph.Page(s.First + j), of: *s, j: j, Variant: v}
}

// locateBeside returns what path and query stand for beside the pages of a site.
func (w *World) locateBeside(st *fakeweb.Site, path, query string) Place {
	r := &w.rules
	if p, trap, key, ok := r.cutSession(st, withQuery(path, query)); ok {
		if j, ok := st.PageAt(p); ok {
			at := pageAt(st, j, KindTrap, Original)
			at.Trap, at.key = trap, key
			return at
		}
	}
	if of, j, v := r.copyAt(st, path, query); v != Original {
		return pageAt(&of, j, KindCopy, v)
	}
	if t, n, key := r.trapAt(st, path, query); t != NoTrap {
		return Place{Kind: KindTrap, Trap: t, Page: graph.NoPage, of: *st, n: n, key: key, query: query, path: path}
	}
	if query != "" {
		return Place{Kind: KindUnknown, Page: graph.NoPage}
	}
	if p, ok := r.renamed(st, path); ok {
		return p
	}
	if j, n, ok := r.hiddenAt(st, path); ok {
		return Place{Kind: KindHidden, Page: graph.Page(st.First + j), of: *st, j: j, n: n}
	}
	if n, ok := r.crowdNumber(path); ok {
		return Place{Kind: KindTrap, Trap: CrowdLink, Page: graph.NoPage, n: n}
	}
	return r.hopAt(st, path)
}

// renamed finds pages under names that change: /s-.../d3/p07.html and /again/.../.
func (r *rules) renamed(s *fakeweb.Site, path string) (p Place, ok bool) {
	first, rest, _ := strings.Cut(path[1:], "/")
	if id, found := strings.CutPrefix(first, "s-"); found && r.has(s, SessionPath) {
		key, sealed := r.sealed(s, id)
		j, ok := s.PageAt("/" + rest)
		p = pageAt(s, j, KindTrap, copySession)
		p.Trap, p.key = SessionPath, key
		return p, ok && sealed
	}
	name, slash := strings.CutSuffix(rest, "/")
	if key, ok := r.sealed(s, name); ok && slash && first == "again" && r.has(s, CopyDirectory) {
		p = pageAt(s, r.again(s, key), KindTrap, copyAgain)
		p.Trap, p.key = CopyDirectory, key
		return p, true
	}
	return p, false
}

// hopAt reads /hop/3/4711: step 3 of the chain that page 4711 begins, or the other end of
// its loop.
func (r *rules) hopAt(s *fakeweb.Site, path string) Place {
	nothing := Place{Kind: KindUnknown, Page: graph.NoPage}
	rest, found := strings.CutPrefix(path, "/hop/")
	step, name, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(step, 10, 16)
	p, err2 := strconv.ParseUint(name, 10, 32)
	if !found || err != nil || err2 != nil || n < 1 || p >= uint64(r.web.Spec().Pages) || hopPath(n, p) != path {
		return nothing
	}
	of, j := r.web.Locate(graph.Page(p))
	switch at := r.hopSite(&of, j, int(n)); r.class(&of, j) {
	case Loop:
		if s.ID != of.ID || n != 1 || r.loopsDirectly(&of, j) {
			return nothing
		}
	case Chain:
		if s.ID != at.ID || n >= uint64(r.opt.ChainLength) {
			return nothing
		}
	default:
		return nothing
	}
	return Place{Kind: KindHop, Page: graph.NoPage, of: of, j: j, n: n}
}

func hopPath(n, p uint64) string {
	return "/hop/" + strconv.FormatUint(n, 10) + "/" + strconv.FormatUint(p, 10)
}
