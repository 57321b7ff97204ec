package crawl

import (
	"context"
	"log/slog"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/port"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A crew holds the harvesters of a run and their connections. Harvesters are started when
// they are first needed.
type crew struct {
	harvest *harvest
	size    int // --fetchers
	members []*member
	idle    []*member
	lines   *frontier.Lines
	open    map[graph.Site]connection // those that lines keeps
	conns   uint32                    // connections so far
	permits port.Pool                 // one for each active harvester
	offer   exchange.Offer            // of the last wish for a permit, reused
	short   bool                      // a permit is lacking
}

// A member is a harvester, as the loop sees it.
type member struct {
	tasks  chan<- *task
	served int    // requests to the site that it has acquired
	url    string // what it requests; "": nothing, or a name
}

// A connection is one that is open, or (line is nil) one that a harvester will make. One that
// replaces a connection that the server has closed between pages in a row has its number.
type connection struct {
	line   *fetch.Line
	number uint32
}

const (
	// lineBytes is the memory that a kept connection takes at most: 55 KB over HTTP/2, 34 KB
	// over TLS.
	lineBytes = 64 << 10
	// lineShare is the part of the memory that kept connections may take.
	lineShare = 16
)

// keepMost returns the largest number of connections that are kept open without a request:
// keep_most, or fewer if the memory or the system does not allow as many.
func (s *session) keepMost() int {
	want, why := s.config.KeepMost, ""
	n := want
	if s.port != nil {
		n = max(1, n/s.port.Of)
	}
	if room := s.port.Share(s.memory / lineShare / lineBytes); room < n {
		n, why = room, "max_memory"
	}
	if room := s.port.Share(int64(s.options.Sockets - s.config.Fetchers)); s.options.Sockets > 0 && room < n {
		n, why = max(1, room), "open files"
	}
	if n < want && why != "" && s.config.KeepAlive.Duration > 0 {
		s.log.Log(context.Background(), s.keepLevel(), "fewer connections are kept open than keep_most allows", "keep_most", want, "kept", n, "limit", why)
	}
	return n
}

// keepLevel returns the level of the message about keep_most: a warning if it was set.
func (s *session) keepLevel() slog.Level {
	if s.config.KeepMost != config.Default().KeepMost {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// busy returns the number of active harvesters.
func (c *crew) busy() int { return len(c.members) - len(c.idle) }

// available reports whether there is an idle harvester, or room for another one.
func (c *crew) available() bool { return len(c.idle) > 0 || len(c.members) < c.size }

// hire returns an idle harvester, a new one if there is none.
func (c *crew) hire() *member {
	n := len(c.idle)
	if n == 0 {
		m := &member{tasks: c.harvest.start()}
		c.members = append(c.members, m)
		return m
	}
	m := c.idle[n-1]
	c.idle = c.idle[:n-1]
	m.served = 0
	return m
}

// rest makes a harvester idle.
func (c *crew) rest(m *member) {
	m.url = ""
	c.idle = append(c.idle, m)
	c.permits.Give(1)
}

// fetching returns at most n of the URLs that are requested.
func (c *crew) fetching(n int) (urls []string) {
	for _, m := range c.members {
		if len(urls) < n && m.url != "" {
			urls = append(urls, m.url)
		}
	}
	return urls
}

// connect returns the connection for a request to s: that of the last request if it is
// open, a new one otherwise. inRow reports whether the request follows the last one at once.
func (c *crew) connect(now time.Duration, s graph.Site, inRow bool) connection {
	kept := c.lines.Begin(now, s)
	c.hangUp()
	x, ok := c.open[s]
	delete(c.open, s)
	if ok && !x.line.Usable() {
		x.cut()
		x.line, kept = nil, inRow
	}
	if !kept || !ok {
		c.conns++
		x = connection{number: c.conns}
	}
	return x
}

// keep keeps the connection of a task that has ended, if there is one and its site will
// need it.
func (c *crew) keep(now time.Duration, t *task) {
	x, s := t.conn, t.work.Site
	t.conn = connection{}
	if t.work.Kind == event.Resolve {
		return
	}
	if t.answer.Stale {
		c.lines.Distrust(s)
	}
	if c.lines.End(now, s, x.line.Rest()) {
		c.open[s] = x
	} else {
		x.cut()
	}
	c.hangUp()
}

// cut closes the connection if it is open.
func (x connection) cut() {
	if x.line != nil {
		x.line.Cut()
	}
}

// expire closes the connections that have been idle for too long.
func (c *crew) expire(now time.Duration) {
	c.lines.Expire(now)
	c.hangUp()
}

// hangUp closes the connections that are not to be kept any longer.
func (c *crew) hangUp() {
	for _, s := range c.lines.Closed() {
		c.open[s].cut()
		delete(c.open, s)
	}
}

// dismiss ends all harvesters and waits for them. Their requests under way are given up,
// and all connections are closed.
func (c *crew) dismiss() {
	c.harvest.cancel()
	defer c.permits.Give(c.busy())
	for _, m := range c.members {
		close(m.tasks)
	}
	c.harvest.running.Wait()
	for len(c.harvest.results) > 0 {
		t := <-c.harvest.results
		t.conn.cut()
	}
	for _, x := range c.open {
		x.cut()
	}
}

// A taskPool keeps tasks for reuse.
type taskPool struct {
	spare  []*task
	budget *fetch.Budget // that of bodies in memory
}

func (p *taskPool) get() *task {
	n := len(p.spare)
	if n == 0 {
		return new(task)
	}
	t := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return t
}

// put returns a task to the pool. Its bytes are on disk or not needed.
func (p *taskPool) put(t *task) {
	if t.answer != nil {
		p.budget.Give(t.answer.Held)
	}
	found, addrs := t.found, t.addrs
	found.Reset()
	*t = task{found: found, addrs: addrs[:0]}
	p.spare = append(p.spare, t)
}

// underWay lists the running tasks. Requests that were made cannot be withdrawn.
type underWay struct {
	pages int                 // being fetched
	files map[graph.Site]bool // sites with a request for a sitemap file under way
	parts map[graph.Site]bool // the same for a requisite
	hops  map[graph.Site]bool // sites whose robots.txt is being requested, from any site
}

func (u *underWay) begin(w event.Task) {
	switch w.Kind {
	case event.Fetch:
		u.pages++
	case event.Sitemap:
		u.files[w.Site] = true
	case event.Requisite:
		u.parts[w.Site] = true
	case event.Robots:
		u.hops[w.For] = true
	}
}

func (u *underWay) end(w event.Task) {
	switch w.Kind {
	case event.Fetch:
		u.pages--
	case event.Sitemap:
		delete(u.files, w.Site)
	case event.Requisite:
		delete(u.parts, w.Site)
	case event.Robots:
		delete(u.hops, w.For)
	}
}
