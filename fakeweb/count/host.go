package count

import (
	"net/netip"
	"sync"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// extraHosts holds the hosts that received requests and are no sites of the graph: mirrors,
// link farms, names below a site. They are numbered behind the sites in the order of their
// first requests. A record is kept of each.
type extraHosts struct {
	mu   sync.RWMutex
	ids  map[string]graph.Site
	list []*extraHost
	from graph.Site // number of the first
}

type extraHost struct {
	name  string
	host  answer.Host
	count siteCount
}

// enter finds the record of a host, or begins it.
func (e *extraHosts) enter(name string, h *answer.Host) (graph.Site, *siteCount) {
	name = answer.TrimPort(name)
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
func (c *Counter) enter(name string, h *answer.Host) (graph.Site, *siteCount) {
	if id, ok := h.Site(); ok {
		return id, &c.sites[id]
	}
	return c.more.enter(name, h)
}

// at returns the record of a site or another host.
func (c *Counter) at(id graph.Site) *siteCount {
	if int(id) < len(c.sites) {
		return &c.sites[id]
	}
	return &c.more.host(id).count
}

// Name returns the name of a site, or of another host that received requests.
func (c *Counter) Name(id graph.Site) string {
	if int(id) < len(c.sites) {
		return c.world.HostName(id)
	}
	return c.more.host(id).name
}

// Sites returns the number of sites of the web and of the other hosts that received
// requests so far: the numbers of those follow, in the order of their first requests.
func (c *Counter) Sites() int { return len(c.sites) + c.more.len() }

// address returns the address of a site or another host.
func (c *Counter) address(id graph.Site) netip.Addr {
	if int(id) < len(c.sites) {
		return c.world.Address(id)
	}
	return c.world.HostAddress(&c.more.host(id).host)
}
