package history

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A Trail is the course of a crawl: what was fetched when, and how long it took. It takes
// some 60 bytes for each fetched page and as much for each request.
type Trail struct {
	Visits  []Visit      // first visits of pages, in the order in which they ended
	Timings []Timing     // tasks that were answered, in the order in which they ended
	Seeds   []graph.Page // those that were given, in order
	Begun   int          // of Seeds, those of the first session
	Old     []graph.Page // known from the start because an earlier crawl had them, in order
	Sites   []SiteTrail

	Statuses map[uint16]int64 // attempts at pages, by HTTP status
	Media    map[string]int64 // first visits, by media type
	Revisits int64            // visits of pages that were fetched before
	Retries  int64
	Links    int64                       // of first visits
	Regions  [event.LastRegion + 1]int64 // the same where anchors were recorded, by region
	Duration time.Duration               // instant of the last record
	Stopped  time.Duration               // of it, between sessions
}

// A Visit is a page that was fetched.
type Visit struct {
	Page       graph.Page
	Class      event.Class
	Start, End time.Duration
	Ran        time.Duration // End without the time between sessions
	Bytes      int64         // as they were received
	Size       int64         // without content coding
}

// A SiteTrail describes what a crawl did at a site.
type SiteTrail struct {
	Known, Fetched, Failed, Refused int64
	Bytes                           int64
	Busy                            time.Duration // sum of the times of its answers
	Requests                        int64
}

// A Timing holds how long a task took.
type Timing struct {
	Kind event.TaskKind
	Site graph.Site
	Page graph.Page // of Fetch, else NoPage
	Took time.Duration
	// Connect is 0 for a request over a connection that was open.
	Connect, FirstByte, Body time.Duration
	Bytes                    int64 // as they were received
	// Rested reports whether the connection of the request before could have served this
	// one, too, as far as keep_alive goes. Reused reports whether it did.
	Rested, Reused bool
}

// Trail returns the course of the crawl. The first call calls State and reads the journal.
func (c *Crawl) Trail() (*Trail, error) {
	if c.trail != nil {
		return c.trail, nil
	}
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	t := &trailReader{
		Trail: &Trail{Sites: make([]SiteTrail, c.Sites()), Statuses: map[uint16]int64{}, Media: map[string]int64{}},
		f:     s.Frontier, fetched: make([]uint64, (c.Known()+63)/64), conns: make([]conn, c.Sites()),
	}
	if err := c.Each(t.read); err != nil {
		return nil, err
	}
	t.countPages()
	c.trail = t.Trail
	return c.trail, nil
}

// A trailReader makes a Trail of records.
type trailReader struct {
	*Trail
	f       *frontier.Frontier // the state at the end
	fetched []uint64           // bits by page
	conns   []conn             // by site
	keep    time.Duration      // keep_alive of the session

	sessions int
}

// A conn is the last connection to a site.
type conn struct {
	number uint32        // 0: it is closed
	rested bool          // it, or the one before, could have served the last request
	reused bool          // it has served more than one request
	since  time.Duration // instant of the last record of an answer
}

func (t *trailReader) read(r *journal.Record) error {
	e := &r.Event
	if e.Kind == event.Session {
		if err := t.session(r); err != nil {
			return err
		}
	}
	t.Duration = r.Now
	switch e.Kind {
	case event.Seed:
		list := &t.Seeds
		if r.Facts.Old {
			list = &t.Old
		}
		for i := range e.New {
			*list = append(*list, r.First+graph.Page(i))
		}
		if t.sessions == 1 {
			t.Begun = len(t.Seeds)
		}
	case event.Took:
		t.took(r)
	case event.Resolved:
		if !e.Class.Failed() {
			t.Timings = append(t.Timings, Timing{Kind: event.Resolve, Site: e.Site, Page: graph.NoPage, Took: e.End - e.Start})
		}
	case event.Ruled:
		t.answer(r, event.Robots, e.Site, graph.NoPage)
	case event.Listed:
		t.answer(r, event.Sitemap, e.Site, graph.NoPage)
	case event.Brought:
		t.answer(r, event.Requisite, e.Site, graph.NoPage)
	case event.Done:
		t.answer(r, event.Fetch, t.f.Site(e.Page), e.Page)
		t.done(r)
	}
	return nil
}

// session begins a session. The numbers of connections begin again.
func (t *trailReader) session(r *journal.Record) error {
	t.sessions++
	t.Stopped += r.Now - t.Duration
	clear(t.conns)
	c, err := config.Parse("configuration of a session", r.Facts.Session.Config)
	t.keep = c.KeepAlive.Duration
	return err
}

// took counts a request, and records whether it uses the connection of the one before.
func (t *trailReader) took(r *journal.Record) {
	if e := &r.Event; e.Task.Kind != event.Resolve {
		t.Sites[e.Site].Requests++
		x := &t.conns[e.Site]
		x.rested, x.reused = x.number != 0 && r.Now-x.since <= t.keep, x.number != 0 && x.number == r.Facts.Conn
		x.number = r.Facts.Conn
	}
}

// answer counts an answer of a site. Failures have no timing: a connection that was refused
// at once has no answer to time.
func (t *trailReader) answer(r *journal.Record, kind event.TaskKind, s graph.Site, p graph.Page) {
	e, x := &r.Event, &r.Facts
	t.Sites[s].Bytes += e.Bytes
	t.Sites[s].Busy += e.End - e.Start
	c := &t.conns[s]
	if c.since = r.Now; x.Status == 0 {
		c.number = 0
	}
	if x.Status == 0 || kind == event.Requisite || e.Class.Failed() && kind == event.Fetch {
		return
	}
	timing := Timing{
		Kind: kind, Site: s, Page: p, Took: e.End - e.Start, Bytes: e.Bytes,
		Connect: x.Phases[0], FirstByte: x.Phases[1], Body: x.Phases[2],
		Rested: c.rested, Reused: c.reused,
	}
	if c.reused {
		timing.Connect = 0
	}
	t.Timings = append(t.Timings, timing)
}

// done records the end of an attempt at a page.
func (t *trailReader) done(r *journal.Record) {
	e := &r.Event
	t.Statuses[r.Facts.Status]++
	word, bit := &t.fetched[e.Page/64], uint64(1)<<(e.Page%64)
	switch {
	case e.Again:
		t.Retries++
	case e.Class.Failed():
	case *word&bit != 0:
		t.Revisits++
	default:
		*word |= bit
		t.Media[r.Facts.Media]++
		t.Links += int64(len(e.Links))
		for i := range e.Anchors {
			t.Regions[e.Anchors[i].Region]++
		}
		t.Visits = append(t.Visits, Visit{e.Page, e.Class, e.Start, e.End, e.End - t.Stopped, e.Bytes, r.Facts.Size})
	}
}

// countPages counts the pages of each site by their state. Lost pages belong to none.
func (t *trailReader) countPages() {
	for p := range graph.Page(t.f.Pages()) {
		s, state := &t.Sites[t.f.Site(p)], t.f.State(p)
		if state != frontier.Lost {
			s.Known++
		}
		switch state {
		case frontier.Fetched, frontier.Reacquired:
			s.Fetched++
		case frontier.Failed:
			s.Failed++
		case frontier.RefusedPage:
			s.Refused++
		}
	}
}
