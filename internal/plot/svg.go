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

// svgColours are taken in turn; after each round the lines get other dashes, so
// that twenty-four series can be told apart.
func svgColours() []string {
	return []string{"#2f81d6", "#e0701a", "#1f9d6b", "#c4559a", "#c79a00", "#7a68d8", "#d04848", "#7f8a94"}
}

func svgDashes() []string { return []string{"", "7 4", "2 4"} }

// SVG draws a chart as a self-contained picture: no script, no fonts, nothing to
// load. Lines with more points than can be told apart are thinned.
func SVG(c Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n",
		svgWidth, svgHeight)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(c.Title))
	b.WriteString(svgStyle)
	all, x, y, ok := c.clouds()
	p := c.plane(&x, &y)
	b.WriteString(text("title", p.left, 26, "start", c.Title))
	if !ok {
		b.WriteString(text("", p.left, marginTop+20, "start", "nothing to draw"))
	} else {
		p.axes(&b, &c)
		for i, ps := range all {
			p.series(&b, i, ps, c.Points)
		}
		p.legend(&b, &c)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// plane is the area of the lines and the axes that span it.
type plane struct {
	left, right, top, bottom float64
	x, y                     *axis
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

// px and py are the place of a value in pixels.
func (p *plane) px(v float64) float64 { return p.left + float64(p.x.at(v)*(p.right-p.left)) }
func (p *plane) py(v float64) float64 { return p.bottom - float64(p.y.at(v)*(p.bottom-p.top)) }

func text(class string, x, y float64, anchor, s string) string {
	if s == "" {
		return ""
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	return fmt.Sprintf(`<text%s x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n",
		class, x, y, anchor, html.EscapeString(s))
}

func rule(b *strings.Builder, class string, x0, y0, x1, y1 float64) {
	fmt.Fprintf(b, `<path class="%s" d="M%.1f %.1fL%.1f %.1f"/>`+"\n", class, x0, y0, x1, y1)
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

// look is how series number i is drawn.
func look(i int) (colour, dash string) {
	colours, dashes := svgColours(), svgDashes()
	if d := dashes[i/len(colours)%len(dashes)]; d != "" {
		dash = ` stroke-dasharray="` + d + `"`
	}
	return colours[i%len(colours)], dash
}

// series draws one line, or one cloud of points.
func (p *plane) series(b *strings.Builder, i int, ps []point, pointsOnly bool) {
	colour, dash := look(i)
	places := p.places(ps)
	if pointsOnly || len(places) == 1 {
		fmt.Fprintf(b, `<g fill="%s">`+"\n", colour)
		for _, at := range places {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.6"/>`+"\n", at.x, at.y)
		}
		b.WriteString("</g>\n")
		return
	}
	fmt.Fprintf(b, `<path class="line" stroke="%s"%s d="`, colour, dash)
	for k, at := range places {
		fmt.Fprintf(b, "%c%.1f %.1f", "ML"[min(k, 1)], at.x, at.y)
	}
	b.WriteString(`"/>` + "\n")
}

// places turns points into pixels and leaves out those within half a pixel of the
// last one kept, except the very last.
func (p *plane) places(ps []point) []point {
	var out []point
	for k, v := range ps {
		at := point{p.px(v.x), p.py(v.y)}
		if n := len(out); n > 0 && k < len(ps)-1 {
			dx, dy := at.x-out[n-1].x, at.y-out[n-1].y
			if max(dx, -dx, dy, -dy) < 0.5 {
				continue
			}
		}
		out = append(out, at)
	}
	return out
}

// legend names the series beside the plane.
func (p *plane) legend(b *strings.Builder, c *Chart) {
	y := p.top + 8
	for i, s := range c.Series {
		if s.Name == "" {
			continue
		}
		colour, dash := look(i)
		fmt.Fprintf(b, `<path class="line" stroke="%s"%s d="M%.1f %.1fh22"/>`+"\n", colour, dash, p.right+14, y)
		b.WriteString(text("", p.right+42, y+4, "start", s.Name))
		y += 20
	}
}
