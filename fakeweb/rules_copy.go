package fakeweb

import (
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/graph"
)

// A variant is how a copy is called.
type variant uint8

const (
	original    variant = iota
	copySlash           // /copy/d3/p07.html: its permalink leads to pages that nothing else leads to
	copyQuery           // /d3/p07.html?print=1, the same bytes
	copyIndex           // /d3/index.html, only of home and index pages
	copyCase            // /D3/, only of index pages
	copyFrom            // /from/4711.html on another site
	copyNear            // /print/d3/p07.html
	copyMirror          // the same path on the mirror
	copySession         // /s-.../d3/p07.html
	copyAgain           // /again/.../
)

// copyRules are the rules about content under more than one URL.
type copyRules struct {
	*dice
	*servers
	*robotsRules
	*pageRules
}

// copyable tells whether page j may have copies: a crawl that finds it can have it and
// follow its links, and no rule of robots.txt is about anything near it.
func (r *copyRules) copyable(s *site, j uint32) bool {
	return r.class(s, j) == OK && !r.noFollow(s, j) && r.sound(s) && r.free(s, j)
}

// sameVariants are the exact copies of page j on its own site.
func (r *copyRules) sameVariants(s *site, j uint32) (v [2]variant, n int) {
	if !r.meets(r.opt.Copies.Same, s, streamSame, uint64(j)) || !r.copyable(s, j) {
		return v, 0
	}
	second := copyQuery
	h := mix(r.draw(s, streamSame, uint64(j)))
	switch d, k := s.place(j); {
	case k == 0 && h>>8&3 == 0:
		second = copyIndex
	case k == 0 && d >= 0 && h>>8&3 == 1:
		second = copyCase
	}
	switch h % 3 {
	case 0:
		return [2]variant{copySlash}, 1
	case 1:
		return [2]variant{second}, 1
	}
	return [2]variant{copySlash, second}, 2
}

// hasVariant tells whether page j has an exact copy of a kind on its own site.
func (r *copyRules) hasVariant(s *site, j uint32, want variant) bool {
	v, n := r.sameVariants(s, j)
	for _, x := range v[:n] {
		if x == want {
			return true
		}
	}
	return false
}

// elsewhere is the other site that has an exact copy of page j.
func (r *copyRules) elsewhere(s *site, j uint32) (at site, ok bool) {
	if !r.meets(r.opt.Copies.Elsewhere, s, streamElsewhere, uint64(j)) || !r.copyable(s, j) {
		return at, false
	}
	at = r.web.site(siteBelow(mix(r.draw(s, streamElsewhere, uint64(j))), r.web.Sites()))
	return at, at.id != s.id && r.sound(&at) && r.free(&at, 0)
}

// nearLeast is the size from which pages have near copies, in bytes: the words that differ
// are then few beside those that do not.
const nearLeast = 8000

// near tells whether page j has a near copy.
func (r *copyRules) near(s *site, j uint32) bool {
	return r.meets(r.opt.Copies.Near, s, streamNear, uint64(j)) && r.size(s, j, OK) >= nearLeast && r.copyable(s, j)
}

// mirrorLeast is the number of pages from which sites have mirrors.
const mirrorLeast = 25

// mirrored tells whether a site has a mirror.
func (r *copyRules) mirrored(s *site) bool {
	return s.id != 0 && s.pages >= mirrorLeast && r.meets(r.opt.Copies.Mirrors, s, streamMirror, 0) &&
		r.sound(s) && r.free(s, 0)
}

// inMirror tells whether the mirror has page j. It has all that a crawl can have of its
// site and nothing else: no page is found through it alone, and who leaves the site
// alone for it misses none.
func (r *copyRules) inMirror(s *site, j uint32) bool {
	switch c := r.class(s, j); c {
	case OK, Busy, Reset, CutHeader, CutBody, WrongCharset, BadUTF8:
		return r.failures(c) >= 0 && r.open(s, j)
	}
	return false
}

// movedInMirror tells whether the mirror redirects where page j does.
func (r *copyRules) movedInMirror(s *site, j uint32) bool {
	return r.class(s, j) == Redirect && r.open(s, j)
}

// open tells whether robots.txt allows page j, now and later.
func (r *robotsRules) open(s *site, j uint32) bool { return !r.forbidden(s, j) && !r.later(s, j) }

// odd tells whether the mirror has page j with another text.
func (r *copyRules) odd(s *site, j uint32) bool { return r.meets(0.1, s, streamMirror, uint64(j)+1) }

// again is the page of a site that stands under a name of its directory of copies, the
// first three pages by turns.
func (r *trapRules) again(s *site, key uint64) uint32 {
	return uint32(below(mix(key), uint64(min(s.pages, firstPages))))
}

// appendVariant writes path and query of a copy of page j.
func (s *site) appendVariant(b []byte, j uint32, v variant) []byte {
	switch v {
	case copySlash:
		return s.appendPath(append(b, "/copy"...), j)
	case copyNear:
		return s.appendPath(append(b, "/print"...), j)
	case copyQuery:
		return append(s.appendPath(b, j), "?print=1"...)
	case copyIndex:
		return append(s.appendPath(b, j), "index.html"...)
	case copyCase:
		at := len(b)
		b = s.appendPath(b, j)
		b[at+1] = 'D'
		return b
	case copyFrom:
		b = strconv.AppendUint(append(b, "/from/"...), uint64(s.first+j), 10)
		return append(b, ".html"...)
	}
	return s.appendPath(b, j)
}

// copyAt tells which copy stands under path and query of a site, and of which page.
func (r *copyRules) copyAt(s *site, path, query string) (of site, j uint32, v variant) {
	switch {
	case query == "print=1":
		v = copyQuery
	case query != "":
		return of, 0, original
	case strings.HasPrefix(path, "/copy/"):
		path, v = path[len("/copy"):], copySlash
	case strings.HasPrefix(path, "/print/"):
		path, v = path[len("/print"):], copyNear
	case strings.HasPrefix(path, "/from/"):
		return r.fromAt(s, path)
	case strings.HasSuffix(path, "/index.html"):
		path, v = strings.TrimSuffix(path, "index.html"), copyIndex
	case strings.HasPrefix(path, "/D"):
		path, v = "/d"+path[2:], copyCase
	}
	j, ok := s.pageAt(path)
	if !ok || v == copyNear && !r.near(s, j) || v != copyNear && !r.hasVariant(s, j, v) {
		return of, 0, original
	}
	return *s, j, v
}

// fromAt reads /from/4711.html.
func (r *copyRules) fromAt(s *site, path string) (of site, j uint32, v variant) {
	name, html := strings.CutSuffix(path[len("/from/"):], ".html")
	p, err := strconv.ParseUint(name, 10, 32)
	if !html || err != nil || p >= uint64(r.web.spec.Pages) || strconv.FormatUint(p, 10) != name {
		return of, 0, original
	}
	of = r.web.site(r.web.SiteOf(graph.Page(p)))
	j = uint32(p) - of.first
	if at, ok := r.elsewhere(&of, j); !ok || at.id != s.id {
		return of, 0, original
	}
	return of, j, copyFrom
}

// hiddenPages is the number of pages behind a copy, linked as a binary tree.
const hiddenPages = 6

// hiddenAt reads the path of a page behind a copy: /hidden/12/3.html is number 3 behind
// that of page 12.
func (r *copyRules) hiddenAt(s *site, path string) (j uint32, n uint64, ok bool) {
	rest, found := strings.CutPrefix(path, "/hidden/")
	if !found {
		return 0, 0, false
	}
	page, name, _ := strings.Cut(rest, "/")
	p, err := strconv.ParseUint(page, 10, 32)
	n, err2 := strconv.ParseUint(strings.TrimSuffix(name, ".html"), 10, 32)
	if err != nil || err2 != nil || p >= uint64(s.pages) || n < 1 || n > hiddenPages || hiddenPath(uint32(p), n) != path {
		return 0, 0, false
	}
	return uint32(p), n, r.hasVariant(s, uint32(p), copySlash)
}

func hiddenPath(j uint32, n uint64) string {
	return "/hidden/" + strconv.FormatUint(uint64(j), 10) + "/" + strconv.FormatUint(n, 10) + ".html"
}
