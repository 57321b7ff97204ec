package answer

import (
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
)

// A Manner describes how an answer is sent.
type Manner uint8

const (
	SendWhole      Manner = iota
	SendReset             // not at all: the connection is reset
	SendNothing           // not at all, until the visitor leaves
	SendDrip              // a byte now and then
	SendHalfHeader        // half of the header
	SendHalfBody          // half of the body
	SendFields            // header fields, until the visitor leaves
	SendLess              // the body, but with a larger Content-Length
)

const plainHTML = "text/html; charset=utf-8"

// hostile fills in the answer of a hostile page; false if it has the content of others.
func (a *Answer) hostile(c Class, fails bool) bool {
	switch c {
	case Hang:
		a.Manner = SendNothing
	case Drip:
		a.Status, a.mime, a.Manner = http.StatusOK, plainHTML, SendDrip
		a.Body, a.Every = fillerText, a.w.rules.opt.DripEvery
	case EndlessHeader:
		a.Manner = SendFields
	case EndlessBody:
		a.Status, a.mime, a.Endless = http.StatusOK, plainHTML, true
		a.Body = append(append(a.composer.buf[:0], "<!DOCTYPE html>\n<title>No end</title>\n"...), footer...)
		a.composer.buf = a.Body
	case Loop:
		a.loop()
	case Chain:
		a.setStatus(a.w.rules.status(&a.of, a.j, c))
		a.location = a.step(1)
	case Crowd:
		a.Status, a.mime = http.StatusOK, plainHTML
		a.Filler, a.Tail = crowdLink*a.w.rules.opt.CrowdLinks, len(footer)
		a.Body = append(append(a.composer.buf[:0], crowdHead...), footer...)
		a.composer.buf = a.Body
	case Bomb:
		a.Status, a.mime = http.StatusOK, plainHTML
		a.coding = bombCodings[a.w.rules.draw(&a.of, streamCoding, uint64(a.j))%uint64(len(bombCodings))]
		a.Body = a.w.press.Bomb(a.coding, a.w.rules.opt.BombSize)
	default:
		return a.cut(c, fails)
	}
	return true
}

// cut sets the manner of answers that are cut off. It reports whether they need no content.
func (a *Answer) cut(c Class, fails bool) bool {
	switch {
	case c == FalseLength:
		a.Manner = SendLess
	case c == CutBody && fails:
		a.Manner = SendHalfBody
	case c == CutHeader && fails:
		a.Manner = SendHalfHeader
		return true
	}
	return false
}

// loop redirects to the page itself, by way of another URL or at once.
func (a *Answer) loop() {
	a.setStatus(http.StatusFound)
	if a.w.rules.loopsDirectly(&a.of, a.j) {
		a.location = a.of.AppendPath(nil, a.j)
	} else {
		a.location = []byte(hopPath(1, uint64(a.of.First+a.j)))
	}
}

// step returns the URL of step n of the chain of a page, that of its target at the end.
func (a *Answer) step(n int) []byte {
	rules := &a.w.rules
	if n < rules.opt.ChainLength {
		at := rules.hopSite(&a.of, a.j, n)
		return append(a.w.appendOrigin(nil, &at), hopPath(uint64(n), uint64(a.of.First+a.j))...)
	}
	to, _ := rules.redirect(&a.of, a.j)
	return []byte(a.w.URL(to))
}

// hop answers for a step of a chain, or the other end of a loop.
func (a *Answer) hop() {
	a.setStatus(http.StatusFound)
	if a.w.rules.class(&a.of, a.j) == Loop {
		a.location = a.of.AppendPath(nil, a.j)
	} else {
		a.location = a.step(int(a.n) + 1)
	}
}

// storm answers for a site in a storm.
func (a *Answer) storm() {
	st := a.w.rules.storm(&a.site)
	a.setStatus(st.Status)
	if st.RetryAfter { // whole seconds, rounded up
		a.RetryAfter = (a.StormLeft + time.Second - 1).Truncate(time.Second)
	}
}

// other answers requests for URLs that are no page of the graph.
func (a *Answer) other(r *http.Request) {
	switch {
	case a.Kind == KindCopy || a.Trap == SessionPath || a.Trap == CopyDirectory:
		a.copyOf(r)
	case a.Kind == KindTrap:
		a.trapPage()
	case a.Kind == KindHidden:
		a.hiddenPage()
	case a.Kind == KindHop:
		a.hop()
	default:
		a.missing(http.StatusNotFound)
	}
}

// copyOf answers with the content of a page under another URL. Traps have no content that a
// crawl could not fetch without them.
func (a *Answer) copyOf(r *http.Request) {
	if a.Kind == KindTrap && !a.w.rules.copyable(&a.of, a.j) {
		a.missing(http.StatusNotFound)
		return
	}
	if a.Variant == CopyMirror && a.w.rules.class(&a.of, a.j) == Redirect {
		to, status := a.w.rules.redirect(&a.of, a.j)
		a.setStatus(status)
		a.location = []byte(a.w.URL(to))
		return
	}
	a.content(r, OK)
}

// copied writes the content of a page for another URL.
func (a *Answer) copied(version uint32, size int) []byte {
	g := guise{variant: a.Variant, key: a.Place.key}
	switch {
	case a.Variant == CopyMirror && a.w.rules.odd(&a.of, a.j):
		version |= 1 << 31
	case a.Variant == copyQuery:
		return a.composer.page(&a.of, a.j, version, size)
	}
	return a.composer.disguised(&a.of, a.j, version, size, &g)
}

// trapPage answers for a URL in a trap.
func (a *Answer) trapPage() {
	w, links := a.w, a.composer.urls[:0]
	switch a.Trap {
	case Farm:
		links = w.farmOnward(links, &a.site, a.Place.key)
	case Wildcard:
		links = w.wildOnward(links, &a.site, a.Place.key)
	default:
		links = append(w.rules.onward(links, &a.site, a.Trap, a.n, a.Place.key, a.path, a.query), "/")
	}
	a.composer.urls = links
	t := trapTexts[a.Trap]
	seed := w.rules.draw(&a.site, streamTrapText, uint64(a.Trap))
	fresh := t.fresh || t.either && w.rules.style(&a.site, a.Trap, 2) == 1
	if fresh {
		seed = w.rules.draw(&a.site, streamTrapText, a.Place.key)
	}
	title := t.title
	if a.Trap == Calendar && fresh {
		title += " " + w.rules.monthName(&a.site, a.n)
		seed = w.rules.draw(&a.site, streamTrapText, uint64(a.Trap)) // the text is the same but for the date
	}
	a.simple(title, seed, t.bytes, links)
}

// trapTexts describes the text of trap pages: title, length of the text in bytes, and whether
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

// softly answers "not found" with status 200.
func (a *Answer) softly() {
	t := &trapTexts[Soft404]
	key := textHash(a.path)
	a.composer.urls = append(a.w.rules.onward(a.composer.urls[:0], &a.site, Soft404, 0, key, "", ""), "/")
	a.simple(t.title, a.w.rules.draw(&a.site, streamTrapText, uint64(Soft404)), t.bytes, a.composer.urls)
}

// hiddenPage answers for a page behind a copy.
func (a *Answer) hiddenPage() {
	links := append(a.composer.urls[:0], "/")
	for n := 2*a.n + 1; n <= min(2*a.n+2, hiddenPages); n++ {
		links = append(links, hiddenPath(a.j, n))
	}
	a.composer.urls = links
	a.simple("Behind a copy", a.w.rules.draw(&a.site, streamTrapText, draw.Pair(a.j, uint32(a.n))), 1500, links)
}

// simple answers with a page of a title, words and links.
func (a *Answer) simple(title string, seed uint64, bytes int, links []string) {
	a.Status, a.mime = http.StatusOK, plainHTML
	a.Body = a.composer.simple(title, seed, bytes, links)
}
