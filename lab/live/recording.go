package live

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/sim"
	"github.com/winnow-crawler/winnow/trouble"
)

// Replay lets virtual crawls of a world get the answers that the crawl recorded. Its sites
// become those of the crawl, some of which have no page.
func (w *World) Replay(world *lab.World) error {
	s, err := w.Crawl.State()
	if err != nil {
		return err
	}
	conf, err := w.Crawl.Config()
	if err != nil {
		return err
	}
	x := &world.Sim
	if x.Recorded, err = record(w.Crawl, s); err != nil {
		return err
	}
	x.SiteOf, x.Sites = make([]graph.Site, s.Frontier.Pages()), w.Crawl.Sites()
	for p := range x.SiteOf {
		x.SiteOf[p] = s.Frontier.Site(graph.Page(p))
	}
	x.SiteName, x.Twin = func(id graph.Site) string { return string(s.Table.Name(id)) }, s.Twin
	if len(conf.Site) > 0 {
		o := config.NewOverrides(conf)
		x.InRow = func(id graph.Site) int { return o.PerConnection(s.Table.Name(id)) }
		x.SiteDelay = func(id graph.Site) (time.Duration, bool) { return o.Delay(s.Table.Name(id)) }
	}
	return nil
}

// Start sets the seeds of a replay: those with which the crawl began. Seeds of later sessions
// become known when these begin, and what sitemaps list when they are read.
func (w *World) Start(set *lab.Setting) {
	seeds, _, name := w.Seeds(set.World.Sim.Out)
	n := w.Trail.Begun
	set.Seeds, set.Beyond, set.SeedsName = seeds[:n], seeds[n:], name
	for _, p := range w.Trail.Old {
		if q, ok := w.page(p); ok {
			set.Known = append(set.Known, q)
		}
	}
}

// record reads the answers of a crawl.
func record(c *history.Crawl, s *state.State) (*sim.Recording, error) {
	r := &recorder{
		out: sim.NewRecording(), state: s, sites: make([]siteCourse, c.Sites()), underWay: map[event.Task]time.Duration{}, kept: graph.NoSite, refused: event.Never,
	}
	r.marks.out, r.groups.out = r.out, r.out
	var err error
	if r.mirrors, err = c.Mirrors(); err != nil {
		return nil, err
	}
	if err := c.EachGroup(r.read, r.groups.commit); err != nil {
		return nil, err
	}
	r.giveUp()
	return r.out, nil
}

// A recorder makes a Recording of records.
type recorder struct {
	out      *sim.Recording
	state    *state.State
	mirrors  map[uint64][]graph.Site // see history.Crawl.Mirrors
	sites    []siteCourse
	underWay map[event.Task]time.Duration // tasks, and when they were handed out
	keep     time.Duration                // keep_alive of the session
	groups   groups
	last     time.Duration // instant of the last answer
	refused  time.Duration // instant of a turn that has refused pages so far, if it is the present one
	kept     graph.Site    // of the answer just before, if its connection may serve the next page
	marks    marker
	values   *score.Imported // that were recorded last
}

// A siteCourse is what happened last at a site.
type siteCourse struct {
	task   event.Task    // that was handed out last and sent to its server
	conn   uint32        // the connection of it; 0: none
	reused bool          // it served another request before
	answer int           // of it plus 1; 0: none since the session began
	since  time.Duration // the end of the answer
	ruled  bool          // its rules are known
	probed bool          // its robots.txt was due out of turn since its last answer
}

func (r *recorder) read(x *journal.Record) error {
	e := &x.Event
	r.groups.read(x)
	if e.Kind == event.Dropped || e.Kind == event.Moved {
		return nil // they concern the archive only
	}
	r.turn(x)
	for i := range e.New {
		if i < len(e.Bars) && e.Bars[i] != event.NoBar {
			r.out.Bar(x.First+graph.Page(i), e.Bars[i])
		}
	}
	var err error
	switch e.Kind {
	case event.Session:
		if err = r.session(x); err == nil {
			err = r.scored(x)
		}
	case event.Scored:
		err = r.scored(x)
	case event.Took:
		r.took(x)
	case event.Refused:
		s := r.state.Frontier.Site(e.Page)
		r.out.Refuse(e.Page, s, e.Bar, !r.sites[s].ruled)
	case event.Resolved, event.Ruled, event.Listed, event.Done, event.Brought:
		r.ended(x)
	case event.Seed:
		if r.marks.opening { // the first ones are those of the world
			r.act(x)
		}
	case event.Admitted, event.Revisit, event.Retried, event.Probed, event.Withdrawn, event.Named, event.Denied, event.Unneeded:
		r.act(x)
	case event.Needed:
		a := event.Event{Kind: e.Kind, Needs: slices.Clone(e.Needs), Bars: slices.Clone(e.Bars)}
		r.marks.act(x.Now, sim.Act{Event: a, Since: x.Now - r.last})
	case event.Judged:
		a := event.Event{Kind: e.Kind, Task: e.Task, Links: slices.Clone(e.Links)}
		a.Read.Set(&e.Read)
		r.marks.act(x.Now, sim.Act{Event: a, Since: x.Now - r.last})
	}
	r.marks.now = x.Now
	return err
}

// act adds what the driver did by itself.
func (r *recorder) act(x *journal.Record) {
	e := x.Event
	if e.Kind == event.Probed {
		r.sites[e.Site].probed = true
	}
	e.Admit, e.New, e.Bars, e.Links = slices.Clone(e.Admit), nil, nil, fresh(x)
	e.Urgent = x.Facts.Urgent
	r.marks.act(x.Now, sim.Act{Event: e, Since: x.Now - r.last})
}

// turn adds the turns. The next page of a connection is handed out at the end of the one
// before, which is no turn of its own. Pages that are refused belong to what follows.
func (r *recorder) turn(x *journal.Record) {
	e, kept, refused := &x.Event, r.kept, r.refused
	r.kept, r.refused = graph.NoSite, event.Never
	if refused != event.Never && (refused < x.Now || e.Kind != event.Took && e.Kind != event.Polled && e.Kind != event.Refused) {
		r.out.Turn(sim.Turn{At: refused, None: true}) // nothing followed
	}
	switch e.Kind {
	case event.Done:
		if e.Keep {
			r.kept = r.state.Frontier.Site(e.Page)
		}
	case event.Took:
		if e.Site != kept || x.Now > r.last { // r.last is the end of the page before
			r.out.Turn(sim.Turn{At: x.Now, Task: e.Task})
		}
	case event.Polled:
		r.out.Turn(sim.Turn{At: x.Now, None: true})
	case event.Refused:
		if r.kept = kept; kept == graph.NoSite {
			r.refused = x.Now
		}
	}
}

// fresh returns the pages that a record made known.
func fresh(x *journal.Record) (pages []graph.Page) {
	for i := range x.Event.New {
		pages = append(pages, x.First+graph.Page(i))
	}
	return pages
}

// session begins a session: what was under way is lost, and connections are closed.
func (r *recorder) session(x *journal.Record) error {
	c, err := config.Parse("configuration of a session", x.Facts.Session.Config)
	if err != nil {
		return err
	}
	r.marks.session(x.Now, &c)
	for _, w := range r.unfinished() {
		r.out.Add(w, sim.Answer{Lost: r.marks.losses})
	}
	clear(r.underWay)
	for s := range r.sites {
		r.sites[s].conn, r.sites[s].answer = 0, 0
	}
	r.keep = c.KeepAlive.Duration
	r.groups.session(c.Commit.Duration)
	return nil
}

// took notes a task that was handed out. If the connection of the request before could have
// served it, and did not, the server had closed it.
func (r *recorder) took(x *journal.Record) {
	w := x.Event.Task
	w.Board = 0
	r.marks.took(x.Now, len(r.underWay) > 0)
	r.underWay[w] = x.Now
	if w.Kind == event.Resolve {
		return
	}
	s := &r.sites[w.Site]
	s.reused = s.conn != 0 && s.conn == x.Facts.Conn
	if s.answer > 0 && !s.reused && x.Now-s.since <= r.keep {
		r.out.Close(s.answer - 1)
	}
	s.task, s.conn, s.answer = w, x.Facts.Conn, 0
}

// ended adds the answer to a task.
func (r *recorder) ended(x *journal.Record) {
	e := &x.Event
	w := r.task(e)
	began := r.underWay[w]
	delete(r.underWay, w)
	a := sim.Answer{Event: *e, Took: e.End - e.Start, Connect: x.Facts.Phases[0], Body: x.Facts.Phases[2]}
	a.Turn = uint32(r.out.Turns())
	a.Event.New, a.Event.Bars, a.Event.Admit, a.Event.Anchors = nil, nil, slices.Clone(e.Admit), slices.Clone(e.Anchors)
	a.Event.Hints = slices.Clone(x.Facts.Hints)
	a.Event.Read = event.Reading{}
	a.Event.Read.Set(&e.Read)
	if a.Event.Links = slices.Clone(e.Links); e.Kind == event.Listed {
		a.Event.Links = fresh(x)
	}
	a.Event.Due, a.Event.Expiry = max(0, e.Due-e.End), max(0, e.Expiry-e.End)
	a.Wait, a.Lag, a.At = max(0, e.Start-began), max(0, x.Now-e.End), x.Now
	foresee(&a.Event, x)
	if w.Kind != event.Resolve {
		s := &r.sites[w.Site]
		a.Reused, a.Closed = s.reused, x.Facts.Status == 0
		s.answer, s.since = r.out.Answers()+1, x.Now
	}
	if e.Kind == event.Ruled && !e.Again && !e.Hop {
		r.sites[e.For].ruled = true
	}
	r.out.Add(w, a)
	r.groups.add()
	r.last = x.Now
	r.marks.ended(x, r.sites[w.Site].probed)
	r.sites[w.Site].probed = false
	for _, s := range r.mirrors[x.Seq] {
		r.out.After(sim.Act{Event: event.Event{Task: event.Task{Site: s}}, Mirror: true})
	}
}

// foresee sets the fields of an event that the journal has as facts.
func foresee(e *event.Event, x *journal.Record) {
	e.Near, e.Ours = x.Facts.Near != 0 || x.Facts.Doubt, x.Facts.Ours
	if e.Kind != event.Resolved {
		k := trouble.Of(e.Class, int(x.Facts.Status))
		e.Pushed, e.Stale = k == trouble.Pushback, k == trouble.Silence && !e.Ours
	}
}

// task returns the task that an event ends.
func (r *recorder) task(e *event.Event) event.Task {
	switch e.Kind {
	case event.Resolved:
		return event.Task{Kind: event.Resolve, Site: e.Site}
	case event.Done:
		return event.Task{Kind: event.Fetch, Site: r.state.Frontier.Site(e.Page), Page: e.Page}
	case event.Listed:
		return event.Task{Kind: event.Sitemap, Site: e.Site}
	case event.Brought:
		return event.Task{Kind: event.Requisite, Site: e.Site, Page: e.Page}
	}
	return event.Task{Kind: event.Robots, Site: e.Site, For: e.For}
}

// giveUp lets tasks that were under way at the end of the journal fail then.
func (r *recorder) giveUp() {
	for _, w := range r.unfinished() {
		r.out.Add(w, sim.Answer{Event: event.Event{Class: event.Timeout, Ours: true}, Took: max(1, r.marks.now-r.underWay[w]), Closed: true})
	}
}

// unfinished returns the tasks that are under way, one a site.
func (r *recorder) unfinished() []event.Task {
	return slices.SortedFunc(maps.Keys(r.underWay), func(a, b event.Task) int { return cmp.Compare(a.Site, b.Site) })
}
