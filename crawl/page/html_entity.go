package page

import (
	"encoding/binary"
	stdhtml "html"
	"unicode/utf8"
)

// Words of 8 bytes are examined at once: with a word per byte value, x ^ value has a
// zero byte where x holds the value, and (y - ones) &^ y & highs marks zero bytes.
// A mark above the lowest one may be wrong (a borrow went through it), the lowest
// never is; so only the lowest is used.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainValue reports whether an attribute value can be taken as it is: no character
// reference, no carriage return to turn into a line feed, no NUL to replace.
func plainValue(v []byte) bool {
	for ; len(v) >= 8; v = v[8:] {
		x := binary.LittleEndian.Uint64(v)
		a, r := x^ones*'&', x^ones*'\r'
		if ((x-ones)&^x|(a-ones)&^a|(r-ones)&^r)&highs != 0 {
			return false
		}
	}
	for _, c := range v {
		if c == '&' || c == '\r' || c == 0 {
			return false
		}
	}
	return true
}

// unescapeValue appends an attribute value to dst as the standard reads it.
func (s *Scanner) unescapeValue(dst, v []byte) []byte {
	for i := 0; i < len(v); {
		switch c := v[i]; c {
		case '&':
			var n int
			dst, n = s.reference(dst, v[i:], true)
			i += n
			continue
		case '\r':
			dst = append(dst, '\n')
			if i+1 < len(v) && v[i+1] == '\n' {
				i++
			}
		case 0:
			dst = append(dst, "\uFFFD"...)
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// longestName is the length of the longest named reference with its semicolon,
// CounterClockwiseContourIntegral; and longestBare of those that need none, as
// thorn and Aacute.
const (
	longestName = 32
	longestBare = 6
)

// maxNames bounds how many names that are none a scanner remembers (authors who do
// not escape & in queries repeat them); of the real ones there are 2,231.
const maxNames = 4096

// reference appends to dst the characters that the reference at the start of b
// denotes; the first byte of b is '&'. It returns the length of the reference: 1, with
// "&" appended, if there is none.
//
// In attributes a named reference without semicolon counts only when neither '='
// nor a letter or digit follows (WHATWG 13.2.5.73): href="?a=1&copy=2" has no sign
// in it. html.UnescapeString does not know attributes, and a crawler that uses it
// for links destroys their queries.
func (s *Scanner) reference(dst, b []byte, inAttribute bool) ([]byte, int) {
	if len(b) > 1 && b[1] == '#' {
		return s.numeric(dst, b)
	}
	n := 1
	for n < len(b) && n <= longestName && class[b[n]]&(letter|digit) != 0 {
		n++
	}
	s.examined += n
	if n < len(b) && b[n] == ';' {
		if r := s.named(b[1 : n+1]); r != "" {
			return append(dst, r...), n + 1
		}
	}
	if !inAttribute {
		return s.bare(dst, b[:n])
	}
	if n > 1 && n-1 <= longestBare && (n == len(b) || b[n] != '=') {
		if r := s.named(b[1:n]); r != "" {
			return append(dst, r...), n
		}
	}
	return append(dst, '&'), 1
}

// bare decodes the longest named reference without semicolon that b, '&' and
// letters and digits, begins with: "&notit" is the sign for not and "it".
func (s *Scanner) bare(dst, b []byte) ([]byte, int) {
	for n := min(len(b), 1+longestBare); n > 2; n-- {
		if r := s.named(b[1:n]); r != "" {
			return append(dst, r...), n
		}
	}
	return append(dst, '&'), 1
}

// named decodes a whole name, with its semicolon if it has one; "" if there is no
// such reference. The table of the 2,231 names is the one in the standard library;
// it is searched once for each name that a scanner meets and remembers. Its function also decodes
// beginnings of names, which leave the rest of the name behind; a whole name leaves
// nothing. Two names are missing there, because they are shorter than the characters
// that they denote.
func (s *Scanner) named(name []byte) string {
	if len(name) < 2 || len(name) > longestName {
		return ""
	}
	if r, known := s.names[string(name)]; known {
		return r
	}
	in := "&" + string(name)
	out := stdhtml.UnescapeString(in)
	switch in {
	case "&nLt;":
		out = "\u226A\u20D2"
	case "&nGt;":
		out = "\u226B\u20D2"
	}
	if out == in || !wholeReference(out, name) {
		out = ""
	}
	if out != "" || len(s.names) < maxNames {
		s.names[in[1:]] = out
	}
	return out
}

// wholeReference reports whether out, which UnescapeString made of "&" + name, holds
// nothing of the name itself. A reference denotes one or two characters; all
// names that denote ASCII letters or semicolons are known: semi; and fjlig;.
func wholeReference(out string, name []byte) bool {
	switch string(name) {
	case "semi;", "fjlig;":
		return true
	}
	c := out[len(out)-1]
	return c != ';' && class[c]&(letter|digit) == 0
}

// numeric decodes "&#1234;", "&#x12ab;" and the same without semicolon.
func (s *Scanner) numeric(dst, b []byte) ([]byte, int) {
	i, base := 2, 10
	if i < len(b) && b[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	start, x := i, 0
	for ; i < len(b); i++ {
		d := digitValue(b[i])
		if d >= base {
			break
		}
		x = min(x*base+d, utf8.MaxRune+1)
	}
	s.examined += i
	if i == start {
		return append(dst, '&'), 1
	}
	if i < len(b) && b[i] == ';' {
		i++
	}
	return utf8.AppendRune(dst, character(x)), i
}

// digitValue returns the value of a hexadecimal digit, 16 for anything else.
func digitValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}

// character returns the character with a number. 0, surrogates and numbers too large
// become U+FFFD, 0x80 to 0x9F are read as windows-1252 (WHATWG 13.2.5.80).
func character(x int) rune {
	switch {
	case 0x80 <= x && x <= 0x9F:
		return windows1252[x-0x80]
	case x == 0 || !utf8.ValidRune(rune(x)):
		return utf8.RuneError
	}
	return rune(x)
}

// windows1252 holds the characters for 0x80 to 0x9F.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}
