package crawl

import (
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A crew holds the harvesters of a run. They are started when they are first needed.
type crew struct {
	harvest *harvest
	size    int // --fetchers
	members []*member
	idle    []*member
	conns   uint32 // connections so far
}

// A member is a harvester, as the loop sees it.
type member struct {
	tasks  chan<- *task // nil: close the connection
	served int          // requests over its connection
	conn   uint32       // number of its connection
}

// busy returns the number of active harvesters.
func (c *crew) busy() int { return len(c.members) - len(c.idle) }

// available reports whether there is an idle harvester, or room for another one.
func (c *crew) available() bool { return len(c.idle) > 0 || len(c.members) < c.size }

// hire returns an idle harvester without a connection, a new one if there is none.
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

// rest makes a harvester idle. If it kept its connection, it hangs up first.
func (c *crew) rest(m *member, kept bool) {
	if kept {
		m.tasks <- nil
	}
	c.idle = append(c.idle, m)
}

// dismiss ends all harvesters and waits for them. Their requests under way are given up.
func (c *crew) dismiss() {
	c.harvest.cancel()
	for _, m := range c.members {
		close(m.tasks)
	}
	c.harvest.running.Wait()
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
	hops  map[graph.Site]bool // sites whose robots.txt is being requested, from any site
}

func (u *underWay) begin(w event.Task) {
	switch w.Kind {
	case event.Fetch:
		u.pages++
	case event.Sitemap:
		u.files[w.Site] = true
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
	case event.Robots:
		delete(u.hops, w.For)
	}
}
