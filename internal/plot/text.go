package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Curve draws the series of a chart as lines (or points) over two axes with a
// legend below.
func Curve(c Chart) string {
	c = c.plain()
	all, x, y, ok := c.clouds(false)
	if !ok {
		return heading(c.Title) + "(nothing to draw)\n"
	}
	g := newGrid(orDefault(c.Width, 64), orDefault(c.Height, 16))
	g.marks(&c, &x)
	signs := c.signs()
	for _, baseline := range []bool{true, false} {
		for i := len(all) - 1; i >= 0; i-- { // the first is seen where two meet
			if c.Series[i].Baseline == baseline {
				g.draw(all[i], &x, &y, signs[i], &c)
			}
		}
	}
	return heading(c.Title) + c.frame(g, &x, &y) + c.legend(signs, &x)
}

// LogLog draws points over two logarithmic axes: the form for distributions.
func LogLog(c Chart) string {
	c.LogX, c.LogY, c.Points = true, true, true
	return Curve(c)
}

func orDefault(v, otherwise int) int {
	if v <= 0 {
		return otherwise
	}
	return v
}

func heading(title string) string {
	if title == "" {
		return ""
	}
	return title + "\n"
}

// signs returns the sign of each series. Those of baselines are slight.
func (c *Chart) signs() []rune {
	lines, baselines := []rune("•+ox#@%&=$ZNVHKWTAYC"), []rune("·-~'")
	if c.ASCII {
		lines[0], baselines[0] = '*', '.'
	}
	out := make([]rune, len(c.Series))
	for i, l := range c.looks() {
		if l.baseline {
			out[i] = baselines[l.n%len(baselines)]
		} else {
			out[i] = lines[l.n%len(lines)]
		}
	}
	return out
}

// A grid is the plane as characters, row 0 at the top.
type grid struct {
	width, height int
	cell          [][]rune
}

func newGrid(width, height int) *grid {
	g := &grid{width: width, height: height}
	for range height {
		g.cell = append(g.cell, slices.Repeat([]rune{' '}, width))
	}
	return g
}

// column and row convert a position on an axis to a cell.
func (g *grid) column(place float64) int { return int(math.Round(place * float64(g.width-1))) }
func (g *grid) row(place float64) int {
	return g.height - 1 - int(math.Round(place*float64(g.height-1)))
}

// marks draws the vertical marks of a chart.
func (g *grid) marks(c *Chart, x *axis) {
	for _, m := range c.Marks {
		if x.holds(m.X) {
			for r := range g.height {
				g.cell[r][g.column(x.at(m.X))] = c.markSign()
			}
		}
	}
}

func (c *Chart) markSign() rune {
	if c.ASCII {
		return '|'
	}
	return '┊'
}

// draw marks the cells of the points, and those of the straight lines between
// consecutive ones.
func (g *grid) draw(ps []point, x, y *axis, mark rune, c *Chart) {
	for i, p := range ps {
		px, py := x.at(p.x), y.at(p.y)
		g.cell[g.row(py)][g.column(px)] = mark
		if i > 0 && !c.Points {
			g.line(x.at(ps[i-1].x), y.at(ps[i-1].y), px, py, mark)
		}
	}
}

// line marks one cell for every column or row it passes, whichever are more.
func (g *grid) line(x0, y0, x1, y1 float64, mark rune) {
	across := math.Abs(x1-x0) * float64(g.width-1)
	up := math.Abs(y1-y0) * float64(g.height-1)
	steps := math.Ceil(max(across, up))
	for k := 1.0; k < steps; k++ {
		t := k / steps
		px, py := x0+float64(t*(x1-x0)), y0+float64(t*(y1-y0))
		g.cell[g.row(py)][g.column(px)] = mark
	}
}

// frame puts the axes with their numbers and labels around the plane.
func (c *Chart) frame(g *grid, x, y *axis) string {
	labels, margin := make([]string, g.height), 0
	for _, v := range y.ticks {
		labels[g.row(y.at(v))] = Number(v)
		margin = max(margin, len(Number(v)))
	}
	wall, tick := "│", "┤"
	if c.ASCII {
		wall, tick = "|", "+"
	}
	var b strings.Builder
	if c.YLabel != "" {
		b.WriteString(c.YLabel + "\n")
	}
	for r, label := range labels {
		side := wall
		if label != "" {
			side = tick
		}
		line := padLeft(label, margin) + " " + side + string(g.cell[r])
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString(c.floor(g, x, margin+1))
	return b.String()
}

// floor returns the x axis: a rule with ticks, their numbers, the label.
func (c *Chart) floor(g *grid, x *axis, margin int) string {
	corner, rule, tick := '└', '─', '┬'
	if c.ASCII {
		corner, rule, tick = '+', '-', '+'
	}
	line := slices.Repeat([]rune{rule}, g.width)
	numbers := slices.Repeat([]rune{' '}, margin+1+g.width+12)
	free := 0 // first column of numbers that may be written to
	for _, v := range x.ticks {
		col := g.column(x.at(v))
		line[col] = tick
		text := []rune(Number(v))
		if at := max(0, margin+1+col-len(text)/2); at >= free {
			copy(numbers[at:], text)
			free = at + len(text) + 1
		}
	}
	indent := strings.Repeat(" ", margin)
	out := indent + string(corner) + string(line) + "\n" +
		strings.TrimRight(string(numbers), " ") + "\n"
	if c.XLabel != "" {
		out += centre(c.XLabel, margin+1, g.width) + "\n"
	}
	return out
}

// legend names the series and the marks, as many on a line as fit.
func (c *Chart) legend(signs []rune, x *axis) string {
	var items []string
	for i, s := range c.Series {
		if s.Name != "" {
			items = append(items, string(signs[i])+" "+s.Name)
		}
	}
	for _, m := range c.Marks {
		if !x.holds(m.X) {
			continue
		}
		items = append(items, strings.TrimRight(string(c.markSign())+" "+Number(m.X)+" "+m.Label, " "))
	}
	out, line := "", ""
	for _, item := range items {
		if line != "" && runes(line)+3+runes(item) > orDefault(c.Width, 64) {
			out, line = out+"  "+line+"\n", ""
		}
		if line != "" {
			line += "   "
		}
		line += item
	}
	if line != "" {
		out += "  " + line + "\n"
	}
	return out
}

func runes(s string) int { return utf8.RuneCountInString(s) }

func padLeft(s string, width int) string { return strings.Repeat(" ", max(0, width-runes(s))) + s }

func padRight(s string, width int) string { return s + strings.Repeat(" ", max(0, width-runes(s))) }

func centre(s string, margin, width int) string {
	return strings.Repeat(" ", margin+max(0, (width-runes(s))/2)) + s
}

// Plain returns s on one line of printable characters: every white space is a space,
// and what a terminal might obey or a reader might not see (control characters,
// bytes that are no UTF-8, marks that turn the direction of writing) is an escape
// as in Go strings. With ascii so is everything beyond the 95.
func Plain(s string, ascii bool) string {
	var b strings.Builder
	for i, width := 0, 0; i < len(s); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case !unicode.IsPrint(r) || ascii && r > '~':
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain returns the chart with all its words made plain. They keep their letters also
// in an ASCII chart: who needs them in ASCII too makes them so.
func (c Chart) plain() Chart {
	c.Title, c.XLabel, c.YLabel = Plain(c.Title, false), Plain(c.XLabel, false), Plain(c.YLabel, false)
	c.Series, c.Marks = slices.Clone(c.Series), slices.Clone(c.Marks)
	for i := range c.Series {
		c.Series[i].Name = Plain(c.Series[i].Name, false)
	}
	for i := range c.Marks {
		c.Marks[i].Label = Plain(c.Marks[i].Label, false)
	}
	return c
}
