package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// Titles, URLs, host names and header values are written by strangers, and so may be a
// crawl directory or a graph. A terminal obeys escapes in them, and marks that change the
// direction of writing make a reader see another name. So every cell of a table, every
// line of a list and every message passes Line, every JSON object passes JSON, and what
// goes to a terminal unchanged, such as an export without -o, passes a Terminal.

// Line returns text on one line, with escapes for what cannot be seen.
func Line(text string) string { return plot.Plain(text, false) }

// hidden reports whether a terminal might obey a character, or a reader not see it.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
}

// JSON writes v as JSON, indented if indent is not empty, else on one line. Characters
// that are hidden are written as \u escapes.
func JSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // URLs are full of &
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(quoteHidden(b.Bytes()))
	return err
}

// quoteHidden replaces by \u escapes what encoding/json does not: DEL, C1 controls, marks
// of direction. They occur only inside strings. Most objects have none.
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

// A Terminal passes lines, tabs and printable characters to W, and everything else as
// escapes of Go strings.
type Terminal struct {
	W    io.Writer
	part []byte // the beginning of a character whose end is still to come
}

func (t *Terminal) Write(b []byte) (int, error) {
	text := append(t.part, b...)
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole = len(text) - n
			}
			break
		}
	}
	t.part = bytes.Clone(text[whole:])
	if _, err := t.W.Write(escapeHidden(text[:whole])); err != nil {
		return 0, err
	}
	return len(b), nil
}

// escapeHidden returns text with escapes for what is hidden.
func escapeHidden(text []byte) []byte {
	if utf8.Valid(text) && bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b bytes.Buffer
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if hidden(r) || r == utf8.RuneError && n == 1 {
			b.WriteString(Line(string(text[:n])))
		} else {
			b.Write(text[:n])
		}
		text = text[n:]
	}
	return b.Bytes()
}
