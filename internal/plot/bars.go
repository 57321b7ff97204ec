package plot

import (
	"cmp"
	"math"
	"strings"
)

// A Bar is one row of a bar chart.
type Bar struct {
	Label string
	Value float64
	Note  string // written behind the bar instead of the value
	// Of pictures only: an interval around the value, if High is above Low, and the kind of
	// the bar, which decides its colour.
	Low, High float64
	Kind      int
}

// BarChart is the input of Bars. The zero value of every option is useful.
type BarChart struct {
	Title string
	Bars  []Bar
	Width int // length of the longest bar in characters; 40 when zero
	ASCII bool
}

// Bars draws one line per bar: label, bar, value. The longest bar fills the width;
// a value that is not positive has none.
func Bars(c BarChart) string {
	lengths, labels := c.Lengths(), 0
	for _, b := range c.Bars {
		labels = max(labels, runes(Plain(b.Label, false)))
	}
	var out strings.Builder
	out.WriteString(heading(Plain(c.Title, false)))
	width := float64(orDefault(c.Width, 40))
	for i, b := range c.Bars {
		label, note := padRight(Plain(b.Label, false), labels), Plain(b.Shown(), false)
		out.WriteString(label + " " + strings.TrimLeft(c.block(lengths[i]*width)+" "+note, " ") + "\n")
	}
	return out.String()
}

// Shown returns the text behind a bar: its note, or else its value.
func (b Bar) Shown() string { return cmp.Or(b.Note, Number(b.Value)) }

// Lengths returns the length of every bar as a share of the longest.
func (c *BarChart) Lengths() []float64 {
	longest := 0.0
	for _, b := range c.Bars {
		longest = max(longest, length(b.Value))
	}
	out := make([]float64, len(c.Bars))
	for i, b := range c.Bars {
		if longest > 0 {
			out[i] = length(b.Value) / longest
		}
	}
	return out
}

// length returns the length of a bar, which is its value if that can be drawn.
func length(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
		return 0
	}
	return v
}

// block returns a bar of a length in characters: in eighths, or in ASCII rounded to
// whole ones. A bar is never shorter than its smallest piece.
func (c *BarChart) block(length float64) string {
	if length <= 0 {
		return ""
	}
	if c.ASCII {
		return strings.Repeat("#", max(1, int(math.Round(length))))
	}
	eighths := max(1, int(math.Round(length*8)))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

// Sparkline draws values as one line of text, from the smallest to the largest of
// them. More values than width (when that is positive) are averaged in groups. A
// value that is not a number is a space.
func Sparkline(values []float64, width int, ascii bool) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		levels = []rune("_.-:=+*#")
	}
	if width > 0 && len(values) > width {
		values = averages(values, width)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if drawable(v, false) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = ' '
		if drawable(v, false) {
			line[i] = levels[level(v, lo, hi, len(levels))]
		}
	}
	return string(line)
}

// level returns which of n levels v has between lo and hi; the lowest if all are equal.
func level(v, lo, hi float64, n int) int {
	if lo == hi {
		return 0
	}
	return min(n-1, int((v-lo)/(hi-lo)*float64(n)))
}

// averages returns the means of n groups of consecutive values, as equal as possible.
func averages(values []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		group := values[i*len(values)/n : (i+1)*len(values)/n]
		sum := 0.0
		for _, v := range group {
			sum += v
		}
		out[i] = sum / float64(len(group))
	}
	return out
}
