package archive

import (
	"fmt"
	"strings"
)

// Field is one line of a header or of an application/warc-fields block.
type Field struct{ Name, Value string }

// appendField writes one line. A name that is no token gets underscores, a value loses
// its control characters: neither can end the line.
func appendField(b []byte, name, value string) []byte {
	b = appendName(b, name)
	b = append(b, ": "...)
	return append(appendValue(b, value), "\r\n"...)
}

func appendName(b []byte, name string) []byte {
	if name == "" {
		return append(b, '_')
	}
	for i := range len(name) {
		if c := name[i]; token(c) {
			b = append(b, c)
		} else {
			b = append(b, '_')
		}
	}
	return b
}

// appendValue turns control characters into spaces, except the tab; bytes above 127 pass,
// as they came.
func appendValue(b []byte, s string) []byte {
	start := len(b)
	b = append(b, s...)
	for i, c := range b[start:] {
		if (c < ' ' && c != '\t') || c == 0x7f {
			b[start+i] = ' '
		}
	}
	return b
}

// token says whether c may stand in a field name (RFC 9110, 5.6.2).
func token(c byte) bool { return tokens[c] }

var tokens = func() (t [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[c] = true
	}
	return t
}()

// checkURL refuses what cannot stand as a target in a record header: anything but visible
// ASCII, and the brackets that surround ids there. Normal forms of pages never have
// these; this is the last gate, not the first.
func checkURL(url string) error {
	if !strings.Contains(url, ":") {
		return fmt.Errorf("target %.80q: not an absolute URL", url)
	}
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c >= 0x7f || c == '<' || c == '>' {
			return fmt.Errorf("target %.80q: byte %#02x at %d cannot stand in a record", url, c, i)
		}
	}
	return nil
}

// find is the value of the first field of that name, in any case.
func find(fields []Field, name string) string {
	for i := range fields {
		if sameName(fields[i].Name, name) {
			return fields[i].Value
		}
	}
	return ""
}

// sameName reports whether two field names are equal but for case. Names are ASCII.
func sameName(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }
