package fakeweb

import (
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A Kind is what a request is for.
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
	kinds
)

var kindNames = [kinds]string{"page", "robots", "sitemap", "unknown", "copy", "trap", "hidden", "hop"}

func (k Kind) String() string { return kindNames[k] }

// An answer is one request and what is said to it: routed, decided, sent.
type answer struct {
	s        *Server
	composer *composer
	id       graph.Site // of the counter
	count    *siteCount
	role     role
	site     site // that answers, or above the host that does
	place
	file    int    // of the sitemap
	attempt uint32 // requests for the same page or robots.txt before

	stormLeft time.Duration // how long the storm still lasts
	changed   bool          // robots.txt has changed

	status    int
	body      []byte
	filler    int  // bytes of words that follow the body, for large pages
	endless   bool // the filler has no end
	mime      string
	coding    string
	location  []byte
	etag      string
	date      time.Time // Last-Modified, if etag is set
	wait      time.Duration
	waitUntil time.Time // Retry-After as a date
	tag       string    // X-Robots-Tag
	manner    manner    // in which it is sent

	visit  visit
	sent   int64
	failed bool // not all of it could be written
	left   bool // the visitor went away
}

// route finds out what is asked for; false if no host has that name.
func (a *answer) route(r *http.Request) bool {
	h, ok := a.s.hostNamed(r.Host)
	if !ok {
		return false
	}
	a.role, a.site = h.role, h.site
	a.id, a.count = a.s.count.enter(r.Host, &h)
	path := r.URL.EscapedPath()
	switch {
	case path == "/robots.txt":
		a.place = place{kind: KindRobots, page: graph.NoPage, trap: h.trap()}
	case h.role == roleSite && a.isSitemap(path):
		a.place = place{kind: KindSitemap, page: graph.NoPage}
	case r.URL.ForceQuery:
		a.place = place{kind: KindUnknown, page: graph.NoPage, trap: h.trap()}
	default:
		a.place = a.s.locate(&h, path, r.URL.RawQuery)
	}
	a.path = path
	return true
}

func (a *answer) isSitemap(path string) (ok bool) {
	a.file, ok = a.s.rules.sitemapFile(&a.site, path)
	return ok
}

// decide fills in the answer.
func (a *answer) decide(r *http.Request) {
	rules := &a.s.rules
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		a.say(http.StatusMethodNotAllowed)
	case a.role == roleSite && rules.down(&a.site) == silent:
		a.manner = hangs
	case a.role == roleSite && rules.https(&a.site) && r.TLS == nil:
		a.place = place{kind: KindUnknown, page: graph.NoPage}
		a.status = http.StatusMovedPermanently
		a.location = append(a.s.appendOrigin(nil, &a.site), r.URL.RequestURI()...)
	case a.stormLeft > 0:
		a.storm()
	case a.kind == KindRobots:
		a.robots()
	case a.kind == KindSitemap:
		a.sitemap()
	case a.kind == KindPage || a.trap.bySession():
		a.onPage(r)
	default:
		a.beside(r)
	}
}

// say is an answer of few words.
func (a *answer) say(status int) {
	a.status, a.mime = status, "text/html; charset=utf-8"
	a.body = append(a.composer.buf[:0], "<!DOCTYPE html>\n<title>"...)
	a.body = strconv.AppendInt(a.body, int64(status), 10)
	a.body = append(append(append(a.body, ' '), http.StatusText(status)...), "</title>\n"...)
	a.composer.buf = a.body
}

// busyAnswer is 503 or 429 with Retry-After.
func (a *answer) busyAnswer(x uint64) {
	status, wait, date := a.s.rules.busy(&a.site, x)
	a.say(status)
	a.wait = wait
	if date { // HTTP dates have seconds: rounded up, so that nobody comes early
		a.waitUntil = time.Now().Add(wait + time.Second - 1).Truncate(time.Second)
	}
}

func (a *answer) robots() {
	rules := &a.s.rules
	c := rules.robotsClass(&a.site)
	a.mime = "text/plain; charset=utf-8"
	switch {
	case a.role != roleSite:
		a.status = http.StatusOK
		a.body = append(a.composer.buf[:0], "User-agent: *\nDisallow:\n"...)
		a.composer.buf = a.body
	case c == robotsMissing:
		a.say(http.StatusNotFound)
	case c == robotsBroken:
		a.say(http.StatusInternalServerError)
	case c == robotsHanging:
		a.manner = hangs
	case c == robotsBusy && (rules.opt.BusyTimes < 0 || int(a.attempt) < rules.opt.BusyTimes):
		a.busyAnswer(1 << 40)
	case c == robotsMoved:
		to := a.s.web.site(rules.robotsTarget(&a.site))
		a.status = http.StatusFound
		a.location = append(a.s.appendOrigin(nil, &to), "/robots.txt"...)
	default:
		a.status = http.StatusOK
		a.body = rules.appendRobots(a.composer.buf[:0], &a.site, a.changed, a.s.sitemapURL(&a.site))
		a.composer.buf = a.body
		a.endless = rules.robotsEndless(&a.site)
	}
}

// sitemapURL returns the URL of the sitemap of a site, or "" if it has none.
func (s *Server) sitemapURL(st *site) string {
	if !s.rules.hasSitemap(st) {
		return ""
	}
	return string(s.appendOrigin(nil, st)) + s.rules.sitemapName(st)
}

func (a *answer) sitemap() {
	rules := &a.s.rules
	a.status, a.mime = http.StatusOK, "application/xml"
	a.body = rules.appendSitemap(a.composer.buf[:0], &a.site, a.file, a.s.appendOrigin(nil, &a.site))
	a.composer.buf = a.body
	if rules.sitemapPressed(&a.site) {
		a.mime = "application/gzip"
		a.body = a.s.press.append(a.composer.pressed[:0], "gzip", a.body)
		a.composer.pressed = a.body
	}
}

// onPage answers for a page of the graph.
func (a *answer) onPage(r *http.Request) {
	rules, c := &a.s.rules, a.s.rules.class(&a.of, a.j)
	n := rules.failures(c)
	switch fails := n < 0 || int(a.attempt) < n; {
	case a.kind == KindTrap && (rules.forbidden(&a.of, a.j) || rules.later(&a.of, a.j)):
		a.missing(http.StatusNotFound) // what robots.txt forbids is not to be had with a session either
	case c == Busy && fails:
		a.busyAnswer(uint64(a.j))
	case c == Reset && fails:
		a.manner = resets
	case c == Redirect:
		a.redirect()
	case c == NotFound || c == Gone || c == Broken:
		a.missing(rules.status(&a.of, a.j, c))
	case c > Large && a.hostile(c, fails):
	default:
		a.content(r, c)
	}
}

// missing says that a page does not exist, or cannot be had.
func (a *answer) missing(status int) {
	if status != http.StatusInternalServerError && a.role == roleSite && a.s.rules.has(&a.site, Soft404) {
		a.softly()
		return
	}
	a.say(status)
}

func (a *answer) redirect() {
	to, status := a.s.rules.redirect(&a.of, a.j)
	a.say(status)
	target := a.s.web.site(a.s.web.SiteOf(to))
	c := a.composer
	c.key = a.key
	c.begin(&a.of, a.j, 0)
	c.href(a.s.rules.draw(&a.of, streamForm, uint64(a.j)), &target, uint32(to)-target.first)
	a.location = append([]byte(nil), c.buf...)
	a.body = nil
}

// content is an answer with a body worth keeping.
func (a *answer) content(r *http.Request, c Class) {
	rules := &a.s.rules
	version, date := rules.now(&a.of, a.j)
	a.status, a.mime = http.StatusOK, rules.contentType(&a.of, a.j, c)
	if c != Large {
		a.coding = rules.coding(&a.of, r.Header.Get("Accept-Encoding"))
	}
	if rules.tagInHeader(&a.of, a.j) {
		a.tag = rules.robotsTag(&a.of, a.j)
	}
	if !rules.meets(rules.opt.NoValidators, &a.of, streamValidators, 0) {
		a.validators(version, date)
		if a.unchanged(r) {
			a.status = http.StatusNotModified
			return
		}
	}
	a.body = a.compose(version, c)
	if a.coding != "" {
		a.composer.pressed = a.s.press.append(a.composer.pressed[:0], a.coding, a.body)
		a.body = a.composer.pressed
	}
	if c == BrokenCoding {
		a.breakCoding()
	}
}

// compose writes the body before content coding.
func (a *answer) compose(version uint32, c Class) []byte {
	size := a.s.rules.size(&a.of, a.j, c)
	a.composer.key = a.key
	switch {
	case c == Other:
		return a.composer.other(&a.of, a.j, version, size, a.mime)
	case c == Large:
		body := a.composer.page(&a.of, a.j, version, min(size, 1<<16))
		a.filler = size - len(body)
		return body
	case c == BadUTF8:
		return a.composer.spoil(a.composer.page(&a.of, a.j, version, size))
	case a.variant != original:
		return a.copied(version, size)
	}
	return a.composer.page(&a.of, a.j, version, size)
}

// validators gives the answer its ETag, one for each coding, and its date.
func (a *answer) validators(version uint32, date time.Time) {
	b := append(make([]byte, 0, 32), '"')
	b = strconv.AppendUint(b, uint64(a.page), 36)
	if a.variant > copyQuery {
		b = strconv.AppendUint(append(b, '-'), uint64(a.variant), 36)
	}
	b = strconv.AppendUint(append(b, '-'), uint64(version), 36)
	if a.coding != "" {
		b = append(append(b, '-'), a.coding...)
	}
	a.etag, a.date = string(append(b, '"')), date
}

// unchanged tells whether the client has this version (RFC 9110, 13.2.2).
func (a *answer) unchanged(r *http.Request) bool {
	if have := r.Header.Get("If-None-Match"); have != "" {
		return matches(have, a.etag)
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !a.date.Truncate(time.Second).After(since)
}

// hardClose makes the end of the connection a reset where the transport has such a thing.
func hardClose(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
}
