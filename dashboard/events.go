package dashboard

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
)

// A message is what is sent to a page whose numbers move.
type message struct {
	Text   map[string]string `json:"text,omitempty"`   // texts of elements that changed; "@id" is the target of a link, ".id" a class, "=id" the value of a meter
	Course *courseMessage    `json:"course,omitempty"` // steps that changed
	Reload bool              `json:"reload,omitempty"` // the page has other contents now
}

// A courseMessage has the steps of a course from one on.
type courseMessage struct {
	Width  float64      `json:"width"` // of a step, in seconds
	From   int          `json:"from"`
	Curves []curveName  `json:"curves,omitempty"` // in the first message
	Rows   [][]*float64 `json:"rows"`             // by step, then by curve
}

// A curveName is a curve of a chart.
type curveName struct {
	Chart string `json:"chart"`
	Name  string `json:"name"`
}

// serveEvents sends what moves on a page, once a second at most, until the reader goes.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	c := s.crawl(r)
	if c == nil {
		http.NotFound(w, r)
		return
	}
	p := &pusher{s: s, c: c, base: "/crawl/" + c.Name + "/", page: r.FormValue("page"), ready: r.FormValue("ready") != "", sent: map[string]string{}}
	s.stream(w, r, c.changes, p.message)
}

// changes returns a channel that is closed when the crawl changes.
func (c *crawled) changes() <-chan struct{} {
	_, changed := c.Glance()
	return changed
}

// heartbeat is the time after which something is sent although nothing changed, so that a lost
// connection is noticed.
const heartbeat = 15 * time.Second

// stream sends messages whenever something changes, until the reader goes or the server ends.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, changes func() <-chan struct{}, next func() *message) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		changed := changes()
		text := ":\n\n" // says that the connection is alive
		if m := next(); m != nil {
			b, err := json.Marshal(m)
			if err != nil {
				return
			}
			text = "data: " + string(b) + "\n\n"
		}
		if _, err := fmt.Fprint(w, text); err != nil || out.Flush() != nil {
			return
		}
		if !s.pause(r, time.Second, nil) || !s.pause(r, heartbeat, changed) {
			return
		}
	}
}

// pause waits for a time, or until a channel is closed. It reports false if the reader has gone.
func (s *Server) pause(r *http.Request, d time.Duration, until <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-until:
	case <-r.Context().Done():
		return false
	case <-s.ctx.Done():
		return false
	}
	return true
}

// A pusher knows what a page shows.
type pusher struct {
	s     *Server
	c     *crawled
	base  string
	page  string
	ready bool // all was read when the page was made
	sent  map[string]string
	rows  [][]*float64
	width time.Duration
}

// message returns what changed since the last message, nil if nothing did.
func (p *pusher) message() *message {
	g, _ := p.c.Glance()
	if p.other(&g) {
		return &message{Reload: true}
	}
	m := &message{}
	o := &overview{}
	if g.Status != nil && p.page == "overview" {
		o.fill(p.base, &g)
		p.c.Read(func(v *follow.View) error { // before the state is there, there is nothing to read
			o.read(p.base, v)
			if v.Index != nil {
				m.Course = p.course(&v.Index.Course)
			}
			return nil
		})
	}
	m.Text = p.changed(o.values(&g))
	if len(m.Text) == 0 && m.Course == nil {
		return nil
	}
	return m
}

// other reports whether the page would have other contents now. What waits for the journal does when
// it was read, and the overview when the journal was read, or is not there any more.
func (p *pusher) other(g *follow.Glance) bool {
	if p.page == "wait" {
		return isReady(g)
	}
	return p.page == "overview" && p.ready != isReady(g)
}

// isReady reports whether all of a crawl was read.
func isReady(g *follow.Glance) bool { return g.Phase == follow.Following && g.Survey != nil }

// changed returns the texts that are not those that were sent.
func (p *pusher) changed(now map[string]string) map[string]string {
	out := map[string]string{}
	for id, text := range now {
		if old, ok := p.sent[id]; !ok || old != text {
			out[id] = text
		}
	}
	maps.Copy(p.sent, now)
	return out
}

// course returns the steps that are not those that were sent.
func (p *pusher) course(c *follow.Course) *courseMessage {
	m := &courseMessage{Width: c.Width.Seconds()}
	list := curves()
	if p.rows == nil {
		for _, k := range list {
			m.Curves = append(m.Curves, curveName{k.Chart, k.Name})
		}
	}
	if p.width != c.Width {
		p.rows, p.width = nil, c.Width
	}
	rows := make([][]*float64, len(c.Steps))
	for i := range c.Steps {
		for _, k := range list {
			var cell *float64
			if y, ok := k.of(c, i); ok {
				y = math.Round(1000*y) / 1000
				cell = &y
			}
			rows[i] = append(rows[i], cell)
		}
	}
	for m.From < min(len(rows), len(p.rows)) && sameRow(rows[m.From], p.rows[m.From]) {
		m.From++
	}
	if m.Rows = rows[m.From:]; len(m.Rows) == 0 && p.rows != nil {
		return nil
	}
	p.rows = rows
	return m
}

// sameRow reports whether two rows have the same numbers.
func sameRow(a, b []*float64) bool {
	return slices.EqualFunc(a, b, func(x, y *float64) bool { return x == y || x != nil && y != nil && *x == *y })
}
