package sim

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// replay lets the crawl take its answers and verdicts from the recording of the world.
func (c *crawl) replay(o *frontier.Options) {
	c.player, c.inStep = newPlayer(c.w.Recorded, c.w.pages()), c.o.InStep
	if c.o.MaxPages == 0 {
		c.left = endless
	}
	o.Hold = true
	o.MaxPages += c.w.Recorded.Answers() // policies may keep something for each request
	o.Barred = func(p graph.Page) event.Bar { return c.player.barred(c.page(p)) }
	o.Spare = func(p graph.Page) event.Bar { return c.player.spare(c.page(p), c.w.site(c.page(p))) }
	if delay := c.w.SiteDelay; delay != nil {
		o.SiteDelay = func(s graph.Site) (time.Duration, bool) { return delay(c.site(s)) }
	}
	if twin := c.w.Twin; twin != nil {
		o.Twin = func(s graph.Site) graph.Site { return c.knownSite(twin(c.site(s))) }
	}
}

// knownSite returns the crawl's id of a site of the world, NoSite if it is not known.
func (c *crawl) knownSite(s graph.Site) graph.Site {
	if s == graph.NoSite || c.sites.known[s] == 0 {
		return graph.NoSite
	}
	return graph.Site(c.sites.known[s] - 1)
}

// worldTask returns a task with the ids of the world.
func (c *crawl) worldTask(w event.Task) event.Task {
	w.Site = c.site(w.Site)
	switch w.Kind {
	case event.Fetch:
		w.Page = c.page(w.Page)
	case event.Robots:
		w.For = c.site(w.For)
	}
	return w
}

// startRecorded begins a task that ends as the recording says. A connection that is open here
// and was not in the crawl saves the time to connect, and the other way round it costs what
// the site usually takes.
func (c *crawl) startRecorded(i uint32, f *fetcher) {
	w := f.task
	f.answer, f.number = c.player.take(c.worldTask(w))
	c.player.begin(w)
	a := f.answer
	if a.Lost != 0 {
		return
	}
	f.bytes = a.Event.Bytes
	took := a.Wait + a.Took + a.Lag
	if w.Kind != event.Resolve {
		switch {
		case !a.Reused && f.open:
			took -= a.Connect
		case a.Reused && !f.open:
			took += c.w.Times.Connect(c.site(w.Site), f.number)
		}
	}
	next := step{at: c.now + took, task: w, fetcher: i, number: f.number}
	switch {
	case c.inStep:
		next.at, next.turn = max(c.now, a.At), a.Turn
	case c.line != nil && f.bytes > 0 && a.Body > 0:
		next.at, next.body, f.after = next.at-a.Body-a.Lag, true, a.Lag
	}
	c.ends.push(next)
}

// repeatTurns hands out tasks in the turns of the recorded crawl that are due, and returns the
// instant of the next one. Once a turn has another task than it had, the crawl is no longer in
// step.
func (c *crawl) repeatTurns() (ask time.Duration) {
	for turns := c.player.turns; c.inStep && int(c.turn) < len(turns) && c.player.tasks != 0; {
		t := &turns[c.turn]
		if t.At > c.now || c.nextStep() == c.now && c.nextTurn() <= c.turn {
			return t.At
		}
		if len(c.idle) == 0 || c.left == 0 && !c.mayHandOut() {
			c.inStep = false
			break
		}
		c.turn++
		c.limitTurn(t.None)
		w, _, ok := c.f.Next(c.now)
		if c.o.Record != nil {
			c.recordRefusals()
		}
		if !ok {
			c.polled()
			c.inStep = t.None
			continue
		}
		c.inStep = !t.None && same(c.worldTask(w), t.Task)
		c.hire(w)
	}
	return event.Never
}

// limitTurn lets the frontier wait for better pages in the turns in which the recorded crawl handed
// out nothing, and in no others. A crawl that has all its pages hands out their requisites only.
func (c *crawl) limitTurn(none bool) {
	switch {
	case none && c.o.Frontier.WaitForBetter > 0:
		c.f.Limit(frontier.NoTask)
	case c.o.Frontier.Requisites && c.player.full():
		c.f.Limit(0)
	default:
		c.f.Limit(-1)
	}
}

// same reports whether two tasks are the same.
func same(a, b event.Task) bool { return a.Kind == b.Kind && a.Site == b.Site && key(a) == key(b) }

// speed returns the most bytes a second that the server of a task sends.
func (c *crawl) speed(f *fetcher) float64 {
	if f.answer != nil {
		return float64(f.bytes) / f.answer.Body.Seconds()
	}
	return c.w.Times.Speed(c.site(f.task.Site))
}

// endRecorded makes the event of a task as it was recorded, at the present instant.
func (c *crawl) endRecorded(f *fetcher) {
	w, from := f.task, &f.answer.Event
	e := *from
	e.Task = event.Task{Site: w.Site, Page: w.Page, For: w.For}
	e.New, e.Bars, e.Links, e.Admit = c.event.New[:0], c.event.Bars[:0], c.event.Links[:0], c.event.Admit[:0]
	e.Hints = c.event.Hints[:0]
	e.Start, e.End, e.Bytes = f.start+f.answer.Wait, c.now-f.answer.Lag, f.bytes
	e.Due, e.Expiry = later(e.End, from.Due), later(e.End, from.Expiry)
	e.Kind = [...]event.Kind{event.Resolve: event.Resolved, event.Robots: event.Ruled, event.Fetch: event.Done, event.Sitemap: event.Listed, event.Requisite: event.Brought}[w.Kind]
	c.event = e
	switch w.Kind {
	case event.Robots:
		if e.Hop {
			s, _ := c.sites.id(uint32(from.To))
			c.event.To = graph.Site(s)
		}
	case event.Sitemap:
		for _, p := range from.Links {
			c.discover(p)
		}
		c.hear(from.Hints)
	case event.Fetch:
		c.count(f)
		c.event.Keep = c.mayFetch() && !f.answer.Closed && (c.w.InRow == nil || int(f.requests) < c.w.InRow(c.site(w.Site)))
		c.arriveRecorded(f)
	}
	c.admit(from.Admit)
}

// count counts a page that was fetched for the first time. See Mark.Pages.
func (c *crawl) count(f *fetcher) {
	c.player.underWay--
	if class := f.answer.Event.Class; !class.Failed() && class != event.Redirect && c.f.State(f.task.Page) == frontier.Acquired {
		c.player.fetched++
	}
}

// arriveRecorded records a fetched page, and fills in its links.
func (c *crawl) arriveRecorded(f *fetcher) {
	p := c.page(f.task.Page)
	if !f.answer.Event.Class.Failed() && !c.player.visited[p] {
		c.player.visited[p] = true
		c.fetched(p, f)
	}
	for _, to := range f.answer.Event.Links {
		c.event.Links = append(c.event.Links, c.discover(to))
	}
}

// hear adds what a sitemap says about the pages that are known, by this event or before.
func (c *crawl) hear(hints []event.Hint) {
	for _, h := range hints {
		if id := c.pages.known[h.Page]; id != 0 {
			h.Page = graph.Page(id - 1)
			c.event.Hints = append(c.event.Hints, h)
		}
	}
}

// admit adds the pages that are known to those that the event admits.
func (c *crawl) admit(pages []graph.Page) {
	for _, p := range pages {
		if id := c.pages.known[p]; id != 0 && int(id-1) < c.f.Pages() {
			c.event.Admit = append(c.event.Admit, graph.Page(id-1))
		}
	}
}

// later returns the instant that lies a time after now; 0 stays 0.
func later(now, d time.Duration) time.Duration {
	if d == 0 {
		return 0
	}
	if d > event.Never-now {
		return event.Never
	}
	return now + d
}

// follow applies what the driver did by itself right after an answer, and schedules what it
// did later. Without a number the answer is not in the recording.
func (c *crawl) follow(number uint32) {
	if number != 0 {
		c.player.schedule(c.now, number)
	}
	c.act()
}

// act applies the acts whose instant has come.
func (c *crawl) act() {
	for c.player.nextAct() <= c.now {
		d := c.player.due[0]
		c.player.due = c.player.due[1:]
		if d.act == nil {
			c.f.Settle(c.now, d.site)
			continue
		}
		c.perform(d.act)
	}
}

// settle lets the sites of a task that has ended continue when the event is on disk.
func (c *crawl) settle(f *fetcher) {
	w, at := f.task, c.now+f.answer.Hold
	if w.Kind == event.Resolve {
		return
	}
	c.player.plan(dueAct{at: at, site: w.Site})
	if w.Kind == event.Robots && w.For != w.Site && !f.answer.Event.Hop {
		c.player.plan(dueAct{at: at, site: w.For})
	}
}

// perform applies an act.
func (c *crawl) perform(a *Act) {
	if a.Score != nil {
		if c.o.Score == c.w.Recorded.Score {
			c.f.SetScore(a.Score, a.AtOnce)
		}
		return
	}
	if s := c.knownSite(a.Event.Site); a.Mirror {
		if s != graph.NoSite {
			c.f.DiscountSite(s)
		}
		return
	}
	if !c.repeat(&a.Event) {
		return
	}
	if c.event.Kind == event.Retried {
		for _, p := range c.event.Admit {
			if c.f.State(p) == frontier.Fetched {
				c.player.fetched--
			}
		}
	}
	c.apply()
}

// pass passes the marks whose instant has come. late reports whether all else of this instant is
// done, what is handed out included.
func (c *crawl) pass(late bool) {
	for c.player.nextMark() <= c.now {
		m := &c.player.marks[c.player.mark]
		if !late && !c.player.caused {
			return
		}
		c.player.mark++
		c.player.caused = false
		c.player.tasks, c.player.pages = m.Tasks, m.Pages
		c.stopped += m.Stopped
		if m.Lose {
			c.lose()
		}
		for i := range m.Acts {
			c.perform(&m.Acts[i])
		}
	}
}

// lose ends all tasks that are under way without an answer, and closes all connections.
func (c *crawl) lose() {
	c.player.losses++
	c.player.underWay = 0
	c.ends = c.ends[:0]
	idle := make([]bool, len(c.fetchers))
	for _, i := range c.idle {
		idle[i] = true
	}
	for i := range c.fetchers {
		if idle[i] {
			continue
		}
		if c.idle = append(c.idle, uint32(i)); c.fetchers[i].task.Kind == event.Fetch && c.left != endless {
			c.left++
		}
	}
	c.connect()
}

// repeat makes the event of an act, with the ids of this crawl. It reports false if the act
// concerns a site that is not known here, or a page that is not fetched.
func (c *crawl) repeat(from *event.Event) bool {
	if from.Kind == event.Judged {
		return c.judge(from)
	}
	e := *from
	e.New, e.Bars, e.Links, e.Admit = c.event.New[:0], c.event.Bars[:0], c.event.Links[:0], c.event.Admit[:0]
	c.event = e
	for _, p := range from.Links {
		c.discover(p)
	}
	switch e.Kind {
	case event.Needed:
		c.event.Needs, c.event.Bars = nil, append(c.event.Bars, from.Bars...)
		for _, s := range from.Needs {
			id, _ := c.sites.id(uint32(s))
			c.event.Needs = append(c.event.Needs, graph.Site(id))
		}
	case event.Probed, event.Withdrawn, event.Named, event.Unneeded:
		if c.event.Site = c.knownSite(from.Site); c.event.Site == graph.NoSite {
			return false
		}
	}
	c.admit(from.Admit)
	return true
}

// judge makes the event of an example of the topic, with the ids of this crawl and the links that are
// known here. It reports false if the page is not fetched.
func (c *crawl) judge(from *event.Event) bool {
	e := event.Event{Kind: from.Kind, Links: c.event.Links[:0], New: c.event.New[:0], Bars: c.event.Bars[:0], Admit: c.event.Admit[:0]}
	id := c.pages.known[from.Page]
	if id == 0 || c.f.State(graph.Page(id-1)) != frontier.Fetched {
		return false
	}
	e.Page = graph.Page(id - 1)
	e.Read.Set(&from.Read)
	e.Read.Hits = e.Read.Hits[:0]
	hits := from.Read.Hits
	for i, p := range from.Links {
		var h event.Hit
		if len(hits) > 0 && int(hits[0].Link) == i {
			h, hits = hits[0], hits[1:]
		}
		if id := c.pages.known[p]; id != 0 && int(id-1) < c.f.Pages() {
			if h.Anchor|h.Around != 0 {
				h.Link = uint32(len(e.Links))
				e.Read.Hits = append(e.Read.Hits, h)
			}
			e.Links = append(e.Links, graph.Page(id-1))
		}
	}
	c.event = e
	return true
}
