package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// TextOptions control how a report is shown in a terminal.
type TextOptions struct {
	Width  int  // of the terminal in characters; 80 when zero
	ASCII  bool // nothing beyond the 95 printable characters
	Charts bool // also draw the chart of each section
}

// Text returns the report for a terminal: plain lines without colours, none of them
// ending in spaces.
func (r *Report) Text(o TextOptions) string {
	if o.Width <= 0 {
		o.Width = 80
	}
	p := &printer{TextOptions: o}
	p.heading(r.Title, '=')
	if r.Subtitle != "" {
		p.paragraph(r.Subtitle)
	}
	for _, s := range r.Lead {
		p.paragraph(s)
	}
	for _, s := range r.Warnings {
		p.paragraph("Warning: " + s)
	}
	p.header(r.Header)
	if r.Verdict != "" {
		p.paragraph(r.Verdict)
	}
	for _, s := range r.Intro {
		p.paragraph(s)
	}
	for i := range r.Sections {
		p.section(&r.Sections[i])
	}
	return p.out.String()
}

// A printer collects the lines of a text.
type printer struct {
	TextOptions
	out strings.Builder
}

func (p *printer) plain(s string) string { return plot.Plain(s, p.ASCII) }

// block adds lines, after an empty one if there are lines already.
func (p *printer) block(lines ...string) {
	if p.out.Len() > 0 && len(lines) > 0 {
		p.out.WriteByte('\n')
	}
	for _, line := range lines {
		p.out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (p *printer) paragraph(s string) { p.block(wrap(p.plain(s), p.Width)...) }

func (p *printer) heading(title string, under rune) {
	if title = p.plain(title); title != "" {
		p.block(title, strings.Repeat(string(under), min(p.Width, utf8.RuneCountInString(title))))
	}
}

// header lists names and values; a long value continues below its beginning.
func (p *printer) header(fields []Field) {
	var names []string
	for _, f := range fields {
		names = append(names, p.plain(f.Name))
	}
	var rows [][]string
	for i, f := range fields {
		name := names[i]
		for _, part := range wrap(p.plain(f.Value), max(20, p.Width-widest(names)-2)) {
			rows = append(rows, []string{name, part})
			name = ""
		}
	}
	p.block(Align(rows, make([]bool, 2))...)
}

func (p *printer) section(s *Section) {
	p.heading(s.Title, '-')
	for _, text := range Paragraphs(s.Text) {
		p.paragraph(text)
	}
	if s.Chart != nil && p.Charts {
		p.block(p.chart(*s.Chart)...)
	}
	if s.Bars != nil && len(s.Bars.Bars) > 0 {
		p.block(p.bars(*s.Bars)...)
	}
	if s.Table != nil && len(s.Table.Columns) > 0 {
		p.table(s.Table)
	}
}

// chart fits a chart into the width; its axis takes up to ten characters.
func (p *printer) chart(c plot.Chart) []string {
	c.ASCII = p.ASCII
	c.Width, c.Height = min(72, max(20, p.Width-10)), 18
	c.Title, c.XLabel, c.YLabel = p.plain(c.Title), p.plain(c.XLabel), p.plain(c.YLabel)
	c.Series, c.Marks = slices.Clone(c.Series), slices.Clone(c.Marks)
	for i := range c.Series {
		c.Series[i].Name = p.plain(c.Series[i].Name)
	}
	for i := range c.Marks {
		c.Marks[i].Label = p.plain(c.Marks[i].Label)
	}
	return splitLines(plot.Curve(c))
}

// bars fits a bar chart into the width, between its labels and values.
func (p *printer) bars(c plot.BarChart) []string {
	labels, notes := 0, 0
	c.Title, c.ASCII, c.Bars = p.plain(c.Title), p.ASCII, slices.Clone(c.Bars)
	for i, b := range c.Bars {
		c.Bars[i].Label, c.Bars[i].Note = p.plain(b.Label), p.plain(b.Shown())
		labels = max(labels, utf8.RuneCountInString(c.Bars[i].Label))
		notes = max(notes, utf8.RuneCountInString(c.Bars[i].Note))
	}
	c.Width = min(60, max(10, p.Width-labels-notes-2))
	return splitLines(plot.Bars(c))
}

func splitLines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

// table aligns the columns. A table wider than the terminal continues below with the
// columns that had no room, the first column repeated.
func (p *printer) table(t *Table) {
	columns := p.columns(t)
	for next := 1; ; {
		group := columns[:1:1]
		width := columns[0].width
		for next < len(columns) && (len(group) == 1 || width+2+columns[next].width <= p.Width) {
			width += 2 + columns[next].width
			group = append(group, columns[next])
			next++
		}
		p.block(p.joined(group, len(t.Rows))...)
		if next == len(columns) {
			return
		}
	}
}

// A textColumn is a column as text: the lines of its heading, then the cells.
type textColumn struct {
	heading, cells []string
	width          int
	right          bool
}

// columns makes the cells plain and folds the headings to the width of the cells,
// or ten characters.
func (p *printer) columns(t *Table) []textColumn {
	right := t.right()
	out := make([]textColumn, len(t.Columns))
	for i, c := range t.Columns {
		col := textColumn{right: right[i]}
		for _, row := range t.Rows {
			col.cells = append(col.cells, p.plain(cell(row, i).shown))
		}
		cells := widest(col.cells)
		col.heading = wrap(p.plain(c.Heading()), max(10, cells))
		col.width = max(cells, widest(col.heading))
		out[i] = col
	}
	return out
}

// joined returns the lines of some columns side by side, headings level at the bottom, a
// rule below them.
func (p *printer) joined(columns []textColumn, rows int) []string {
	tall, rule := 0, "─"
	if p.ASCII {
		rule = "-"
	}
	for _, c := range columns {
		tall = max(tall, len(c.heading))
	}
	lines, right := make([][]string, tall+1+rows), []bool{}
	for _, c := range columns {
		right = append(right, c.right)
		above := make([]string, tall-len(c.heading))
		for k, s := range slices.Concat(above, c.heading, []string{strings.Repeat(rule, c.width)}, c.cells) {
			lines[k] = append(lines[k], s)
		}
	}
	return Align(lines, right)
}

func widest(texts []string) int {
	width := 0
	for _, s := range texts {
		width = max(width, utf8.RuneCountInString(s))
	}
	return width
}

// wrap breaks a text between words into lines of at most width characters; a
// longer word gets a line of its own.
func wrap(s string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			out, line = append(out, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(out, line)
}

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
