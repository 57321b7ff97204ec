package answer

import (
	"bytes"
	"strconv"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/language"
	"github.com/winnow-crawler/winnow/fakeweb/internal/padded"
	"github.com/winnow-crawler/winnow/graph"
)

// A guise is the form of a page under another URL. The text is that of the page to the
// letter, as a reader sees it; where its links lead depends on the guise.
type guise struct {
	variant Variant
	key     uint64 // what its URL is made of: links to further copies differ
}

// A seam is a stretch of a page that is another one in other guises. Pages are written as
// they are first and cut at the seams then: the number of words in a page depends on how
// long the URLs before them are.
type seam struct {
	from, to int
	what     seamKind
	page     graph.Page // of a link
	n        int        // of an extra link
}

type seamKind uint8

const (
	seamLink    seamKind = iota // the URL of a page of the graph
	seamExtra                   // the URL of something else
	seamSelf                    // the URL of the page itself
	seamCounter                 // words that differ in near copies
)

// mark records a seam from a position to the end of the written text.
func (c *composer) mark(from int, what seamKind, page graph.Page, n int) {
	if c.marking {
		c.seams = append(c.seams, seam{from, len(c.buf), what, page, n})
	}
}

// disguised writes page j in a guise, valid until the next call.
func (c *composer) disguised(st *fakeweb.Site, j uint32, version uint32, size int, g *guise) []byte {
	c.marking, c.seams = true, c.seams[:0]
	body := c.page(st, j, version, size)
	c.marking = false
	extras := c.w.extras(c.extra[:0], st, j, c.links, g.key)
	c.extra = extras
	out, at := c.spare[:0], 0
	for _, m := range c.seams {
		out = append(out, body[at:m.from]...)
		switch m.what {
		case seamLink:
			out = c.guiseLink(out, m.page, g)
		case seamExtra:
			out = c.guiseExtra(out, extras[m.n], g)
		case seamSelf:
			out = c.guiseSelf(out, g)
		case seamCounter:
			out = c.appendCounter(out, g.variant == CopyNear)
		}
		at = m.to
	}
	c.spare = append(out, body[at:]...)
	return c.spare
}

// guiseLink writes the URL of a page: a path if that is enough, on mirrors and in sessions
// one that stays there.
func (c *composer) guiseLink(b []byte, p graph.Page, g *guise) []byte {
	to, j := c.w.web.Locate(p)
	switch {
	case to.ID == c.site.ID && g.variant == CopyMirror:
		b = c.w.appendMirror(b, &to)
	case to.ID == c.site.ID && g.variant == copySession:
		b = append(append(b, "/s-"...), c.w.rules.seal(&to, draw.Mix(g.key+uint64(p)))...)
	default:
		b = c.w.appendOrigin(b, &to)
	}
	return to.AppendPath(b, j)
}

// guiseExtra writes the URL of something else, a whole one where the copy is on another host.
func (c *composer) guiseExtra(b []byte, url string, g *guise) []byte {
	if url[0] == '/' && (g.variant == copyFrom || g.variant == CopyMirror) {
		b = c.w.appendOrigin(b, c.site)
	}
	return append(b, url...)
}

// guiseSelf writes the permalink: only that of a copy below /copy leads elsewhere.
func (c *composer) guiseSelf(b []byte, g *guise) []byte {
	switch g.variant {
	case CopySlash:
		return append(b, hiddenPath(c.j, 1)...)
	case CopyMirror:
		return c.site.AppendPath(c.w.appendMirror(b, c.site), c.j)
	}
	return c.site.AppendPath(c.w.appendOrigin(b, c.site), c.j)
}

// aside writes what a hostile web adds to a page: a permalink where there are copies with
// another one, a counter where there are near copies, and links to URLs that are no page of
// the graph.
func (c *composer) aside(links []graph.Page) {
	r := &c.w.rules
	if r.hasVariant(c.site, c.j, CopySlash) {
		c.add(`<p><a href="`)
		at := len(c.buf)
		c.buf = c.site.AppendPath(c.buf, c.j)
		c.mark(at, seamSelf, graph.NoPage, 0)
		c.add(`">`, c.words.Plain[0], "</a></p>\n")
	}
	if r.near(c.site, c.j) {
		c.add("<p>")
		at := len(c.buf)
		c.buf = c.appendCounter(c.buf, false)
		c.mark(at, seamCounter, graph.NoPage, 0)
		c.add("</p>\n")
	}
	c.extra = c.w.extras(c.extra[:0], c.site, c.j, links, 0)
	if len(c.extra) == 0 {
		return
	}
	c.add("<aside>\n")
	for n, url := range c.extra {
		c.add(`<a href="`)
		at := len(c.buf)
		c.add(url)
		c.mark(at, seamExtra, graph.NoPage, n)
		c.add(`">`)
		c.word(true)
		c.add("</a>\n")
	}
	c.add("</aside>\n")
}

// appendCounter writes the words that differ in near copies: how many have been here, and
// when the last one was.
func (c *composer) appendCounter(b []byte, near bool) []byte {
	h := c.w.rules.draw(c.site, streamNear, uint64(c.j)+1<<32)
	if near {
		h = draw.Mix(h)
	}
	b = strconv.AppendUint(b, 10_000+draw.Below(h, 90_000), 10)
	b = append(b, " 2025-"...)
	b = padded.Append(b, 1+h%12, 12)
	b = append(b, '-')
	return padded.Append(b, 1+h>>8%28, 28)
}

// extras appends the URLs that page j links to in addition to the pages of the graph:
// copies of what it links to, and ways into traps. With the key of a copy the traps that
// draw new names draw others; their number stays.
func (w *World) extras(dst []string, st *fakeweb.Site, j uint32, links []graph.Page, key uint64) []string {
	r := &w.rules
	if r.opt.Copies.any() {
		for _, p := range links {
			dst = w.copiesBeside(dst, st, j, p)
		}
	}
	dst = r.entrances(dst, st, j, key)
	if j == 0 && r.has(st, Farm) {
		dst = append(dst, w.farmURL(st, 0, 0))
	}
	if r.has(st, Wildcard) && r.door(st, j) {
		h := r.draw(st, streamDoor, uint64(j)+uint64(Wildcard)<<32)
		dst = append(dst, w.wildURL(st, h), w.wildURL(st, draw.Mix(h)))
	}
	return dst
}

// copiesBeside appends copies of page p, which page j of a site links to: each in one case
// of two, the mirror of a site always with its home page.
func (w *World) copiesBeside(dst []string, st *fakeweb.Site, j uint32, p graph.Page) []string {
	to, k := w.web.Locate(p)
	if k == 0 && w.rules.mirrored(&to) {
		dst = append(dst, string(append(w.appendMirror(nil, &to), '/')))
	}
	h := draw.Hash(w.rules.draw(st, streamBeside, uint64(j)), streamBeside, uint64(p))
	for _, v := range w.rules.variants(&to, k) {
		if h&1 != 0 {
			dst = append(dst, w.copyURL(&to, k, v))
		}
		h >>= 1
	}
	return dst
}

// variants returns the copies of page j that have URLs of their own; mirrors not counted.
func (r *copyRules) variants(s *fakeweb.Site, j uint32) (list []Variant) {
	same, n := r.sameVariants(s, j)
	list = append(list, same[:n]...)
	if r.near(s, j) {
		list = append(list, CopyNear)
	}
	if _, ok := r.elsewhere(s, j); ok {
		list = append(list, copyFrom)
	}
	return list
}

// copyURL returns the URL of a copy of page j.
func (w *World) copyURL(st *fakeweb.Site, j uint32, v Variant) string {
	at := *st
	switch v {
	case CopyMirror:
		return string(st.AppendPath(w.appendMirror(nil, st), j))
	case copyFrom:
		at, _ = w.rules.elsewhere(st, j)
	}
	return string(appendVariant(w.appendOrigin(nil, &at), st, j, v))
}

// A Copy is another URL of a page.
type Copy struct {
	URL  string
	Near bool // it differs in a few words
	Odd  bool // of a mirror: the text is another one
}

// Copies returns the other URLs of page p, without those with session ids and in
// directories of copies.
func (w *World) Copies(p graph.Page) (all []Copy) {
	st, j := w.web.Locate(p)
	for _, v := range w.rules.variants(&st, j) {
		all = append(all, Copy{URL: w.copyURL(&st, j, v), Near: v == CopyNear})
	}
	if w.rules.mirrored(&st) && w.rules.inMirror(&st, j) {
		all = append(all, Copy{URL: w.copyURL(&st, j, CopyMirror), Odd: w.rules.odd(&st, j)})
	}
	return all
}

// Beside returns the URLs that page p links to in addition to those of Seen, as written in it:
// copies, and ways into traps.
func (w *World) Beside(p graph.Page) []string {
	st, j := w.web.Locate(p)
	return w.extras(nil, &st, j, w.web.Links(nil, p), 0)
}

// simple writes a page in English: a title, a paragraph of a length in bytes, and links.
func (c *composer) simple(title string, seed uint64, size int, links []string) []byte {
	c.buf, c.words, c.random, c.pending = c.buf[:0], &c.w.words[language.UTF8], seed, 0
	c.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>", title, "</title></head>\n<body>\n<h1>", title, "</h1>\n")
	if size > 0 {
		c.add("<p>")
		c.writeClauses(len(c.buf) + size)
		c.add("</p>\n")
	}
	c.add("<ul>\n")
	for i, url := range links {
		c.add(`<li><a href="`, url, `">`, strconv.Itoa(i+1), "</a></li>\n")
	}
	c.add("</ul>\n", footer)
	return c.buf
}

// spoil puts bytes that are not UTF-8 between words of the text, after every 40th blank
// that is not in a tag.
func (c *composer) spoil(body []byte) []byte {
	at := bytes.Index(body, []byte("<body>"))
	out, tag, blanks := append(c.spare[:0], body[:at]...), false, 0
	for _, b := range body[at:] {
		out = append(out, b)
		switch {
		case b == '<' || b == '>':
			tag = b == '<'
		case b == ' ' && !tag:
			if blanks++; blanks%40 == 0 {
				out = append(out, "\xff\xfe \xc0\x80 \xed\xa0\x80 "...)
			}
		}
	}
	c.spare = out
	return out
}
