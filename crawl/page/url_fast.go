package page

import "bytes"

// A schemeKind classifies the beginning of a link.
type schemeKind uint8

const (
	noScheme    schemeKind = iota // relative
	httpScheme                    // http or https
	otherScheme                   // anything else
	oddScheme                     // a tab or newline before it is clear
)

// schemeOf finds the scheme of a link: a letter, then letters, digits, "+-.", then a
// colon, whose index it returns.
func schemeOf(ref []byte) (colon int, kind schemeKind) {
	for i, c := range ref {
		low := c | 0x20
		switch {
		case 'a' <= low && low <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i, nameScheme(ref[:i])
		case c == '\t' || c == '\n' || c == '\r':
			return 0, oddScheme
		default:
			return 0, noScheme
		}
	}
	return 0, noScheme
}

// nameScheme reports whether we fetch URLs of a scheme.
func nameScheme(name []byte) schemeKind {
	if foldedEqual(name, "https") || foldedEqual(name, "http") {
		return httpScheme
	}
	return otherScheme
}

// foldedEqual compares with a word of lower-case letters. (A byte that gives a letter
// when the bit of lower case is set is that letter, small or capital.)
func foldedEqual(name []byte, word string) bool {
	if len(name) != len(word) {
		return false
	}
	for i, c := range name {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

// fast appends the normal form of a plain link, or returns odd. It never returns another
// result than slow, except odd.
func (r *Resolver) fast(dst, ref []byte, colon int, kind schemeKind) ([]byte, Verdict) {
	switch {
	case kind == oddScheme:
		return dst, odd
	case kind == httpScheme:
		return r.fastAbsolute(dst, ref, colon)
	case len(r.base) == 0:
		return dst, Malformed // relative to nothing
	case len(ref) == 0:
		return append(dst, r.base...), OK
	case ref[0] == '?':
		return appendQuery(append(dst, r.base[:r.pathEnd]...), ref[1:])
	case ref[0] != '/':
		return appendRest(append(dst, r.base[:r.dirEnd]...), len(dst)+r.siteEnd, ref)
	case len(ref) > 1 && ref[1] == '/':
		scheme := bytes.IndexByte(r.base, ':') + 1
		return appendAuthority(append(dst, r.base[:scheme]...), ref[2:], scheme == len("https:"))
	}
	return appendRest(append(dst, r.base[:r.siteEnd+1]...), len(dst)+r.siteEnd, ref[1:])
}

// fastAbsolute does what fast does for a link with a scheme that ends before colon.
func (r *Resolver) fastAbsolute(dst, ref []byte, colon int) ([]byte, Verdict) {
	// Most absolute links of a page stay on its site and spell it as we do: one
	// comparison of bytes does for scheme, host and port.
	if n := r.siteEnd; n > 0 && len(ref) > n && ref[n] == '/' && bytes.Equal(ref[:n], r.base[:n]) {
		return appendRest(append(dst, ref[:n+1]...), len(dst)+n, ref[n+1:])
	}
	rest := ref[colon+1:]
	if len(rest) < 2 || rest[0] != '/' || rest[1] != '/' {
		return dst, odd // "http:foo" and other old mistakes
	}
	if colon == len("https") {
		return appendAuthority(append(dst, "https:"...), rest[2:], true)
	}
	return appendAuthority(append(dst, "http:"...), rest[2:], false)
}

// appendAuthority appends "//", host and port at the start of src, then what follows.
func appendAuthority(dst, src []byte, https bool) ([]byte, Verdict) {
	dst = append(dst, '/', '/')
	host := len(dst)
	i := 0
	for i < len(src) && hostByte[src[i]] != 0 {
		dst = append(dst, hostByte[src[i]])
		i++
	}
	if !plainHost(dst[host:]) {
		return dst, odd
	}
	if i < len(src) && src[i] == ':' {
		var n int
		if dst, n = appendPort(dst, src[i:], https); n == 0 {
			return dst, odd
		}
		i += n
	}
	root := len(dst)
	dst = append(dst, '/')
	switch {
	case i == len(src):
		return dst, OK
	case src[i] == '/':
		return appendRest(dst, root, src[i+1:])
	case src[i] == '?':
		return appendQuery(dst, src[i+1:])
	}
	return dst, odd
}

// appendPort appends the port that src begins with, colon and all, unless it is the
// default of the scheme, and returns how many bytes it had. 0: not a plain number.
func appendPort(dst, src []byte, https bool) ([]byte, int) {
	n, port := 1, 0
	for n < len(src) && n <= 5 && '0' <= src[n] && src[n] <= '9' {
		port = 10*port + int(src[n]-'0')
		n++
	}
	if n == 1 || src[1] == '0' || port > 65535 {
		return dst, 0
	}
	if https && port == 443 || !https && port == 80 {
		return dst, n
	}
	return append(dst, src[:n]...), n
}

// plainHost reports whether a host in lower case, of hostByte's alphabet, is its own normal
// form: labels of lengths that DNS can hold, none of them punycode (which must be
// checked), and the last one not the number that would make it an IPv4 address.
// Addresses in four plain decimal numbers pass too.
func plainHost(host []byte) bool {
	if !resolvable(host) || bytes.Contains(host, []byte("xn--")) {
		return false
	}
	last := host[bytes.LastIndexByte(host, '.')+1]
	if '0' <= last && last <= '9' {
		return plainIPv4(host)
	}
	return last != '-' // the slow parser takes "-1" for a number: let it decide, then us
}

// The limits of DNS (RFC 1035, 2.3.4), in bytes.
const (
	maxLabel = 63
	maxHost  = 253
)

// resolvable reports whether all labels of a host have 1 to 63 bytes and the whole at most
// 253. What does not cannot be looked up.
func resolvable(host []byte) bool {
	if len(host) > maxHost {
		return false
	}
	label := 0
	for _, c := range host {
		if c != '.' {
			label++
			continue
		}
		if label == 0 || label > maxLabel {
			return false
		}
		label = 0
	}
	return label > 0 && label <= maxLabel
}

// plainIPv4 reports whether host is four numbers from 0 to 255 without leading zeros.
func plainIPv4(host []byte) bool {
	part, digits, number := 1, 0, 0
	for _, c := range host {
		switch {
		case c == '.':
			part++
			digits, number = 0, 0
		case c < '0' || c > '9' || digits > 0 && number == 0:
			return false
		default:
			digits++
			number = 10*number + int(c-'0')
		}
		if part > 4 || number > 255 {
			return false
		}
	}
	return part == 4 // empty parts are ruled out by resolvable
}
