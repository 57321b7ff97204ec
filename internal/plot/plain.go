package plot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain is s on one line of printable characters: every white space is a space,
// and what a terminal might obey or a reader might not see (control characters,
// bytes that are no UTF-8, marks that turn the direction of writing) is an escape
// as in Go strings. With ascii so is everything beyond the 95.
func Plain(s string, ascii bool) string {
	var b strings.Builder
	for i, width := 0, 0; i < len(s); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case !unicode.IsPrint(r) || ascii && r > '~':
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain is the chart with all its words made plain. They keep their letters also
// in an ASCII chart: who needs them in ASCII too makes them so.
func (c Chart) plain() Chart {
	c.Title, c.XLabel, c.YLabel = Plain(c.Title, false), Plain(c.XLabel, false), Plain(c.YLabel, false)
	c.Series, c.Marks = slices.Clone(c.Series), slices.Clone(c.Marks)
	for i := range c.Series {
		c.Series[i].Name = Plain(c.Series[i].Name, false)
	}
	for i := range c.Marks {
		c.Marks[i].Label = Plain(c.Marks[i].Label, false)
	}
	return c
}
