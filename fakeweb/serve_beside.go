package fakeweb

import (
	"net/http"
	"time"
)

// A manner is how an answer is sent.
type manner uint8

const (
	whole         manner = iota
	resets               // not at all: the connection is reset
	hangs                // not at all, until the visitor leaves
	drips                // a byte now and then
	cutsHeader           // half of the header
	cutsBody             // half of the body
	endlessHeader        // header fields, until the visitor leaves
	lies                 // the body, but a larger Content-Length
)

const plainHTML = "text/html; charset=utf-8"

// hostile fills in the answer of a hostile page; false if it has the content of others.
func (a *answer) hostile(c Class, fails bool) bool {
	switch c {
	case Hang:
		a.manner = hangs
	case Drip:
		a.status, a.mime, a.manner = http.StatusOK, plainHTML, drips
	case EndlessHeader:
		a.manner = endlessHeader
	case EndlessBody:
		a.status, a.mime, a.endless = http.StatusOK, plainHTML, true
		a.body = append(append(a.composer.buf[:0], "<!DOCTYPE html>\n<title>No end</title>\n"...), footer...)
		a.composer.buf = a.body
	case Loop:
		a.loop()
	case Chain:
		a.say(a.s.rules.status(&a.of, a.j, c))
		a.location = a.step(1)
	case Crowd:
		a.status, a.mime, a.filler = http.StatusOK, plainHTML, crowdLink*a.s.rules.opt.CrowdLinks
		a.body = append(append(a.composer.buf[:0], crowdHead...), footer...)
		a.composer.buf = a.body
	case Bomb:
		a.status, a.mime = http.StatusOK, plainHTML
		a.coding = bombCodings[a.s.rules.draw(&a.of, streamCoding, uint64(a.j))%uint64(len(bombCodings))]
		a.body = a.s.press.bomb(a.coding, a.s.rules.opt.BombSize)
	default:
		return a.cut(c, fails)
	}
	return true
}

// cut sets the manner of answers that are cut off, and tells whether they need no content.
func (a *answer) cut(c Class, fails bool) bool {
	switch {
	case c == FalseLength:
		a.manner = lies
	case c == CutBody && fails:
		a.manner = cutsBody
	case c == CutHeader && fails:
		a.manner = cutsHeader
		return true
	}
	return false
}

// loop leads back to the page, by way of another URL or at once.
func (a *answer) loop() {
	a.say(http.StatusFound)
	if a.s.rules.loopsDirectly(&a.of, a.j) {
		a.location = a.of.appendPath(nil, a.j)
	} else {
		a.location = []byte(hopPath(1, uint64(a.of.first+a.j)))
	}
}

// step is the URL of step n of the chain of a page, that of its target at the end.
func (a *answer) step(n int) []byte {
	rules := &a.s.rules
	if n < rules.opt.ChainLength {
		at := rules.hopSite(&a.of, a.j, n)
		return append(a.s.appendOrigin(nil, &at), hopPath(uint64(n), uint64(a.of.first+a.j))...)
	}
	to, _ := rules.redirect(&a.of, a.j)
	return []byte(a.s.URL(to))
}

// hop is a step of a chain, or the other end of a loop.
func (a *answer) hop() {
	a.say(http.StatusFound)
	if a.s.rules.class(&a.of, a.j) == Loop {
		a.location = a.of.appendPath(nil, a.j)
	} else {
		a.location = a.step(int(a.n) + 1)
	}
}

// storm is the answer of a site that has had enough.
func (a *answer) storm() {
	st := a.s.rules.storm(&a.site)
	a.say(st.Status)
	if st.RetryAfter { // whole seconds, rounded up
		a.wait = (a.stormLeft + time.Second - 1).Truncate(time.Second)
	}
}

// beside answers for what is no page of the graph.
func (a *answer) beside(r *http.Request) {
	switch {
	case a.kind == KindCopy || a.trap == SessionPath || a.trap == CopyDirectory:
		a.copyOf(r)
	case a.kind == KindTrap:
		a.trapPage()
	case a.kind == KindHidden:
		a.hiddenPage()
	case a.kind == KindHop:
		a.hop()
	default:
		a.missing(http.StatusNotFound)
	}
}

// copyOf answers with the content of a page under another URL. Traps have no content that a
// crawl could not have without them.
func (a *answer) copyOf(r *http.Request) {
	if a.kind == KindTrap && !a.s.rules.copyable(&a.of, a.j) {
		a.missing(http.StatusNotFound)
		return
	}
	if a.variant == copyMirror && a.s.rules.class(&a.of, a.j) == Redirect {
		to, status := a.s.rules.redirect(&a.of, a.j)
		a.say(status)
		a.location = []byte(a.s.URL(to))
		return
	}
	a.content(r, OK)
}

// copied writes the content of a page for another URL.
func (a *answer) copied(version uint32, size int) []byte {
	g := guise{variant: a.variant, key: a.key}
	switch {
	case a.variant == copyMirror && a.s.rules.odd(&a.of, a.j):
		version |= 1 << 31
	case a.variant == copyQuery:
		return a.composer.page(&a.of, a.j, version, size)
	}
	return a.composer.disguised(&a.of, a.j, version, size, &g)
}

// trapPage answers for a URL in a trap.
func (a *answer) trapPage() {
	s, links := a.s, a.composer.urls[:0]
	switch a.trap {
	case Farm:
		links = s.farmOnward(links, &a.site, a.key)
	case Wildcard:
		links = s.wildOnward(links, &a.site, a.key)
	default:
		links = append(s.rules.onward(links, &a.site, a.trap, a.n, a.key, a.path, a.query), "/")
	}
	a.composer.urls = links
	t := trapTexts[a.trap]
	seed := s.rules.draw(&a.site, streamTrapText, uint64(a.trap))
	fresh := t.fresh || t.either && s.rules.style(&a.site, a.trap, 2) == 1
	if fresh {
		seed = s.rules.draw(&a.site, streamTrapText, a.key)
	}
	title := t.title
	if a.trap == Calendar && fresh {
		title += " " + s.rules.monthName(&a.site, a.n)
		seed = s.rules.draw(&a.site, streamTrapText, uint64(a.trap)) // but for the date it says the same
	}
	a.simple(title, seed, t.bytes, links)
}

// trapTexts say what trap pages are about: title, length of the text in bytes, and whether
// it is another one on each page, always or in half of the sites.
var trapTexts = [trapKinds]struct {
	title         string
	bytes         int
	fresh, either bool
}{
	Calendar:         {"Nothing happens", 0, false, true},
	GrowingPath:      {"The shop", 900, false, true},
	RepeatedSegments: {"The catalogue", 900, false, true},
	GrowingQuery:     {"The list", 700, false, true},
	SelfAppending:    {"The archive", 700, false, true},
	Soft404:          {"Sorry, this page was not found", 300, false, false},
	Farm:             {"Best offers", 1500, true, false},
	Wildcard:         {"Welcome", 500, false, true},
	CrowdLink:        {"One of many", 200, false, false},
}

// softly says "not found" with status 200.
func (a *answer) softly() {
	t := &trapTexts[Soft404]
	key := textHash(a.path)
	a.composer.urls = append(a.s.rules.onward(a.composer.urls[:0], &a.site, Soft404, 0, key, "", ""), "/")
	a.simple(t.title, a.s.rules.draw(&a.site, streamTrapText, uint64(Soft404)), t.bytes, a.composer.urls)
}

// hiddenPage answers for a page behind a copy.
func (a *answer) hiddenPage() {
	links := append(a.composer.urls[:0], "/")
	for n := 2*a.n + 1; n <= min(2*a.n+2, hiddenPages); n++ {
		links = append(links, hiddenPath(a.j, n))
	}
	a.composer.urls = links
	a.simple("Behind a copy", a.s.rules.draw(&a.site, streamTrapText, pair(a.j, uint32(a.n))), 1500, links)
}

// simple is a page with a title, words and links.
func (a *answer) simple(title string, seed uint64, bytes int, links []string) {
	a.status, a.mime = http.StatusOK, plainHTML
	a.body = a.composer.simple(title, seed, bytes, links)
}
