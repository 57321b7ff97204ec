package plot

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// Measures of the names at the ends of lines, in units of a figure.
const (
	mostLabels  = 8  // lines that are named at their ends; more have a legend only
	labelRunes  = 15 // longer names are clipped: the legend has them in full
	labelWidth  = 9.4
	labelHeight = 20
	labelGap    = 8 // from the end of a line to its name
)

// A label is the name of a series at the end of its line.
type label struct {
	series int
	at     point   // the end of the line
	mean   float64 // height of the line
	y      float64 // of the name
}

// labelled reports whether the lines of a chart are named at their ends: if there are several,
// and not too many.
func (c *Chart) labelled() bool {
	named := 0
	for _, s := range c.Series {
		if s.Name != "" {
			named++
		}
	}
	return named > 1 && named <= mostLabels && !c.Points
}

// labelRoom returns the width of the longest name at the end of a line.
func (c *Chart) labelRoom() float64 {
	if !c.labelled() {
		return 0
	}
	longest := 0
	for _, s := range c.Series {
		longest = max(longest, utf8.RuneCountInString(clipped(s.Name)))
	}
	return labelGap + labelWidth*float64(longest)
}

// clipped returns the beginning of a long name.
func clipped(name string) string {
	if r := []rune(name); len(r) > labelRunes {
		return strings.TrimRight(string(r[:labelRunes-1]), " ,") + "…"
	}
	return name
}

// labels draws the names of the lines at their ends, one above the other where lines end
// together: then the highest line comes first.
func (p *plane) labels(b *strings.Builder, c *Chart, all [][]point) {
	if !c.labelled() {
		return
	}
	var list []label
	for i, ps := range all {
		if places := p.places(ps); c.Series[i].Name != "" && len(places) > 0 {
			at := places[len(places)-1]
			list = append(list, label{series: i, at: at, mean: meanHeight(places), y: at.y})
		}
	}
	slices.SortStableFunc(list, func(a, b label) int {
		if d := a.at.y - b.at.y; d > labelHeight/2 || d < -labelHeight/2 {
			return cmp.Compare(a.at.y, b.at.y)
		}
		return cmp.Compare(a.mean, b.mean)
	})
	p.spread(list)
	looks := c.looks()
	for _, l := range list {
		fmt.Fprintf(b, `<g class="%s s%d">`, looks[l.series].class(), l.series)
		fmt.Fprintf(b, `<path class="lead" d="M%.1f %.1fL%.1f %.1f"/>`, l.at.x, l.at.y, p.right+labelGap-2, l.y)
		fmt.Fprintf(b, `<text class="label" x="%.1f" y="%.1f">%s</text></g>`+"\n", p.right+labelGap, l.y+5, html.EscapeString(clipped(c.Series[l.series].Name)))
	}
}

// meanHeight returns the mean distance from the top.
func meanHeight(places []point) (mean float64) {
	for _, at := range places {
		mean += at.y
	}
	return mean / float64(len(places))
}

// spread moves names apart that would overlap, within the height of the plane.
func (p *plane) spread(list []label) {
	for i := range list {
		if i > 0 {
			list[i].y = max(list[i].y, list[i-1].y+labelHeight)
		}
	}
	bottom := p.bottom
	for i := len(list) - 1; i >= 0; i-- {
		list[i].y = min(list[i].y, bottom)
		bottom = list[i].y - labelHeight
	}
}
