package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// A Table holds numbers with the digits to show. The numbers of a paper and ours are
// columns side by side.
type Table struct {
	Columns []Column
	Rows    [][]Cell // a row may be shorter than others, not longer than Columns
}

// A Column heads the cells below it. It is aligned to the right if at least half of its
// cells are numbers.
type Column struct {
	Name string
	Unit string // shown after the name: "s", "%"
	Key  string // its name in summary.json; made of Name when empty
}

// Heading returns the text above the column.
func (c Column) Heading() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + ", " + c.Unit
}

// Add appends a row. A value is a Cell, a whole number, or a text.
func (t *Table) Add(values ...any) {
	row := make([]Cell, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case Cell:
			row[i] = v
		case int:
			row[i] = Count(v)
		case int64:
			row[i] = Count(v)
		default:
			row[i] = Words(fmt.Sprint(v))
		}
	}
	t.Rows = append(t.Rows, row)
}

// right reports for each column whether it is aligned to the right.
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

// linked reports whether the table has links.
func (t *Table) linked() bool {
	for _, row := range t.Rows {
		for _, c := range row {
			if c.link != "" {
				return true
			}
		}
	}
	return false
}

// cell returns the cell of a row under column i; an empty one past its end.
func cell(row []Cell, i int) Cell {
	if i < len(row) {
		return row[i]
	}
	return Cell{}
}

// A Cell is a text, or a number with the way it is shown. The zero Cell is empty.
type Cell struct {
	shown  string
	link   string  // address that a page links the text to; "": none
	value  float64 // of a number, in full
	number bool
}

// Words returns a cell of text.
func Words(s string) Cell { return Cell{shown: s} }

// Link returns a cell with an address of the web, to which a page links it.
func Link(url string) Cell { return Cell{shown: url, link: url} }

// Address returns the address that the cell is linked to: only the protocols of the web.
func (c Cell) Address() string {
	if strings.HasPrefix(c.link, "http://") || strings.HasPrefix(c.link, "https://") {
		return c.link
	}
	return ""
}

// Num returns a number with a number of digits after the point. NaN and infinity are shown
// as a dash.
func Num(v float64, decimals int) Cell {
	return numberCell(v, positiveZero(strconv.FormatFloat(v, 'f', decimals, 64)))
}

// positiveZero returns a number without the sign of a zero.
func positiveZero(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// NumOf returns Num of a number that may be missing: then it returns None.
func NumOf(v *float64, scale float64, decimals int) Cell {
	if v == nil {
		return None()
	}
	return Num(scale**v, decimals)
}

// Brief returns a number of any magnitude with about three digits: 0.25, 12.3k, 2e-07.
func Brief(v float64) Cell { return numberCell(v, plot.Number(v)) }

// Digits returns a number with about three digits and without an exponent: 1,234, 12.3, 0.0042.
func Digits(v float64) Cell { return numberCell(v, digits(v)) }

func digits(v float64) string {
	switch abs := math.Abs(v); {
	case !isFinite(v) || abs == 0:
		return "0"
	case abs >= 99.95 && abs < 1e15:
		return Grouped(int64(math.Round(v)))
	case abs >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case abs >= 0.0995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'f', 1-int(math.Floor(math.Log10(abs))), 64)
	}
}

// Span returns a number of seconds, shown as Duration shows it.
func Span(d time.Duration) Cell { return numberCell(d.Seconds(), Duration(d)) }

// Count returns a whole number in full, in groups of three digits.
func Count[N integer](n N) Cell { return numberCell(float64(n), Grouped(n)) }

// None returns a missing number: a dash, null in summary.json.
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

// Value returns the number of the cell with all its digits; NaN for a text.
func (c Cell) Value() float64 {
	if !c.number {
		return math.NaN()
	}
	return c.value
}

// Align returns one line for each row. Columns are two spaces apart, those for which
// right holds aligned to the right; no line ends in spaces. A row may be shorter than
// others.
func Align(rows [][]string, right []bool) []string {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for k, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line.WriteString(pad + cell + "  ")
			} else {
				line.WriteString(cell + pad + "  ")
			}
		}
		lines[k] = strings.TrimRight(line.String(), " ")
	}
	return lines
}
