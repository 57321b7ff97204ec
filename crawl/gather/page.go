package gather

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// document is the page whose links are read.
type document struct {
	url      []byte
	mid      int // url[:mid] is its site
	siteHash uint64
	hash     uint64
	inScope  bool // its site is, so local links need no check
	alone    bool // links to sites of other names do not count: a sitemap
	moved    bool // its only link is where it redirects to
	htmlOnly bool // see Options
	maxBody  int64
}

// Page reads the answer for a page, whose URL is a normal form. at is the wall clock at
// the start of the request.
func (g *Gatherer) Page(url string, a *fetch.Answer, at time.Time, f *Found) {
	g.PageAgain(url, a, at, &archive.Original{}, f)
}

// PageAgain does what Page does for a page whose last payload is that of a response in the
// archive, if o is not zero.
func (g *Gatherer) PageAgain(url string, a *fetch.Answer, at time.Time, o *archive.Original, f *Found) {
	g.begin(url, a, f)
	f.Tags = robots.ParseMeta(a.Header["X-Robots-Tag"], g.opt.Product)
	switch {
	case a.Class == event.Redirect:
		g.redirect(a, f)
	case a.Class == event.OK && a.Status != notModified:
		g.content(a, f)
	}
	why := g.withheld(a, f)
	if why != "" {
		f.Needs.reset() // only what is stored can be shown
		f.Script = Unneeded
	}
	g.recordVisit(url, a, at, o, f, why)
	g.trim(f.Size)
}

// notModified is the status of an answer without content because nothing changed.
const notModified = 304

// begin sets the fields that all answers have.
func (g *Gatherer) begin(url string, a *fetch.Answer, f *Found) {
	f.Reset()
	f.Class, f.Status, f.Note, f.Size = a.Class, a.Status, a.Note, int64(len(a.Body))
	f.Media = media(a.Header["Content-Type"])
	if a.Class == event.OK {
		f.ETag, f.Modified = first(a.Header["Etag"]), first(a.Header["Last-Modified"])
	}
	d := &g.doc
	d.url = append(d.url[:0], url...)
	site, rest := page.Site(d.url)
	d.mid, d.siteHash = len(site), g.opt.Key.Site(site)
	d.hash = g.opt.Key.Page(d.siteHash, rest)
	d.inScope, d.alone, d.moved = g.opt.Scope.holds(site), false, a.Class == event.Redirect
	d.htmlOnly, d.maxBody = g.opt.of(site)
	g.most, g.extra = g.opt.MaxLinks, g.extra[:0]
	g.mostNeeds = g.opt.Requisites
	g.topical.next = Terms{}
	g.resolver.EncodeQuery = nil
	g.resolver.Document(d.url)
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// redirect makes the target the only link. One that is the page itself in our normal form
// is a loop that would never end: the two differ by a session id, a cookie or
// a fragment.
func (g *Gatherer) redirect(a *fetch.Answer, f *Found) {
	g.seen.reset(1)
	switch v := g.link(f, []byte(a.Location), 0, nil); {
	case !v.Usable():
		f.Class, f.Note = event.HTTPError, fmt.Sprintf("redirects to %.100q: %v", a.Location, v)
	case f.Links.Len() == 0:
		f.Class, f.Note = event.HTTPError, "redirects to itself"
	}
}

// content reads a body that was requested and fetched.
func (g *Gatherer) content(a *fetch.Answer, f *Found) {
	if a.Cut == fetch.CutUnwanted {
		f.Class = event.NotHTML
		return
	}
	body := g.decode(a, f, g.doc.maxBody)
	if f.Class != event.OK {
		return
	}
	if g.opt.Bodies {
		f.Body = append(f.Body, body...)
	}
	if f.Media = sniff(f.Media, body); !isHTML(f.Media) {
		f.Class = event.NotHTML
		return
	}
	text, charset := g.charset.Decode(body, first(a.Header["Content-Type"]))
	g.scanner.Scan(text, &g.page)
	p := &g.page
	f.Title, f.Charset = strings.ToValidUTF8(string(p.Title), "\ufffd"), charset.Name
	g.topical.read(p, &f.Read)
	f.Digest, f.Gist, f.Cut, f.Dropped = p.Digest, p.Gist, p.Cut, p.Dropped
	for _, value := range p.Robots {
		f.Tags |= robots.ParseMeta([]string{string(value)}, g.opt.Product)
	}
	g.links(a.Header["Link"], f)
	g.findNeeds(f)
	f.Script = g.script(f)
}

// Text returns the title and the text of the page that was read last, if its Found has the class
// OK. They are valid until the next answer.
func (g *Gatherer) Text() (title, text []byte) { return g.page.Title, g.page.Text }

// decode removes the content coding, up to a number of bytes. The part of a broken body
// before the break counts; if that is empty, the type counts as unreadable.
func (g *Gatherer) decode(a *fetch.Answer, f *Found, most int64) []byte {
	coding := strings.Join(a.Header["Content-Encoding"], ",")
	if coding == "" {
		return a.Body
	}
	var err error
	g.plain, err = g.decoder.Decode(g.plain[:0], a.Body, coding, most)
	f.Size = int64(len(g.plain))
	if err != nil {
		f.Note = err.Error()
	}
	switch {
	case errors.Is(err, fetch.ErrTooLarge) || errors.Is(err, fetch.ErrBomb):
		f.Class = event.TooLarge
	case err != nil && len(g.plain) == 0:
		f.Class = event.NotHTML
	}
	return g.plain
}

// links adds the links of the scanned page and of the Link headers that came with it.
func (g *Gatherer) links(headers []string, f *Found) {
	p := &g.page
	var n nominee
	above := g.headerLinks(headers, &n, f)
	g.resolver.EncodeQuery = g.encoder(f.Charset)
	if p.Base != nil {
		g.resolver.Rebase(p.Base)
	}
	for _, l := range p.Links[:p.Head] {
		if l.Kind == page.KindLink && l.Rel&page.RelCanonical != 0 {
			n.name(&g.resolver, p.Href(l))
		}
		if l.Kind == page.KindLink && l.Rel&page.RelFeed != 0 && g.opt.Signals {
			g.feed(f, p.Href(l))
		}
	}
	g.canonical(&n, f)
	g.seen.reset(len(p.Links))
	g.targets = targets{}
	more := page.Rel(0)
	if f.Tags&robots.NoFollow != 0 {
		more = page.RelNofollow
	}
	for _, l := range above {
		g.link(f, []byte(l.Href), l.Rel|more, nil)
	}
	for i := range p.Links {
		if l := &p.Links[i]; l.Kind != page.KindLink || leads(l.Rel) {
			g.topical.at(p, i)
			g.link(f, p.Href(*l), l.Rel|more, l)
		}
	}
	g.leftOut(f)
	g.pictures(f)
}

// headerLinks returns the links of Link headers to pages, as normal forms where they have
// one: a base element of the page does not count for them.
func (g *Gatherer) headerLinks(headers []string, n *nominee, f *Found) (list []page.HeaderLink) {
	for _, l := range page.HeaderLinks(headers) {
		if l.Rel&page.RelCanonical != 0 {
			n.name(&g.resolver, []byte(l.Href))
		}
		if l.Rel&page.RelFeed != 0 && g.opt.Signals {
			g.feed(f, []byte(l.Href))
		}
		if !leads(l.Rel) {
			continue
		}
		if url, v := g.resolver.Resolve(nil, []byte(l.Href)); v.Usable() {
			l.Href = string(url)
		}
		list = append(list, l)
	}
	return list
}

// leads reports whether the target of a link element or of a Link header is a page, rather
// than a part of this one.
func leads(rel page.Rel) bool {
	const (
		pages = page.RelCanonical | page.RelNext | page.RelPrev | page.RelAlternate | page.RelGuide
		parts = page.RelStylesheet | page.RelIcon | page.RelResource
	)
	return rel&pages != 0 && rel&parts == 0
}

// encoder returns the query encoder of a charset; most pages need none.
func (g *Gatherer) encoder(charset string) func([]byte, rune) ([]byte, bool) {
	e, ok := g.encoders[charset]
	if !ok {
		e = page.QueryEncoder(charset)
		g.encoders[charset] = e
	}
	return e
}

// media returns the type and subtype of the first Content-Type in lower case, "" if there is
// none.
func media(values []string) string {
	value := first(values)
	if i := strings.IndexAny(value, ";,"); i >= 0 {
		value = value[:i]
	}
	return strings.ToLower(strings.TrimSpace(value))
}

// isHTML reports whether a media type is that of a page with links.
func isHTML(media string) bool {
	return media == "text/html" || media == "application/xhtml+xml" || media == "application/vnd.wap.xhtml+xml"
}

// MayBePage reports by the header of an answer whether its body may be a page: one whose
// type is declared to be another is none.
func MayBePage(h http.Header) bool {
	switch m := media(h["Content-Type"]); m {
	case "", "unknown/unknown", "application/unknown", "*/*", "application/xml", "text/xml":
		return true // see sniff
	default:
		return isHTML(m)
	}
}

// sniff returns the type of a body whose header has none (WHATWG MIME Sniffing, 7), and
// finds XHTML if the header declares XML. It trusts all other declarations.
func sniff(declared string, body []byte) string {
	switch declared {
	case "", "unknown/unknown", "application/unknown", "*/*":
		return media([]string{http.DetectContentType(body)})
	case "application/xml", "text/xml":
		if bytes.Contains(body[:min(len(body), 1024)], []byte("<html")) {
			return "application/xhtml+xml"
		}
	}
	return declared
}

// A Found is the result of reading an answer. It shares no memory with the gatherer. It
// goes to the loop through a channel, returns through a pool and is filled again, without
// allocating much once its buffers have grown. Records.Bytes are made for each answer
// and not used again: they may go to archive.Writer as they are.
type Found struct {
	Class  event.Class // that of the answer, or a worse one: NotHTML, TooLarge, HTTPError, Crashed
	Status int         // HTTP status, 0 without an answer
	Note   string      // a message for people if something is wrong, else ""

	Links Links // of a page or redirect; the pages of a sitemap
	// Canonical is the page of the same site that the page names as canonical.
	Canonical Canonical
	Files     []string // of a sitemap index: normal forms of further files, which may repeat and go in circles
	Feeds     []string // that a page names: normal forms
	Feed      bool     // of a sitemap: it is a feed
	Body      []byte   // of a robots.txt; with Options.Bodies of a page, too

	Needs Needs // of a page or a requisite
	// Script reports whether the page needs its scripts to be read.
	Script Script

	Records archive.Records // Bytes is nil where there is nothing to store
	Revisit bool            // the first of them is a revisit

	// Read is what a page has to do with the topic, apart from its links: see Links.Terms.
	Read      event.Reading
	Digest    page.Digest // of the structural text
	page.Gist             // of its words
	// Targets is of where the links of a page lead and of what pictures it shows: two
	// hashes of 32 bits. The upper one is of all of it as it is; in the lower one ids are
	// left out, which differ between copies of one page for different visitors.
	Targets  uint64
	Pictures uint32 // hash of the pictures alone, 0 without any
	Title    string
	Media    string // type/subtype, lower case
	Charset  string // of a page, by its WHATWG name

	ETag, Modified string // validators for the next request
	Tags           robots.Tags
	Size           int64 // bytes without content coding
	Cut            page.Cut
	Dropped        int // links left out because of limits
	Foreign        int // entries of a sitemap that are of another name, and so do not count

	// Refs counts the hrefs of the links by their outcome: those from
	// page.NotHTTP on have no normal form and are no links.
	Refs [page.Credentials + 1]int
}

// Reset makes the Found empty and keeps its buffers, unless they are unusually large.
func (f *Found) Reset() {
	links, needs, body := f.Links, f.Needs, f.Body[:0]
	links.reset()
	needs.reset()
	if cap(body) > maxFound {
		body = nil
	}
	read := f.Read
	read.Reset()
	*f = Found{Links: links, Needs: needs, Body: body, Read: read}
}

// maxFound is the most memory of one buffer that a Found keeps, in bytes. There are as
// many of them as fetchers, and more: ten thousand times a megabyte is too much.
const maxFound = 64 << 10
