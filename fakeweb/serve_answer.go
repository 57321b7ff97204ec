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
	kinds
)

var kindNames = [kinds]string{"page", "robots", "sitemap", "unknown"}

func (k Kind) String() string { return kindNames[k] }

// An answer is one request and what is said to it: routed, decided, sent.
type answer struct {
	s        *Server
	composer *composer
	site     site
	kind     Kind
	page     graph.Page // graph.NoPage unless kind is KindPage
	j        uint32
	file     int    // of the sitemap
	attempt  uint32 // requests for the same page or robots.txt before

	status    int
	body      []byte
	filler    int // bytes of words that follow the body, for large pages
	mime      string
	coding    string
	location  []byte
	etag      string
	date      time.Time // Last-Modified, if etag is set
	wait      time.Duration
	waitUntil time.Time // Retry-After as a date
	tag       string    // X-Robots-Tag
	reset     bool

	visit  visit
	sent   int64
	failed bool // not all of it could be written
}

// route finds out what is asked for; false if no site has that name.
func (a *answer) route(r *http.Request) bool {
	id, ok := a.s.siteNamed(r.Host)
	if !ok {
		return false
	}
	a.site = a.s.web.site(id)
	path := r.URL.EscapedPath()
	switch j, ok := a.site.pageAt(path); {
	case path == "/robots.txt":
		a.kind = KindRobots
	case a.isSitemap(path):
		a.kind = KindSitemap
	case ok && r.URL.RawQuery == "" && !r.URL.ForceQuery:
		a.kind, a.j, a.page = KindPage, j, graph.Page(a.site.first+j)
	default:
		a.kind = KindUnknown
	}
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
	case rules.https(&a.site) && r.TLS == nil:
		a.kind, a.page = KindUnknown, graph.NoPage
		a.status = http.StatusMovedPermanently
		a.location = append(a.s.appendOrigin(nil, &a.site), r.URL.RequestURI()...)
	case a.kind == KindRobots:
		a.robots()
	case a.kind == KindSitemap:
		a.sitemap()
	case a.kind == KindPage:
		a.onPage(r)
	default:
		a.say(http.StatusNotFound)
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
	case c == robotsMissing:
		a.say(http.StatusNotFound)
	case c == robotsBroken:
		a.say(http.StatusInternalServerError)
	case c == robotsBusy && (rules.opt.BusyTimes < 0 || int(a.attempt) < rules.opt.BusyTimes):
		a.busyAnswer(1 << 40)
	case c == robotsMoved:
		to := a.s.web.site(rules.robotsTarget(&a.site))
		a.status = http.StatusFound
		a.location = append(a.s.appendOrigin(nil, &to), "/robots.txt"...)
	default:
		a.status = http.StatusOK
		a.body = rules.appendRobots(a.composer.buf[:0], &a.site, a.s.appendOrigin(nil, &a.site))
		a.composer.buf = a.body
	}
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
	rules, c := &a.s.rules, a.s.rules.class(&a.site, a.j)
	n := rules.failures(c)
	switch fails := n < 0 || int(a.attempt) < n; {
	case c == Busy && fails:
		a.busyAnswer(uint64(a.j))
	case c == Reset && fails:
		a.reset = true
	case c == Redirect:
		a.redirect()
	case c == NotFound || c == Gone || c == Broken:
		a.say(rules.status(&a.site, a.j, c))
	default:
		a.content(r, c)
	}
}

func (a *answer) redirect() {
	to, status := a.s.rules.redirect(&a.site, a.j)
	a.say(status)
	target := a.s.web.site(a.s.web.SiteOf(to))
	c := a.composer
	c.begin(&a.site, a.j, 0)
	c.href(a.s.rules.draw(&a.site, streamForm, uint64(a.j)), &target, uint32(to)-target.first)
	a.location = append([]byte(nil), c.buf...)
	a.body = nil
}

// content is an answer with a body worth keeping.
func (a *answer) content(r *http.Request, c Class) {
	rules := &a.s.rules
	version, date := rules.now(&a.site, a.j)
	a.status, a.mime = http.StatusOK, rules.contentType(&a.site, a.j, c)
	if c != Large {
		a.coding = rules.coding(&a.site, r.Header.Get("Accept-Encoding"))
	}
	if rules.tagInHeader(&a.site, a.j) {
		a.tag = rules.robotsTag(&a.site, a.j)
	}
	if !rules.meets(rules.opt.NoValidators, &a.site, streamValidators, 0) {
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
}

// compose writes the body before content coding.
func (a *answer) compose(version uint32, c Class) []byte {
	size := a.s.rules.size(&a.site, a.j, c)
	switch c {
	case Other:
		return a.composer.other(&a.site, a.j, version, size, a.mime)
	case Large:
		body := a.composer.page(&a.site, a.j, version, min(size, 1<<16))
		a.filler = size - len(body)
		return body
	}
	return a.composer.page(&a.site, a.j, version, size)
}

// validators gives the answer its ETag, one for each coding, and its date.
func (a *answer) validators(version uint32, date time.Time) {
	b := append(make([]byte, 0, 32), '"')
	b = strconv.AppendUint(b, uint64(a.page), 36)
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
