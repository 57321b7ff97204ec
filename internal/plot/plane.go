package plot

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// plane is the area of the lines in pixels and the axes that span it.
type plane struct {
	left, right, top, bottom float64
	x, y                     *axis
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

// line is the data of a path through places.
func line(places []point) string {
	var b strings.Builder
	for k, at := range places {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(k, 1)], at.x, at.y)
	}
	return b.String()
}

// area is the data of a path around a band: along its upper bound and back along
// the lower.
func (p *plane) area(low, high []point) string {
	var b strings.Builder
	b.WriteString(line(p.places(high)))
	back := p.places(low)
	for k := len(back) - 1; k >= 0; k-- {
		fmt.Fprintf(&b, "L%.1f %.1f", back[k].x, back[k].y)
	}
	b.WriteByte('Z')
	return b.String()
}

// whiskers is the data of a path with one upright from each lower to its upper
// bound.
func (p *plane) whiskers(low, high []point) string {
	var b strings.Builder
	for k := range low {
		fmt.Fprintf(&b, "M%.1f %.1fV%.1f", p.px(low[k].x), p.py(low[k].y), p.py(high[k].y))
	}
	return b.String()
}

// columns is the data of a path around a column for each point: nine tenths of
// the smallest distance of two neighbours wide, at least one pixel, at most forty,
// and cut at the sides of the plane.
func (p *plane) columns(ps []point) string {
	pixels := make([]point, len(ps))
	for k, v := range ps {
		pixels[k].x = p.px(v.x)
	}
	half := min(max(0.45*nearest(pixels), 0.5), 20)
	ground := p.py(p.y.ground())
	var b strings.Builder
	for k, v := range ps {
		from, to := max(p.left, pixels[k].x-half), min(p.right, pixels[k].x+half)
		fmt.Fprintf(&b, "M%.1f %.1fV%.1fH%.1fV%.1fZ", from, ground, p.py(v.y), to, ground)
	}
	return b.String()
}

// marks draws the vertical marks that lie on the plane, each label one line below
// the one before, on the side where there is room.
func (p *plane) marks(b *strings.Builder, c *Chart) {
	for k, m := range c.Marks {
		if math.IsNaN(m.X) || !p.x.holds(m.X) {
			continue
		}
		x, y := p.px(m.X), p.top+14+float64(k%4)*18
		fmt.Fprintf(b, `<path class="mark" stroke="#808890" stroke-dasharray="1 3" d="M%.1f %.1fV%.1f"/>`+"\n", x, p.top, p.bottom)
		if x < (p.left+p.right)/2 {
			b.WriteString(text("halo", x+5, y, "start", m.Label))
		} else {
			b.WriteString(text("halo", x-5, y, "end", m.Label))
		}
	}
}
