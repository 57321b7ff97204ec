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
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
)

// A Report is the result of an experiment, a comparison or a crawl.
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
// missing; they are shown in this order.
type Section struct {
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
