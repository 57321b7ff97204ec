package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// banded is a chart with everything a report requests: a band, a baseline, marks.
func banded() Chart {
	c := curves()
	c.Series[2].Baseline = true
	for _, y := range c.Series[1].Y {
		c.Series[1].Low = append(c.Series[1].Low, y*0.9)
		c.Series[1].High = append(c.Series[1].High, min(1, y*1.1))
	}
	c.Marks = []Mark{{10, "first batch"}, {75, "three quarters"}, {400, "beyond the axis"}}
	return c
}

func whiskered() Chart {
	return Chart{Title: "Days", XLabel: "day", YLabel: "pages", Points: true, Width: 30, Height: 8,
		Series: []Series{{Name: "fetched", X: []float64{1, 2, 3, 4}, Y: []float64{10, 40, 25, 5},
			Low: []float64{8, 30, 20, 4}, High: []float64{12, 50, 30, 6}}}}
}

func TestGoldenFigures(t *testing.T) {
	golden(t, "banded.figure.svg", Figure(banded()))
	golden(t, "banded.svg", SVG(banded()))
	golden(t, "banded.txt", Curve(banded()))
	golden(t, "whiskers.figure.svg", Figure(whiskered()))
	golden(t, "whiskers.svg", SVG(whiskered()))
	golden(t, "whiskers.txt", Curve(whiskered()))
	for _, s := range []string{Figure(banded()), SVG(banded()), Figure(whiskered()), SVG(whiskered())} {
		wellFormed(t, s)
	}
}

// The text forms leave bands out: not a character differs.
func TestTextWithoutBands(t *testing.T) {
	with, without := banded(), banded()
	without.Series[1].Low, without.Series[1].High = nil, nil
	for i := range with.Series[1].High {
		with.Series[1].High[i] = 50 // would stretch the axis
	}
	if Curve(with) != Curve(without) {
		t.Errorf("a band shows in\n%s", Curve(with))
	}
	if !strings.Contains(SVG(with), ">50<") || !strings.Contains(Figure(with), ">50<") {
		t.Error("the axis of a picture does not hold the band")
	}
}

// Forty lines and four baselines: every one has its own look, in the figure and in
// the legend.
func TestManySeriesDiffer(t *testing.T) {
	var c Chart
	for i := range 44 {
		c.Series = append(c.Series, Series{Name: fmt.Sprint(i), X: []float64{0, 1}, Y: []float64{0, 1}, Baseline: i >= 40})
	}
	seen := map[string]int{}
	for i := range c.Series {
		swatch := Swatch(c, i)
		wellFormed(t, swatch)
		if j, ok := seen[swatch]; ok {
			t.Errorf("series %d and %d look alike: %s", i, j, swatch)
		}
		seen[swatch] = i
	}
	signs := map[rune]bool{}
	for _, s := range c.signs()[:20] {
		signs[s] = true
	}
	if len(signs) != 20 {
		t.Errorf("%d signs for twenty lines of a text", len(signs))
	}
}

// A baseline takes no colour away: the lines keep theirs when one is added.
func TestBaselineKeepsColours(t *testing.T) {
	c := curves()
	before := Swatch(c, 1)
	c.Series = append([]Series{{Name: "ideal", Baseline: true}}, c.Series...)
	if after := Swatch(c, 2); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

func TestPlain(t *testing.T) {
	for _, test := range []struct{ in, utf8, ascii string }{
		{"opic/cash=all", "opic/cash=all", "opic/cash=all"},
		{"über 90 %", "über 90 %", `\u00fcber 90 %`},
		{"a\x1b[31mb\a", `a\x1b[31mb\a`, `a\x1b[31mb\a`},
		{"two\nlines\tand\u00a0space", "two lines and space", "two lines and space"},
		{"\u009b2J", `\u009b2J`, `\u009b2J`},
		{"abc\u202edef", `abc\u202edef`, `abc\u202edef`},
		{"\xff\x00", `\xff\x00`, `\xff\x00`},
	} {
		if got := Plain(test.in, false); got != test.utf8 {
			t.Errorf("%q: %q, want %q", test.in, got, test.utf8)
		}
		if got := Plain(test.in, true); got != test.ascii {
			t.Errorf("%q in ASCII: %q, want %q", test.in, got, test.ascii)
		}
	}
}

// Words that are markup or terminal commands stay words in every form.
func TestHostileWords(t *testing.T) {
	bad := "\x1b]0;x\a<script>alert('1')</script>\"\x00\u202e"
	c := banded()
	c.Title, c.XLabel, c.YLabel, c.Series[0].Name, c.Marks[0].Label = bad, bad, bad, bad, bad
	bars := Bars(BarChart{Title: bad, Bars: []Bar{{Label: bad, Value: 1, Note: bad}}})
	for _, s := range []string{Curve(c), SVG(c), Figure(c), bars} {
		if strings.ContainsAny(s, "\x1b\x00\a\u202e") {
			t.Errorf("control characters in %q", s)
		}
	}
	for _, s := range []string{SVG(c), Figure(c)} {
		wellFormed(t, s)
		if strings.Contains(s, "<script") {
			t.Errorf("markup in %s", s)
		}
	}
}

// No band whatever may break a figure.
func FuzzFigure(f *testing.F) {
	f.Add(0.0, 1.0, 2.0, 3.0, uint8(0))
	f.Add(1e300, -1e300, 5e-324, 1e-300, uint8(7))
	f.Add(math.Inf(1), math.NaN(), 0.1, -7.0, uint8(12))
	f.Add(-2.0, -2.0, -1.0, 1e16, uint8(8))
	f.Fuzz(func(t *testing.T, a, b, c, d float64, form uint8) {
		chart := Chart{LogX: form&1 > 0, LogY: form&2 > 0, Points: form&4 > 0,
			Marks: []Mark{{a, "m"}, {d, ""}}, Series: []Series{
				{Name: "s", X: []float64{a, b, c}, Y: []float64{d, a, b}, Low: []float64{c, c}, High: []float64{b, d, a}},
				{X: []float64{b, d}, Y: []float64{c}, Baseline: true}}}
		for _, s := range []string{Figure(chart), SVG(chart)} {
			wellFormed(t, s)
			if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Errorf("a place that is none in\n%s", s)
			}
		}
		Curve(chart)
	})
}
