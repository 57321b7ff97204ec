package dashboard

import (
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A startPage lists the crawls side by side.
type startPage struct {
	Crawls  []startRow
	Results []*Result
	Overlay bool
}

// A startRow is a crawl in the list.
type startRow struct {
	Name, To, Dir                     string
	State, Note                       string
	Fetched, Waiting, Failed, Skipped string
	Rate, Work, Policy, Links         string
}

// rows lists the crawls.
func (s *Server) rows() (list []startRow) {
	for _, c := range s.crawls {
		g, _ := c.Glance()
		x := startRow{Name: c.Name, To: "/crawl/" + c.Name + "/", Dir: c.Dir, State: g.Phase, Note: progressNote(&g)}
		if t := g.Status; t != nil {
			x.State, x.Fetched, x.Waiting, x.Failed, x.Skipped = t.State, show.Grouped(t.Fetched), show.Grouped(t.Waiting), show.Grouped(t.Failed), show.Grouped(t.Refused)
			x.Rate, x.Work, x.Links = show.Rate(t.Rate), show.Duration(t.Ran), show.Percent(int64(1000*t.Gathered), 1000)
		}
		if g.Config != nil {
			x.Policy = g.Config.Policy
		}
		list = append(list, x)
	}
	return list
}

// showStart lists the crawls; one alone is shown itself.
func (s *Server) showStart(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.o.Cluster != nil && len(s.crawls)+len(s.results) == 0:
		http.Redirect(w, r, "/cluster/", http.StatusSeeOther)
		return
	case s.o.Cluster != nil:
	case len(s.crawls) == 1 && len(s.results) == 0:
		http.Redirect(w, r, "/crawl/"+s.crawls[0].Name+"/", http.StatusSeeOther)
		return
	case len(s.crawls) == 0 && len(s.results) == 1:
		http.Redirect(w, r, "/lab/"+s.results[0].Slug, http.StatusSeeOther)
		return
	}
	f := s.plain("Crawls")
	f.Live, f.Reload = "/events", true
	f.Body = &startPage{s.rows(), s.results, len(s.crawls) > 1}
	s.render(w, http.StatusOK, "start", f)
}

// serveStartEvents sends what moves in the list.
func (s *Server) serveStartEvents(w http.ResponseWriter, r *http.Request) {
	p := &pusher{sent: map[string]string{}}
	s.stream(w, r, func() <-chan struct{} {
		if len(s.crawls) == 0 {
			return nil
		}
		return s.crawls[0].changes()
	}, func() *message {
		now := map[string]string{}
		for _, x := range s.rows() {
			for id, text := range map[string]string{"state": x.State, "note": x.Note, "fetched": x.Fetched, "waiting": x.Waiting, "failed": x.Failed, "skipped": x.Skipped, "rate": x.Rate, "work": x.Work, "links": x.Links} {
				now[x.Name+"-"+id] = text
			}
		}
		if m := (&message{Text: p.changed(now)}); len(m.Text) > 0 {
			return m
		}
		return nil
	})
}

// serveOverlay serves the curves of all crawls in one picture.
func (s *Server) serveOverlay(w http.ResponseWriter, r *http.Request) {
	out := plot.Chart{Title: "Pages fetched", YLabel: "pages", FromZero: true}
	longest := time.Duration(0)
	courses := map[string][]int64{}
	widths := map[string]time.Duration{}
	for _, c := range s.crawls {
		c.Read(func(v *follow.View) error { // one that is not read yet is missing
			if v.Index == nil {
				return nil
			}
			k := &v.Index.Course
			for _, st := range k.Steps {
				courses[c.Name] = append(courses[c.Name], st.Total)
			}
			widths[c.Name] = k.Width
			longest = max(longest, k.Width*time.Duration(len(k.Steps)))
			return nil
		})
	}
	div, unit := timeUnit(longest)
	out.XLabel = unit + " of work"
	for _, c := range s.crawls {
		line := plot.Series{Name: c.Name}
		line.Add(0, 0)
		for i, n := range courses[c.Name] {
			line.Add(float64(i+1)*widths[c.Name].Seconds()/div, float64(n))
		}
		if len(line.X) > 1 {
			out.Series = append(out.Series, line)
		}
	}
	writePicture(w, plot.SVG(out))
}
