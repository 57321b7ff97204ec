// Package show writes results: reports of sections, tables and charts, and the numbers
// in them. One Report goes four ways: Text to the terminal, WriteHTML to report.html,
// WriteCSV (the points of the curves) to curves.csv, WriteJSON (everything else) to
// summary.json.
//
// A report is a function of its fields: no date, no measured duration, no order of a
// map. Two equal runs leave byte-identical files, unless the caller puts a clock into a
// cell. Strings may hold anything, also what the web put into a URL: each form shows it
// as plain text.
package show

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// A Report is the result of an experiment, a comparison or a crawl.
type Report struct {
	Title    string   // "castillo04-table1", "sim: cnr-2000"
	Subtitle string   // one line below the title; may be empty
	Lead     []string // paragraphs for readers who read nothing else; may be empty
	Warnings []string // what a reader must know to trust the numbers
	Key      []Field  // a few numbers that are shown large
	Verdict  string   // one sentence: does the finding hold here, and if not why; may be empty
	Intro    []string // paragraphs
	Header   []Field  // what the run is a function of: world, seeds, policies, options, random seed; after the sections if there is a Lead
	Sections []Section
	// Lines, if there are any, are what --json prints in place of the report, one a line.
	Lines []any
}

// A Field is one line of the header.
type Field struct{ Name, Value string }

// A Section is one figure or table of a paper, or one question. Each part may be
// missing; they are shown in this order.
type Section struct {
	// Group is the heading of a part of the report that begins with this section; "" for others.
	Group string
	// Fold, if not empty, lets a page show only the title and this line until it is opened.
	Fold string
	// Half lets a page show the section beside another one of half the width.
	Half bool

	Title string
	Text  string // paragraphs, separated by an empty line
	Chart *plot.Chart
	Bars  *plot.BarChart
	Table *Table
}

// Paragraphs splits a text at its empty lines.
func Paragraphs(s string) []string {
	var out []string
	for p := range strings.SplitSeq(s, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// A File is one of the files that a report is written to.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Files returns the files of a report in a directory of its own.
func (r *Report) Files() []File {
	return []File{{"report.html", r.WriteHTML}, {"curves.csv", r.WriteCSV}, {"summary.json", r.WriteJSON}, {"curves.svg", r.WritePicture}}
}

// WritePicture writes the first chart as an SVG picture of its own, for papers and
// pages elsewhere; nothing when there is no chart.
func (r *Report) WritePicture(w io.Writer) error {
	for _, s := range r.Sections {
		if s.Chart != nil {
			_, err := io.WriteString(w, plot.SVG(*s.Chart))
			return err
		}
	}
	return nil
}

// WriteCSV writes the points of all curves in long form, one to a line: section,
// series, x, y and, where the series has a band, low and high. Numbers are exact:
// reading them gives the same float64.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"section", "series", "x", "y", "low", "high"}) // errors stay with the writer
	for _, s := range r.Sections {
		if s.Chart == nil {
			continue
		}
		for _, line := range s.Chart.Series {
			writeSeries(out, csvField(s.Title), line)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write curves of %q: %w", r.Title, err)
	}
	return nil
}

func writeSeries(out *csv.Writer, section string, s plot.Series) {
	name := csvField(s.Name)
	for i := range min(len(s.X), len(s.Y)) {
		out.Write([]string{section, name, exact(s.X, i), exact(s.Y, i), exact(s.Low, i), exact(s.High, i)})
	}
}

// exact writes number i with the fewest digits that give it back; empty past the end.
func exact(values []float64, i int) string {
	if i >= len(values) {
		return ""
	}
	return strconv.FormatFloat(values[i], 'g', -1, 64)
}

// csvField returns a text that neither a terminal nor a spreadsheet obeys: the latter
// takes a cell that begins with one of these signs for a formula.
func csvField(s string) string {
	s = plot.Plain(s, false)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

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
		"contents":   contents,
		"style":      pageStyle,
		"id":         func(i int) string { return fmt.Sprintf("s%d", i+1) },
		"figure":     func(c *plot.Chart) template.HTML { return template.HTML(plot.Figure(*c)) },
		"class":      func(i int) string { return fmt.Sprintf("k%d", i) },
		"swatch":     func(c *plot.Chart, i int) template.HTML { return template.HTML(plot.Swatch(*c, i)) },
		"width":      func(length float64) template.CSS { return template.CSS(fmt.Sprintf("width:%.2f%%", 100*length)) },
		"right":      (*Table).right,
		"cell":       cell,
		"named":      named,
		"narrow":     narrow,
	}
}

// contentsFrom is the number of sections from which on the page lists them first.
const contentsFrom = 4

// contents reports whether the page lists its sections first. Folded ones are a list themselves.
func contents(sections []Section) bool {
	for i := range sections {
		if sections[i].Fold != "" {
			return false
		}
	}
	return len(sections) >= contentsFrom
}

// named reports whether a chart has a series with a name, and so a legend.
func named(c *plot.Chart) bool {
	for _, s := range c.Series {
		if s.Name != "" {
			return true
		}
	}
	return false
}

// narrow reports whether a table is not as wide as the page, because its cells would be far apart.
func narrow(t *Table) bool { return len(t.Columns) <= 4 && len(t.Columns) > 0 && !t.linked() }

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

// WriteJSON writes everything but the curves, indented: a table is an array with
// one object to a row. Numbers are exact; NaN and infinity are null.
func (r *Report) WriteJSON(w io.Writer) error {
	sections := []any{}
	for _, s := range r.Sections {
		sections = append(sections, s.object())
	}
	whole := Object{{"title", r.Title}, {"verdict", r.Verdict}}
	if len(r.Lead) > 0 {
		whole = append(whole, Member{"subtitle", r.Subtitle}, Member{"lead", r.Lead}, Member{"warnings", append([]string{}, r.Warnings...)})
	}
	whole = append(whole, Member{"intro", append([]string{}, r.Intro...)}, Member{"header", headerObject(r.Header)}, Member{"sections", sections})
	if err := JSON(w, whole, "  "); err != nil {
		return fmt.Errorf("write summary of %q: %w", r.Title, err)
	}
	return nil
}

// An Object is a JSON object whose members keep their order, which those of a map
// would not.
type Object []Member

// A Member is one value of an Object and its name.
type Member struct {
	Key   string
	Value any
}

// MarshalJSON writes the object.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(m.Key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(m.Value); err != nil {
			return nil, fmt.Errorf("%q: %w", m.Key, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func headerObject(fields []Field) Object {
	names, out := uniqueNames{}, Object{}
	for _, f := range fields {
		out = append(out, Member{names.unique(f.Name), f.Value})
	}
	return out
}

// object leaves out the parts that the section lacks.
func (s *Section) object() Object {
	out := Object{{"title", s.Title}}
	if s.Text != "" {
		out = append(out, Member{"text", s.Text})
	}
	if s.Bars != nil {
		bars := []any{}
		for _, b := range s.Bars.Bars {
			bars = append(bars, Object{{"label", b.Label}, {"value", jsonNumber(b.Value)}, {"note", b.Note}})
		}
		out = append(out, Member{"bars", bars})
	}
	if s.Table != nil {
		out = append(out, Member{"columns", s.Table.columns()}, Member{"table", s.Table.rows()})
	}
	return out
}

// keys returns the names of the columns in JSON, each only once.
func (t *Table) keys() []string {
	names := uniqueNames{}
	keys := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		key := c.Key
		if key == "" {
			key = strings.Join(strings.Fields(strings.ToLower(c.Name)), "_")
		}
		keys[i] = names.unique(key)
	}
	return keys
}

// columns returns the names and units of the keys.
func (t *Table) columns() []Object {
	out := []Object{}
	for i, key := range t.keys() {
		out = append(out, Object{{"key", key}, {"name", t.Columns[i].Name}, {"unit", t.Columns[i].Unit}})
	}
	return out
}

func (t *Table) rows() []Object {
	out, keys := []Object{}, t.keys()
	for _, row := range t.Rows {
		o := Object{}
		for i, key := range keys {
			o = append(o, Member{key, cell(row, i).json()})
		}
		out = append(out, o)
	}
	return out
}

func (c Cell) json() any {
	switch {
	case c.number:
		return jsonNumber(c.value)
	case c.shown == "":
		return nil
	}
	return c.shown
}

func jsonNumber(v float64) any {
	if !isFinite(v) {
		return nil
	}
	return v
}

// uniqueNames holds the members that an object has already.
type uniqueNames map[string]bool

// unique returns the name, followed by a number if it was there before.
func (u uniqueNames) unique(name string) string {
	key := name
	for n := 2; u[key]; n++ {
		key = fmt.Sprintf("%s_%d", name, n)
	}
	u[key] = true
	return key
}
