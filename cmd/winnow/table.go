package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
)

// table prints aligned columns: numbers to the right, text to the left.
//
//	t := newTable("site", "pages")
//	t.add("http://example.org", formatCount(1200))
//	t.print(u.stdout)
type table struct {
	rows [][]string // the first is the heading, empty for none
}

func newTable(heading ...string) *table {
	for i := range heading {
		heading[i] = line(heading[i])
	}
	return &table{rows: [][]string{heading}}
}

// add appends a row. A row may have fewer cells than others.
func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = line(fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

// print writes the table. Columns are two spaces apart; no line ends in spaces.
func (t *table) print(w io.Writer) error {
	rows := t.rows
	if len(rows[0]) == 0 {
		rows = rows[1:] // no heading
	}
	lines := append(show.Align(rows, t.right()), "")
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

// right reports for each column whether it holds numbers only.
func (t *table) right() (right []bool) {
	for r, row := range t.rows {
		for i, cell := range row {
			if i == len(right) {
				right = append(right, len(t.rows) > 1)
			}
			if r > 0 && !isNumber(cell) {
				right[i] = false
			}
		}
	}
	return right
}

// isNumber reports whether a cell is a number, with or without a unit: it begins
// with a digit after a sign and has one more word at most ("20.1 links a page" is a
// remark). An empty cell and a dash stand for a number.
func isNumber(cell string) bool {
	digits := strings.TrimLeft(cell, "+-~<>")
	return digits == "" || digits[0] >= '0' && digits[0] <= '9' && strings.Count(digits, " ") < 2
}
