package gather

import (
	"bytes"
	"html"
	"math"
	"net/http"
	"net/mail"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// An entry is what a list says about one page, while it is read: a url or sitemap element of a
// sitemap, an item of RSS, an entry of Atom.
type entry struct {
	name, prefix []byte    // of its element; nil outside of all
	loc          []byte    // its page
	at           time.Time // when that changed, as the list says; zero: it does not say
	priority     uint8     // Link.Priority
}

// A lister reads the entries of a list that is XML.
type lister struct {
	*Gatherer
	f     *Found
	x     scanner
	now   time.Time // of the server
	entry entry
	known bool // it is a list
}

// listXML reads the entries of a file and reports whether it is a sitemap or a feed at all.
// now is when it was sent, by the clock of the server.
func (g *Gatherer) listXML(xml []byte, now time.Time, f *Found) (known bool) {
	l := lister{Gatherer: g, f: f, x: scanner{rest: xml}, now: now}
	for {
		prefix, name, ok := l.x.next()
		if !ok {
			l.end()
			return l.known
		}
		l.element(prefix, name)
	}
}

// element reads an element of the list.
func (l *lister) element(prefix, name []byte) {
	switch string(name) {
	case "urlset", "sitemapindex":
		l.known = true
	case "rss", "feed", "RDF":
		if l.opt.Signals && !l.known {
			l.known, l.f.Feed = true, true
		}
	case "url", "sitemap":
		l.begin(prefix, name, !l.f.Feed)
	case "item", "entry":
		l.begin(prefix, name, l.f.Feed)
	case "loc":
		// Pictures and videos inside an entry have a loc with a prefix of their own.
		if loc, ok := l.own(prefix); ok && !l.f.Feed {
			l.locate(loc)
		}
	case "link":
		l.link(prefix)
	case "priority":
		if text, ok := l.own(prefix); ok && !l.f.Feed {
			l.entry.priority = priorityOf(text)
		}
	case "lastmod", "pubDate", "updated", "published", "date":
		l.date(prefix, name)
	}
}

// begin begins an entry, if the list has such.
func (l *lister) begin(prefix, name []byte, fits bool) {
	if !fits {
		return
	}
	l.end()
	l.entry = entry{name: name, prefix: prefix}
}

// own returns the text of an element of the entry itself.
func (l *lister) own(prefix []byte) ([]byte, bool) {
	if l.entry.name == nil || !bytes.Equal(prefix, l.entry.prefix) {
		return nil, false
	}
	return l.x.text()
}

// locate sets the page of the entry. Each of several is an entry.
func (l *lister) locate(loc []byte) {
	if l.entry.loc != nil {
		l.end()
	}
	l.entry.loc = loc
}

// link reads the link of an item, which is its text, or of an entry, which is an attribute.
func (l *lister) link(prefix []byte) {
	if !l.f.Feed || l.entry.name == nil || l.entry.loc != nil || !bytes.Equal(prefix, l.entry.prefix) {
		return
	}
	if href := attribute(l.x.attrs, "href"); href != nil {
		if rel := string(attribute(l.x.attrs, "rel")); rel == "" || rel == "alternate" {
			l.entry.loc = href
		}
	} else if loc, ok := l.x.text(); ok && len(loc) > 0 {
		l.entry.loc = loc
	}
}

// date reads the date of an entry. The latest counts: an entry has been published and updated.
// RSS 1.0 has the date of Dublin Core, under another prefix.
func (l *lister) date(prefix, name []byte) {
	if !l.opt.Signals || l.entry.name == nil || string(name) != "date" && !bytes.Equal(prefix, l.entry.prefix) {
		return
	}
	if text, ok := l.x.text(); ok {
		if at, ok := parseDate(string(text)); ok && at.After(l.entry.at) {
			l.entry.at = at
		}
	}
}

// end adds what the entry says to what was found.
func (l *lister) end() {
	e := l.entry
	l.entry.loc, l.entry.at, l.entry.priority = nil, time.Time{}, 0
	switch {
	case e.loc == nil:
	case string(e.name) == "sitemap":
		l.listFile(e.loc, l.f)
	default:
		l.since, l.priority = age(l.now, e.at), e.priority
		l.Gatherer.link(l.f, e.loc, 0, nil)
		l.since, l.priority = 0, 0
	}
}

// priorityOf returns Link.Priority of a number as it is written.
func priorityOf(text []byte) uint8 {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0
	}
	return 1 + uint8(math.Round(100*x))
}

// attribute returns the value of an attribute, nil if a tag has none.
func attribute(attrs []byte, name string) []byte {
	for rest := attrs; ; {
		i := bytes.Index(rest, []byte(name))
		if i < 0 {
			return nil
		}
		before := i == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[i-1]) >= 0
		rest = rest[i+len(name):]
		value := bytes.TrimLeft(rest, " \t\r\n")
		if !before || len(value) < 2 || value[0] != '=' {
			continue
		}
		value = bytes.TrimLeft(value[1:], " \t\r\n")
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
			if end := bytes.IndexByte(value[1:], value[0]); end >= 0 {
				return []byte(html.UnescapeString(string(value[1 : 1+end])))
			}
		}
		return nil
	}
}

// served returns when an answer was sent, by the clock of its server: dates in it are by the
// same clock. at is the time of the request by ours.
func served(a *fetch.Answer, at time.Time) time.Time {
	if t, err := http.ParseTime(first(a.Header["Date"])); err == nil {
		return t
	}
	return at
}

// skew is how far in the future a date may be.
const skew = 10 * time.Minute

// age returns how many seconds ago a date was, plus 1, and 0 for none. A date in the future is
// none.
func age(now, at time.Time) uint32 {
	d := now.Sub(at)
	if at.IsZero() || d < -skew {
		return 0
	}
	return 1 + uint32(min(max(0, d/time.Second), 1<<31))
}

// dateForms are the forms of dates in sitemaps, Atom and Dublin Core (W3C-DTF) and what people
// write instead. A date without a time is the beginning of a day.
var dateForms = [...]string{time.RFC3339, "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700"}

// parseDate reads a date in one of these forms, or as RSS has it. A month or a year is none.
func parseDate(text string) (time.Time, bool) {
	if len(text) < len("2006-01-02") {
		return time.Time{}, false
	}
	if text[4] == '-' {
		for _, form := range dateForms {
			if t, err := time.Parse(form, text); err == nil {
				return t, true
			}
		}
		return time.Time{}, false
	}
	t, err := mail.ParseDate(text)
	return t, err == nil
}

// maxFeeds is the number of feeds that are taken from one page.
const maxFeeds = 4

// feed adds a feed that a page names, if it is of the same name.
func (g *Gatherer) feed(f *Found, href []byte) {
	url, v := g.resolver.Resolve(nil, href)
	if !v.Usable() || len(f.Feeds) >= maxFeeds {
		return
	}
	site, rest := page.Site(url)
	if SameName(site, g.doc.url[:g.doc.mid]) && g.opt.Scope.Judge(site, rest) == event.NoBar {
		f.Feeds = append(f.Feeds, string(url))
	}
}
