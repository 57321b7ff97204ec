package count

import (
	"net/http"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// A Summary is the record in numbers.
type Summary struct {
	Seconds      float64          `json:"seconds"` // from the first request to the last end
	Sites        int              `json:"sites"`   // that received requests
	Requests     int64            `json:"requests"`
	Kinds        map[string]int64 `json:"kinds"`    // by page, robots, sitemap, unknown, copy, trap, hidden, hop
	Statuses     map[string]int64 `json:"statuses"` // of pages; "reset" for those without
	Full         int64            `json:"full"`     // full answers with 200, pages only
	Pages        int64            `json:"pages"`    // different pages among them
	Bytes        int64            `json:"bytes"`    // of bodies
	Connections  int64            `json:"connections"`
	MostOpen     int              `json:"most_connections"`         // to one site at once
	MostAtIP     int              `json:"most_address_connections"` // to one IP address at once, idle ones included
	MinGap       float64          `json:"min_gap_seconds"`          // within a site; -1: no site was requested twice
	UnknownHosts int64            `json:"unknown_hosts"`
	Queries      int64            `json:"dns_queries"`
	UnknownNames int64            `json:"dns_unknown_names"`

	// Of a hostile web. Traps counts all requests that lie in one, to robots.txt of hosts
	// that are traps, too; TrapShare is its part of Requests. Repeats are full answers for
	// pages that had been answered in full, Copies full answers with the content of a page
	// under another URL, Hidden requests for pages behind copies.

	Traps     int64            `json:"traps,omitzero"`
	TrapShare float64          `json:"trap_share,omitzero"`
	TrapKinds map[string]int64 `json:"trap_kinds,omitempty"`
	Repeats   int64            `json:"repeats,omitzero"`
	Copies    int64            `json:"copies,omitzero"`
	Hidden    int64            `json:"hidden,omitzero"`
}

// Summary returns the record up to now.
func (c *Counter) Summary() Summary {
	m := Summary{Kinds: map[string]int64{}, Statuses: map[string]int64{}, UnknownHosts: c.others.Load(), UnknownNames: c.nobody.Load(), MostAtIP: c.addresses.most()}
	first, last, gap := never, time.Duration(0), never
	for i := range c.sites {
		m.Queries += int64(c.asked[i].Load())
	}
	m.Queries += c.beside.Load()
	for i := range c.Sites() {
		r := c.Site(graph.Site(i))
		if len(r.Requests) == 0 {
			continue
		}
		m.Sites++
		m.Connections += int64(r.Connections)
		m.MostOpen = max(m.MostOpen, r.MostOpen)
		gap = min(gap, r.minGap)
		first = min(first, r.Requests[0].Start)
		for k := range r.Requests {
			m.add(&r.Requests[k])
			last = max(last, r.Requests[k].End)
		}
		m.Pages += int64(r.Pages)
	}
	m.MinGap = -1
	if gap < never {
		m.MinGap = gap.Seconds()
	}
	if m.Requests > 0 {
		m.Seconds = (last - first).Seconds()
		m.TrapShare = float64(m.Traps) / float64(m.Requests)
	}
	m.Repeats = m.Full - m.Pages
	return m
}

func (m *Summary) add(q *Request) {
	m.Requests++
	m.Kinds[q.Kind.String()]++
	m.Bytes += q.Bytes
	if q.Trap != answer.NoTrap {
		if m.TrapKinds == nil {
			m.TrapKinds = map[string]int64{}
		}
		m.Traps++
		m.TrapKinds[q.Trap.String()]++
	}
	switch {
	case q.Kind == answer.KindHidden:
		m.Hidden++
	case q.Kind == answer.KindCopy && q.Status == http.StatusOK && q.Full:
		m.Copies++
	}
	if q.Kind != answer.KindPage {
		return
	}
	status := "reset"
	if q.Status != 0 {
		status = strconv.Itoa(int(q.Status))
	}
	m.Statuses[status]++
	if q.Status == http.StatusOK && q.Full {
		m.Full++
	}
}

// A SiteReport is the record of one site.
type SiteReport struct {
	Site        graph.Site `json:"site"`
	Name        string     `json:"name"`
	Address     string     `json:"address"`
	Pages       int        `json:"pages"` // different ones answered in full with 200
	Connections int        `json:"connections"`
	MostOpen    int        `json:"most_connections"`
	Overlaps    []Overlap  `json:"overlaps,omitempty"`
	MinGap      float64    `json:"min_gap_seconds"` // -1: requested once at most
	MeanSeconds float64    `json:"mean_seconds"`    // from the start of a request to the end of its answer
	Queries     int        `json:"dns_queries"`
	Requests    []Request  `json:"requests"`

	minGap time.Duration
}

// Site returns the record of one site up to now.
func (c *Counter) Site(id graph.Site) SiteReport {
	r := SiteReport{
		Site: id, Name: c.Name(id), Address: c.address(id).String(),
		Requests: c.Requests(id), Queries: c.Queries(id), minGap: never, MinGap: -1,
	}
	s := c.at(id)
	s.mu.Lock()
	r.Connections, r.MostOpen = s.conns, s.mostOpen
	r.Overlaps = append(r.Overlaps, s.overlaps...)
	s.mu.Unlock()
	r.measure()
	return r
}

func (r *SiteReport) measure() {
	pages := map[graph.Page]bool{}
	var ended, busy time.Duration
	for i, q := range r.Requests {
		if i > 0 {
			r.minGap = min(r.minGap, max(0, q.Start-ended)) // two at once: no gap
		}
		ended = max(ended, q.End)
		busy += q.End - q.Start
		if q.Kind == answer.KindPage && q.Status == http.StatusOK && q.Full {
			pages[q.Page] = true
		}
	}
	r.Pages = len(pages)
	if r.minGap < never {
		r.MinGap = r.minGap.Seconds()
	}
	if n := len(r.Requests); n > 0 {
		r.MeanSeconds = (busy / time.Duration(n)).Seconds()
	}
}
