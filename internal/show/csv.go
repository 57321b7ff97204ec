package show

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
)

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
