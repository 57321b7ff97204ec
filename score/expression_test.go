package score

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// eval returns the result of an expression for a page with backlinks 4, pagerank 0.5, site_pages
// 0 and nothing else.
func eval(t *testing.T, text string) (float64, bool) {
	t.Helper()
	f, err := Compile(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	v := Values{}
	for i := range v {
		v[i] = math.NaN()
	}
	v[Backlinks], v[PageRank], v[SitePages] = 4, 0.5, 0
	q := NewQuantiles(f.Needs, Sample)
	defer q.Free()
	for p := range graph.Page(8) {
		q.Known(p, func(graph.Page) uint64 { return 1 })
	}
	q.Fit(Backlinks, func(p graph.Page) float64 { return float64(p) })
	return f.Eval(&v, q)
}

func TestEval(t *testing.T) {
	for text, want := range map[string]float64{
		"1":                                  1,
		"1 + 2*3 - 8/4":                      5,
		"-(1 - 3)":                           2,
		"0.7*pagerank + 0.3*(backlinks > 3)": 0.35 + 0.3,
		"backlinks >= 4 and pagerank < 1":    1,
		"backlinks < 4 || pagerank == 0.5":   1,
		"not (backlinks != 4)":               1,
		"backlinks > 3 ? 10 : 20":            10,
		"backlinks > 4 ? 10 : 20":            20,
		"min(3, backlinks, 2) + max(1, 5)":   7,
		"abs(-2) + sqrt(9) + log(1)":         5,
		"true + false":                       1,
		"q(backlinks)":                       4.5 / 8, // 4 of 8 pages are below, 1 is equal
		"imported":                           0,       // missing
		"q(imported)":                        0,
		"imported ?? 7":                      7,
		"q(imported) ?? 0.5":                 0.5,
		"backlinks ?? 7":                     4,
		"site_pages > 0 && 1/site_pages > 1": 0, // the right side is not evaluated
		"site_pages > 0 ? 1/site_pages : 3":  3,
	} {
		if got, ok := eval(t, text); math.Abs(got-want) > 1e-15 || !ok {
			t.Errorf("%s = %v, %v, want %v", text, got, ok, want)
		}
	}
}

// TestUnsound: what has no finite result is 0, also inside of functions that would hide it.
func TestUnsound(t *testing.T) {
	for _, text := range []string{"1/site_pages", "0/site_pages", "1/(1/site_pages)", "min(1, 1/site_pages)", "log(0)", "sqrt(-1)", "log(-1) > 0 ? 1 : 2", "1e308*10", "1/imported"} {
		if got, ok := eval(t, text); got != 0 || ok {
			t.Errorf("%s = %v, %v, want 0, false", text, got, ok)
		}
	}
}

// TestErrors checks that mistakes are found when an expression is compiled, and where.
func TestErrors(t *testing.T) {
	for text, column := range map[string]int{
		"":                     0,
		"1 +":                  3,
		"0.5*pagerang":         5,
		"1 + len(pagerank)":    5,
		"1 and pagerank":       1,
		"pagerank ? 1 : 2":     1,
		"not pagerank":         5,
		`"a" + 1`:              1,
		"2 ** 3":               3,
		"q(1 + pagerank)":      1,
		"q(q(pagerank))":       1,
		"1 ?? 2":               3,
		"[1, 2]":               1,
		"pagerank.x":           10,
		"let x = 1; x":         5,
		"map(1..3, # * 2)":     1,
		"repeat(1, 1000000)":   1,
		"sqrt(1, 2)":           1,
		"min()":                1,
		"all([1], {# > 0})":    1,
		"1; 2":                 1,
		"1 | pagerank":         12,
		"pagerank matches 'a'": 10,
	} {
		_, err := Compile(text)
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", text, err)
		} else if wrong.Column != column {
			t.Errorf("%s: column %d, want %d: %v", text, wrong.Column, column, err)
		}
	}
	var wrong *Error
	if _, err := Compile("pagerang"); !errors.As(err, &wrong) || wrong.Name != "pagerang" || len(wrong.Known) != int(Terms) {
		t.Errorf("unknown term: %+v", wrong)
	}
	for _, text := range []string{strings.Repeat("(1+", 100) + "1" + strings.Repeat(")", 100), strings.Repeat("1+", 3000) + "1"} {
		if _, err := Compile(text); err == nil {
			t.Errorf("%.20s... compiles", text)
		}
	}
}

// TestWeighted checks a weighted mean of quantiles by hand: (0.5 * 0.5625 + 0.25 * 0.5)/0.75, and
// M22: the score is from 0 to 1.
func TestWeighted(t *testing.T) {
	if got, ok := eval(t, "(0.5*q(backlinks) + 0.25*(q(site_speed) ?? 0.5)) / 0.75"); !ok || math.Abs(got-(0.28125+0.125)/0.75) > 1e-15 {
		t.Errorf("the mean is %v", got)
	}
	if Clamp(-1) != 0 || Clamp(0.3) != 0.3 || Clamp(2) != 1 {
		t.Error("Clamp leaves something outside of 0 to 1")
	}
}

// TestParts checks that the summands add up to the result.
func TestParts(t *testing.T) {
	f, err := Compile("2*backlinks - (pagerank - 1) + 3")
	if err != nil {
		t.Fatal(err)
	}
	v := Values{Backlinks: 4, PageRank: 0.5}
	want := []float64{8, -0.5, 1, 3}
	for i, p := range f.Parts(&v, nil) {
		if p.Value != want[i] {
			t.Errorf("summand %d, %s, is %v", i, p.Text, p.Value)
		}
	}
}

func TestLn(t *testing.T) {
	for _, x := range []float64{1e-300, 0.1, 0.5, 0.7071, 1, 1.5, 2, math.E, 1000, 1e300} {
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 1e-15*math.Max(1, math.Abs(want)) {
			t.Errorf("ln(%v) = %v, want %v", x, got, want)
		}
	}
}

// FuzzCompile: no text makes the compiler panic, and what it accepts is evaluated without panic
// to a finite number.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"0.7*q(pagerank) + 0.3*(site_links > 10)", "imported ?? 1/depth", "a ? b : c", "min(1,2)", "not (1 < 2) or true"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fn, err := Compile(text)
		if err != nil {
			return
		}
		q := NewQuantiles(fn.Needs, Sample)
		defer q.Free()
		for _, v := range []Values{{}, {PageRank: 2, Backlinks: -1}, {Depth: math.NaN(), Import: math.NaN()}} {
			if x, _ := fn.Eval(&v, q); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s = %v", text, x)
			}
			fn.Parts(&v, q)
		}
	})
}

// BenchmarkEval is one evaluation, with three quantiles among 4000 pages and without.
func BenchmarkEval(b *testing.B) {
	for name, text := range map[string]string{
		"raw":       "0.5*pagerank + 0.3*backlinks + 0.2*(site_speed ?? 0.5) + 0.1*(site_links > 10)",
		"quantiles": "0.5*q(pagerank) + 0.3*q(backlinks) + 0.2*(q(site_speed) ?? 0.5) + 0.1*(site_links > 10)",
	} {
		b.Run(name, func(b *testing.B) {
			f, err := Compile(text)
			if err != nil {
				b.Fatal(err)
			}
			q := NewQuantiles(f.Needs, Sample)
			defer q.Free()
			for p := range graph.Page(4000) {
				q.Known(p, func(p graph.Page) uint64 { return uint64(p) })
			}
			for t := range Terms {
				q.Fit(t, func(p graph.Page) float64 { return float64(p) * 1.5 })
			}
			v, sum := Values{}, 0.0
			for i := 0; b.Loop(); i++ {
				v[PageRank], v[Backlinks], v[SiteSpeed] = float64(i*7919%6000), float64(i*104729%6000), float64(i%6000)
				x, _ := f.Eval(&v, q)
				sum += x
			}
		})
	}
}
