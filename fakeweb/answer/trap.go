package answer

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/language"
	"github.com/winnow-crawler/winnow/fakeweb/internal/padded"
	"github.com/winnow-crawler/winnow/graph"
)

// A Trap is a way to make URLs without end.
type Trap uint8

const (
	NoTrap           Trap = iota
	Calendar              // /calendar/2024/05/ or /calendar.php?year=2024&month=05
	GrowingPath           // /shop/river/lantern/
	RepeatedSegments      // /browse/new/old/new/
	GrowingQuery          // /list?f=1&f=2
	SessionQuery          // /d3/p07.html?sid=..., the page itself
	SessionPath           // /s-.../d3/p07.html, the page itself
	SelfAppending         // /archive/more/back/index.html
	Soft404               // /old/....html
	CopyDirectory         // /again/.../, one of three pages of the site
	Farm                  // f042-7.example
	Wildcard              // anything.s042.example
	CrowdLink             // /c/0012345, what a crowded page links to
	SessionUnknown        // /d3/p07.html?zx=..., the page itself
	trapKinds
)

var trapNames = [trapKinds]string{
	"", "calendar", "growing-path", "repeated", "growing-query", "session-query", "session-path",
	"self-appending", "soft-404", "copy-directory", "farm", "wildcard", "crowd", "session-unknown",
}

func (t Trap) String() string { return trapNames[t] }

// MarshalText writes a trap by its name.
func (t Trap) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// list returns the shares in the order of Trap.
func (t *TrapShares) list() [trapKinds]float64 {
	return [trapKinds]float64{
		Calendar: t.Calendar, GrowingPath: t.GrowingPath, RepeatedSegments: t.RepeatedSegments, GrowingQuery: t.GrowingQuery,
		SessionQuery: t.SessionQuery, SessionPath: t.SessionPath, SelfAppending: t.SelfAppending, Soft404: t.Soft404,
		CopyDirectory: t.CopyDirectory, Farm: t.Farm, Wildcard: t.Wildcard, SessionUnknown: t.SessionUnknown,
	}
}

// trapRules holds the rules about URLs without end.
type trapRules struct {
	*dice
	shares [trapKinds]float64
}

// has reports whether a site has a trap.
func (r *trapRules) has(s *fakeweb.Site, t Trap) bool {
	return r.meets(r.shares[t], s, streamTrap, uint64(t))
}

// style returns one of n looks of a trap.
func (r *trapRules) style(s *fakeweb.Site, t Trap, n uint64) uint64 {
	return r.draw(s, streamTrapStyle, uint64(t)) % n
}

// firstPages is the number of pages of a site that its directory of copies holds, by turns.
const firstPages = 3

// door reports whether page j links to the traps of its site: the first pages do, and one in
// sixteen of the others.
func (r *trapRules) door(s *fakeweb.Site, j uint32) bool {
	return j < firstPages || r.draw(s, streamDoor, uint64(j))&15 == 0
}

// Sealed names are sixteen hexadecimal digits; the last four check the others. So a URL that
// we have linked to can be distinguished from one that a visitor has made up.

func (r *trapRules) seal(s *fakeweb.Site, h uint64) string {
	low := h >> 16
	text := strconv.FormatUint(low<<16|r.draw(s, streamSession, low)>>48, 16)
	return strings.Repeat("0", 16-len(text)) + text
}

func (r *trapRules) sealed(s *fakeweb.Site, text string) (h uint64, ok bool) {
	h, err := strconv.ParseUint(text, 16, 64)
	return h, err == nil && len(text) == 16 && r.seal(s, h) == text
}

// sessionNames lists how a session id is put behind a path.
var sessionNames = [...]string{"?PHPSESSID=", "?sid=", ";jsessionid="}

// unknownSession is one under a meaningless name.
const unknownSession = "?zx="

// sessionName returns how session ids are written in the links of a site, and which trap that
// is; "" if there are none.
func (r *trapRules) sessionName(s *fakeweb.Site) (string, Trap) {
	switch {
	case r.has(s, SessionUnknown):
		return unknownSession, SessionUnknown
	case r.has(s, SessionQuery):
		return sessionNames[r.style(s, SessionQuery, uint64(len(sessionNames)))], SessionQuery
	}
	return "", NoTrap
}

// BySession reports whether a trap is a page itself, under a session id.
func (t Trap) BySession() bool { return t == SessionQuery || t == SessionUnknown }

// session returns what the links inside a site have behind their path on page j, requested with
// the session that key is made of; "" where links have none.
func (r *trapRules) session(s *fakeweb.Site, j uint32, key uint64) string {
	name, t := r.sessionName(s)
	if t == NoTrap {
		return ""
	}
	h := r.draw(s, streamSession, key^draw.Mix(uint64(j)+1))
	return name + r.seal(s, h) + r.seal(s, draw.Mix(h))
}

// cutSession takes a session id that links of the site may have from the end of path and query.
func (r *trapRules) cutSession(s *fakeweb.Site, target string) (path string, t Trap, key uint64, ok bool) {
	name, t := r.sessionName(s)
	if t == NoTrap {
		return "", t, 0, false
	}
	path, id, found := strings.Cut(target, name)
	if !found || len(id) != 32 {
		return "", t, 0, false
	}
	first, ok := r.sealed(s, id[:16])
	_, also := r.sealed(s, id[16:])
	return path, t, first, ok && also
}

// trapAt returns which trap of a site path and query lie in. key seeds its content, n is
// its number if it has one.
func (r *trapRules) trapAt(s *fakeweb.Site, path, query string) (t Trap, n, key uint64) {
	key = textHash(path + "?" + query)
	switch first, rest, _ := strings.Cut(path[1:], "/"); first {
	case "calendar", "calendar.php":
		t = Calendar
		if n = r.month(s, path, query); n == 0 {
			t = NoTrap
		}
	case "shop":
		t = only(GrowingPath, words(rest, "/", letters) && query == "")
	case "browse":
		t = only(RepeatedSegments, words(rest, "/", letters) && query == "")
	case "list":
		t = only(GrowingQuery, rest == "" && words(strings.ReplaceAll(query+"&", "f=", ""), "&", digitsOnly))
		n = uint64(strings.Count(query, "f="))
	case "archive":
		dirs, ok := strings.CutSuffix(rest, "index.html")
		t = only(SelfAppending, ok && words(dirs, "/", letters) && query == "")
	case "old":
		name, html := strings.CutSuffix(rest, ".html")
		_, ok := r.sealed(s, name)
		t = only(Soft404, ok && html && query == "")
	}
	if t != NoTrap && !r.has(s, t) {
		t = NoTrap
	}
	return t, n, key
}

func only(t Trap, ok bool) Trap {
	if ok {
		return t
	}
	return NoTrap
}

const (
	letters    = "abcdefghijklmnopqrstuvwxyz"
	digitsOnly = "0123456789"
)

// words reports whether text is words of some letters, each with the end behind it.
func words(text, end, of string) bool {
	for text != "" {
		word, rest, ok := strings.Cut(text, end)
		if !ok || word == "" || strings.Trim(word, of) != "" {
			return false
		}
		text = rest
	}
	return true
}

// textHash returns 64 bits of a text.
func textHash(text string) uint64 {
	h := uint64(len(text)) * draw.Golden
	for i := range len(text) {
		h = draw.Mix(h ^ uint64(text[i]))
	}
	return h
}

// Months are counted from the year 0 on; calendars go back to 1900.
const firstMonth = 1900 * 12

// month reads the URL of a calendar page, 0 for none. In half of the sites it is a query.
func (r *trapRules) month(s *fakeweb.Site, path, query string) uint64 {
	var year, month string
	if r.style(s, Calendar, 4) < 2 {
		part := strings.Split(path, "/") // "", calendar, year, month, ""
		if len(part) != 5 || query != "" {
			return 0
		}
		year, month = part[2], part[3]
	} else {
		before, after, _ := strings.Cut(query, "&month=")
		year, month = strings.TrimPrefix(before, "year="), after
	}
	y, err := strconv.ParseUint(year, 10, 32)
	m, err2 := strconv.ParseUint(month, 10, 32)
	n := y*12 + m - 1
	if err != nil || err2 != nil || m < 1 || m > 12 || n < firstMonth || string(r.appendMonth(nil, s, n)) != withQuery(path, query) {
		return 0
	}
	return n
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// appendMonth writes the URL of a calendar page.
func (r *trapRules) appendMonth(b []byte, s *fakeweb.Site, n uint64) []byte {
	inPath := r.style(s, Calendar, 4) < 2
	b = append(b, "/calendar"...)
	if inPath {
		b = append(b, '/')
	} else {
		b = append(b, ".php?year="...)
	}
	b = strconv.AppendUint(b, n/12, 10)
	if inPath {
		b = append(b, '/')
	} else {
		b = append(b, "&month="...)
	}
	b = padded.Append(b, n%12+1, 12)
	if inPath {
		b = append(b, '/')
	}
	return b
}

// monthName returns how a calendar calls a month: in half of the sites by name.
func (r *trapRules) monthName(s *fakeweb.Site, n uint64) string {
	year := strconv.FormatUint(n/12, 10)
	if r.style(s, Calendar, 8) >= 4 {
		return time.Month(n%12+1).String() + " " + year
	}
	return year + "-" + strconv.FormatUint(n%12+1, 10)
}

// entrances appends the links by which page j of a site leads into its traps. key is 0
// on the page itself, and on copies what their URL is made of.
func (r *trapRules) entrances(dst []string, s *fakeweb.Site, j uint32, key uint64) []string {
	if !r.door(s, j) {
		return dst
	}
	for t := Calendar; t <= CopyDirectory; t++ {
		if r.has(s, t) {
			dst = r.entrance(dst, s, j, t, key)
		}
	}
	return dst
}

func (r *trapRules) entrance(dst []string, s *fakeweb.Site, j uint32, t Trap, key uint64) []string {
	h := r.draw(s, streamDoor, uint64(j)+uint64(t)<<32) ^ key
	switch t {
	case Calendar:
		return append(dst, string(r.appendMonth(nil, s, 2020*12+draw.Below(h, 60))))
	case GrowingPath:
		return append(dst, "/shop/")
	case RepeatedSegments:
		return append(dst, "/browse/")
	case GrowingQuery:
		return append(dst, "/list?f=1")
	case SelfAppending:
		return append(dst, "/archive/index.html")
	case Soft404:
		return append(dst, "/old/"+r.seal(s, h)+".html")
	case SessionPath:
		return append(dst, "/s-"+r.seal(s, h)+"/", "/s-"+r.seal(s, draw.Mix(h))+string(s.AppendPath(nil, j)))
	case CopyDirectory:
		return append(dst, "/again/"+r.seal(s, h)+"/", "/again/"+r.seal(s, draw.Mix(h))+"/")
	}
	return dst
}

// repeatedWords are the segments that a site repeats.
var repeatedWords = [...][2]string{{"new", "old"}, {"a", "b"}, {"page", "next"}, {"en", "us"}}

// onward appends the links of a trap page to the further ones of its trap. Only
// SelfAppending writes them relative.
func (r *trapRules) onward(dst []string, s *fakeweb.Site, t Trap, n, key uint64, path, query string) []string {
	switch t {
	case Calendar:
		dst = append(dst, string(r.appendMonth(nil, s, n+1)))
		if n > firstMonth {
			dst = append(dst, string(r.appendMonth(nil, s, n-1)))
		}
	case GrowingPath:
		for i := range uint64(2) {
			dst = append(dst, path+pathWord(draw.Mix(key+i))+"/")
		}
	case RepeatedSegments:
		for _, w := range repeatedWords[r.style(s, RepeatedSegments, uint64(len(repeatedWords)))] {
			dst = append(dst, path+w+"/")
		}
	case GrowingQuery:
		for i := range uint64(2) {
			dst = append(dst, path+"?"+query+"&f="+strconv.FormatUint(n+1+i, 10))
		}
	case SelfAppending:
		dst = append(dst, "more/index.html", "back/index.html")
	case Soft404:
		dst = append(dst, "/old/"+r.seal(s, draw.Mix(key))+".html", "/old/"+r.seal(s, draw.Mix(key+1))+".html")
	}
	return dst
}

// pathWords are the segments of growing paths.
var pathWords = strings.Fields(language.English)

func pathWord(h uint64) string { return pathWords[draw.Below(h, uint64(len(pathWords)))] }

// crowdNumber reads the URL of what a crowded page links to.
func (r *trapRules) crowdNumber(path string) (n uint64, ok bool) {
	name, found := strings.CutPrefix(path, "/c/")
	n, err := strconv.ParseUint(name, 10, 32)
	return n, found && r.opt.Pages.Crowd > 0 && len(name) == 7 && err == nil
}

// appendCrowdLinks writes links from number n on.
func appendCrowdLinks(b []byte, n, to int) []byte {
	for ; n < to; n++ {
		b = append(b, "<a href=/c/"...)
		b = padded.Append(b, uint64(n)%10_000_000, 9_999_999)
		b = append(b, ">x</a> "...)
	}
	return b
}

// siteBelow returns a site by hash.
func siteBelow(h uint64, sites int) graph.Site { return graph.Site(draw.Below(h, uint64(sites))) }

// TrimPort returns a host name without port and final dot, in lower case.
func TrimPort(host string) string {
	if i := strings.IndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return string(bytes.ToLower([]byte(strings.TrimSuffix(host, "."))))
}
