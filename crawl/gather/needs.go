package gather

import (
	"bytes"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// Needs are the requisites that an answer names: what is needed to show it. Of the Links only the
// hashes and the URLs count.
type Needs struct {
	Links
	Dropped int // left out because of limits
}

func (n *Needs) reset() {
	n.Links.reset()
	n.Dropped = 0
}

// maxHosts is the largest number of other sites on which requisites of one answer may be.
const maxHosts = 64

// maxRefs is how often a page may name a requisite, on the average, and not all of it is read
// beyond that.
const maxRefs = 16

// findNeeds adds the requisites of the page that was scanned last. Its base must be set.
func (g *Gatherer) findNeeds(f *Found) {
	if g.opt.Requisites == 0 {
		return
	}
	g.beginNeeds()
	g.page.EachNeed(func(href []byte) { g.need(f, href) })
	f.Needs.Dropped += g.page.NeedsDropped
}

func (g *Gatherer) beginNeeds() {
	g.needed.reset(0)
	g.hosts = g.hosts[:0]
}

// need adds a requisite, unless it has no normal form, is the document itself, or is there already.
func (g *Gatherer) need(f *Found, href []byte) {
	n := &f.Needs
	start := len(n.bytes)
	all, v := g.resolver.Resolve(n.bytes, href)
	if !v.Usable() {
		return
	}
	link, mid := g.hash(all[start:])
	if link.Hash == g.doc.hash || g.needed.find(&n.Links, link.Hash, false) >= 0 {
		return
	}
	if len(n.items) >= g.mostNeeds || !link.Local && !g.mayNeed(link.SiteHash) {
		n.Dropped++
		return
	}
	g.needed.find(&n.Links, link.Hash, true)
	n.bytes = all
	n.items = append(n.items, item{link, uint32(start), uint32(start + mid), uint32(len(all))})
}

// mayNeed reports whether requisites of the document may be on another site: there may be several,
// but a page must not make many sites known.
func (g *Gatherer) mayNeed(site uint64) bool {
	if slices.Contains(g.hosts, site) {
		return true
	}
	if len(g.hosts) >= maxHosts {
		return false
	}
	g.hosts = append(g.hosts, site)
	return true
}

// Requisite reads the answer for a requisite, whose URL is a normal form: what it names itself, and
// its records for the archive. at is the wall clock at the start of the request. Its class is that
// of the answer, of whatever type.
func (g *Gatherer) Requisite(url string, a *fetch.Answer, at time.Time, f *Found) {
	g.begin(url, a, f)
	g.doc.htmlOnly = false
	f.Tags = robots.ParseMeta(a.Header["X-Robots-Tag"], g.opt.Product)
	g.beginNeeds()
	switch a.Class {
	case event.Redirect:
		g.mostNeeds = max(1, g.mostNeeds) // what scripts ask for may move
		g.need(f, []byte(a.Location))
		if f.Needs.Len() == 0 {
			f.Class, f.Note = event.HTTPError, "redirects to itself, or to what is no page"
		}
	case event.OK:
		g.readRequisite(a, f)
	}
	why := g.withheld(a, f)
	if why != "" {
		f.Needs.reset()
	}
	g.record(url, a, at, f, why)
	g.trim(f.Size)
}

// readRequisite finds what a style or a frame names. Nothing is looked for in others: scripts are
// not run, and pictures name nothing.
func (g *Gatherer) readRequisite(a *fetch.Answer, f *Found) {
	body := g.decode(a, f, g.doc.maxBody)
	if f.Class == event.TooLarge {
		return
	}
	f.Class = event.OK
	switch f.Media = sniff(f.Media, body); {
	case g.mostNeeds == 0: // it is for scripts alone
	case isStyle(f.Media, g.doc.url):
		page.EachCSSURL(body, func(href []byte) { g.need(f, href) })
	case isHTML(f.Media):
		text, charset := g.charset.Decode(body, first(a.Header["Content-Type"]))
		g.scanner.Scan(text, &g.page)
		for _, value := range g.page.Robots {
			f.Tags |= robots.ParseMeta([]string{string(value)}, g.opt.Product)
		}
		g.resolver.EncodeQuery = g.encoder(charset.Name)
		if g.page.Base != nil {
			g.resolver.Rebase(g.page.Base)
		}
		g.findNeeds(f)
	}
}

// isStyle reports whether a body is a style, by its type or, where servers do not know it, by its
// name.
func isStyle(media string, url []byte) bool {
	switch media {
	case "text/css":
		return true
	case "", "text/plain", "application/octet-stream":
		path, _, _ := bytes.Cut(url, []byte("?"))
		return bytes.HasSuffix(path, []byte(".css"))
	}
	return false
}
