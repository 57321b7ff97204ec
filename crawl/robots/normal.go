package robots

import "strings"

// The characters of a path by what the normal form does to them.
const (
	escaped    = iota // becomes %XX: blanks, controls, octets above 127, " < > \ ^ ` { | }, and * $ of a path
	reserved          // stays, and is not its escape: : / ? [ ] @ ! & ' ( ) + , ; =
	unreserved        // stays, and is its escape: letters, digits, - . _ ~
	percent           // may begin an escape
	fragment          // #: ends the path
)

var classes = func() (t [256]uint8) {
	for _, c := range []byte(":/?[]@!&'()+,;=") {
		t[c] = reserved
	}
	for c := range 128 {
		if b := byte(c); isLetter(b) || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0 {
			t[c] = unreserved
		}
	}
	t['%'], t['#'] = percent, fragment
	return t
}()

// isNormal reports whether a path is in normal form already, as most are.
func isNormal(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	for i := 0; i < len(path); i++ {
		switch classes[path[i]] {
		case reserved, unreserved:
		case percent:
			if !isNormalEscape(path[i:]) {
				return false
			}
			i += 2
		default:
			return false
		}
	}
	return true
}

// isNormalEscape reports whether s begins with an escape that the normal form keeps as it is.
func isNormalEscape(s string) bool {
	c, ok := unescape(s)
	return ok && classes[c] != unreserved && !isLowerHex(s[1]) && !isLowerHex(s[2])
}

func isLowerHex(c byte) bool { return 'a' <= c && c <= 'f' }

// unescape reads the escape that s begins with; s[0] is %.
func unescape(s string) (c byte, ok bool) {
	if len(s) < 3 {
		return 0, false
	}
	hi, lo := unhex(s[1]), unhex(s[2])
	return hi<<4 | lo&15, hi < 16 && lo < 16
}

// unhex returns the value of a hexadecimal digit, 255 if c is none.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// appendPath appends the normal form of a path with its query. A fragment is cut off; a
// path that does not begin with / is read as if it did.
func appendPath(dst []byte, path string) []byte {
	if path == "" || path[0] != '/' {
		dst = append(dst, '/')
	}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; classes[c] {
		case fragment:
			return dst
		case reserved, unreserved:
			dst = append(dst, c)
		case percent:
			e, ok := unescape(path[i:])
			if !ok {
				e = '%'
			} else {
				i += 2
			}
			dst = appendOctet(dst, e)
		default:
			dst = appendEscape(dst, c)
		}
	}
	return dst
}

// appendOctet appends an octet that was written as an escape.
func appendOctet(dst []byte, c byte) []byte {
	if classes[c] == unreserved {
		return append(dst, c)
	}
	return appendEscape(dst, c)
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(dst, '%', hex[c>>4], hex[c&15])
}

// normalPattern returns the normal form of the value of a rule: that of a path, but * stays,
// one * replaces several in a row, a $ at the end stays, and so does a % that begins no
// escape. Where there is such a %, stray is the pattern with %25 in its place, as paths
// have it, else "". The length is counted in octets before the stars were joined, since
// that is how long the author wrote it.
func normalPattern(value string) (pattern, stray string, length int) {
	if value[0] != '/' && value[0] != '*' {
		value = "/" + value
	}
	if isNormal(value) {
		return value, "", len(value)
	}
	body, end := strings.CutSuffix(value, "$")
	dst, stars, strays := appendPattern(make([]byte, 0, len(value)+16), body, "%")
	if end {
		dst = append(dst, '$')
	}
	if strays {
		other, _, _ := appendPattern(make([]byte, 0, len(dst)+16), body, "%25")
		if end {
			other = append(other, '$')
		}
		stray = string(other)
	}
	return string(dst), stray, len(dst) + stars
}

// appendPattern appends the normal form of a rule without its final $, with percent for a %
// that begins no escape. It returns how many stars were left out, and whether there was such
// a %.
func appendPattern(dst []byte, body, percent string) (_ []byte, stars int, strays bool) {
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '*' && i > 0 && body[i-1] == '*':
			stars++
		case c == '*' || classes[c] == reserved || classes[c] == unreserved:
			dst = append(dst, c)
		case c != '%':
			dst = appendEscape(dst, c)
		default:
			if e, ok := unescape(body[i:]); ok {
				dst = appendOctet(dst, e)
				i += 2
			} else {
				dst, strays = append(dst, percent...), true
			}
		}
	}
	return dst, stars, strays
}

// spellings returns the further forms of a pattern that a path may have behind a ?, where : /
// @ and their escapes are the same: all raw, all escaped. Most patterns have none. The
// second is the one whose octets RFC 9309 counts.
func spellings(pattern string) (raw, esc string, ok bool) {
	q := strings.IndexByte(pattern, '?') + 1
	if q == 0 || !strings.ContainsAny(pattern[q:], ":/@%") {
		return "", "", false
	}
	path, query := pattern[:q], pattern[q:]
	raw, esc = path+toRaw.Replace(query), path+toEscapes.Replace(query)
	return raw, esc, raw != esc
}

// toRaw and toEscapes change between the two spellings. Making them takes longer than
// using them, and a file may have fifty thousand rules.
var (
	toRaw     = strings.NewReplacer("%3A", ":", "%2F", "/", "%40", "@")
	toEscapes = strings.NewReplacer(":", "%3A", "/", "%2F", "@", "%40")
)
