package main

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// Titles, URLs, host names and header values are written by strangers, and so may be a
// crawl directory or a graph. A terminal obeys escapes in them, and marks that turn the
// direction of writing make a reader see another name. So: every cell of a table, every
// line of a list and every message passes line, every JSON object passes quoteHidden,
// and what goes to a terminal as it is, such as an export without -o, a shownTerminal.

// line is text on one line, with escapes for what cannot be seen.
func line(text string) string { return plot.Plain(text, false) }

// hidden reports whether a terminal might obey a character, or a reader not see it.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
}

// quoteHidden writes as \u escapes what encoding/json leaves as it is: DEL, C1 controls,
// marks of direction. They stand only inside strings. Most objects have none.
func quoteHidden(json []byte) []byte {
	if bytes.IndexFunc(json, hidden) < 0 {
		return json
	}
	var b bytes.Buffer
	for _, r := range string(json) {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// shownTerminal is a terminal that is shown, not obeyed: lines, tabs and printable characters
// pass, all others become escapes as in Go strings.
type shownTerminal struct {
	w    io.Writer
	part []byte // of a character whose end has not come yet
}

func (s *shownTerminal) Write(b []byte) (int, error) {
	text := append(s.part, b...)
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole = len(text) - n
			}
			break
		}
	}
	s.part = bytes.Clone(text[whole:])
	if _, err := s.w.Write(inView(text[:whole])); err != nil {
		return 0, err
	}
	return len(b), nil
}

// inView is text with escapes for what is hidden.
func inView(text []byte) []byte {
	clean := utf8.Valid(text) && bytes.IndexFunc(text, hidden) < 0
	if clean {
		return text
	}
	var b bytes.Buffer
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if hidden(r) || r == utf8.RuneError && n == 1 {
			b.WriteString(line(string(text[:n])))
		} else {
			b.Write(text[:n])
		}
		text = text[n:]
	}
	return b.Bytes()
}
