package answer

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/scripted"
	"github.com/winnow-crawler/winnow/fakeweb/shown"
	"github.com/winnow-crawler/winnow/graph"
)

// A Kind is the purpose of a request.
type Kind uint8

const (
	KindPage    Kind = iota
	KindRobots       // robots.txt
	KindSitemap      // a file of the sitemap
	KindUnknown      // a path that no link leads to
	KindCopy         // a page under another URL
	KindTrap         // a URL in a trap
	KindHidden       // a page that only a copy links to
	KindHop          // a step of a chain or a loop of redirects
	KindMoved        // a page under the URL to which it moves
	KindFeed         // a feed of the pages that changed last
	KindPart         // what pages need to be shown
	kinds
)

var kindNames = [kinds]string{"page", "robots", "sitemap", "unknown", "copy", "trap", "hidden", "hop", "moved", "feed", "part"}

func (k Kind) String() string { return kindNames[k] }

// MarshalText writes a kind by its name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A Target is the purpose of a request: a place on a host.
type Target struct {
	Host
	Place
	Storm    Storm // that may break out with the request; After is 0 for none
	Attempts bool  // the answer depends on how often the target was requested
	file     int   // of the sitemap
}

// Target returns what a request to a host is for. ok is false if no host has the name.
func (w *World) Target(host string, u *url.URL) (t Target, ok bool) {
	t.Page = graph.NoPage
	if t.Host, ok = w.hostNamed(host); !ok {
		return t, false
	}
	path, trap := u.EscapedPath(), t.Host.trap()
	switch n, sitemap := w.rules.sitemapFile(&t.site, path); {
	case path == "/robots.txt":
		t.Place = Place{Kind: KindRobots, Page: graph.NoPage, Trap: trap}
	case sitemap && t.role == roleSite:
		t.Place, t.file = Place{Kind: KindSitemap, Page: graph.NoPage}, n
	case t.role == roleSite && path == w.rules.feedPath(&t.site):
		t.Place = Place{Kind: KindFeed, Page: graph.NoPage}
	case t.role == roleSite && (w.rules.opt.Shown && strings.HasPrefix(path, shown.Dir) || w.rules.opt.Scripted && strings.HasPrefix(path, scripted.Dir)):
		t.Place, path = Place{Kind: KindPart, Page: graph.NoPage}, u.RequestURI()
	case u.ForceQuery:
		t.Place = Place{Kind: KindUnknown, Page: graph.NoPage, Trap: trap}
	default:
		t.Place = w.locate(&t.Host, path, u.RawQuery)
	}
	t.path = path
	t.Attempts = w.rules.countsAttempts(&t)
	if t.role == roleSite && t.Kind != KindRobots {
		t.Storm = w.rules.storm(&t.site)
	}
	return t, true
}

// countsAttempts reports whether the answer depends on how often it was requested.
func (r *rules) countsAttempts(t *Target) bool {
	switch {
	case t.Kind == KindRobots || r.opt.Times.FirstByte != nil:
		return true
	case t.Kind == KindPage || t.Trap.BySession():
		return r.failures(r.class(&t.of, t.j)) != 0
	}
	return false
}

// A State holds what a server remembers of earlier requests.
type State struct {
	Attempt   uint32        // requests for the same page or robots.txt before
	Visit     uint32        // requests to the site before
	StormLeft time.Duration // how long the storm of the site still lasts
	Changed   bool          // its robots.txt has changed
}

// An Answer is the answer to a request.
type Answer struct {
	Target
	State
	At         time.Duration // the instant of Changes.Clock for which it holds
	Version    uint32        // of the page, if it has its content or is 304
	Out        bool          // 404, because the whole site is out
	Status     int
	Body       []byte        // valid until Close
	Filler     int           // bytes that Fill writes before the last Tail bytes of the body
	Tail       int           // if there is filler
	Endless    bool          // Fill has no end
	Manner     Manner        // in which it is sent
	Every      time.Duration // between two bytes, if it drips
	RetryAfter time.Duration // 0: not given
	RetryAt    time.Time     // RetryAfter as a date, if it is given so

	w        *World
	composer *composer
	mime     string
	coding   string
	location []byte
	etag     string
	date     time.Time // Last-Modified; zero for none
	tag      string    // X-Robots-Tag
}

// Answer returns the answer to a request for a target. Close must be called when it has
// been sent.
func (w *World) Answer(r *http.Request, t *Target, st State) *Answer {
	a := &Answer{Target: *t, State: st, At: w.rules.instant(), w: w, composer: w.composers.Get().(*composer)}
	a.decide(r)
	return a
}

// Close releases the memory of the body.
func (a *Answer) Close() { a.w.composers.Put(a.composer) }

// Delay returns the time from the request to the first byte of the answer.
func (a *Answer) Delay() time.Duration { return a.w.rules.firstByte(&a.site, a.Page, a.Attempt) }

// BodyTime returns the time from the first byte of the body to its last.
func (a *Answer) BodyTime() time.Duration {
	return a.w.rules.body(&a.site, a.Page, len(a.Body)+a.Filler)
}

// decide fills in the answer.
func (a *Answer) decide(r *http.Request) {
	rules := &a.w.rules
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		a.setStatus(http.StatusMethodNotAllowed)
	case a.role == roleSite && rules.down(&a.site) == Silent:
		a.Manner = SendNothing
	case a.role == roleSite && rules.https(&a.site) && r.TLS == nil:
		a.Place = Place{Kind: KindUnknown, Page: graph.NoPage}
		a.Status = http.StatusMovedPermanently
		a.location = append(a.w.appendOrigin(nil, &a.site), r.URL.RequestURI()...)
	case a.StormLeft > 0:
		a.storm()
	case a.Kind == KindRobots:
		a.robots()
	case a.role == roleSite && rules.out(&a.site, a.At):
		a.Out = true
		a.setStatus(http.StatusNotFound)
	case a.Kind == KindSitemap:
		a.sitemap()
	case a.Kind == KindFeed:
		a.feed()
	case a.Kind == KindPart:
		a.part()
	case a.Kind == KindMoved:
		a.arrived(r)
	case a.Kind == KindPage || a.Trap.BySession():
		a.onPage(r)
	default:
		a.other(r)
	}
}

// setStatus answers with a status and a title.
func (a *Answer) setStatus(status int) {
	a.Status, a.mime = status, "text/html; charset=utf-8"
	a.Body = append(a.composer.buf[:0], "<!DOCTYPE html>\n<title>"...)
	a.Body = strconv.AppendInt(a.Body, int64(status), 10)
	a.Body = append(append(append(a.Body, ' '), http.StatusText(status)...), "</title>\n"...)
	a.composer.buf = a.Body
}

// busyAnswer answers 503 or 429 with Retry-After.
func (a *Answer) busyAnswer(x uint64) {
	status, wait, date := a.w.rules.busy(&a.site, x)
	a.setStatus(status)
	a.RetryAfter = wait
	if date { // HTTP dates have seconds: rounded up, so that no client comes early
		a.RetryAt = time.Now().Add(wait + time.Second - 1).Truncate(time.Second)
	}
}

func (a *Answer) robots() {
	rules := &a.w.rules
	c := rules.robotsClass(&a.site)
	a.mime = "text/plain; charset=utf-8"
	switch {
	case a.role != roleSite:
		a.Status = http.StatusOK
		a.Body = append(a.composer.buf[:0], "User-agent: *\nDisallow:\n"...)
		a.composer.buf = a.Body
	case c == robotsMissing:
		a.setStatus(http.StatusNotFound)
	case c == robotsBroken:
		a.setStatus(http.StatusInternalServerError)
	case c == robotsHanging:
		a.Manner = SendNothing
	case c == robotsBusy && (rules.opt.BusyTimes < 0 || int(a.Attempt) < rules.opt.BusyTimes):
		a.busyAnswer(1 << 40)
	case c == robotsMoved:
		to := a.w.web.Site(rules.robotsTarget(&a.site))
		a.Status = http.StatusFound
		a.location = append(a.w.appendOrigin(nil, &to), "/robots.txt"...)
	default:
		a.Status = http.StatusOK
		a.Body = rules.appendRobots(a.composer.buf[:0], &a.site, a.Changed, a.w.sitemapURL(&a.site))
		a.composer.buf = a.Body
		a.Endless = rules.robotsEndless(&a.site)
	}
}

// sitemapURL returns the URL of the sitemap of a site, or "" if it has none.
func (w *World) sitemapURL(st *fakeweb.Site) string {
	if !w.rules.hasSitemap(st) {
		return ""
	}
	return string(w.appendOrigin(nil, st)) + w.rules.sitemapName(st)
}

func (a *Answer) sitemap() {
	rules := &a.w.rules
	a.Status, a.mime = http.StatusOK, "application/xml"
	a.Body = rules.appendSitemap(a.composer.buf[:0], &a.site, a.file, a.w.appendOrigin(nil, &a.site), a.At)
	a.composer.buf = a.Body
	if rules.sitemapPressed(&a.site) {
		a.mime = "application/gzip"
		a.Body = a.w.press.Append(a.composer.pressed[:0], "gzip", a.Body)
		a.composer.pressed = a.Body
	}
}

// onPage answers for a page of the graph.
func (a *Answer) onPage(r *http.Request) {
	rules, c := &a.w.rules, a.w.rules.class(&a.of, a.j)
	n := rules.failures(c)
	switch fails := n < 0 || int(a.Attempt) < n; {
	case a.Kind == KindTrap && (rules.forbidden(&a.of, a.j) || rules.later(&a.of, a.j)):
		a.missing(http.StatusNotFound) // what robots.txt forbids is unavailable with a session, too
	case a.fated():
	case c == Busy && fails:
		a.busyAnswer(uint64(a.j))
	case c == Reset && fails:
		a.Manner = SendReset
	case c == Redirect:
		a.redirect()
	case c == NotFound || c == Gone || c == Broken:
		a.missing(rules.status(&a.of, a.j, c))
	case c > Large && a.hostile(c, fails):
	default:
		a.content(r, c)
	}
}

// missing answers that a page does not exist or is unavailable.
func (a *Answer) missing(status int) {
	if status != http.StatusInternalServerError && a.role == roleSite && a.w.rules.has(&a.site, Soft404) {
		a.softly()
		return
	}
	a.setStatus(status)
}

func (a *Answer) redirect() {
	to, status := a.w.rules.redirect(&a.of, a.j)
	a.setStatus(status)
	target, j := a.w.web.Locate(to)
	c := a.composer
	c.key = a.Place.key
	c.begin(&a.of, a.j, 0)
	c.href(a.w.rules.draw(&a.of, streamForm, uint64(a.j)), &target, j)
	a.location = append([]byte(nil), c.buf...)
	a.Body = nil
}

// content answers with the content of a page.
func (a *Answer) content(r *http.Request, c Class) {
	rules := &a.w.rules
	version, date := rules.dated(&a.of, a.j, a.At)
	a.Version = version
	a.Status, a.mime = http.StatusOK, rules.contentType(&a.of, a.j, c)
	if c != Large {
		a.coding = rules.coding(&a.of, r.Header.Get("Accept-Encoding"))
	}
	if rules.tagInHeader(&a.of, a.j) {
		a.tag = rules.robotsTag(&a.of, a.j)
	}
	if a.validate(r, version, date) {
		a.Status = http.StatusNotModified
		return
	}
	a.Body = a.compose(version, c)
	if a.coding != "" {
		a.composer.pressed = a.w.press.Append(a.composer.pressed[:0], a.coding, a.Body)
		a.Body = a.composer.pressed
	}
	if c == BrokenCoding {
		a.breakCoding()
	}
}

// compose writes the body before content coding.
func (a *Answer) compose(version uint32, c Class) []byte {
	size := a.w.rules.size(&a.of, a.j, c)
	a.composer.key, a.composer.visit, a.composer.at = a.Place.key, a.Visit, a.At
	switch {
	case c == Other:
		return a.composer.other(&a.of, a.j, version, size, a.mime)
	case c == Large:
		body := a.composer.page(&a.of, a.j, version, min(size, 1<<16))
		a.Filler, a.Tail = size-len(body), len(footer)
		return body
	case c == BadUTF8:
		return a.composer.spoil(a.composer.page(&a.of, a.j, version, size))
	case a.Variant != Original:
		return a.copied(version, size)
	}
	return a.composer.page(&a.of, a.j, version, size)
}
