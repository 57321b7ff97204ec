package plot

import (
	"encoding/xml"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
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

// curves is a chart like those of the laboratory: importance against pages.
func curves() Chart {
	var x, best, good, random []float64
	for i := range 101 {
		v := float64(i)
		x = append(x, v)
		best = append(best, math.Sqrt(v/100))
		good = append(good, v/100*(1.5-v/200))
		random = append(random, v/100)
	}
	return Chart{
		Title: "Cumulative PageRank", XLabel: "pages fetched, %", YLabel: "share of PageRank",
		Series: []Series{{Name: "omniscient", X: x, Y: best}, {Name: "opic", X: x, Y: good}, {Name: "random", X: x, Y: random}},
	}
}

// tail is counts that fall as x^-2.
func tail() Chart {
	var x, y []float64
	for v := 1.0; v <= 2000; v *= 1.5 {
		x, y = append(x, v), append(y, 1e5/(v*v))
	}
	return Chart{Title: "In-degrees", XLabel: "in-links", YLabel: "pages", Series: []Series{{X: x, Y: y}}}
}

func TestGolden(t *testing.T) {
	golden(t, "curve.txt", Curve(curves()))
	ascii := curves()
	ascii.ASCII, ascii.Width, ascii.Height = true, 40, 10
	golden(t, "curve_ascii.txt", Curve(ascii))
	golden(t, "loglog.txt", LogLog(tail()))
	golden(t, "curve.svg", SVG(curves()))
	log := tail()
	log.LogX, log.LogY, log.Points = true, true, true
	golden(t, "loglog.svg", SVG(log))
	bars := BarChart{Title: "Largest sites", Bars: []Bar{
		{Label: "http://a.example", Value: 12345}, {Label: "http://bb.example", Value: 6000}, {Label: "ü", Value: 40, Note: "forty"}, {Label: "none", Value: 0}}}
	golden(t, "bars.txt", Bars(bars))
	ranged := BarChart{Title: "Regret", Bars: []Bar{{Label: "a <b>", Value: 0.5, Low: 0.25, High: 0.75, Kind: 1}, {Label: "none"}}}
	golden(t, "bars.svg", BarsSVG(ranged))
	bars.ASCII, bars.Width = true, 20
	golden(t, "bars_ascii.txt", Bars(bars))
}

// A diagonal by hand: five cells, rising from the corner.
func TestCurveByHand(t *testing.T) {
	got := Curve(Chart{Width: 5, Height: 5, ASCII: true,
		Series: []Series{{Name: "d", X: []float64{0, 4}, Y: []float64{0, 4}}, {X: []float64{0, 4}, Y: []float64{2, 2}}}})
	want := "" +
		"4 +    *\n" +
		"3 +   *\n" +
		"2 +++*++\n" + // the first series is seen where two meet
		"1 + *\n" +
		"0 +*\n" +
		"  ++++++\n" +
		"   0 2 4\n" +
		"  * d\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPointsAreNotJoined(t *testing.T) {
	c := Chart{Width: 9, Height: 3, ASCII: true, Series: []Series{{X: []float64{0, 4}, Y: []float64{0, 4}}}}
	joined := strings.Count(Curve(c), "*")
	c.Points = true
	if n := strings.Count(Curve(c), "*"); n != 2 || joined != 9 {
		t.Errorf("%d marks as points, %d as a line; want 2 and 9", n, joined)
	}
}

func TestNothingToDraw(t *testing.T) {
	nan := math.NaN()
	c := Chart{Title: "T", Series: []Series{{Name: "s", X: []float64{nan, 1, math.Inf(1)}, Y: []float64{1, nan, 1}}}}
	if got := Curve(c); got != "T\n(nothing to draw)\n" {
		t.Errorf("%q", got)
	}
	if got := SVG(c); !strings.Contains(got, "nothing to draw") {
		t.Errorf("%q", got)
	}
	zero := Chart{Series: []Series{{X: []float64{0, 0}, Y: []float64{1, 2}}}}
	if got := LogLog(zero); got != "(nothing to draw)\n" {
		t.Errorf("zero on a logarithmic axis: %q", got)
	}
}

func TestAxis(t *testing.T) {
	for _, test := range []struct {
		lo, hi float64
		log    bool
		want   string
	}{
		{0, 1, false, "0 0.2 0.4 0.6 0.8 1"},
		{3, 97, false, "0 20 40 60 80 100"},
		{-0.3, 0.25, false, "-0.4 -0.2 0 0.2 0.4"},
		{7, 7, false, "0 2 4 6 8"},
		{0, 0, false, "0 0.2 0.4 0.6 0.8 1"},
		{0, 1e7, false, "0 2M 4M 6M 8M 10M"},
		{1, 100000, true, "1 10 100 1000 10k 100k"},
		{3, 40, true, "2 5 10 20 50"},
		{10, 10, true, "10 20"},
		{2e-7, 1e-4, true, "1e-06 1e-05 0.0001"},
	} {
		a := newAxis(test.lo, test.hi, test.log)
		var ticks []string
		for _, v := range a.ticks {
			ticks = append(ticks, Number(v))
		}
		if got := strings.Join(ticks, " "); got != test.want {
			t.Errorf("%g to %g: ticks %s, want %s", test.lo, test.hi, got, test.want)
		}
		if a.lo > test.lo || a.hi < test.hi || a.at(a.lo) != 0 || a.at(a.hi) != 1 {
			t.Errorf("%g to %g: axis from %g to %g", test.lo, test.hi, a.lo, a.hi)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -2: "-2", 0.25: "0.25", 0.8571: "0.857", 12.34: "12.3", 1234: "1234",
		9999.4: "9999", 9999.5: "10k", 12345: "12.3k", 999499: "999k", 1e6: "1M", 3216152: "3.22M",
		2.5e9: "2.5G", 1e15: "1e+15", 0.0123: "0.0123", 2e-7: "2e-07", 0.30000000000000004: "0.3",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestSparkline(t *testing.T) {
	up := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	for _, test := range []struct {
		values []float64
		width  int
		ascii  bool
		want   string
	}{
		{up, 0, false, "▁▂▃▄▅▆▇█"},
		{up, 0, true, "_.-:=+*#"},
		{up, 4, false, "▁▃▆█"}, // means 0.5 2.5 4.5 6.5
		{[]float64{5, 5, 5}, 0, false, "▁▁▁"},
		{[]float64{1, math.NaN(), 2}, 0, false, "▁ █"},
		{nil, 10, false, ""},
	} {
		if got := Sparkline(test.values, test.width, test.ascii); got != test.want {
			t.Errorf("%v: %s, want %s", test.values, got, test.want)
		}
	}
}

func TestBarLengths(t *testing.T) {
	got := Bars(BarChart{Width: 4, Bars: []Bar{{Label: "a", Value: 8}, {Label: "b", Value: 1}, {Label: "c", Value: 1e-9}, {Label: "d", Value: -1}}})
	if want := "a ████ 8\nb ▌ 1\nc ▏ 1e-09\nd -1\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// ASCII means ASCII, and an SVG is well-formed whatever stands in the names.
func TestCharacters(t *testing.T) {
	c := curves()
	c.ASCII = true
	bars := BarChart{ASCII: true, Bars: []Bar{{Label: "x", Value: 3}}}
	for _, s := range []string{Curve(c), Bars(bars), Sparkline([]float64{1, 2}, 0, true)} {
		for _, r := range s {
			if r > '~' || r < ' ' && r != '\n' {
				t.Fatalf("%q in\n%s", r, s)
			}
		}
	}
	c.Title, c.Series[0].Name, c.XLabel = `<&"'>`, "</svg>", "a<b"
	wellFormed(t, SVG(c))
}

func wellFormed(t *testing.T, s string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, s)
		}
	}
}

func TestManyPointsAreThinned(t *testing.T) {
	var x, y []float64
	for i := range 200000 {
		x, y = append(x, float64(i)), append(y, math.Sqrt(float64(i)))
	}
	s := SVG(Chart{Series: []Series{{X: x, Y: y}}})
	if len(s) > 40000 {
		t.Errorf("%d bytes for one smooth line", len(s))
	}
}

// No numbers whatever may break a chart.
func FuzzCurve(f *testing.F) {
	f.Add(0.0, 1.0, 2.0, 3.0, false)
	f.Add(1e300, -1e300, 5e-324, 1e-300, false)
	f.Add(1e16, 1e16+2, 1e-300, 1e300, true)
	f.Add(math.Inf(1), math.NaN(), 0.1, -7.0, true)
	f.Add(1.0, 1.0000000001, 3.0, 3.0, true)
	f.Fuzz(func(t *testing.T, a, b, c, d float64, log bool) {
		chart := Chart{LogX: log, LogY: log, Width: 20, Height: 5,
			Series: []Series{{Name: "s", X: []float64{a, b, c}, Y: []float64{d, a, b}}}}
		if lines := strings.Count(Curve(chart), "\n"); lines != 1 && lines != 8 {
			t.Errorf("%d lines", lines)
		}
		wellFormed(t, SVG(chart))
	})
}
