package frontier

import (
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// Pages that are to be visited again now go before all others, in the order in which they were
// called. They wait in the queues too, so that their sites are offered. A new session forgets
// which pages are urgent: then they wait like others.

// mostUrgent bounds the number of urgent pages: finding one takes some microseconds.
const mostUrgent = 4096

// hasten lets pages that wait go before all others.
func (x *orders) hasten(list []graph.Page) {
	for _, p := range list {
		if len(x.urgent) < mostUrgent && x.boards[0].active.Waits(p) && !slices.Contains(x.urgent, p) {
			x.urgent = append(x.urgent, p)
		}
	}
}

// calm lets p wait like others.
func (x *orders) calm(p graph.Page) {
	if i := slices.Index(x.urgent, p); i >= 0 {
		x.urgent = slices.Delete(x.urgent, i, i+1)
	}
}

// calmAll lets all pages wait like others.
func (x *orders) calmAll() { x.urgent = nil }

// urgentSite returns the site of the first urgent page whose site may be requested now.
func (x *orders) urgentSite() (graph.Site, bool) {
	for _, p := range x.urgent {
		if s := x.site(p); x.offered[0].Offers(s) {
			return s, true
		}
	}
	return 0, false
}

// urgentOf returns the first urgent page of a site.
func (x *orders) urgentOf(s graph.Site) (graph.Page, bool) {
	for _, p := range x.urgent {
		if x.site(p) == s {
			return p, true
		}
	}
	return graph.NoPage, false
}
