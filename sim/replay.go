package sim

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// replay lets the crawl take its answers and verdicts from the recording of the world.
func (c *crawl) replay(o *frontier.Options) {
	c.player = newPlayer(c.w.Recorded)
	if c.o.MaxPages == 0 {
		c.left = endless
	}
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
	a := f.answer
	f.bytes = a.Event.Bytes
	took := a.Took
	if w.Kind != event.Resolve {
		switch {
		case !a.Reused && f.open:
			took -= a.Connect
		case a.Reused && !f.open:
			took += c.w.Times.Connect(c.site(w.Site), f.number)
		}
	}
	next := step{at: c.now + took, task: w, fetcher: i, number: f.number, turn: a.Turn}
	if c.line != nil && f.bytes > 0 && a.Body > 0 {
		next.at, next.body = next.at-a.Body, true
	}
	c.ends.push(next)
}

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
	e.Start, e.End, e.Bytes = f.start, c.now, f.bytes
	e.Due, e.Expiry = later(c.now, from.Due), later(c.now, from.Expiry)
	e.Kind = [...]event.Kind{event.Resolve: event.Resolved, event.Robots: event.Ruled, event.Fetch: event.Done, event.Sitemap: event.Listed}[w.Kind]
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
	case event.Fetch:
		c.event.Keep = c.left > 0 && !f.answer.Closed && (c.w.InRow == nil || int(f.requests) < c.w.InRow(c.site(w.Site)))
		c.arriveRecorded(f)
	}
	c.admit(from.Admit)
}

// arriveRecorded records a fetched page, and fills in its links.
func (c *crawl) arriveRecorded(f *fetcher) {
	p := c.page(f.task.Page)
	if !f.answer.Event.Class.Failed() && c.f.State(f.task.Page) == frontier.Acquired {
		c.fetched(p, f)
	}
	for _, to := range f.answer.Event.Links {
		c.event.Links = append(c.event.Links, c.discover(to))
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
// did later.
func (c *crawl) follow(number uint32) {
	if c.player == nil {
		return
	}
	c.player.schedule(c.now, number)
	c.act()
}

// act applies the acts whose instant has come.
func (c *crawl) act() {
	if c.player == nil {
		return
	}
	for c.player.nextAct() <= c.now {
		a := c.player.due[0].act
		c.player.due = c.player.due[1:]
		if c.repeat(&a.Event) {
			c.apply()
		}
	}
}

// repeat makes the event of an act, with the ids of this crawl. It reports false if the act
// concerns a site that is not known here.
func (c *crawl) repeat(from *event.Event) bool {
	e := *from
	e.New, e.Bars, e.Links, e.Admit = c.event.New[:0], c.event.Bars[:0], c.event.Links[:0], c.event.Admit[:0]
	c.event = e
	for _, p := range from.Links {
		c.discover(p)
	}
	switch e.Kind {
	case event.Probed, event.Withdrawn, event.Named:
		if c.event.Site = c.knownSite(from.Site); c.event.Site == graph.NoSite {
			return false
		}
	}
	c.admit(from.Admit)
	return true
}
