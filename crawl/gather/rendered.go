package gather

import (
	"net/http"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// Script reports whether a page needs its scripts to be read.
type Script uint8

// The kinds of pages.
const (
	Unneeded Script = iota // it has none, or is not stored
	Possible               // it has some
	Likely                 // without them there is almost nothing in it
)

// A page with scripts that has less text, and not more links, has almost nothing in it, unless it
// leads elsewhere by itself (a meta refresh): see docs/crawl.md for what this was measured on.
const (
	bareText  = 200 // bytes
	bareLinks = 4
)

// script looks at the page that was scanned last.
func (g *Gatherer) script(f *Found) Script {
	switch p := &g.page; {
	case p.Scripts == 0:
		return Unneeded
	case len(p.Text) < bareText && f.Links.Len() <= bareLinks && p.Refresh < 0:
		return Likely
	}
	return Possible
}

// Rendered reads what a browser shows of a page: its DOM, in UTF-8, and where its scripts lead. The
// links of the answer that was stored count, too; without a DOM they are all. The answer has no
// content coding.
func (g *Gatherer) Rendered(url string, a *fetch.Answer, dom []byte, leads []string, f *Found) {
	g.begin(url, a, f)
	f.Tags = robots.ParseMeta(a.Header["X-Robots-Tag"], g.opt.Product)
	if dom == nil {
		g.content(a, f)
		return
	}
	x := fetch.Answer{Class: event.OK, Status: http.StatusOK, Body: dom, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Link": a.Header["Link"]}}
	g.content(&x, f)
	f.Media = "text/html"
	g.topical.next = Terms{}
	for _, to := range leads {
		g.link(f, []byte(to), g.follows(f), nil)
	}
	g.also(a, f)
	g.trim(f.Size)
}

// follows returns the relation of links of a page that has none of its own.
func (g *Gatherer) follows(f *Found) page.Rel {
	if f.Tags&robots.NoFollow != 0 {
		return page.RelNofollow
	}
	return 0
}

// also adds the links of an answer to those that are there.
func (g *Gatherer) also(a *fetch.Answer, f *Found) {
	text, charset := g.charset.Decode(a.Body, first(a.Header["Content-Type"]))
	p := &g.page
	g.scanner.Scan(text, p)
	for _, value := range p.Robots {
		f.Tags |= robots.ParseMeta([]string{string(value)}, g.opt.Product)
	}
	g.resolver.EncodeQuery = g.encoder(charset.Name)
	g.resolver.Document(g.doc.url)
	if p.Base != nil {
		g.resolver.Rebase(p.Base)
	}
	more := g.follows(f)
	g.topical.next = Terms{}
	for i := range p.Links {
		if l := &p.Links[i]; l.Kind != page.KindLink || leads(l.Rel) {
			g.link(f, p.Href(*l), l.Rel|more, l)
		}
	}
}

// Asked returns what the scripts of a page have asked for and was not there, most of it at most.
func (g *Gatherer) Asked(url string, urls []string, most int) *Needs {
	f := new(Found)
	g.begin(url, &fetch.Answer{Class: event.OK}, f)
	g.mostNeeds = most
	g.beginNeeds()
	for _, href := range urls {
		g.need(f, []byte(href))
	}
	return &f.Needs
}
