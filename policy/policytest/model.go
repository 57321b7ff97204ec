package policytest

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// model holds what the crawl expects, to check the frontier and its policy against.
type model struct {
	w         *World
	pages     []int        // of the world, in the order of discovery
	sites     []int        // of the world, in the order in which they became known
	ids       []graph.Page // by page of the world: its number in the crawl
	state     []pageState  // by page of the world
	due       []time.Duration
	tries     []int
	busy      []bool          // by site of the world: a task of it is under way
	requested []time.Duration // by site of the world: end of the last answer, plus 1; 0 never
	ips       []int           // IP addresses of the world, in the order in which they became known
	keep      bool            // this task is the next one of a kept connection
}

type pageState uint8

const (
	unknown pageState = iota
	known
	taken
	due
	done
	forbidden
)

func newModel(w *World) model {
	n := len(w.Out)
	return model{w: w, ids: make([]graph.Page, n), state: make([]pageState, n), due: make([]time.Duration, n),
		tries: make([]int, n), busy: make([]bool, n), requested: make([]time.Duration, n)}
}

func (m *model) clone() model {
	c := *m
	c.pages, c.sites, c.ids = slices.Clone(m.pages), slices.Clone(m.sites), slices.Clone(m.ids)
	c.state, c.due, c.tries = slices.Clone(m.state), slices.Clone(m.due), slices.Clone(m.tries)
	c.busy, c.requested, c.ips = slices.Clone(m.busy), slices.Clone(m.requested), slices.Clone(m.ips)
	return c
}

func (m *model) draw(below int, n ...uint64) int {
	return int(policy.Hash(m.w.Random, n...) % uint64(below))
}

// allowed reports whether robots.txt allows a page: nine of ten. dead reports whether the
// name of a site does not exist: one in ten.
func (m *model) allowed(p int) bool { return m.draw(10, 22, uint64(p)) > 0 }
func (m *model) dead(s int) bool    { return m.draw(10, 23, uint64(s)) == 0 }

// discover numbers the pages of a list that were not known, and returns their sites.
func (m *model) discover(list []int) (sites []graph.Site) {
	for _, p := range list {
		if m.state[p] != unknown {
			continue
		}
		m.state[p] = known
		m.ids[p] = graph.Page(len(m.pages))
		m.pages = append(m.pages, p)
		s := slices.Index(m.sites, m.w.Site[p])
		if s < 0 {
			s = len(m.sites)
			m.sites = append(m.sites, m.w.Site[p])
		}
		sites = append(sites, graph.Site(s))
	}
	return sites
}

// address returns the number, from 1, of the IP address of a site, which it shares with one other.
func (m *model) address(s int) uint32 {
	i := slices.Index(m.ips, s/2)
	if i < 0 {
		i = len(m.ips)
		m.ips = append(m.ips, s/2)
	}
	return uint32(i) + 1
}

// forget marks pages that were refused.
func (m *model) forget(pages []graph.Page) {
	for _, p := range pages {
		m.state[m.pages[p]] = forbidden
	}
}

// judge checks a hand-out by the rules, and records it.
func (c *Crawl) judge(w event.Task) {
	site := c.sites[w.Site]
	if c.busy[site] {
		c.fail("a second work at site %d", site)
	}
	delay := c.Setting.Options.Delay
	if at := c.requested[site]; at > 0 && !c.keep && c.now < at-1+delay {
		c.fail("site %d was requested %v after its last answer", site, c.now-at+1)
	}
	c.busy[site] = true
	if w.Kind != event.Fetch {
		return
	}
	p := c.pages[w.Page]
	switch {
	case c.state[p] == due && c.due[p] > c.now:
		c.fail("page %d was handed out before it is due at %v", p, c.due[p])
	case c.state[p] != known && c.state[p] != due:
		c.fail("page %d was handed out in state %d", p, c.state[p])
	case c.World.Site[p] != site:
		c.fail("page %d was handed out for site %d", p, site)
	case c.Setting.Rough && !c.allowed(p):
		c.fail("page %d was handed out and is forbidden", p)
	}
	c.state[p] = taken
}

// ended records the end of a task.
func (c *Crawl) ended(f flight) {
	site := c.sites[f.work.Site]
	c.busy[site] = false
	if f.work.Kind != event.Resolve {
		c.requested[site] = f.end + 1
	}
}

// complete checks at the end that no page was forgotten.
func (c *Crawl) complete() {
	for _, p := range c.pages {
		if s := c.state[p]; (s == known || s == due) && !(c.Setting.Rough && c.dead(c.World.Site[p])) {
			c.fail("page %d was never handed out", p)
		}
	}
}
