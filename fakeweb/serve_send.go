package fakeweb

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// matches tells whether a list of entity tags has one, compared weakly.
func matches(list, tag string) bool {
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}

// contentType is that of the lasting answer of page j.
func (r *pageRules) contentType(s *site, j uint32, c Class) string {
	switch {
	case c == Other:
		return r.otherType(s, j)
	case c == Hang || c == EndlessHeader:
		return ""
	case c == WrongCharset:
		return r.wrongType(s, j)
	case !c.readable():
		return plainHTML
	case r.declared(s) == inHeader:
		return htmlTypes[r.charset(s)]
	}
	return "text/html"
}

// readable tells whether pages of a class have the content of plain ones in the end.
func (c Class) readable() bool {
	switch c {
	case OK, Busy, Reset, Large, CutHeader, CutBody, FalseLength, BrokenCoding, WrongCharset, BadUTF8:
		return true
	}
	return false
}

var htmlTypes = [charsets]string{
	"text/html; charset=utf-8", "text/html; charset=ISO-8859-1",
	"text/html; charset=windows-1251", "text/html; charset=Shift_JIS",
}

// wrongType names another charset than that of the site, or one that does not exist. All of
// them agree with ASCII where links are concerned.
func (r *pageRules) wrongType(s *site, j uint32) string {
	h := r.draw(s, streamLabel, uint64(j))
	if h&3 == 0 {
		return "text/html; charset=klingon-8"
	}
	return htmlTypes[(uint64(r.charset(s))+1+below(h, charsets-1))%charsets]
}

// send waits as long as the site takes, and writes the answer.
func (a *answer) send(w http.ResponseWriter, r *http.Request) {
	rules := &a.s.rules
	if d := rules.firstByte(&a.site, a.page, a.attempt); d > 0 {
		rules.opt.Sleep(r.Context(), d)
	}
	switch a.manner {
	case resets:
		if c := connOf(r.Context()); c != nil {
			hardClose(c.conn)
		}
		panic(http.ErrAbortHandler) // net/http closes the connection, or resets the stream
	case hangs, cutsHeader, endlessHeader:
		a.withhold(w, r)
	}
	a.header(w.Header())
	w.WriteHeader(a.status)
	switch {
	case r.Method == http.MethodHead || a.status == http.StatusNotModified:
		a.s.count.end(a, false)
	case a.manner == drips:
		a.drip(w, r)
	case a.manner == cutsBody || a.manner == lies:
		a.cutOff(w)
	default:
		a.write(w, r)
	}
}

// header fills in the header fields.
func (a *answer) header(h http.Header) {
	rules := &a.s.rules
	if a.mime != "" && a.status != http.StatusNotModified {
		h["Content-Type"] = []string{a.mime}
	}
	if length := a.length(); length >= 0 && a.status != http.StatusNotModified {
		h["Content-Length"] = []string{strconv.Itoa(length)}
	}
	if a.coding != "" {
		h["Content-Encoding"] = []string{a.coding}
	}
	if len(rules.opt.Encodings) > 0 {
		h["Vary"] = []string{"Accept-Encoding"}
	}
	if a.location != nil {
		h["Location"] = []string{string(a.location)}
	}
	if a.etag != "" {
		h["Etag"] = []string{a.etag}
		h["Last-Modified"] = []string{a.date.UTC().Format(http.TimeFormat)}
	}
	if a.tag != "" {
		h["X-Robots-Tag"] = []string{a.tag}
	}
	a.retryAfter(h)
	if rules.meets(rules.opt.NoKeepAlive, &a.site, streamKeepAlive, 0) {
		h["Connection"] = []string{"close"}
	}
}

// length is what the header says of the body; negative for nothing.
func (a *answer) length() int {
	switch {
	case a.endless || a.manner == drips:
		return -1
	case a.manner == lies:
		return 5 << 40
	}
	return len(a.body) + a.filler
}

func (a *answer) retryAfter(h http.Header) {
	switch {
	case !a.waitUntil.IsZero():
		h["Retry-After"] = []string{a.waitUntil.UTC().Format(http.TimeFormat)}
	case a.wait > 0:
		h["Retry-After"] = []string{strconv.Itoa(int(a.wait / time.Second))}
	}
}

// lastPiece is what every network takes at once: larger bodies are sent up to it before
// the answer counts as ended.
const lastPiece = 1 << 16

// write sends the body: at once, or its first half, and after the time that a body of
// its size takes the rest.
func (a *answer) write(w http.ResponseWriter, r *http.Request) {
	head, d := max(0, len(a.body)-lastPiece), a.s.rules.body(&a.site, a.page, len(a.body)+a.filler)
	switch {
	case a.filler > 0:
		head = len(a.body) - len(footer)
	case a.endless:
		head = len(a.body)
	case d > 0:
		head = max(head, len(a.body)/2)
	}
	ok := a.part(w, a.body[:head])
	if ok && d > 0 {
		ok = http.NewResponseController(w).Flush() == nil
		a.s.rules.opt.Sleep(r.Context(), d)
	}
	if ok && a.fill(w) {
		a.s.count.end(a, true)
		a.part(w, a.body[head:])
	}
}

// sendPiece is how much is written at once. Of a piece during which the visitor leaves
// nothing counts as sent over HTTP/2, however much of it has arrived.
const sendPiece = 1 << 14

// part writes some bytes; false if they could not be written.
func (a *answer) part(w http.ResponseWriter, b []byte) bool {
	for len(b) > 0 {
		n, err := w.Write(b[:min(len(b), sendPiece)])
		a.sent += int64(n)
		if err != nil {
			a.failed = true
			return false
		}
		a.alive()
		b = b[n:]
	}
	return true
}

// alive notes the instant of a piece that was handed to the network. An answer that the
// visitor ends counts up to the piece before the last one: the last may have been handed
// over when the visitor had gone, and what is called an end must not lie behind it.
func (a *answer) alive() {
	a.visit.last[0], a.visit.last[1] = a.visit.last[1], a.s.count.Now()
}

// fill writes what a large page has more than others, before its end: words, until it
// has its size, or until the visitor has had enough.
func (a *answer) fill(w http.ResponseWriter) bool {
	text := fillerText
	switch {
	case a.kind == KindRobots:
		text = robotsFiller
	case a.filler > 0 && a.s.rules.class(&a.of, a.j) == Crowd:
		return a.crowd(w)
	}
	for left := a.filler; left > 0 || a.endless; {
		n := len(text)
		if !a.endless {
			n = min(left, n)
		}
		if !a.part(w, text[:n]) {
			return false
		}
		left -= n
	}
	return true
}

// fillerText is a piece of a large page, robotsFiller one of a robots.txt without end.
var (
	fillerText   = []byte(strings.Repeat("<p>and so on, and so on, for ever and a day</p>\n", 1<<10))
	robotsFiller = []byte(strings.Repeat("# and so on, and so on, for ever and a day\n", 1<<10))
)

// other writes a body that is not HTML: a signature, then bytes by hash.
func (c *composer) other(st *site, j, version uint32, size int, mime string) []byte {
	c.begin(st, j, version)
	switch mime {
	case "application/pdf":
		c.add("%PDF-1.4\n")
	case "image/png":
		c.add("\x89PNG\r\n\x1a\n")
	default:
		c.words = &c.s.words[utf8Charset]
		c.say(size)
		return c.buf[:size]
	}
	for len(c.buf) < size {
		c.random += golden
		h := mix(c.random)
		c.buf = append(c.buf, byte(h), byte(h>>8), byte(h>>16), byte(h>>24), byte(h>>32), byte(h>>40), byte(h>>48), byte(h>>56))
	}
	return c.buf[:max(size, 1)]
}
