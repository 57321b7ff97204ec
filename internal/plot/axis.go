package plot

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An axis is a range of values with the numbers written at it.
type axis struct {
	lo, hi float64
	log    bool
	ticks  []float64
}

// newAxis returns the smallest axis with round ends that holds lo to hi.
func newAxis(lo, hi float64, log bool) axis {
	if log {
		return logAxis(lo, hi)
	}
	if hi-lo <= max(tiny, 1e-9*max(math.Abs(lo), math.Abs(hi))) { // as good as one value: show it against zero
		lo, hi = min(lo, 0), max(hi, 0)
		if hi-lo <= tiny {
			hi = lo + 1
		}
	}
	step := niceStep((hi - lo) / 5)
	first, last := math.Floor(lo/step), math.Ceil(hi/step)
	a := axis{lo: first * step, hi: last * step}
	for k := first; k <= last; k++ {
		a.ticks = append(a.ticks, k*step)
	}
	return a
}

// tighten ends the axis at hi, unless all values are as good as one.
func (a *axis) tighten(lo, hi float64) {
	if hi-lo <= tiny || hi-lo <= 1e-9*max(math.Abs(lo), math.Abs(hi)) {
		return
	}
	a.hi = hi
	a.ticks = slices.DeleteFunc(a.ticks, func(v float64) bool { return v > hi })
}

// niceStep returns the smallest of 1, 2, 5 times a power of ten that is not below x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-12) {
			return m * power
		}
	}
	return 10 * power
}

// logAxis returns an axis with its ends and, over less than two decades, its ticks at 1, 2, 5 times
// a power of ten; over more the ticks are the powers alone.
func logAxis(lo, hi float64) axis {
	all := roundNumbers(lo, hi)
	a := axis{lo: all[0], hi: all[len(all)-1], log: true, ticks: all}
	if a.hi < 100*a.lo {
		return a
	}
	a.ticks = nil
	for _, v := range all {
		if e := math.Log10(v); math.Abs(e-math.Round(e)) < 1e-9 {
			a.ticks = append(a.ticks, v)
		}
	}
	return a
}

// roundNumbers returns 1, 2, 5 times powers of ten from the last one not above lo to
// the first one not below hi, at least two of them.
func roundNumbers(lo, hi float64) []float64 {
	var all []float64
	for e := math.Floor(math.Log10(lo)) - 1; ; e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			if v <= lo*(1+1e-12) {
				all = all[:0] // a later start is not above lo either
			}
			all = append(all, v)
			if v >= hi*(1-1e-12) && len(all) > 1 {
				return all
			}
		}
	}
}

// at returns the place of v on the axis: 0 at its beginning, 1 at its end.
func (a *axis) at(v float64) float64 {
	if a.log {
		return (math.Log(v) - math.Log(a.lo)) / (math.Log(a.hi) - math.Log(a.lo))
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// holds reports whether v lies between the ends of the axis.
func (a *axis) holds(v float64) bool { return v >= a.lo && v <= a.hi }

// Number writes a number briefly, with about three digits: 0.25, 1234, 12.3k, 5M,
// 2e-07.
func Number(v float64) string {
	abs := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) || abs != 0 && (abs < 1e-4 || abs >= 1e15):
		return strconv.FormatFloat(v, 'g', 3, 64)
	case abs < 1e4-0.5:
		return short(v)
	}
	suffix := ""
	for _, suffix = range []string{"k", "M", "G", "T"} {
		if v /= 1000; math.Abs(v) < 999.5 {
			break
		}
	}
	return short(v) + suffix
}

// short writes three digits, or all those before the point.
func short(v float64) string {
	decimals := 3
	for x := math.Abs(v); x >= 1 && decimals > 0; x /= 10 {
		decimals--
	}
	if a := math.Abs(v); a > 0 && a < 0.1 {
		decimals = 6
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// plane is the area of the lines in pixels and the axes that span it.
type plane struct {
	left, right, top, bottom float64
	x, y                     *axis
}

// px and py return the position of a value in pixels.
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

// line returns the data of a path through places.
func line(places []point) string {
	var b strings.Builder
	for k, at := range places {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(k, 1)], at.x, at.y)
	}
	return b.String()
}

// area returns the data of a path around a band: along its upper bound and back along
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

// whiskers returns the data of a path with one upright from each lower to its upper
// bound.
func (p *plane) whiskers(low, high []point) string {
	var b strings.Builder
	for k := range low {
		fmt.Fprintf(&b, "M%.1f %.1fV%.1f", p.px(low[k].x), p.py(low[k].y), p.py(high[k].y))
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
