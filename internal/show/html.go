package show

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// pageTemplate is the page of a report. It needs neither script nor network: the
// boxes of a legend work by style alone, and where a browser does not know :has
// all lines simply stay.
//
//go:embed report.html.tmpl
var pageTemplate string

// WriteHTML writes the report as one file for a browser, wide or narrow, light or
// dark. All words pass html/template; the pictures come from plot, which escapes
// what it writes.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("report").Parse(pageTemplate)
	if err == nil {
		err = t.Execute(w, r.page())
	}
	if err != nil {
		return fmt.Errorf("write page of %q: %w", r.Title, err)
	}
	return nil
}

// The types below are the report as the template sees it, with words made plain.
type htmlPage struct {
	Title, Verdict string
	Intro          []string
	Header         []Field
	Contents       bool // list the sections first
	Sections       []htmlSection
	Style          template.CSS
}

type htmlSection struct {
	ID, Title string
	Text      []string
	Figure    *htmlFigure
	Bars      *htmlBars
	Table     *htmlTable
}

type htmlFigure struct {
	Title  string
	SVG    template.HTML
	Legend []legendItem
}

type legendItem struct {
	Class  string // k<i> of series i; the style joins it to s<i>
	Name   string
	Swatch template.HTML
	Toggle bool // can be switched off
}

type htmlBars struct {
	Title string
	Bars  []htmlBar
}

type htmlBar struct {
	Label, Note string
	Style       template.CSS
}

type htmlTable struct {
	Head []htmlCell
	Rows [][]htmlCell
}

type htmlCell struct {
	Text  string
	Right bool
}

// contentsFrom is how many sections need a list of them.
const contentsFrom = 4

func plainText(s string) string { return plot.Plain(s, false) }

func plainAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = plainText(s)
	}
	return out
}

func (r *Report) page() htmlPage {
	p := htmlPage{Title: plainText(r.Title), Verdict: plainText(r.Verdict), Intro: plainAll(r.Intro),
		Contents: len(r.Sections) >= contentsFrom}
	for _, f := range r.Header {
		p.Header = append(p.Header, Field{plainText(f.Name), plainText(f.Value)})
	}
	most := 0
	for i := range r.Sections {
		s := &r.Sections[i]
		p.Sections = append(p.Sections, s.page(fmt.Sprintf("s%d", i+1)))
		if s.Chart != nil {
			most = max(most, len(s.Chart.Series))
		}
	}
	p.Style = template.CSS(plot.FigureStyle() + legendStyle(most))
	return p
}

func (s *Section) page(id string) htmlSection {
	p := htmlSection{ID: id, Title: plainText(s.Title), Text: plainAll(paragraphs(s.Text))}
	if s.Chart != nil {
		p.Figure = figureOf(*s.Chart)
	}
	if s.Bars != nil {
		p.Bars = barsOf(s.Bars)
	}
	if s.Table != nil && len(s.Table.Columns) > 0 {
		p.Table = s.Table.page()
	}
	return p
}

func figureOf(c plot.Chart) *htmlFigure {
	f := &htmlFigure{Title: plainText(c.Title), SVG: template.HTML(plot.Figure(c))}
	for i, s := range c.Series {
		if s.Name != "" {
			f.Legend = append(f.Legend, legendItem{
				Class: fmt.Sprintf("k%d", i), Name: plainText(s.Name),
				Swatch: template.HTML(plot.Swatch(c, i)), Toggle: len(c.Series) > 1,
			})
		}
	}
	return f
}

// legendStyle lets the box of series i in a legend hide what has its class, and
// lets a pointer that rests on its name fade all others.
func legendStyle(series int) string {
	var b strings.Builder
	for i := range series {
		fmt.Fprintf(&b, "figure:has(.k%[1]d input:not(:checked)) .plot .s%[1]d{display:none}\n", i)
	}
	if series > 1 {
		b.WriteString("@media (hover:hover){\n")
		for i := range series {
			fmt.Fprintf(&b, "figure:has(.k%[1]d:hover input:checked) .plot .s:not(.s%[1]d){opacity:.12}\n", i)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func barsOf(c *plot.BarChart) *htmlBars {
	p := &htmlBars{Title: plainText(c.Title)}
	for i, length := range c.Lengths() {
		b := c.Bars[i]
		p.Bars = append(p.Bars, htmlBar{plainText(b.Label), plainText(b.Shown()),
			template.CSS(fmt.Sprintf("width:%.2f%%", 100*length))})
	}
	return p
}

func (t *Table) page() *htmlTable {
	p, right := &htmlTable{}, t.right()
	for i, c := range t.Columns {
		p.Head = append(p.Head, htmlCell{plainText(c.heading()), right[i]})
	}
	for _, row := range t.Rows {
		cells := make([]htmlCell, len(t.Columns))
		for i := range cells {
			cells[i] = htmlCell{plainText(cell(row, i).shown), right[i]}
		}
		p.Rows = append(p.Rows, cells)
	}
	return p
}
