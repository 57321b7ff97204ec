package show

import (
	"fmt"
	"io"
	"strings"
)

// A List prints aligned columns: numbers to the right, text to the left.
//
//	l := show.NewList("site", "pages")
//	l.Add("http://example.org", show.Grouped(1200))
//	l.Print(os.Stdout)
type List struct {
	rows [][]string // the first is the heading, empty for none
}

// NewList returns a list without rows.
func NewList(heading ...string) *List {
	for i := range heading {
		heading[i] = Line(heading[i])
	}
	return &List{rows: [][]string{heading}}
}

// Add appends a row, which may have fewer cells than others.
func (l *List) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Line(fmt.Sprint(c))
	}
	l.rows = append(l.rows, row)
}

// Print writes the list. Columns are two spaces apart; no line ends in spaces.
func (l *List) Print(w io.Writer) error {
	rows := l.rows
	if len(rows[0]) == 0 {
		rows = rows[1:]
	}
	_, err := io.WriteString(w, strings.Join(append(Align(rows, l.right()), ""), "\n"))
	return err
}

// right reports for each column whether it holds numbers only.
func (l *List) right() (right []bool) {
	for r, row := range l.rows {
		for i, cell := range row {
			if i == len(right) {
				right = append(right, len(l.rows) > 1)
			}
			if r > 0 && !isNumber(cell) {
				right[i] = false
			}
		}
	}
	return right
}

// isNumber reports whether a cell is a number, with or without a unit: it begins with a
// digit after a sign and has at most one more word ("20.1 links a page" is a remark). An
// empty cell and a dash are in place of a number.
func isNumber(cell string) bool {
	digits := strings.TrimLeft(cell, "+-~<>")
	return digits == "" || digits[0] >= '0' && digits[0] <= '9' && strings.Count(digits, " ") < 2
}
