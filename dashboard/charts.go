package dashboard

import (
	"fmt"
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// A chartPlace is a chart of a page: a picture, in whose place the script draws one that moves.
type chartPlace struct{ ID, Title, Src string }

// A curve is a line of a chart. Its values come from the steps of a course.
type curve struct {
	Chart, Name string
	of          func(c *follow.Course, i int) (value float64, ok bool)
}

// chartTitles are the charts of the overview, in order, with their titles.
var chartTitles = []struct{ id, title, unit string }{
	{"pages", "Pages over time", "pages"},
	{"rate", "Pages a second", "pages a second"},
	{"active", "Requests under way", "requests"},
	{"waits", "Sites that wait, by reason", "sites"},
}

// charts returns the places of the charts.
func charts(base string) (list []chartPlace) {
	for _, c := range chartTitles {
		list = append(list, chartPlace{c.id, c.title, base + "chart.svg?of=" + c.id})
	}
	return list
}

// curves returns all curves. Their order is that of the numbers that are sent to the script.
func curves() []curve {
	each := func(n int64, c *follow.Course) (float64, bool) { return float64(n) / c.Width.Seconds(), true }
	list := []curve{
		{"pages", "fetched", func(c *follow.Course, i int) (float64, bool) { return float64(c.Steps[i].Total), true }},
		{"pages", "waiting", func(c *follow.Course, i int) (float64, bool) { return float64(c.Steps[i].Waiting), true }},
		{"rate", "fetched", func(c *follow.Course, i int) (float64, bool) { return each(c.Steps[i].Fetched, c) }},
		{"rate", "visited again", func(c *follow.Course, i int) (float64, bool) { return each(c.Steps[i].Visits, c) }},
		{"rate", "failed", func(c *follow.Course, i int) (float64, bool) { return each(c.Steps[i].Failed, c) }},
		{"active", "under way", func(c *follow.Course, i int) (float64, bool) { return c.Steps[i].Active, true }},
	}
	for n, why := range follow.Reasons {
		list = append(list, curve{"waits", waitName(why), func(c *follow.Course, i int) (float64, bool) {
			return float64(c.Steps[i].Waits[n]), c.Steps[i].Sampled
		}})
	}
	return list
}

// waitName names a reason why sites wait.
func waitName(why string) string {
	if name := wording.HoldName(why); name != "" {
		return name
	}
	return why
}

// chart draws a chart of a course, whose time is of something. Curves that are 0 everywhere are left
// out, except the first.
func chart(id string, c *follow.Course, of string) plot.Chart {
	out := plot.Chart{FromZero: true, Tight: true}
	for _, t := range chartTitles {
		if t.id == id {
			out.Title, out.YLabel = t.title, t.unit
		}
	}
	div, unit := timeUnit(time.Duration(len(c.Steps)) * c.Width)
	out.XLabel = unit + " " + of
	for _, k := range curves() {
		s, any := plot.Series{Name: k.Name}, false
		for i := range c.Steps {
			if y, ok := k.of(c, i); k.Chart == id && ok {
				s.Add((float64(i)+0.5)*c.Width.Seconds()/div, y)
				any = any || y != 0
			}
		}
		if any || len(out.Series) == 0 && len(s.X) > 0 {
			out.Series = append(out.Series, s)
		}
	}
	if len(c.Sessions) > 1 && len(c.Sessions) < 20 {
		for i, at := range c.Sessions[1:] {
			out.Marks = append(out.Marks, plot.Mark{X: at.Seconds() / div, Label: fmt.Sprintf("session %d", i+2)})
		}
	}
	return out
}

// timeUnit returns the unit in which a time is drawn, as seconds and as a word.
func timeUnit(d time.Duration) (div float64, unit string) {
	switch {
	case d > 4*24*time.Hour:
		return 86400, "days"
	case d > 4*time.Hour:
		return 3600, "hours"
	case d > 4*time.Minute:
		return 60, "minutes"
	}
	return 1, "seconds"
}

// serveChart serves a chart as a picture.
func (s *Server) serveChart(w http.ResponseWriter, r *http.Request) {
	c := s.crawl(r)
	if c == nil {
		http.NotFound(w, r)
		return
	}
	out := plot.Chart{Title: "The journal is being read."}
	c.Read(func(v *follow.View) error { // before that, the picture says so
		if v.Index != nil {
			out = chart(r.FormValue("of"), &v.Index.Course, "of work")
		}
		return nil
	})
	writePicture(w, plot.SVG(out))
}

// writePicture writes a picture. Its policy is its own: it has a style sheet in it, and no script.
func writePicture(w http.ResponseWriter, svg string) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Content-Type", "image/svg+xml; charset=utf-8")
	w.Write([]byte(svg)) // the reader may have gone
}

// courseTable returns some steps of a course as rows, for those who do not see the curves.
func courseTable(c *follow.Course) (rows []courseRow) {
	n := len(c.Steps)
	for k := range min(n, 8) {
		i := (k+1)*n/min(n, 8) - 1
		st := &c.Steps[i]
		rows = append(rows, courseRow{
			show.Duration(time.Duration(i+1) * c.Width), st.Total, st.Waiting, show.Rate(float64(st.Fetched) / c.Width.Seconds()), fmt.Sprintf("%.1f", st.Active),
		})
	}
	return rows
}

// A courseRow is a step of a course in words.
type courseRow struct {
	After            string
	Fetched, Waiting int64
	Rate, Active     string
}
