package plot

import (
	"fmt"
	"html"
	"strings"
)

// Measures of the SVG in pixels. The plane lies between the margins.
const (
	svgWidth, svgHeight = 760, 440
	marginLeft          = 70
	marginTop           = 44
	marginBottom        = 56
	legendWidth         = 190 // right margin when there is a legend
	marginRight         = 24  // and when not
)

// svgStyle is legible on light and dark ground: everything follows the scheme of
// the reader, and the greys and colours are of middle brightness in case a viewer
// does not know schemes.
const svgStyle = `<style>
text{font:13px system-ui,sans-serif;fill:#6e7781}
.title{font-size:16px;font-weight:600}
.axis{stroke:#808890;fill:none}
.grid{stroke:#808890;stroke-opacity:.22;fill:none}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round}
@media (prefers-color-scheme:dark){text{fill:#b6c0cc}}
</style>
`

// svgColours returns the colours, used in turn. After each round the lines get other dashes, so
// that twenty-four series can be distinguished.
func svgColours() []string {
	return []string{"#2f81d6", "#e0701a", "#1f9d6b", "#c4559a", "#c79a00", "#7a68d8", "#d04848", "#7f8a94"}
}

func svgDashes() []string { return []string{"", "7 4", "2 4"} }

// SVG draws a chart as a self-contained picture: no script, no fonts, nothing to
// load. Lines with more points than are visible are thinned.
func SVG(c Chart) string {
	c = c.plain()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n",
		svgWidth, svgHeight)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(c.Title))
	b.WriteString(svgStyle)
	all, x, y, ok := c.clouds(true)
	p := c.plane(&x, &y)
	b.WriteString(text("title", p.left, 26, "start", c.Title))
	if !ok {
		b.WriteString(text("", p.left, marginTop+20, "start", "nothing to draw"))
	} else {
		p.axes(&b, &c)
		p.all(&b, &c, all)
		p.legend(&b, &c)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// all draws marks and bands, above them the baselines, above these the lines.
func (p *plane) all(b *strings.Builder, c *Chart, all [][]point) {
	p.marks(b, c)
	looks := c.looks()
	for i, s := range c.Series {
		if low, high := c.band(s); len(low) > 0 && !c.Points {
			fmt.Fprintf(b, `<path%s d="%s"/>`+"\n", looks[i].fill(0.16), p.area(low, high))
		}
	}
	for _, baseline := range []bool{true, false} {
		for i, ps := range all {
			if looks[i].baseline == baseline {
				p.series(b, c, looks[i], ps, c.Series[i])
			}
		}
	}
}

func (c *Chart) plane(x, y *axis) plane {
	right := svgWidth - marginRight
	for _, s := range c.Series {
		if s.Name != "" {
			right = svgWidth - legendWidth
		}
	}
	return plane{marginLeft, float64(right), marginTop, svgHeight - marginBottom, x, y}
}

// axes draws the grid, the numbers at it, both axes and their labels.
func (p *plane) axes(b *strings.Builder, c *Chart) {
	for _, v := range p.x.ticks {
		rule(b, "grid", p.px(v), p.top, p.px(v), p.bottom)
		b.WriteString(text("", p.px(v), p.bottom+18, "middle", Number(v)))
	}
	for _, v := range p.y.ticks {
		rule(b, "grid", p.left, p.py(v), p.right, p.py(v))
		b.WriteString(text("", p.left-8, p.py(v)+4, "end", Number(v)))
	}
	rule(b, "axis", p.left, p.bottom, p.right, p.bottom)
	rule(b, "axis", p.left, p.top, p.left, p.bottom)
	b.WriteString(text("", (p.left+p.right)/2, p.bottom+42, "middle", c.XLabel))
	if c.YLabel != "" {
		fmt.Fprintf(b, `<text transform="translate(18 %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
			(p.top+p.bottom)/2, html.EscapeString(c.YLabel))
	}
}

// stroke returns the attributes of a line, fill those of an area.
func (l look) stroke() string {
	if l.baseline {
		return ` stroke="#808890" style="stroke-width:1.3" stroke-dasharray="` + baselineDash(l.n) + `"`
	}
	colours, dashes := svgColours(), svgDashes()
	attributes := ` stroke="` + colours[l.n%len(colours)] + `"`
	if d := dashes[l.n/len(colours)%len(dashes)]; d != "" {
		attributes += ` stroke-dasharray="` + d + `"`
	}
	return attributes
}

func (l look) fill(opacity float64) string {
	colour := "#808890"
	if !l.baseline {
		colour = svgColours()[l.n%len(svgColours())]
	}
	if opacity == 1 {
		return ` fill="` + colour + `"`
	}
	return fmt.Sprintf(` fill="%s" fill-opacity="%g"`, colour, opacity)
}

// baselineDash returns the dashes of baseline n, which has no colour.
func baselineDash(n int) string {
	return []string{"7 4", "2 3", "10 3 2 3", "5 5", "1 4", "14 3 2 3 2 3", "4 2 1 2", "18 6"}[n%8]
}

// series draws one line or one cloud of points.
func (p *plane) series(b *strings.Builder, c *Chart, l look, ps []point, s Series) {
	places := p.places(ps)
	if c.Points {
		if whiskers := p.whiskers(c.band(s)); whiskers != "" {
			fmt.Fprintf(b, `<path fill="none"%s d="%s"/>`+"\n", l.stroke(), whiskers)
		}
	}
	switch {
	case c.Points || len(places) == 1:
		fmt.Fprintf(b, `<g%s>`+"\n", l.fill(1))
		for _, at := range places {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.6"/>`+"\n", at.x, at.y)
		}
		b.WriteString("</g>\n")
	case len(places) > 0:
		fmt.Fprintf(b, `<path class="line"%s d="%s"/>`+"\n", l.stroke(), line(places))
	}
}

// legend writes the names of the series next to the plane.
func (p *plane) legend(b *strings.Builder, c *Chart) {
	y, looks := p.top+8, c.looks()
	for i, s := range c.Series {
		if s.Name == "" {
			continue
		}
		fmt.Fprintf(b, `<path class="line"%s d="M%.1f %.1fh22"/>`+"\n", looks[i].stroke(), p.right+14, y)
		b.WriteString(text("", p.right+42, y+4, "start", s.Name))
		y += 20
	}
}
