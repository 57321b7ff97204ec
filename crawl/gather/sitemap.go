package gather

import (
	"bytes"
	"html"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// maxFiles bounds the files that are taken from one index of sitemaps. The protocol allows
// 50,000, each with 50,000 pages: more than a crawler takes of any site.
const maxFiles = 5000

// Sitemap reads the answer for a sitemap file: XML (urlset or sitemapindex) or a list of
// URLs as plain text, either of them perhaps in a gzip file. Only entries of the same name
// count, since a site cannot list pages of others. The protocol demands the same site
// (sitemaps.org), but many files name the other scheme, or the host with or without "www.".
// Its other rule, that a file lists only its own directory and below, is ignored: robots.txt
// names nearly all files, which lifts that rule. What was read of a file that is too
// large or broken counts. Where signals count a feed is a sitemap, too. A file that has moved to a site of the same name is a further file.
func (g *Gatherer) Sitemap(url string, a *fetch.Answer, at time.Time, f *Found) {
	g.begin(url, a, f)
	g.doc.alone, g.most = true, g.opt.MaxListed
	switch {
	case a.Class == event.Redirect:
		g.listFile([]byte(a.Location), f)
	case (a.Class == event.OK || a.Class == event.TooLarge) && a.Status != notModified:
		g.list(a, at, f)
	}
	g.record(url, a, at, f, "")
	g.trim(f.Size)
}

func (g *Gatherer) list(a *fetch.Answer, at time.Time, f *Found) {
	body := g.unzip(g.decode(a, f, g.opt.MaxSitemap), f)
	cut := a.Cut != fetch.CutNot || f.Note != ""
	text, _ := g.charset.Decode(body, "charset=utf-8")
	text = bytes.TrimLeft(text, "\t\n\r ")
	g.seen.reset(0)
	switch {
	case bytes.HasPrefix(text, []byte("<")) && g.listXML(text, served(a, at), f):
	case bytes.HasPrefix(text, []byte("http")):
		g.listLines(text, cut, f)
	default:
		f.Class, f.Note = event.NotHTML, "not a sitemap"
		return
	}
	f.Class = event.OK
	g.leftOut(f)
}

// unzip opens a gzip file. It recognises one by its bytes, not by header or name.
func (g *Gatherer) unzip(body []byte, f *Found) []byte {
	if !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		return body
	}
	var err error
	if g.more, err = g.decoder.Decode(g.more[:0], body, "gzip", g.opt.MaxSitemap); err != nil {
		f.Note = err.Error()
	}
	f.Size = int64(len(g.more))
	return g.more
}

// listLines reads a list of URLs, one a line. The last line of a list that was cut may
// be half a URL.
func (g *Gatherer) listLines(text []byte, cut bool, f *Found) {
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 && (whole || !cut) {
			g.link(f, line, 0, nil)
		}
		text = rest
	}
}

// listFile adds a further file of the same name.
func (g *Gatherer) listFile(loc []byte, f *Found) {
	url, v := g.resolver.Resolve(nil, loc)
	f.Refs[v]++
	if !v.Usable() {
		return
	}
	site, _ := page.Site(url)
	switch file := string(url); {
	case file == string(g.doc.url):
	case !SameName(site, g.doc.url[:g.doc.mid]):
		f.Foreign++
	case len(f.Files) >= maxFiles:
		f.Dropped++
	default:
		f.Files = append(f.Files, file)
	}
}

// scanner reads as much of XML as a sitemap needs: names of start tags and the text behind
// them. It accepts what a strict parser refuses, such as a file that was cut.
type scanner struct {
	rest  []byte // behind the last start tag
	attrs []byte // of that tag, as they are written
}

// next moves to the next start tag and returns its prefix and local name.
func (x *scanner) next() (prefix, name []byte, ok bool) {
	for {
		i := bytes.IndexByte(x.rest, '<')
		if i < 0 {
			return nil, nil, false
		}
		x.rest = x.rest[i+1:]
		switch {
		case bytes.HasPrefix(x.rest, []byte("!--")):
			x.skip("-->")
		case bytes.HasPrefix(x.rest, []byte("![CDATA[")):
			x.skip("]]>")
		case len(x.rest) > 0 && (x.rest[0] == '/' || x.rest[0] == '!' || x.rest[0] == '?'):
		default:
			prefix, name = x.tag()
			return prefix, name, true
		}
	}
}

// skip moves behind the next occurrence of end, or to the end of the file.
func (x *scanner) skip(end string) {
	if i := bytes.Index(x.rest, []byte(end)); i >= 0 {
		x.rest = x.rest[i+len(end):]
		return
	}
	x.rest = nil
}

// tag reads the name behind '<' and moves behind the tag. A '>' inside an attribute value
// ends it early, which does no harm here.
func (x *scanner) tag() (prefix, name []byte) {
	n := bytes.IndexAny(x.rest, "\t\n\r />")
	if n < 0 {
		n = len(x.rest)
	}
	name, x.attrs = x.rest[:n], x.rest[n:]
	x.skip(">")
	x.attrs = x.attrs[:len(x.attrs)-len(x.rest)]
	if before, after, ok := bytes.Cut(name, []byte(":")); ok {
		return before, after
	}
	return nil, name
}

// text returns the text up to the next end tag, without white space around it. ok is false
// if there is no end tag.
func (x *scanner) text() (text []byte, ok bool) {
	plain := x.rest[:max(bytes.IndexByte(x.rest, '<'), 0)]
	x.rest = x.rest[len(plain):]
	plain = plain[:len(plain):len(plain)] // appending allocates
	for bytes.HasPrefix(x.rest, []byte("<![CDATA[")) {
		x.rest = x.rest[len("<![CDATA["):]
		data := x.rest
		x.skip("]]>")
		data = data[:max(len(data)-len(x.rest)-len("]]>"), 0)]
		next := x.rest[:max(bytes.IndexByte(x.rest, '<'), 0)]
		x.rest = x.rest[len(next):]
		plain = append(append(plain, html.EscapeString(string(data))...), next...)
	}
	if bytes.IndexByte(plain, '&') >= 0 {
		plain = []byte(html.UnescapeString(string(plain)))
	}
	return bytes.TrimSpace(plain), bytes.HasPrefix(x.rest, []byte("</"))
}
