package show

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/winnow-crawler/winnow/internal/plot"
)

var (
	update    = flag.Bool("update", false, "rewrite the golden files")
	sampleDir = flag.String("sample", "", "where to write a sample report")
)

// small is a report with one of everything.
func small() *Report {
	x := []float64{0, 25, 50, 100}
	return &Report{
		Title:   "castillo04-table1",
		Verdict: "Holds: opic gathers PageRank before breadth-first, as in the thesis.",
		Intro:   []string{"Cumulative PageRank of two policies on a graph of eight pages."},
		Header: []Field{{"world", "eight.wg, 8 pages, 12 links"}, {"seeds", "homes"},
			{"policies", "opic, breadth-first"}, {"options", "r = 1, no time model"}, {"random seed", "1"}},
		Sections: []Section{
			{Title: "Curves", Text: "Higher is better.\n\nThe band is 95 % over three start sets.",
				Chart: &plot.Chart{Title: "Cumulative PageRank", XLabel: "pages fetched, %", YLabel: "share of PageRank",
					Marks: []plot.Mark{{X: 25, Label: "first batch"}},
					Series: []plot.Series{
						{Name: "opic", X: x, Y: []float64{0, 0.5, 0.75, 1}, Low: []float64{0, 0.4, 0.7, 1}, High: []float64{0, 0.6, 0.8, 1}},
						{Name: "breadth-first", X: x, Y: []float64{0, 1.0 / 3, 0.7, 1}},
						{Name: "random", X: x, Y: []float64{0, 0.25, 0.5, 1}, Baseline: true},
					}}},
			{Title: "Averages", Bars: &plot.BarChart{Bars: []plot.Bar{{Label: "opic", Value: 0.6}, {Label: "breadth-first", Value: 0.3}}},
				Table: &Table{
					Columns: []Column{{Name: "policy"}, {Name: "theirs"}, {Name: "ours", Key: "avg_cumulative_pagerank"}, {Name: "pages"}, {Name: "time", Unit: "s"}},
					Rows: [][]Cell{
						{Words("opic"), Num(0.6, 2), Num(2.0/3, 4), Count(1234567), Brief(0.00002)},
						{Words("breadth-first"), None(), Num(0.3, 4), Count(8)},
					}}},
		},
	}
}

// sample is the report people will see most: twelve policies and three baselines,
// bands, wide tables. The curves are of the form p^a with a wave, not measured.
func sample() *Report {
	names := []string{"omniscient", "historical-pagerank", "historical-pagerank/new=parent", "historical-pagerank/new=zero",
		"batch-pagerank/k=10000", "partial-pagerank/k=10000", "opic", "opic/cash=all/remote=0.8", "larger-sites-first",
		"breadth-first", "backlink-count", "site-at-a-time"}
	chart := &plot.Chart{Title: "Cumulative PageRank against pages fetched", XLabel: "pages fetched, %", YLabel: "share of PageRank"}
	table := &Table{Columns: []Column{{Name: "policy"}, {Name: "average cumulative PageRank, theirs"}, {Name: "ours", Key: "ours"},
		{Name: "95 % interval, low"}, {Name: "95 % interval, high"}, {Name: "Kendall's tau"}, {Name: "tau, sample of 5000"},
		{Name: "P_ST at 10 %"}, {Name: "regret"}, {Name: "pages"}, {Name: "virtual time", Unit: "h"}}}
	for i, name := range names {
		s := curve(name, 0.32+0.055*float64(i), 0.004*float64(i), 0.03)
		chart.Series = append(chart.Series, s)
		table.Rows = append(table.Rows, []Cell{Words(name), Num(0.8-0.02*float64(i), 2), Num(s.Y[60], 4), Num(s.Low[60], 4),
			Num(s.High[60], 4), Num(0.5-0.04*float64(i), 4), None(), Num(s.Y[10], 4), Num(0.01*float64(i), 4), Count(325557), Brief(3.3 * float64(i))})
	}
	for i, name := range []string{"ideal", "horn", "random"} {
		s := curve(name, []float64{0.22, 0.26, 1}[i], 0, 0)
		s.Low, s.High, s.Baseline = nil, nil, true
		chart.Series = append(chart.Series, s)
	}
	chart.Marks = []plot.Mark{{X: 3.1, Label: "first batch of 10,000"}, {X: 50, Label: "half of the pages"}}
	r := small()
	r.Title = "sim: cnr-2000"
	r.Sections = append([]Section{{Title: "Ordering quality", Text: "Twelve policies.", Chart: chart, Table: table}}, r.Sections...)
	r.Sections = append(r.Sections, Section{Title: "Days", Chart: &plot.Chart{Title: "Pages by day", XLabel: "day", YLabel: "pages", Points: true,
		Series: []plot.Series{{Name: "fetched", X: []float64{1, 2, 3, 4, 5}, Y: []float64{900, 700, 650, 300, 120}}}}},
		Section{Title: "Degrees", Chart: degrees()})
	return r
}

func curve(name string, a, wave, band float64) plot.Series {
	s := plot.Series{Name: name}
	for i := range 101 {
		p := float64(i) / 100
		y := min(1, max(0, math.Pow(p, a)+wave*math.Sin(20*p)*(1-p)))
		half := band * (1 - p) * math.Sqrt(p)
		s.X, s.Y = append(s.X, 100*p), append(s.Y, y)
		s.Low, s.High = append(s.Low, max(0, y-half)), append(s.High, min(1, y+half))
	}
	return s
}

func degrees() *plot.Chart {
	c := &plot.Chart{Title: "In-links", XLabel: "in-links", YLabel: "pages", LogX: true, LogY: true, Points: true}
	for k, name := range []string{"old snapshot", "new snapshot"} {
		s := plot.Series{Name: name}
		for v := 1.0; v < 50000; v *= 1.7 {
			s.X, s.Y = append(s.X, v), append(s.Y, 1e6/math.Pow(v, 1.8+0.2*float64(k)))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// forms is the report in all its forms.
func forms(t *testing.T, r *Report) map[string]string {
	t.Helper()
	var page, points, summary bytes.Buffer
	for _, err := range []error{r.WriteHTML(&page), r.WriteCSV(&points), r.WriteJSON(&summary)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"html": page.String(), "csv": points.String(), "json": summary.String(),
		"txt": r.Text(TextOptions{Width: 72, Charts: true}), "ascii.txt": r.Text(TextOptions{Width: 60, ASCII: true, Charts: true})}
}

func TestReportGolden(t *testing.T) {
	for ext, got := range forms(t, small()) {
		file := filepath.Join("testdata", "report."+ext)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs (go test -update rewrites it):\n%s", file, got)
		}
	}
}

// Equal reports are equal files (L6).
func TestReportIsDeterministic(t *testing.T) {
	first, second := forms(t, sample()), forms(t, sample())
	for ext := range first {
		if first[ext] != second[ext] {
			t.Errorf("two %s differ", ext)
		}
	}
}

// The page loads nothing and runs nothing.
func TestReportIsSelfContained(t *testing.T) {
	page := forms(t, sample())["html"]
	for _, bad := range []string{"http:", "https:", "src=", "url(", "@import", "<script", "<link", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s in the page", bad)
		}
	}
	for _, good := range []string{`name="viewport"`, "prefers-color-scheme:dark", "historical-pagerank/new=parent", `href="#s1"`} {
		if !strings.Contains(page, good) {
			t.Errorf("no %s in the page", good)
		}
	}
	balanced(t, page)
}

// balanced checks that every element of a page ends in order.
func balanced(t *testing.T, page string) {
	t.Helper()
	void := map[string]bool{"meta": true, "input": true}
	var open []string
	for _, tag := range regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*?(/?)>`).FindAllStringSubmatch(page, -1) {
		switch {
		case tag[1] == "" && tag[3] == "" && !void[tag[2]]:
			open = append(open, tag[2])
		case tag[1] == "/" && (len(open) == 0 || open[len(open)-1] != tag[2]):
			t.Fatalf("%s closed in %v", tag[2], open)
		case tag[1] == "/":
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v left open", open)
	}
}

const hostile = "=x\x1b]0;t\a\u009b2J</style></title><script>alert(\"1\")</script><img src=x onerror='a'>\r\n\x00\xff\u202e{{.Title}}"

// evil has hostile words wherever there are words.
func evil() *Report {
	r := small()
	r.Title, r.Verdict, r.Intro = hostile, hostile, []string{hostile}
	r.Header = append(r.Header, Field{hostile, hostile}, Field{hostile, "again"})
	for i := range r.Sections {
		s := &r.Sections[i]
		s.Title, s.Text = hostile, hostile
		if c := s.Chart; c != nil {
			c.Title, c.XLabel, c.YLabel, c.Series[0].Name, c.Marks[0].Label = hostile, hostile, hostile, hostile, hostile
		}
		if s.Bars != nil {
			s.Bars.Title, s.Bars.Bars[0] = hostile, plot.Bar{Label: hostile, Value: 1, Note: hostile}
		}
		if s.Table != nil {
			s.Table.Columns[0] = Column{Name: hostile, Unit: hostile}
			s.Table.Columns[1] = Column{Name: hostile, Key: hostile}
			s.Table.Rows[0][0] = Words(hostile)
		}
	}
	return r
}

func TestReportOfHostileWords(t *testing.T) {
	all := forms(t, evil())
	for ext, s := range all {
		for _, r := range s {
			if r != '\n' && !unicode.IsPrint(r) || r == unicode.ReplacementChar && ext != "json" {
				t.Errorf("%q in %s", r, ext)
			}
			if ext == "ascii.txt" && r > '~' {
				t.Errorf("%q in ASCII", r)
			}
		}
	}
	for _, bad := range []string{"<script", "<img", `"1"`} {
		if strings.Contains(all["html"], bad) {
			t.Errorf("%s in the page", bad)
		}
	}
	balanced(t, all["html"])
	var summary struct {
		Title  string
		Header map[string]string
	}
	if err := json.Unmarshal([]byte(all["json"]), &summary); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(hostile, "\ufffd"); summary.Title != want || len(summary.Header) != 7 {
		t.Errorf("summary has title %q and %d fields", summary.Title, len(summary.Header))
	}
	rows, err := csv.NewReader(strings.NewReader(all["csv"])).ReadAll()
	if err != nil || len(rows) != 13 || !strings.HasPrefix(rows[1][0], "'=x") || !strings.HasPrefix(rows[1][1], "'=x") {
		t.Errorf("%v: %d rows, %q", err, len(rows), rows[1])
	}
}

// Nothing that can be left out is needed, and no number breaks a form.
func TestReportOfNothing(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	strange := []float64{nan, inf, -inf}
	for name, r := range map[string]*Report{
		"zero":  {},
		"empty": {Sections: []Section{{}, {Chart: &plot.Chart{}, Bars: &plot.BarChart{}, Table: &Table{}}, {Table: &Table{Columns: []Column{{}}}}}},
		"strange": {Sections: []Section{{
			Chart: &plot.Chart{Series: []plot.Series{{Name: "s", X: strange, Y: strange, Low: strange, High: strange}, {X: []float64{1}}}},
			Bars:  &plot.BarChart{Bars: []plot.Bar{{Value: nan}, {Value: inf}, {Value: -1}}},
			Table: &Table{Columns: []Column{{}, {}, {}, {}}, Rows: [][]Cell{{Num(nan, 2), Brief(inf), Num(-inf, 0)}, {}}}}}},
	} {
		all := forms(t, r)
		balanced(t, all["html"])
		if !json.Valid([]byte(all["json"])) {
			t.Errorf("%s: %s", name, all["json"])
		}
		if _, err := csv.NewReader(strings.NewReader(all["csv"])).ReadAll(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is read from curves.csv is what was drawn, to the last bit.
func TestCSVIsExact(t *testing.T) {
	r := sample()
	rows, err := csv.NewReader(strings.NewReader(forms(t, r)["csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := 1
	for _, s := range r.Sections {
		if s.Chart == nil {
			continue
		}
		for _, line := range s.Chart.Series {
			for i := range line.X {
				x, _ := strconv.ParseFloat(rows[at][2], 64)
				y, _ := strconv.ParseFloat(rows[at][3], 64)
				if rows[at][1] != line.Name || x != line.X[i] || y != line.Y[i] || (rows[at][4] == "") != (line.Low == nil) {
					t.Fatalf("row %d is %q", at, rows[at])
				}
				at++
			}
		}
	}
	if at != len(rows) {
		t.Errorf("%d rows of %d", at, len(rows))
	}
}

// A table in summary.json is an array of objects with exact numbers, its members
// in the order of the columns.
func TestJSONTables(t *testing.T) {
	var summary struct {
		Verdict  string
		Sections []struct{ Table []map[string]any }
	}
	text := forms(t, small())["json"]
	if err := json.Unmarshal([]byte(text), &summary); err != nil {
		t.Fatal(err)
	}
	rows := summary.Sections[1].Table
	if got := fmt.Sprint(rows[0]["avg_cumulative_pagerank"], rows[1]["theirs"], rows[0]["pages"], rows[1]["time"]); got != "0.6666666666666666 <nil> 1.234567e+06 <nil>" {
		t.Error(got)
	}
	if strings.Index(text, `"policy":`) > strings.Index(text, `"theirs":`) || summary.Verdict == "" {
		t.Error(text)
	}
}

// A table too wide for the terminal continues below, with every cell once and the
// first column again.
func TestWideTable(t *testing.T) {
	table := sample().Sections[0].Table
	r := &Report{Sections: []Section{{Table: table}}}
	for _, width := range []int{20, 60, 80, 120, 400} {
		text := r.Text(TextOptions{Width: width})
		parts := strings.Count(text, "policy")
		if n := strings.Count(text, "historical-pagerank/new=parent"); n != parts || width == 400 && n != 1 {
			t.Errorf("width %d: %d parts, %d times the name", width, parts, n)
		}
		if n := strings.Count(text, "325,557"); n != len(table.Rows) {
			t.Errorf("width %d: %d cells of %d", width, n, len(table.Rows))
		}
		for _, line := range strings.Split(text, "\n") {
			if len([]rune(line)) > max(width, 60) || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

func TestCells(t *testing.T) {
	for want, c := range map[string]Cell{
		"0.67": Num(2.0/3, 2), "-": Num(math.Inf(-1), 1), "1,234,567": Count(1234567), "-12": Count(-12),
		"-1,000": Count(-1000), "999": Count(999), "12.3k": Brief(12345), "opic": Words("opic"), "": {},
		"0.000084": Digits(8.4e-5), "1,235": Digits(1234.5), "12.3": Digits(12.34), "0.50": Digits(0.5), "0": Digits(0), "0.0": Num(-0.01, 1), "-0.1": Num(-0.06, 1), "3m20s": Span(200 * time.Second),
	} {
		if c.shown != want {
			t.Errorf("%q, want %q", c.shown, want)
		}
	}
}

// TestReportSample writes the sample to look at: go test -run Sample -sample DIR.
func TestReportSample(t *testing.T) {
	dir := *sampleDir
	if dir == "" {
		dir = t.TempDir()
	}
	bad := forms(t, evil())["html"]
	if err := os.WriteFile(filepath.Join(dir, "hostile.html"), []byte(bad), 0o666); err != nil {
		t.Fatal(err)
	}
	for ext, s := range forms(t, sample()) {
		if err := os.WriteFile(filepath.Join(dir, "report."+ext), []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s, "batch-pagerank/k=10000") {
			t.Errorf("no batch-pagerank in %s", ext)
		}
	}
}

// A page in Markdown has everything in its place, and shows signs of the web as they are.
func TestMarkdown(t *testing.T) {
	r := &Report{Title: "a_b", Verdict: "Holds.", Intro: []string{"*this*"}, Header: []Field{{"world", "x|y"}}}
	t1 := &Table{Columns: []Column{{Name: "policy"}, {Name: "time", Unit: "s"}}}
	t1.Add("mix:a*2+<b>", Num(1.5, 1))
	t1.Add("short")
	r.Sections = []Section{{Title: "One", Text: "p\n\nq", Chart: &plot.Chart{Title: "c"}, Table: t1}, {Title: "Two", Bars: &plot.BarChart{Bars: []plot.Bar{{Label: "b", Value: 1, Low: 0.5, High: 2}}}}}
	files := r.Page("page.md")
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "page.md page-1.svg page-2.svg" {
		t.Error(got)
	}
	var b bytes.Buffer
	if err := files[0].Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `# a\_b

**Holds.**

\*this\*

- world: x\|y

## One

p

q

![c](page-1.svg)

| policy | time, s |
|---|--:|
| mix:a\*2+&lt;b> | 1.5 |
| short |  |

## Two

![Two](page-2.svg)
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.Reset()
	if err := files[2].Write(&b); err != nil || !strings.Contains(b.String(), "<rect ") || !strings.Contains(b.String(), `class="axis"`) {
		t.Errorf("%v: %s", err, b.String())
	}
}
