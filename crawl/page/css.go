package page

import (
	"bytes"
	"unicode/utf8"
)

// EachCSSURL calls each with the URLs that a style names and a browser would request: those of
// url(), @import and image-set(), unescaped (CSS Syntax Level 3, section 4). Those of @namespace
// are names. A URL is valid until each returns. The work is linear in the length of the style.
func EachCSSURL(css []byte, each func(url []byte)) {
	r := cssReader{css: css, each: each}
	r.read()
}

// ReplaceCSSURLs appends a style to dst in which the URLs that EachCSSURL finds are others, unless
// other returns "". They must have no quotes, backslashes and control characters.
func ReplaceCSSURLs(dst, css []byte, other func(url []byte) string) []byte {
	r, done := cssReader{css: css}, 0
	r.each = func(url []byte) {
		if to := other(url); to != "" {
			dst = append(dst, css[done:r.from]...)
			dst = append(append(append(dst, '"'), to...), '"')
			done = r.to
		}
	}
	r.read()
	return append(dst, css[done:]...)
}

// read reads all tokens.
func (r *cssReader) read() {
	for r.pos < len(r.css) {
		r.next()
	}
}

// A cssReader reads the tokens of a style that matter for URLs.
type cssReader struct {
	css   []byte
	pos   int // next byte of css; never goes back
	from  int // where the last string or URL begins, with its quotes, and where it ends
	to    int
	each  func(url []byte)
	buf   []byte // of the last name, string or URL
	depth int    // of parentheses
	set   int    // depth inside an image-set, where strings are URLs; 0 outside
	named bool   // the next string is a URL: after @import
	mute  bool   // URLs are names: after @namespace, up to the end of the rule
}

// next reads one token.
func (r *cssReader) next() {
	switch c := r.css[r.pos]; {
	case c == '/' && r.at(1) == '*':
		r.comment()
	case c == '"' || c == '\'':
		if r.quoted() && (r.named || r.set > 0 && r.depth == r.set) {
			r.found()
		}
	case c == '@':
		r.pos++
		r.name()
		r.named, r.mute = equalFold(r.buf, "import"), equalFold(r.buf, "namespace")
	case startsName(c):
		r.word()
	case c == '(':
		r.pos++
		r.depth++
	case c == ')':
		r.pos++
		r.close()
	default:
		r.pos++
		if c == ';' || c == '{' || c == '}' {
			r.named, r.mute = false, false
		}
	}
}

// at returns the byte at a distance from pos, 0 behind the end.
func (r *cssReader) at(d int) byte {
	if r.pos+d < len(r.css) {
		return r.css[r.pos+d]
	}
	return 0
}

// found reports the URL in buf.
func (r *cssReader) found() {
	r.named = false
	if !r.mute && len(r.buf) > 0 {
		r.each(r.buf)
	}
}

// close ends a pair of parentheses.
func (r *cssReader) close() {
	if r.depth = max(0, r.depth-1); r.depth < r.set {
		r.set = 0
	}
}

func (r *cssReader) comment() {
	n := bytes.Index(r.css[r.pos+2:], []byte("*/"))
	if n < 0 {
		r.pos = len(r.css)
		return
	}
	r.pos += n + 4
}

// startsName reports whether a byte may begin a name.
func startsName(c byte) bool {
	return class[c]&letter != 0 || c == '-' || c == '_' || c == '\\' || c >= 0x80
}

// name reads a name into buf.
func (r *cssReader) name() {
	r.buf = r.buf[:0]
	for r.pos < len(r.css) {
		switch c := r.css[r.pos]; {
		case c == '\\':
			r.escape()
		case startsName(c) || class[c]&digit != 0:
			r.buf = append(r.buf, c)
			r.pos++
		default:
			return
		}
	}
}

// word reads a name, and a URL if it begins one.
func (r *cssReader) word() {
	r.name()
	if r.at(0) != '(' {
		return
	}
	r.pos++
	switch {
	case equalFold(r.buf, "url"):
		r.url()
	case equalFold(r.buf, "image-set") || equalFold(r.buf, "-webkit-image-set"):
		r.depth++
		r.set = r.depth
	default:
		r.depth++
	}
}

// url reads what is between the parentheses of url().
func (r *cssReader) url() {
	r.space()
	ok := false
	if c := r.at(0); c == '"' || c == '\'' {
		ok = r.quoted()
	} else {
		ok = r.bare()
	}
	if r.space(); ok && (r.at(0) == ')' || r.pos == len(r.css)) {
		r.found()
	}
	for r.pos < len(r.css) && r.css[r.pos] != ')' { // a bad URL
		r.pos++
	}
	r.pos = min(r.pos+1, len(r.css))
}

func (r *cssReader) space() {
	for r.pos < len(r.css) && class[r.css[r.pos]]&space != 0 {
		r.pos++
	}
}

// bare reads a URL without quotes into buf. It reports false for one that browsers do not accept.
func (r *cssReader) bare() bool {
	r.buf, r.from = r.buf[:0], r.pos
	defer func() { r.to = r.pos }()
	for r.pos < len(r.css) {
		switch c := r.css[r.pos]; {
		case c == ')' || class[c]&space != 0:
			return true
		case c == '"' || c == '\'' || c == '(' || c < 0x20:
			return false
		case c == '\\':
			r.escape()
		default:
			r.buf = append(r.buf, c)
			r.pos++
		}
	}
	return true
}

// quoted reads a string into buf. It reports false for one that a line break ends.
func (r *cssReader) quoted() bool {
	q := r.css[r.pos]
	r.buf, r.from = r.buf[:0], r.pos
	defer func() { r.to = r.pos }()
	r.pos++
	for r.pos < len(r.css) {
		switch c := r.css[r.pos]; c {
		case q:
			r.pos++
			return true
		case '\n', '\f', '\r':
			return false
		case '\\':
			r.escape()
		default:
			r.buf = append(r.buf, c)
			r.pos++
		}
	}
	return true
}

// escape reads a backslash with what it escapes. Before a line break it continues a string.
func (r *cssReader) escape() {
	r.pos++
	x, n := 0, 0
	for ; n < 6 && r.pos+n < len(r.css) && digitValue(r.at(n)) < 16; n++ {
		x = 16*x + digitValue(r.at(n))
	}
	c := r.at(0)
	switch {
	case n > 0:
		r.pos += n
		if class[r.at(0)]&space != 0 {
			r.pos++
		}
		if x == 0 || x > utf8.MaxRune {
			x = utf8.RuneError
		}
		r.buf = utf8.AppendRune(r.buf, rune(x))
	case r.pos >= len(r.css):
	case c == '\r' && r.at(1) == '\n':
		r.pos += 2
	case c == '\n' || c == '\r' || c == '\f':
		r.pos++
	default:
		r.buf = append(r.buf, c)
		r.pos++
	}
}
