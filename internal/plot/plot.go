// Package plot draws charts: as plain text for terminals and golden files, and as
// SVG for the README and reports. Every function is pure: the same chart is the
// same string, so that a change of a curve shows as a picture in a diff.
//
// There are four text forms. [Curve] draws lines over two axes, [LogLog] points
// over two logarithmic ones (degree distributions), [Bars] a list of bars with
// their values, [Sparkline] one line of text. [SVG] draws the same [Chart] as
// Curve or LogLog.
//
// No colours, no cursor movement. The text forms use box and block characters;
// with ASCII set they use nothing beyond the 95 printable characters.
package plot

import "math"

// A Series is one line or cloud of points. X and Y have equal length; a point
// with a coordinate that is not a number, beyond 1e300, or below 1e-300 on a
// logarithmic axis is left out.
type Series struct {
	Name string // for the legend; none when empty
	X, Y []float64
}

// A Chart is what Curve, LogLog and SVG draw.
type Chart struct {
	Title  string
	XLabel string
	YLabel string
	Series []Series // where two meet in a text, the first is seen

	LogX, LogY bool // logarithmic axes
	Points     bool // points only, no lines between them

	// Of the text forms only: size of the plane in characters (64 by 16 when
	// zero) and plain ASCII.
	Width, Height int
	ASCII         bool
}

// point is a point of a series that can be drawn, in units of its axes.
type point struct{ x, y float64 }

// points is the drawable points of a series.
func (c *Chart) points(s Series) []point {
	var ps []point
	for i := range min(len(s.X), len(s.Y)) {
		if drawable(s.X[i], c.LogX) && drawable(s.Y[i], c.LogY) {
			ps = append(ps, point{s.X[i], s.Y[i]})
		}
	}
	return ps
}

// Values outside these are not drawn: differences and quotients of the others
// neither overflow nor vanish.
const (
	huge = 1e300
	tiny = 1e-300
)

func drawable(v float64, log bool) bool {
	return math.Abs(v) <= huge && (!log || v >= tiny)
}

// clouds is the drawable points of every series with the axes that hold them all;
// ok is false when there is nothing to draw.
func (c *Chart) clouds() (all [][]point, x, y axis, ok bool) {
	inf := math.Inf(1)
	lo, hi := point{inf, inf}, point{-inf, -inf}
	for _, s := range c.Series {
		ps := c.points(s)
		for _, p := range ps {
			lo = point{min(lo.x, p.x), min(lo.y, p.y)}
			hi = point{max(hi.x, p.x), max(hi.y, p.y)}
		}
		all = append(all, ps)
	}
	if lo.x > hi.x {
		return nil, axis{}, axis{}, false
	}
	return all, newAxis(lo.x, hi.x, c.LogX), newAxis(lo.y, hi.y, c.LogY), true
}
