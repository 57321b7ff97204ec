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
	t, err := template.New("report").Funcs(pageFuncs()).Parse(pageTemplate)
	if err == nil {
		err = t.Execute(w, r)
	}
	if err != nil {
		return fmt.Errorf("write page of %q: %w", r.Title, err)
	}
	return nil
}

// pageFuncs returns what the template calls.
func pageFuncs() template.FuncMap {
	return template.FuncMap{
		"plain":      func(s string) string { return plot.Plain(s, false) },
		"paragraphs": Paragraphs,
		"contents":   func(s []Section) bool { return len(s) >= contentsFrom },
		"style":      pageStyle,
		"id":         func(i int) string { return fmt.Sprintf("s%d", i+1) },
		"figure":     func(c *plot.Chart) template.HTML { return template.HTML(plot.Figure(*c)) },
		"class":      func(i int) string { return fmt.Sprintf("k%d", i) },
		"swatch":     func(c *plot.Chart, i int) template.HTML { return template.HTML(plot.Swatch(*c, i)) },
		"width":      func(length float64) template.CSS { return template.CSS(fmt.Sprintf("width:%.2f%%", 100*length)) },
		"right":      (*Table).right,
		"cell":       cell,
		"named":      named,
	}
}

// contentsFrom is the number of sections from which on the page lists them first.
const contentsFrom = 4

// named reports whether a chart has a series with a name, and so a legend.
func named(c *plot.Chart) bool {
	for _, s := range c.Series {
		if s.Name != "" {
			return true
		}
	}
	return false
}

// pageStyle lets the box of series i in a legend hide what has its class, and lets a
// pointer that rests on its name fade all others.
func pageStyle(sections []Section) template.CSS {
	series := 0
	for _, s := range sections {
		if s.Chart != nil {
			series = max(series, len(s.Chart.Series))
		}
	}
	var b strings.Builder
	b.WriteString(plot.FigureStyle())
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
	return template.CSS(b.String())
}
