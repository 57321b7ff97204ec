package leaderboard

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
)

// Earlier holds the numbers of an earlier run. They stand for those of policies that have not
// changed since.
type Earlier struct {
	header map[string]string
	tables map[string][]map[string]any // by the title of the section
}

// ReadEarlier reads the summary.json of a leaderboard, or what --json printed.
func ReadEarlier(r io.Reader) (*Earlier, error) {
	type report struct {
		Title    string            `json:"title"`
		Header   map[string]string `json:"header"`
		Sections []struct {
			Title string           `json:"title"`
			Table []map[string]any `json:"table"`
		} `json:"sections"`
	}
	var file struct {
		report
		Report report `json:"report"` // as --json prints it
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("it is not the JSON of a leaderboard: %w", err)
	}
	rep := file.report
	if rep.Title == "" {
		rep = file.Report
	}
	e := &Earlier{header: rep.Header, tables: map[string][]map[string]any{}}
	for _, s := range rep.Sections {
		e.tables[s.Title] = s.Table
	}
	if e.tables[startsTitle] == nil {
		return nil, fmt.Errorf("it is not the JSON of a leaderboard: it has no table %q", startsTitle)
	}
	return e, nil
}

// Covers reports whether the header of the earlier run has all these fields: the same world,
// starts and random seed. The world may be one of several.
func (e *Earlier) Covers(fields ...show.Field) bool {
	for _, f := range fields {
		found := false
		for name, value := range e.header {
			found = found || value == f.Value && (name == f.Name || strings.HasPrefix(name, f.Name+"_"))
		}
		if !found {
			return false
		}
	}
	return true
}

// number returns a number of the first row that has these values.
func (e *Earlier) number(title string, row map[string]any, column string) (float64, bool) {
	for _, r := range e.tables[title] {
		same := true
		for key, value := range row {
			same = same && r[key] == value
		}
		if same {
			v, ok := r[column].(float64)
			return v, ok
		}
	}
	return 0, false
}

// Average returns the average of a policy from a start of a graph.
func (e *Earlier) Average(graph string, s *Start, policy string) (float64, bool) {
	return e.number(startsTitle, map[string]any{"graph": graph, "start": s.Name, "pages": float64(s.Pages)}, policy)
}

// Fill sets what is kept of policy i for a whole graph. It reports whether the earlier run had
// its curve.
func (e *Earlier) Fill(g *Graph, i int, policy string) bool {
	row := map[string]any{"policy": policy}
	var curve []float64
	for _, s := range Shares() {
		v, ok := e.number(curvesTitle(g.Name), row, curveKey(s))
		if !ok {
			return false
		}
		curve = append(curve, v)
	}
	g.Curves[i] = curve
	if v, ok := e.number(linksTitle, row, g.Name); ok {
		g.Micros[i] = v
	}
	if v, ok := e.number(bytesTitle, row, g.Name); ok {
		g.Bytes[i] = v
	}
	return true
}

// Hours returns the time of a policy under politeness, with fetcher number r of Fetchers.
func (e *Earlier) Hours(graph string, r int, policy string) (float64, bool) {
	return e.number(hoursTitle(Fetchers()[r]), map[string]any{"policy": policy}, graph)
}
