package plot

import (
	"fmt"
	"html"
	"strings"
)

// Measures of a bar chart as a picture, in pixels.
const (
	barsLabels = 250 // width of the labels
	barsNotes  = 130 // width of the values
	barsRow    = 24
)

// BarsSVG draws a bar chart as a picture of its own. A bar with an interval has a line from
// Low to High.
func BarsSVG(c BarChart) string {
	height := marginTop + barsRow*len(c.Bars) + 16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", svgWidth, height)
	title := Plain(c.Title, false)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	b.WriteString(svgStyle)
	b.WriteString(text("title", 10, 26, "start", title))
	longest := 0.0
	for _, bar := range c.Bars {
		longest = max(longest, length(bar.Value), length(bar.High))
	}
	wide := float64(svgWidth - barsLabels - barsNotes)
	at := func(v float64) float64 {
		if longest == 0 {
			return barsLabels
		}
		return barsLabels + float64(wide*length(v)/longest)
	}
	for i, bar := range c.Bars {
		y := float64(marginTop + barsRow*i + barsRow/2)
		b.WriteString(text("", barsLabels-8, y+4, "end", Plain(bar.Label, false)))
		fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="%.1f" height="14" rx="2" fill="%s"/>`+"\n", barsLabels, y-7, at(bar.Value)-barsLabels, svgColours()[bar.Kind%len(svgColours())])
		end := at(bar.Value)
		if bar.High > bar.Low {
			end = max(end, at(bar.High))
			rule(&b, "axis", at(bar.Low), y, at(bar.High), y)
		}
		b.WriteString(text("", end+8, y+4, "start", Plain(bar.Shown(), false)))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
