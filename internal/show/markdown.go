package show

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// WriteMarkdown writes the report as a page in Markdown. Its pictures are files beside it:
// picture i of Pictures has the name that picture returns for it.
func (r *Report) WriteMarkdown(w io.Writer, picture func(i int) string) error {
	m := &markdown{picture: picture}
	m.line("# %s\n", mark(r.Title))
	for _, p := range r.Lead {
		m.line("%s\n", mark(p))
	}
	for _, p := range r.Warnings {
		m.line("**Warning:** %s\n", mark(p))
	}
	if r.Verdict != "" {
		m.line("**%s**\n", mark(r.Verdict))
	}
	for _, p := range r.Intro {
		m.line("%s\n", mark(p))
	}
	for _, f := range r.Header {
		m.line("- %s: %s", mark(f.Name), mark(f.Value))
	}
	for i := range r.Sections {
		m.section(&r.Sections[i])
	}
	if _, err := io.WriteString(w, m.text.String()); err != nil {
		return fmt.Errorf("write page of %q: %w", r.Title, err)
	}
	return nil
}

// Page returns the report as a page of this name in Markdown, and its pictures: NAME-1.svg...
func (r *Report) Page(name string) []File {
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	picture := func(i int) string { return fmt.Sprintf("%s-%d.svg", stem, i+1) }
	files := []File{{name, func(w io.Writer) error { return r.WriteMarkdown(w, picture) }}}
	for i, svg := range r.Pictures() {
		files = append(files, File{picture(i), func(w io.Writer) error {
			_, err := io.WriteString(w, svg)
			return err
		}})
	}
	return files
}

// Pictures returns the charts of the report as SVG pictures, in the order of the page.
func (r *Report) Pictures() (svg []string) {
	for _, s := range r.Sections {
		if s.Chart != nil {
			svg = append(svg, plot.SVG(*s.Chart))
		}
		if s.Bars != nil {
			svg = append(svg, plot.BarsSVG(*s.Bars))
		}
	}
	return svg
}

// markdown collects a page.
type markdown struct {
	text     strings.Builder
	picture  func(i int) string
	pictures int
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.text, format+"\n", args...) }

func (m *markdown) section(s *Section) {
	m.line("\n## %s", mark(s.Title))
	for _, p := range Paragraphs(s.Text) {
		m.line("\n%s", mark(p))
	}
	if s.Chart != nil {
		m.image(s.Chart.Title, s.Title)
	}
	if s.Bars != nil {
		m.image(s.Bars.Title, s.Title)
	}
	if s.Table != nil && len(s.Table.Columns) > 0 {
		m.table(s.Table)
	}
}

// image refers to the next picture.
func (m *markdown) image(title, otherwise string) {
	if title == "" {
		title = otherwise
	}
	m.line("\n![%s](%s)", mark(title), m.picture(m.pictures))
	m.pictures++
}

func (m *markdown) table(t *Table) {
	var heads, rules []string
	for i, right := range t.right() {
		heads = append(heads, mark(t.Columns[i].Heading()))
		rules = append(rules, map[bool]string{false: "---", true: "--:"}[right])
	}
	m.line("\n| %s |\n|%s|", strings.Join(heads, " | "), strings.Join(rules, "|"))
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i := range cells {
			cells[i] = mark(cell(row, i).String())
		}
		m.line("| %s |", strings.Join(cells, " | "))
	}
}

// mark returns a text that Markdown shows as it is.
func mark(s string) string {
	signs := strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "<", `&lt;`, "`", "\\`", "[", `\[`, "_", `\_`)
	return signs.Replace(plot.Plain(s, false))
}
