package page

import (
	"bytes"
	"unicode/utf8"
)

// Path and query are copied run by run. A table per part holds for each byte whether
// it is plain or what else must happen; the sets are those of the WHATWG standard
// for http and https ("path percent-encode set", "special-query percent-encode set").
const (
	urlPlain  uint8 = iota
	urlBreak        // ends a segment or a parameter
	urlEscape       // '%'
	urlEncode       // must be percent-encoded
	urlHigh         // part of a character outside ASCII
	urlSemi         // ';' in a path: a path parameter follows
	urlOdd          // tabs and newlines, and '\', which means '/': left to the slow path
)

// pathBytes has "^" in its set as the standard has since 2024; the slow parser is
// older, but what it leaves is copied through this table too.
var (
	pathBytes  = urlClasses('/', " \"<>^`{}", "\\", ";")
	queryBytes = urlClasses('&', " \"<>'", "", "")
	hostByte   = hostBytes()
)

// urlClasses makes the table of one part of the URL.
func urlClasses(end byte, encode, strange, semi string) (class [256]uint8) {
	for c := range class {
		switch {
		case c == '\t' || c == '\n' || c == '\r':
			class[c] = urlOdd
		case c >= utf8.RuneSelf:
			class[c] = urlHigh
		case c < ' ' || c == 0x7f:
			class[c] = urlEncode
		}
	}
	class[end], class['%'] = urlBreak, urlEscape
	for _, set := range []struct {
		bytes string
		class uint8
	}{{encode, urlEncode}, {strange, urlOdd}, {semi, urlSemi}} {
		for _, c := range []byte(set.bytes) {
			class[c] = set.class
		}
	}
	return class
}

// hostBytes maps the bytes of a plain host to lower case and all others to 0.
func hostBytes() (low [256]byte) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-._") {
		low[c] = c
		if 'a' <= c && c <= 'z' {
			low[c-'a'+'A'] = c
		}
	}
	return low
}

// appendRest appends path and query. dst ends in a slash, where a segment begins;
// dst[root] is the first slash of the path.
func appendRest(dst []byte, root int, rest []byte) ([]byte, Verdict) {
	query := bytes.IndexByte(rest, '?')
	if query < 0 {
		return appendPath(dst, root, rest)
	}
	dst, v := appendPath(dst, root, rest[:query])
	if v != OK {
		return dst, v
	}
	return appendQuery(dst, rest[query+1:])
}

// appendPath appends a path segment by segment. Escaped dots are decoded before a
// segment ends, so that "%2e." is a dot segment, as the standard demands.
func appendPath(dst []byte, root int, path []byte) ([]byte, Verdict) {
	start, semi := len(dst), false // of the present segment: where it begins, whether it has a parameter
	for i := 0; i < len(path); {
		run := i
		for i < len(path) && pathBytes[path[i]] == urlPlain {
			i++
		}
		dst = append(dst, path[run:i]...)
		if i == len(path) {
			break
		}
		switch pathBytes[path[i]] {
		case urlBreak:
			var dots bool
			if dst, dots = endSegment(dst, root, start, semi); !dots {
				dst = append(dst, '/')
			}
			start, semi = len(dst), false
			i++
		case urlSemi:
			dst = append(dst, ';')
			semi = true
			i++
		default:
			var n int
			if dst, n = appendSpecial(dst, path[i:]); n == 0 {
				return dst, odd
			}
			i += n
		}
	}
	dst, _ = endSegment(dst, root, start, semi)
	return dst, OK
}

// endSegment finishes the segment dst[start:]: dot segments go, with the segment
// before them if there are two dots, and so do session ids. After dots dst ends in
// the slash that the next segment follows.
func endSegment(dst []byte, root, start int, semi bool) (out []byte, dots bool) {
	segment := dst[start:]
	switch {
	case semi:
		return dropPathSession(dst, start), false
	case len(segment) == 0 || len(segment) > 2 || segment[0] != '.':
		return dst, false
	case len(segment) == 1:
		return dst[:start], true
	case segment[1] != '.':
		return dst, false
	case start == root+1:
		return dst[:start], true // nothing above the root
	}
	return dst[:bytes.LastIndexByte(dst[:start-1], '/')+1], true
}

// appendQuery appends "?" and the parameters that are worth keeping, or nothing when
// there are none: a "?" alone requests the same page from every server we know.
func appendQuery(dst, query []byte) ([]byte, Verdict) {
	mark := len(dst)
	dst = append(dst, '?')
	start := len(dst) // of the present parameter
	for i := 0; i < len(query); {
		run := i
		for i < len(query) && queryBytes[query[i]] == urlPlain {
			i++
		}
		dst = append(dst, query[run:i]...)
		if i == len(query) {
			break
		}
		if query[i] == '&' {
			dst = endParameter(dst, start)
			start = len(dst)
			i++
			continue
		}
		var n int
		if dst, n = appendSpecial(dst, query[i:]); n == 0 {
			return dst, odd
		}
		i += n
	}
	dst = endParameter(dst, start)
	if len(dst) <= mark+2 { // "?" when all are dropped, "?&" when one empty one is left
		return dst[:mark], OK
	}
	return dst[:len(dst)-1], OK
}

// endParameter finishes the parameter dst[start:] with "&", or drops it.
func endParameter(dst []byte, start int) []byte {
	if dropParameter(dst[start:]) {
		return dst[:start]
	}
	return append(dst, '&')
}

// appendSpecial appends what src begins with, a byte that is not plain, and returns
// how many bytes it took; 0: not for us.
func appendSpecial(dst, src []byte) ([]byte, int) {
	c := src[0]
	switch {
	case c == '%':
		return appendEscape(dst, src)
	case c == '\\' || c == '\t' || c == '\n' || c == '\r':
		return dst, 0
	case c < utf8.RuneSelf:
		return appendEncoded(dst, c), 1
	}
	r, n := utf8.DecodeRune(src)
	if r == utf8.RuneError && n == 1 {
		return dst, 0 // not UTF-8
	}
	for _, c := range src[:n] {
		dst = appendEncoded(dst, c)
	}
	return dst, n
}

// appendEscape appends the escape that src begins with: decoded if it denotes a
// character that never needs one, else in upper case. A '%' that begins no escape
// stays, as the standard has it: servers differ in what they make of it.
func appendEscape(dst, src []byte) ([]byte, int) {
	if len(src) < 3 {
		return append(dst, '%'), 1
	}
	high, low := urlHex(src[1]), urlHex(src[2])
	if high > 15 || low > 15 {
		return append(dst, '%'), 1
	}
	c := high<<4 | low
	if unreserved(c) && !halfEscape(dst) {
		return append(dst, c), 3
	}
	return appendEncoded(dst, c), 3
}

// halfEscape reports whether dst ends in a '%', or a '%' and one digit, that begins no
// escape yet: in "%4%31" a decoded "1" would complete "%41", and the normal form
// would have a normal form of its own.
func halfEscape(dst []byte) bool {
	n := len(dst)
	return n > 0 && dst[n-1] == '%' || n > 1 && dst[n-2] == '%' && urlHex(dst[n-1]) <= 15
}

// appendEncoded appends the escape of c.
func appendEncoded(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}

// urlHex returns the value of a hexadecimal digit; above 15 for all other bytes.
func urlHex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 0xff
}

// unreserved returns the set of RFC 3986, 2.3, characters that mean the same escaped or not.
func unreserved(c byte) bool {
	low := c | 0x20
	return 'a' <= low && low <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}
