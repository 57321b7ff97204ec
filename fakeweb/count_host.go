package fakeweb

import (
	"sync"

	"github.com/winnow-crawler/winnow/graph"
)

// extraHosts are the hosts that were asked for something and are no sites of the graph:
// mirrors, link farms, names below a site. They are numbered behind the sites in the order
// in which they were asked first; what is kept of each is its record.
type extraHosts struct {
	mu   sync.RWMutex
	ids  map[string]graph.Site
	list []*extraHost
	from graph.Site // number of the first
}

type extraHost struct {
	name  string
	host  host
	count siteCount
}

// enter finds the record of a host, or begins it.
func (e *extraHosts) enter(name string, h *host) (graph.Site, *siteCount) {
	name = trimPort(name)
	e.mu.Lock()
	defer e.mu.Unlock()
	id, ok := e.ids[name]
	if !ok {
		id = e.from + graph.Site(len(e.list))
		e.ids[name] = id
		e.list = append(e.list, &extraHost{name: name, host: *h})
	}
	return id, &e.list[id-e.from].count
}

// host finds a host by its number.
func (e *extraHosts) host(id graph.Site) *extraHost {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.list[id-e.from]
}

func (e *extraHosts) len() int {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return len(e.list)
}

// enter finds the number and the record of a host.
func (c *Counter) enter(name string, h *host) (graph.Site, *siteCount) {
	if h.role == roleSite {
		return h.site.id, &c.sites[h.site.id]
	}
	return c.more.enter(name, h)
}

// at is the record of a site or another host.
func (c *Counter) at(id graph.Site) *siteCount {
	if int(id) < len(c.sites) {
		return &c.sites[id]
	}
	return &c.more.host(id).count
}

// Name is the name of a site, or of another host that was asked for something.
func (c *Counter) Name(id graph.Site) string {
	if int(id) < len(c.sites) {
		return c.s.hostName(id)
	}
	return c.more.host(id).name
}

// Sites is the number of sites of the web and of the other hosts that were asked for
// something so far: the numbers of those follow, in the order of their first requests.
func (c *Counter) Sites() int { return len(c.sites) + c.more.len() }
