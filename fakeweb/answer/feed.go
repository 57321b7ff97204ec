package answer

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"net/http"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// feedItems is the number of pages that a feed names, at most.
const feedItems = 20

// feedPath returns the path of the feed of a site, "" if it has none: half of them are RSS,
// half are Atom.
func (r *dice) feedPath(s *fakeweb.Site) string {
	switch {
	case !r.meets(r.opt.Changes.Feeds, s, streamFeed, 0):
		return ""
	case r.draw(s, streamFeed, 1)&1 == 0:
		return "/feed.rss"
	}
	return "/feed.atom"
}

// feedFalse reports whether the feed of a site names pages that did not change.
func (r *dice) feedFalse(s *fakeweb.Site) bool {
	return r.meets(r.opt.Changes.FalseFeeds, s, streamFeed, 2)
}

// feedTypes are the media types by path.
var feedTypes = map[string]string{"/feed.rss": "application/rss+xml", "/feed.atom": "application/atom+xml"}

// A feedItem is a page with the date that a feed gives for it.
type feedItem struct {
	page uint32
	at   time.Duration
}

// feedItems returns what the feed of a site says at an instant, the last change first.
func (r *pageRules) feedItems(s *fakeweb.Site, at time.Duration) []feedItem {
	if r.feedFalse(s) {
		return r.falseItems(s, at)
	}
	var items []feedItem
	for j := range s.Pages {
		f := r.fate(s, j)
		if n, since := r.version(s, j, at); n > 0 && r.class(s, j) == OK && !f.Gone(at) {
			items = append(items, feedItem{j, since})
		}
	}
	slices.SortFunc(items, func(a, b feedItem) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.page, b.page)) })
	return items[:min(len(items), feedItems)]
}

// falseItems returns other pages every hour, as if they had changed in the last minutes.
func (r *pageRules) falseItems(s *fakeweb.Site, at time.Duration) (items []feedItem) {
	for i := range uint64(min(feedItems, s.Pages)) {
		h := r.draw(s, streamFeed, uint64(at/time.Hour)<<8+i+3)
		items = append(items, feedItem{uint32(draw.Below(h, uint64(s.Pages))), at - time.Duration(i)*time.Minute})
	}
	return items
}

// feed answers with the feed of the site.
func (a *Answer) feed() {
	path := a.w.rules.feedPath(&a.site)
	a.Status, a.mime = http.StatusOK, feedTypes[path]
	out := bytes.NewBuffer(a.composer.buf[:0])
	out.WriteString(xml.Header)
	items := a.w.rules.feedItems(&a.site, a.At)
	if path == "/feed.rss" {
		a.w.writeRSS(out, &a.site, items, a.At)
	} else {
		a.w.writeAtom(out, &a.site, items, a.At)
	}
	a.Body = out.Bytes()
	a.composer.buf = a.Body
}

func (w *World) writeRSS(b *bytes.Buffer, s *fakeweb.Site, items []feedItem, at time.Duration) {
	b.WriteString("<rss version=\"2.0\"><channel>\n")
	element(b, "title", w.HostName(s.ID))
	element(b, "link", string(w.appendOrigin(nil, s))+"/")
	element(b, "description", "what changed last")
	for _, it := range items {
		b.WriteString("<item>")
		element(b, "title", w.Title(graph.Page(s.First+it.page)))
		element(b, "link", w.presentURL(s, it.page, at))
		element(b, "pubDate", w.rules.date(it.at).UTC().Format(time.RFC1123Z))
		b.WriteString("</item>\n")
	}
	b.WriteString("</channel></rss>\n")
}

func (w *World) writeAtom(b *bytes.Buffer, s *fakeweb.Site, items []feedItem, at time.Duration) {
	updated, home := w.rules.date(0), string(w.appendOrigin(nil, s))+"/"
	if len(items) > 0 {
		updated = w.rules.date(items[0].at)
	}
	b.WriteString("<feed xmlns=\"http://www.w3.org/2005/Atom\">\n")
	element(b, "title", w.HostName(s.ID))
	element(b, "id", home)
	element(b, "updated", updated.UTC().Format(time.RFC3339))
	for _, it := range items {
		url := w.presentURL(s, it.page, at)
		b.WriteString("<entry>")
		element(b, "title", w.Title(graph.Page(s.First+it.page)))
		element(b, "id", url)
		b.WriteString(`<link href="` + url + `"/>`)
		element(b, "updated", w.rules.date(it.at).UTC().Format(time.RFC3339))
		b.WriteString("</entry>\n")
	}
	b.WriteString("</feed>\n")
}

// element writes an element with text. A buffer never fails.
func element(b *bytes.Buffer, name, text string) {
	b.WriteString("<" + name + ">")
	_ = xml.EscapeText(b, []byte(text))
	b.WriteString("</" + name + ">")
}

// presentURL returns where page j of a site is at an instant.
func (w *World) presentURL(s *fakeweb.Site, j uint32, at time.Duration) string {
	b := w.appendOrigin(nil, s)
	if f := w.rules.fate(s, j); f.moved(at) {
		return string(appendMoved(b, s, j))
	}
	return string(s.AppendPath(b, j))
}

// feedLink writes the link to the feed of the site into the head of its home page.
func (c *composer) feedLink() {
	if path := c.w.rules.feedPath(c.site); path != "" && c.j == 0 {
		c.add(`<link rel="alternate" type="`, feedTypes[path], `" href="`, path, "\">\n")
	}
}
