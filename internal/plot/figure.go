package plot

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Measures of a figure in its own units. It is as wide as the page has room, so
// that on a telephone a unit is about half a pixel and the style makes the letters
// larger: the margins leave room for digits of letterWidth.
const (
	figureWidth, figureHeight = 640, 420
	figureTop, figureBottom   = 34, 54 // margins; the label of the y axis is in the upper
	figureRight               = 28     // half of the last number
	letterWidth               = 10.6
)

// figureColours is the number of colours of the style; FigureStyle defines each for light
// and dark ground.
const figureColours = 10

// FigureStyle returns the style sheet of figures and swatches. It takes the colours
// of words and ground from the page: --muted and --ground.
func FigureStyle() string {
	return `.plot{display:block;width:100%;height:auto}
.plot text{font:12px system-ui,sans-serif;fill:var(--muted)}
.plot .axis,.plot .grid,.plot .mark{stroke:var(--muted);fill:none;vector-effect:non-scaling-stroke}
.plot .grid{stroke-opacity:.18}
.plot .halo{paint-order:stroke;stroke:var(--ground);stroke-width:4px}
.s .line{fill:none;stroke:currentColor;stroke-width:2px;stroke-linejoin:round;vector-effect:non-scaling-stroke}
.s .area{fill:currentColor;fill-opacity:.16}
.s .dots{fill:currentColor;stroke:currentColor;stroke-width:1.4px}
.s .lead{fill:none;stroke:currentColor;stroke-opacity:.5;vector-effect:non-scaling-stroke}
.plot .label{fill:currentColor}
.s.base{color:var(--base)}
.s.base .line{stroke-width:1.3px}
@media (max-width:600px){.plot text{font-size:19px}.s .line{stroke-width:1.5px}}
` + figurePalette()
}

func figurePalette() string {
	light := []string{"#1f6fc4", "#c24a06", "#12855a", "#b5379b", "#8a6500", "#6a4fd0", "#c92a2a", "#0a7d8e", "#7a4f2b", "#5d7f00"}
	dark := []string{"#62adf6", "#ff9454", "#45c892", "#e883d3", "#e2b62a", "#a894ff", "#ff7676", "#41c9de", "#cfa883", "#abce42"}
	var b strings.Builder
	for n, colour := range light {
		fmt.Fprintf(&b, ".c%d{color:%s}\n", n, colour)
	}
	b.WriteString(":root{--base:#6b747d}\n@media (prefers-color-scheme:dark){\n:root{--base:#9aa4ae}\n")
	for n, colour := range dark {
		fmt.Fprintf(&b, ".c%d{color:%s}\n", n, colour)
	}
	b.WriteString("}\n")
	return b.String()
}

// Figure draws a chart for a page of HTML that includes FigureStyle: without title
// and legend, as wide as its place. All that belongs to series i has the class
// s<i>, so that the page can hide it or set it off.
func Figure(c Chart) string {
	c = c.plain()
	all, x, y, ok := c.clouds(true)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n",
		figureWidth, figureHeight, html.EscapeString(c.spoken()))
	if !ok {
		b.WriteString(text("", figureWidth/2, figureHeight/2, "middle", "nothing to draw"))
	} else {
		p := figurePlane(&x, &y)
		p.right -= c.labelRoom()
		p.figureAxes(&b, &c)
		p.figureSeries(&b, &c, all)
		p.marks(&b, &c)
		p.labels(&b, &c, all)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// spoken describes the chart in words, for those who do not see it.
func (c *Chart) spoken() string {
	words := "chart"
	if c.YLabel != "" && c.XLabel != "" {
		words = c.YLabel + " by " + c.XLabel
	}
	if c.Title != "" {
		words = c.Title + ": " + words
	}
	var names []string
	for _, s := range c.Series {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		words += " (" + strings.Join(names, ", ") + ")"
	}
	return words
}

// figurePlane leaves room at the left for the longest number.
func figurePlane(x, y *axis) plane {
	longest := 1
	for _, v := range y.ticks {
		longest = max(longest, len(Number(v)))
	}
	left := 10 + math.Ceil(letterWidth*float64(longest))
	return plane{left, figureWidth - figureRight, figureTop, figureHeight - figureBottom, x, y}
}

// figureAxes draws the grid, as many numbers as have room, and the labels: that of
// the y axis level, above it.
func (p *plane) figureAxes(b *strings.Builder, c *Chart) {
	free := 0.0
	for _, v := range p.x.ticks {
		x, number := p.px(v), Number(v)
		half := letterWidth * float64(len(number)) / 2
		rule(b, "grid", x, p.top, x, p.bottom)
		if x-half >= free {
			b.WriteString(text("", x, p.bottom+20, "middle", number))
			free = x + half + letterWidth
		}
	}
	free = math.Inf(1)
	for _, v := range p.y.ticks {
		y := p.py(v)
		rule(b, "grid", p.left, y, p.right, y)
		if y <= free {
			b.WriteString(text("", p.left-7, y+5, "end", Number(v)))
			free = y - 20
		}
	}
	rule(b, "axis", p.left, p.bottom, p.right, p.bottom)
	rule(b, "axis", p.left, p.top, p.left, p.bottom)
	b.WriteString(text("", (p.left+p.right)/2, p.bottom+46, "middle", c.XLabel))
	b.WriteString(text("", 2, 16, "start", c.YLabel))
}

// figureSeries draws the bands, above them the baselines, above these the lines.
func (p *plane) figureSeries(b *strings.Builder, c *Chart, all [][]point) {
	looks := c.looks()
	for i, s := range c.Series {
		if low, high := c.band(s); len(low) > 0 && !c.Points {
			fmt.Fprintf(b, `<g class="%s s%d"><path class="area" d="%s"/></g>`+"\n", looks[i].class(), i, p.area(low, high))
		}
	}
	for _, baseline := range []bool{true, false} {
		for i, s := range c.Series {
			if looks[i].baseline != baseline {
				continue
			}
			fmt.Fprintf(b, `<g class="%s s%d"><title>%s</title>`, looks[i].class(), i, html.EscapeString(s.Name))
			p.figureLine(b, c, looks[i], all[i], s)
			b.WriteString("</g>\n")
		}
	}
}

// figureLine draws one series: points, or a line with signs on it.
func (p *plane) figureLine(b *strings.Builder, c *Chart, l look, ps []point, s Series) {
	places := p.places(ps)
	switch {
	case c.Points || len(places) == 1:
		shape(b, "dots", "", l.dots(places, 2.4))
	case len(places) > 0:
		shape(b, "line", l.dash(), line(places))
		if !l.baseline {
			shape(b, "dots", "", l.dots(p.stations(p.pixels(ps), l.n), 3.4))
		}
	}
	if c.Points {
		shape(b, "line", "", p.whiskers(c.band(s)))
	}
}

func shape(b *strings.Builder, class, attributes, data string) {
	if data != "" {
		fmt.Fprintf(b, `<path class="%s"%s d="%s"/>`, class, attributes, data)
	}
}

// class returns the colour of a look.
func (l look) class() string {
	if l.baseline {
		return "s base"
	}
	return fmt.Sprintf("s c%d", l.n%figureColours)
}

// dash differs between baselines, and between lines that meet in a chart.
func (l look) dash() string {
	pattern := []string{"", "9 3", "3 3", "9 3 3 3", "16 4", "6 2 2 2 2 2", "1.5 3"}[l.n%7]
	if l.baseline {
		pattern = baselineDash(l.n)
	}
	if pattern == "" {
		return ""
	}
	return ` stroke-dasharray="` + pattern + `"`
}

// fewPoints is the number of points up to which each has a sign.
const fewPoints = 24

// pixels turns points into pixels.
func (p *plane) pixels(ps []point) []point {
	out := make([]point, len(ps))
	for i, v := range ps {
		out[i] = point{p.px(v.x), p.py(v.y)}
	}
	return out
}

// stations returns the points at which line number n has its sign: all if they are few,
// else seven along the plane. Those are shifted against the signs of other lines by the golden
// ratio, so that lines that run together can be told apart.
func (p *plane) stations(places []point, n int) []point {
	if len(places) <= fewPoints {
		return places
	}
	const count = 7
	_, shift := math.Modf(0.5 + float64(float64(n)*0.6180339887))
	var out []point
	for k := range count {
		x := p.left + float64((float64(k)+shift)/count*(p.right-p.left))
		best := places[0]
		for _, at := range places {
			if math.Abs(at.x-x) < math.Abs(best.x-x) {
				best = at
			}
		}
		if near := (p.right - p.left) / (2 * count); math.Abs(best.x-x) <= near && (len(out) == 0 || out[len(out)-1] != best) {
			out = append(out, best)
		}
	}
	return out
}

// dots returns the data of a path with the sign of a look, about 2r wide, at every
// place. Eight signs against ten colours: no pair returns before the fortieth.
func (l look) dots(places []point, r float64) string {
	signs := []string{
		"m%[2]g 0a%[1]g %[1]g 0 1 0 %[3]g 0a%[1]g %[1]g 0 1 0 %[4]g 0", // disc: two half circles
		"m%[2]g %[2]gh%[3]gv%[3]gh%[4]gz",                              // square
		"m0 %[2]gl%[1]g %[3]gh%[4]gz",                                  // triangle
		"m0 %[2]gl%[1]g %[1]gl%[2]g %[1]gl%[2]g %[2]gz",                // diamond
		"m%[2]g 0h%[3]gm%[2]g %[2]gv%[3]g",                             // plus
		"m0 %[1]gl%[1]g %[4]gh%[4]gz",                                  // triangle on its tip
		"m%[2]g %[2]gl%[3]g %[3]gm0 %[4]gl%[4]g %[3]g",                 // cross
		"m%[2]g %[2]gh%[3]gl%[4]g %[3]gh%[3]gz",                        // hourglass
	}
	sign := fmt.Sprintf(signs[l.n%len(signs)], r, -r, 2*r, -2*r)
	var b strings.Builder
	for _, at := range places {
		fmt.Fprintf(&b, "M%.1f %.1f%s", at.x, at.y, sign)
	}
	return b.String()
}

// Swatch draws a short piece of series i of a chart, for a legend on a page with
// FigureStyle.
func Swatch(c Chart, i int) string {
	l := c.looks()[i]
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="swatch" viewBox="0 0 36 14" width="36" height="14" aria-hidden="true"><g class="%s">`, l.class())
	middle := []point{{18, 7}}
	if !c.Points {
		shape(&b, "line", l.dash(), "M1 7H35")
	}
	if c.Points || !l.baseline {
		shape(&b, "dots", "", l.dots(middle, 3.4))
	}
	b.WriteString("</g></svg>")
	return b.String()
}
