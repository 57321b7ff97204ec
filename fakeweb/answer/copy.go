package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// A Variant is the form of a copy.
type Variant uint8

const (
	Original    Variant = iota
	CopySlash           // /copy/d3/p07.html: its permalink leads to pages that nothing else leads to
	copyQuery           // /d3/p07.html?print=1, the same bytes
	copyIndex           // /d3/index.html, only of home and index pages
	copyCase            // /D3/, only of index pages
	copyFrom            // /from/4711.html on another site
	CopyNear            // /print/d3/p07.html
	CopyMirror          // the same path on the mirror
	copySession         // /s-.../d3/p07.html
	copyAgain           // /again/.../
)

// copyRules holds the rules about content under more than one URL.
type copyRules struct {
	*dice
	*servers
	*robotsRules
	*pageRules
}

// copyable reports whether page j may have copies: a crawl that finds it can fetch it and
// follow its links, and no rule of robots.txt is about anything near it.
func (r *copyRules) copyable(s *fakeweb.Site, j uint32) bool {
	return r.class(s, j) == OK && !r.noFollow(s, j) && r.sound(s) && r.free(s, j)
}

// sameVariants returns the exact copies of page j on its own site.
func (r *copyRules) sameVariants(s *fakeweb.Site, j uint32) (v [2]Variant, n int) {
	if !r.meets(r.opt.Copies.Same, s, streamSame, uint64(j)) || !r.copyable(s, j) {
		return v, 0
	}
	second := copyQuery
	h := draw.Mix(r.draw(s, streamSame, uint64(j)))
	switch d, k := s.Place(j); {
	case k == 0 && h>>8&3 == 0:
		second = copyIndex
	case k == 0 && d >= 0 && h>>8&3 == 1:
		second = copyCase
	}
	switch h % 3 {
	case 0:
		return [2]Variant{CopySlash}, 1
	case 1:
		return [2]Variant{second}, 1
	}
	return [2]Variant{CopySlash, second}, 2
}

// hasVariant reports whether page j has an exact copy of a kind on its own site.
func (r *copyRules) hasVariant(s *fakeweb.Site, j uint32, want Variant) bool {
	v, n := r.sameVariants(s, j)
	return slices.Contains(v[:n], want)
}

// elsewhere returns the other site that has an exact copy of page j.
func (r *copyRules) elsewhere(s *fakeweb.Site, j uint32) (at fakeweb.Site, ok bool) {
	if !r.meets(r.opt.Copies.Elsewhere, s, streamElsewhere, uint64(j)) || !r.copyable(s, j) {
		return at, false
	}
	at = r.web.Site(siteBelow(draw.Mix(r.draw(s, streamElsewhere, uint64(j))), r.web.Sites()))
	return at, at.ID != s.ID && r.sound(&at) && r.free(&at, 0)
}

// nearLeast is the size from which pages have near copies, in bytes: the words that differ
// are then few compared to those that do not.
const nearLeast = 8000

// near reports whether page j has a near copy.
func (r *copyRules) near(s *fakeweb.Site, j uint32) bool {
	return r.meets(r.opt.Copies.Near, s, streamNear, uint64(j)) && r.size(s, j, OK) >= nearLeast && r.copyable(s, j)
}

// mirrorLeast is the number of pages from which sites have mirrors.
const mirrorLeast = 25

// mirrored reports whether a site has a mirror.
func (r *copyRules) mirrored(s *fakeweb.Site) bool {
	return s.ID != 0 && s.Pages >= mirrorLeast && r.meets(r.opt.Copies.Mirrors, s, streamMirror, 0) &&
		r.sound(s) && r.free(s, 0)
}

// inMirror reports whether the mirror has page j. It has everything that a crawl can fetch
// of its site and nothing else: no page is found through it alone, and a crawl that skips
// the site for it misses none.
func (r *copyRules) inMirror(s *fakeweb.Site, j uint32) bool {
	switch c := r.class(s, j); c {
	case OK, Busy, Reset, CutHeader, CutBody, WrongCharset, BadUTF8:
		return r.failures(c) >= 0 && r.open(s, j)
	}
	return false
}

// movedInMirror reports whether the mirror redirects where page j does.
func (r *copyRules) movedInMirror(s *fakeweb.Site, j uint32) bool {
	return r.class(s, j) == Redirect && r.open(s, j)
}

// open reports whether robots.txt allows page j, now and later.
func (r *robotsRules) open(s *fakeweb.Site, j uint32) bool {
	return !r.forbidden(s, j) && !r.later(s, j)
}

// odd reports whether the mirror has page j with another text.
func (r *copyRules) odd(s *fakeweb.Site, j uint32) bool {
	return r.meets(0.1, s, streamMirror, uint64(j)+1)
}

// again returns the page of a site that has a name in its directory of copies, the
// first three pages by turns.
func (r *trapRules) again(s *fakeweb.Site, key uint64) uint32 {
	return uint32(draw.Below(draw.Mix(key), uint64(min(s.Pages, firstPages))))
}

// appendVariant writes path and query of a copy of page j of a site.
func appendVariant(b []byte, s *fakeweb.Site, j uint32, v Variant) []byte {
	switch v {
	case CopySlash:
		return s.AppendPath(append(b, "/copy"...), j)
	case CopyNear:
		return s.AppendPath(append(b, "/print"...), j)
	case copyQuery:
		return append(s.AppendPath(b, j), "?print=1"...)
	case copyIndex:
		return append(s.AppendPath(b, j), "index.html"...)
	case copyCase:
		at := len(b)
		b = s.AppendPath(b, j)
		b[at+1] = 'D'
		return b
	case copyFrom:
		b = strconv.AppendUint(append(b, "/from/"...), uint64(s.First+j), 10)
		return append(b, ".html"...)
	}
	return s.AppendPath(b, j)
}

// copyAt returns which copy is at path and query of a site, and of which page.
func (r *copyRules) copyAt(s *fakeweb.Site, path, query string) (of fakeweb.Site, j uint32, v Variant) {
	switch {
	case query == "print=1":
		v = copyQuery
	case query != "":
		return of, 0, Original
	case strings.HasPrefix(path, "/copy/"):
		path, v = path[len("/copy"):], CopySlash
	case strings.HasPrefix(path, "/print/"):
		path, v = path[len("/print"):], CopyNear
	case strings.HasPrefix(path, "/from/"):
		return r.fromAt(s, path)
	case strings.HasSuffix(path, "/index.html"):
		path, v = strings.TrimSuffix(path, "index.html"), copyIndex
	case strings.HasPrefix(path, "/D"):
		path, v = "/d"+path[2:], copyCase
	}
	j, ok := s.PageAt(path)
	if !ok || v == CopyNear && !r.near(s, j) || v != CopyNear && !r.hasVariant(s, j, v) {
		return of, 0, Original
	}
	return *s, j, v
}

// fromAt reads /from/4711.html.
func (r *copyRules) fromAt(s *fakeweb.Site, path string) (of fakeweb.Site, j uint32, v Variant) {
	name, html := strings.CutSuffix(path[len("/from/"):], ".html")
	p, err := strconv.ParseUint(name, 10, 32)
	if !html || err != nil || p >= uint64(r.web.Spec().Pages) || strconv.FormatUint(p, 10) != name {
		return of, 0, Original
	}
	of, j = r.web.Locate(graph.Page(p))
	if at, ok := r.elsewhere(&of, j); !ok || at.ID != s.ID {
		return of, 0, Original
	}
	return of, j, copyFrom
}

// hiddenPages is the number of pages behind a copy, linked as a binary tree.
const hiddenPages = 6

// hiddenAt reads the path of a page behind a copy: /hidden/12/3.html is number 3 behind
// that of page 12.
func (r *copyRules) hiddenAt(s *fakeweb.Site, path string) (j uint32, n uint64, ok bool) {
	rest, found := strings.CutPrefix(path, "/hidden/")
	if !found {
		return 0, 0, false
	}
	page, name, _ := strings.Cut(rest, "/")
	p, err := strconv.ParseUint(page, 10, 32)
	n, err2 := strconv.ParseUint(strings.TrimSuffix(name, ".html"), 10, 32)
	if err != nil || err2 != nil || p >= uint64(s.Pages) || n < 1 || n > hiddenPages || hiddenPath(uint32(p), n) != path {
		return 0, 0, false
	}
	return uint32(p), n, r.hasVariant(s, uint32(p), CopySlash)
}

func hiddenPath(j uint32, n uint64) string {
	return "/hidden/" + strconv.FormatUint(uint64(j), 10) + "/" + strconv.FormatUint(n, 10) + ".html"
}
