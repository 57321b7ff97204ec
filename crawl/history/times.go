package history

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A Timing is how long one work took.
type Timing struct {
	Kind event.TaskKind
	Site graph.Site
	Page graph.Page // of Fetch, else NoPage
	Took time.Duration
	// Connect is 0 for a request over a connection that was open.
	Connect, FirstByte, Body time.Duration
	Bytes                    int64 // as they crossed the line
}

// EachTiming gives the times of all works that were answered, in the order in which they
// ended. Failures are left out: a connection that was refused in no time says nothing
// of how long an answer takes.
func (r *Recording) EachTiming(fn func(*Timing)) error {
	t := &timings{fn: fn, conn: make([]uint32, r.Sites()), siteOf: make([]graph.Site, r.Pages())}
	return r.Each(t.read)
}

// timings picks times out of records.
type timings struct {
	fn     func(*Timing)
	siteOf []graph.Site
	conn   []uint32 // by site: number of its last connection
	again  map[graph.Site]bool
}

func (t *timings) read(r *journal.Record) error {
	e := &r.Event
	for i, s := range e.New {
		if p := int(r.First) + i; p < len(t.siteOf) {
			t.siteOf[p] = s
		}
	}
	switch e.Kind {
	case event.Took:
		t.took(r)
	case event.Resolved:
		if !e.Class.Failed() {
			t.fn(&Timing{Kind: event.Resolve, Site: e.Site, Page: graph.NoPage, Took: e.End - e.Start})
		}
	case event.Ruled:
		t.answered(r, event.Robots, e.Site, graph.NoPage)
	case event.Listed:
		t.answered(r, event.Sitemap, e.Site, graph.NoPage)
	case event.Done:
		t.answered(r, event.Fetch, t.siteOf[e.Page], e.Page)
	}
	return nil
}

// took notes whether a request goes over the connection of the one before.
func (t *timings) took(r *journal.Record) {
	e := &r.Event
	if e.Task.Kind == event.Resolve || int(e.Site) >= len(t.conn) {
		return
	}
	if t.again == nil {
		t.again = map[graph.Site]bool{}
	}
	if r.Facts.Conn != 0 && r.Facts.Conn == t.conn[e.Site] {
		t.again[e.Site] = true
	} else {
		delete(t.again, e.Site)
	}
	t.conn[e.Site] = r.Facts.Conn
}

func (t *timings) answered(r *journal.Record, kind event.TaskKind, s graph.Site, p graph.Page) {
	e, x := &r.Event, &r.Facts
	if x.Status == 0 || e.Class.Failed() && kind == event.Fetch {
		return
	}
	timing := Timing{
		Kind: kind, Site: s, Page: p, Took: e.End - e.Start, Bytes: e.Bytes,
		Connect: x.Phases[0], FirstByte: x.Phases[1], Body: x.Phases[2],
	}
	if t.again[s] {
		timing.Connect = 0
	}
	t.fn(&timing)
}
