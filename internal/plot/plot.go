// Package plot draws charts: as plain text for terminals and golden files, and as
// SVG for the README and reports. Every function is pure: the same chart is the
// same string, so that a change of a curve shows as a picture in a diff.
//
// There are four text forms. [Curve] draws lines over two axes, [LogLog] points
// over two logarithmic ones (degree distributions), [Bars] a list of bars with
// their values, [Sparkline] one line of text. [SVG] draws the same [Chart] as
// Curve or LogLog, complete in itself; [Figure] draws it for a page of HTML that
// brings [FigureStyle] and a legend made of [Swatch]es.
//
// Names and labels may hold anything: what a terminal or a parser might obey is
// shown as an escape, see [Plain]. The text forms use no colours and move no cursor.
package plot

import "math"

// A Series is one line or cloud of points. X and Y have equal length; a point
// with a coordinate that is not a number, beyond 1e300, or below 1e-300 on a
// logarithmic axis is left out.
type Series struct {
	Name string // for the legend; none when empty
	X, Y []float64

	// Low and High, of the same length when given, bound a band around Y: a
	// confidence interval at each X. With Points they are whiskers.
	// The text forms leave them out.
	Low, High []float64

	// Baseline marks what the others are measured against (ideal, horn, random):
	// drawn thin, grey and dashed, underneath.
	Baseline bool
}

// Add appends a point.
func (s *Series) Add(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// A Mark is a vertical line at X with a word to it. It is drawn where X lies
// between the ends of the axis, which it does not stretch.
type Mark struct {
	X     float64
	Label string
}

// A Chart is the input of Curve, LogLog, SVG and Figure.
type Chart struct {
	Title  string
	XLabel string
	YLabel string
	Series []Series // where two meet in a text, the first is seen

	LogX, LogY bool // logarithmic axes
	FromZero   bool // the y axis begins at 0, unless it is logarithmic
	Tight      bool // the x axis ends where the lines do, unless it is logarithmic
	Points     bool // points only, no lines between them
	Marks      []Mark

	// Of the text forms only: size of the plane in characters (64 by 16 when
	// zero) and plain ASCII.
	Width, Height int
	ASCII         bool
}

// point is a point of a series that can be drawn, in units of its axes.
type point struct{ x, y float64 }

// points returns the drawable points of a series.
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

// extent is the smallest rectangle around some points; empty while lo is above hi.
type extent struct{ lo, hi point }

func nowhere() extent {
	inf := math.Inf(1)
	return extent{point{inf, inf}, point{-inf, -inf}}
}

func (e *extent) add(ps []point) {
	for _, p := range ps {
		e.lo = point{min(e.lo.x, p.x), min(e.lo.y, p.y)}
		e.hi = point{max(e.hi.x, p.x), max(e.hi.y, p.y)}
	}
}

// clouds returns the drawable points of every series with the axes that hold them all,
// and with bands also these; ok is false when there is nothing to draw.
func (c *Chart) clouds(bands bool) (all [][]point, x, y axis, ok bool) {
	e := nowhere()
	for _, s := range c.Series {
		ps := c.points(s)
		e.add(ps)
		if bands {
			low, high := c.band(s)
			e.add(low)
			e.add(high)
		}
		all = append(all, ps)
	}
	if c.FromZero && !c.LogY {
		e.lo.y, e.hi.y = min(e.lo.y, 0), max(e.hi.y, 0)
	}
	if e.lo.x > e.hi.x {
		return nil, axis{}, axis{}, false
	}
	x = newAxis(e.lo.x, e.hi.x, c.LogX)
	if c.Tight && !c.LogX {
		x.tighten(e.lo.x, e.hi.x)
	}
	return all, x, newAxis(e.lo.y, e.hi.y, c.LogY), true
}

// band returns the bounds of a series where both can be drawn; nil without a band.
func (c *Chart) band(s Series) (low, high []point) {
	for i := range min(len(s.X), len(s.Low), len(s.High)) {
		if drawable(s.X[i], c.LogX) && drawable(s.Low[i], c.LogY) && drawable(s.High[i], c.LogY) {
			low = append(low, point{s.X[i], s.Low[i]})
			high = append(high, point{s.X[i], s.High[i]})
		}
	}
	return low, high
}

// A look describes how a series is drawn: the n-th of the lines or of the baselines.
type look struct {
	baseline bool
	n        int
}

// looks returns a look for every series, so that an added baseline changes no colour.
func (c *Chart) looks() []look {
	all := make([]look, len(c.Series))
	lines, baselines := 0, 0
	for i, s := range c.Series {
		if s.Baseline {
			all[i] = look{true, baselines}
			baselines++
		} else {
			all[i] = look{false, lines}
			lines++
		}
	}
	return all
}
