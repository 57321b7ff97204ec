package show

import (
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// A Report is what an experiment leaves behind. The same content goes four ways:
// Text to the terminal, WriteHTML to report.html, WriteCSV (the points of the
// curves) to curves.csv, WriteJSON (everything else) to summary.json.
//
// A report is a function of its fields: no date, no measured duration, no order of
// a map. Two equal runs leave byte-identical files (L6), unless the caller puts a
// clock into a cell. Strings may hold anything, also what the web put into a URL:
// each form shows it as plain text.
type Report struct {
	Title    string   // "castillo04-table1", "sim: cnr-2000"
	Verdict  string   // one sentence: does the finding hold here, and if not why; may be empty
	Intro    []string // paragraphs
	Header   []Field  // what the run is a function of: world, seeds, policies, options, random seed
	Sections []Section
}

// A Field is one line of the header.
type Field struct{ Name, Value string }

// A Section is one figure or table of a paper, or one question. Each part may be
// left out; they are shown in this order.
type Section struct {
	Title string
	Text  string // paragraphs, apart by an empty line
	Chart *plot.Chart
	Bars  *plot.BarChart
	Table *Table
}

// A Table holds numbers with the digits to show. What a paper says and what we
// find are columns side by side.
type Table struct {
	Columns []Column
	Rows    [][]Cell // a row may be shorter than others, not longer than Columns
}

// A Column heads the cells below it. One with numbers in at least half of its
// cells stands to the right.
type Column struct {
	Name string
	Unit string // shown after the name: "s", "%"
	Key  string // its name in summary.json; made of Name when empty
}

// heading is what stands above the column.
func (c Column) heading() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + ", " + c.Unit
}

// A Cell is a text or a number with the way it is shown. The zero Cell is empty.
type Cell struct {
	shown  string
	value  float64 // of a number, in full
	number bool
}

// Words is a cell of text.
func Words(s string) Cell { return Cell{shown: s} }

// Num is a number with so many digits behind the point; one that is none or has no
// end is shown as a dash.
func Num(v float64, decimals int) Cell {
	return numberCell(v, strconv.FormatFloat(v, 'f', decimals, 64))
}

// Brief is a number of any magnitude with about three digits: 0.25, 12.3k, 2e-07.
func Brief(v float64) Cell { return numberCell(v, plot.Number(v)) }

// Count is a whole number, all of it, in groups of three.
func Count[N whole](n N) Cell { return numberCell(float64(n), Grouped(n)) }

type whole interface{ ~int | ~int64 }

// Grouped writes a whole number in groups of three digits: 3,216,152.
func Grouped[N whole](n N) string {
	digits, sign := strconv.FormatInt(int64(n), 10), ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Counted writes a number of things: 1 site, 2,000 sites.
func Counted[N whole](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(n) + " " + thing
}

// None is a number that is not there: a dash, null in summary.json.
func None() Cell { return numberCell(math.NaN(), "") }

func numberCell(v float64, shown string) Cell {
	if !isFinite(v) {
		shown = "-"
	}
	return Cell{shown: shown, value: v, number: true}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// String returns the cell as it is shown.
func (c Cell) String() string { return c.shown }

// Value returns the number of the cell with all its digits; not a number for a text.
func (c Cell) Value() float64 {
	if !c.number {
		return math.NaN()
	}
	return c.value
}

// cell is what stands in a row under column i; empty past its end.
func cell(row []Cell, i int) Cell {
	if i < len(row) {
		return row[i]
	}
	return Cell{}
}

// right reports for each column whether it stands to the right.
func (t *Table) right() []bool {
	out := make([]bool, len(t.Columns))
	for i := range out {
		numbers, words := 0, 0
		for _, row := range t.Rows {
			switch c := cell(row, i); {
			case c.number:
				numbers++
			case c.shown != "":
				words++
			}
		}
		out[i] = numbers > 0 && numbers >= words
	}
	return out
}

// paragraphs splits a text at its empty lines.
func paragraphs(s string) []string {
	var out []string
	for _, p := range strings.Split(s, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
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
