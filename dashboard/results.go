package dashboard

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A Result is a file of the laboratory: what winnow lab run --json prints, or the summary.json of
// --out with the curves beside it.
type Result struct {
	Slug    string
	Path    string
	Reports []*Report
}

// A Report is one experiment of a Result.
type Report struct {
	Title    string        `json:"title"`
	Verdict  string        `json:"verdict"`
	Intro    []string      `json:"intro"`
	Sections []*ResultPart `json:"sections"`
}

// A ResultPart is a table, bars or curves of a report.
type ResultPart struct {
	Title   string                       `json:"title"`
	Text    string                       `json:"text"`
	Columns []resultColumn               `json:"columns"`
	Table   []map[string]json.RawMessage `json:"table"`
	Bars    []resultBar                  `json:"bars"`
	Curves  []plot.Series                `json:"-"`
	Picture string                       `json:"-"` // address of the curves
}

type resultColumn struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Unit string `json:"unit"`
}

type resultBar struct {
	Label string  `json:"label"`
	Value float64 `json:"value"`
	Note  string  `json:"note"`
}

// largestResult is the most bytes that are read of a file.
const largestResult = 64 << 20

// ReadResult reads a file of the laboratory.
func ReadResult(name string) (*Result, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, largestResult))
	if err != nil {
		return nil, err
	}
	x := &Result{Path: name}
	for dec := json.NewDecoder(bytes.NewReader(b)); ; {
		r := &Report{}
		if err := dec.Decode(r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, notResult(name, err)
		}
		if len(r.Sections) > 0 || r.Verdict != "" {
			x.Reports = append(x.Reports, r)
		}
	}
	if len(x.Reports) == 0 {
		return nil, notResult(name, errors.New("it has no report"))
	}
	x.readCurves(filepath.Join(filepath.Dir(name), "curves.csv"))
	return x, nil
}

func notResult(name string, err error) error {
	return &hint.Error{Text: name + " is no result of the laboratory", Hint: "winnow lab run NAME --json prints one, and --out DIR writes DIR/NAME/summary.json", Err: err}
}

// readCurves reads the curves that are beside a summary, if there are any.
func (x *Result) readCurves(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	rows, err := csv.NewReader(io.LimitReader(f, largestResult)).ReadAll()
	if err != nil || len(x.Reports) != 1 {
		return
	}
	for _, r := range rows[min(1, len(rows)):] {
		for _, p := range x.Reports[0].Sections {
			if len(r) >= 4 && p.Title == r[0] {
				p.add(r[1], r[2], r[3])
			}
		}
	}
}

// add adds a point to a curve.
func (p *ResultPart) add(name, x, y string) {
	a, err1 := strconv.ParseFloat(x, 64)
	b, err2 := strconv.ParseFloat(y, 64)
	if err1 != nil || err2 != nil {
		return
	}
	for i := range p.Curves {
		if p.Curves[i].Name == name {
			p.Curves[i].Add(a, b)
			return
		}
	}
	p.Curves = append(p.Curves, plot.Series{Name: name, X: []float64{a}, Y: []float64{b}})
}

// Heading returns the names of the columns.
func (p *ResultPart) Heading() (list []string) {
	for _, c := range p.Columns {
		list = append(list, strings.TrimSpace(c.Name+" "+c.Unit))
	}
	return list
}

// Rows returns the cells of the table as text.
func (p *ResultPart) Rows() (rows [][]string) {
	for _, r := range p.Table {
		var cells []string
		for _, c := range p.Columns {
			cells = append(cells, cellText(r[c.Key]))
		}
		rows = append(rows, cells)
	}
	return rows
}

// Numeric reports whether a column has numbers only.
func (p *ResultPart) Numeric(column int) bool {
	for _, r := range p.Table {
		b := r[p.Columns[column].Key]
		if v := 0.0; len(b) > 0 && json.Unmarshal(b, &v) != nil {
			return false
		}
	}
	return true
}

// cellText writes a value of JSON.
func cellText(b json.RawMessage) string {
	var v any
	if json.Unmarshal(b, &v) != nil || v == nil {
		return "-"
	}
	switch v := v.(type) {
	case float64:
		if math.Abs(v) < 0.1 {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return show.Brief(v).String()
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// Shares returns the bars with their shares of the longest.
func (p *ResultPart) Shares() (list []bar) {
	most := 0.0
	for _, b := range p.Bars {
		most = max(most, b.Value)
	}
	for _, b := range p.Bars {
		text := b.Note
		if text == "" {
			text = plot.Number(b.Value)
		}
		list = append(list, bar{b.Label, text, 100 * max(0, b.Value) / max(most, 1e-300)})
	}
	return list
}

// result returns the result that a request names, or nil.
func (s *Server) result(name string) *Result {
	for _, x := range s.results {
		if x.Slug == name {
			return x
		}
	}
	return nil
}

// showResult shows a result, or one of its curves as a picture.
func (s *Server) showResult(w http.ResponseWriter, r *http.Request) {
	x := s.result(r.PathValue("name"))
	if x == nil {
		s.fail(w, r, http.StatusNotFound, "There is no such result here.", "")
		return
	}
	if n, err := strconv.Atoi(r.FormValue("curve")); err == nil {
		for _, p := range x.Reports[0].Sections {
			if n--; n < 0 {
				writePicture(w, plot.SVG(plot.Chart{Title: p.Title, Series: p.Curves}))
				return
			}
		}
		http.NotFound(w, r)
		return
	}
	f := s.plain(x.Slug)
	f.InLab = true
	f.Body = s.beside(x)
	s.render(w, http.StatusOK, "result", f)
}

// A resultPage shows results side by side.
type resultPage struct {
	Results []*Result
	All     []link // with the page of all of them
}

// beside returns the page of some results.
func (s *Server) beside(list ...*Result) *resultPage {
	p := &resultPage{Results: list}
	for _, x := range s.results {
		p.All = append(p.All, link{x.Slug, "/lab/" + x.Slug, len(list) == 1 && list[0] == x})
	}
	p.All = append(p.All, link{"all side by side", "/lab", len(list) > 1})
	return p
}

// name gives a result its name in addresses.
func (x *Result) name(slug string) {
	x.Slug = slug
	for i, p := range x.Reports[0].Sections {
		if len(p.Curves) > 0 {
			p.Picture = fmt.Sprintf("/lab/%s?curve=%d", slug, i)
		}
	}
}

// showResults shows all results side by side.
func (s *Server) showResults(w http.ResponseWriter, r *http.Request) {
	f := s.plain("Laboratory")
	f.InLab = true
	f.Body = s.beside(s.results...)
	s.render(w, http.StatusOK, "result", f)
}
