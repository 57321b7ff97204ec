package answer

import (
	"bytes"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// Links are written in several forms, by hash of page and place: whole URLs, URLs
// without scheme, paths, and relative paths where the target is on the same site.
//
// A messy link is written in one of the odd ways below on top; its target stays the
// same by the URL standard.
const (
	messyQuote    = iota // href='...'
	messyBare            // href=...
	messyCase            // upper-case scheme, host and attribute name
	messyFragment        // #part at the end
	messyBlanks          // blanks and line ends around the URL
	messyEntity          // slashes as character references
	messyDots            // ./ and x/../ in paths
	messyCompany         // a mail address and a script next to it
	messies
)

// link writes link number i of the page.
func (c *composer) link(i uint64, to graph.Page) {
	r := &c.w.rules
	target, j := c.w.web.Locate(to)
	messy := -1
	if x := uint64(c.j)<<32 | i; r.meets(r.opt.Messy, c.site, streamMessy, x) {
		messy = int(draw.Mix(r.draw(c.site, streamMessy, x)) % messies)
	}
	h := r.draw(c.site, streamForm, draw.Pair(c.j, uint32(i)))
	if messy >= 0 {
		c.oddAnchor(messy, h, &target, j)
	} else {
		c.add(`<a href="`)
		c.target(h, &target, j)
		c.add(`">`)
	}
	c.name(&target, j, c.anchorWord(uint32(i), &target, j))
	c.add("</a>")
}

// target writes the URL of page j of a site, with a seam.
func (c *composer) target(h uint64, to *fakeweb.Site, j uint32) {
	at := len(c.buf)
	c.href(h, to, j)
	c.seam(at, to, j)
}

// seam records where the URL of a page is.
func (c *composer) seam(from int, to *fakeweb.Site, j uint32) {
	c.mark(from, seamLink, graph.Page(to.First+j), 0)
}

// path writes the path of page j of a site, with a session where the site has such.
func (c *composer) path(to *fakeweb.Site, j uint32) {
	c.buf = to.AppendPath(c.buf, j)
	if to.ID == c.site.ID {
		c.buf = append(c.buf, c.session...)
	}
}

// href writes the URL of page j of a site.
func (c *composer) href(h uint64, to *fakeweb.Site, j uint32) {
	switch {
	case to.ID != c.site.ID:
		at := len(c.buf)
		c.buf = c.w.appendOrigin(c.buf, to)
		if h&3 == 0 && c.w.rules.https(to) == c.secure {
			c.buf = append(c.buf[:at], c.buf[at+bytes.Index(c.buf[at:], []byte("//")):]...)
		}
		c.path(to, j)
	case h&3 == 0:
		c.buf = c.w.appendOrigin(c.buf, to)
		c.path(to, j)
	case h&3 == 1:
		c.path(to, j)
	default:
		c.relative(to, j)
		c.buf = append(c.buf, c.session...)
	}
}

// relative writes the path of page j of the same site as seen from the page.
func (c *composer) relative(to *fakeweb.Site, j uint32) {
	from, _ := to.Place(c.j)
	d, k := to.Place(j)
	at := len(c.buf)
	c.buf = to.AppendPath(c.buf, j)
	path := c.buf[at:]
	switch {
	case from < 0: // the page is the home page: without the slash
		c.buf = append(c.buf[:at], path[1:]...)
	case d == from && k > 0: // the same directory: the name alone
		c.buf = append(c.buf[:at], path[1+bytes.IndexByte(path[1:], '/')+1:]...)
	case d == from:
		c.buf = append(c.buf[:at], "./"...)
	default: // another directory, or the home page
		c.buf = append(c.buf, 0, 0)
		path = c.buf[at:]
		copy(path[2:], path)
		copy(path, "..")
	}
	if len(c.buf) == at {
		c.buf = append(c.buf, "./"...)
	}
}

// oddAnchor writes the start tag of a messy link.
func (c *composer) oddAnchor(messy int, h uint64, to *fakeweb.Site, j uint32) {
	switch messy {
	case messyQuote:
		c.add(`<a class=x href='`)
		c.target(h, to, j)
		c.add(`'>`)
	case messyBare:
		c.add(`<a id=n href=`)
		c.target(h, to, j)
		c.add(` title="a > b">`)
	case messyCase:
		c.add(`<A HREF="`)
		at := len(c.buf)
		c.buf = c.w.appendOrigin(c.buf, to)
		copy(c.buf[at:], bytes.ToUpper(c.buf[at:]))
		c.path(to, j)
		c.seam(at, to, j)
		c.add(`">`)
	case messyFragment:
		c.add(`<a href="`)
		c.target(h, to, j)
		c.add(`#part-2">`)
	case messyBlanks:
		c.add("<a\n\thref = \" \n")
		c.target(h, to, j)
		c.add("\t \">")
	default:
		c.oddPath(messy, h, to, j)
	}
}

func (c *composer) oddPath(messy int, h uint64, to *fakeweb.Site, j uint32) {
	switch messy {
	case messyEntity:
		c.add(`<a href="`)
		at := len(c.buf)
		c.href(h, to, j)
		url := bytes.ReplaceAll(c.buf[at:], []byte("/"), []byte("&#x2F;"))
		c.buf = append(c.buf[:at], url...)
		c.seam(at, to, j)
		c.add(`">`)
	case messyDots:
		c.add(`<a href="`)
		at := len(c.buf)
		c.buf = c.w.appendOrigin(c.buf, to)
		c.add("/./x/..")
		c.path(to, j)
		c.seam(at, to, j)
		c.add(`">`)
	case messyCompany:
		c.add(`<a href="mailto:somebody@s0.example">m</a> <a href="javascript:void(0)">s</a> <a name="here">h</a> <a href="`)
		c.target(h, to, j)
		c.add(`">`)
	}
}
