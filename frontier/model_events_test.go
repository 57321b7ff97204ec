package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// finish ends a task in a random way, and requests more.
func (d *duel) finish() {
	i := d.r.IntN(len(d.flying))
	fl := d.flying[i]
	d.flying = slices.Delete(d.flying, i, i+1)
	e := event.Event{Task: event.Task{Site: fl.w.Site}, Start: fl.start, End: d.now, Again: d.r.IntN(8) == 0}
	if e.Again {
		e.Due = d.now + time.Duration(d.r.IntN(5000))*time.Millisecond
	}
	switch fl.w.Kind {
	case event.Resolve:
		e.Kind, e.Address = event.Resolved, uint32(fl.w.Site)%4+1
		if d.r.IntN(20) == 0 {
			e.Class = event.DNSError
		}
		if d.r.IntN(2) == 0 {
			e.Expiry = d.now + time.Duration(d.r.IntN(40))*time.Second + 1
		}
	case event.Robots:
		e.Kind, e.For = event.Ruled, fl.w.For
		switch d.r.IntN(12) {
		case 0:
			e.Class = event.Timeout
		case 1, 2, 3:
			e.Hop, e.Again, e.Due = true, false, 0
			e.To = d.site(graph.Site(d.r.IntN(duelSites)))
		}
		if d.r.IntN(4) == 0 {
			e.Delay = time.Duration(d.r.IntN(6)) * time.Second
		}
		if d.r.IntN(2) == 0 {
			e.Expiry = d.now + time.Duration(d.r.IntN(20))*time.Second + 1
		}
		if d.files < 30 && d.r.IntN(2) == 0 {
			e.Files = uint32(d.r.IntN(4))
		}
	case event.Sitemap:
		d.list(&e)
	case event.Fetch:
		d.fill(&e, fl.w.Page)
	}
	d.files += int(e.Files)
	d.end(&e, fl.w)
}

// mirror finds that a site mirrors another.
func (d *duel) mirror() {
	s := graph.Site(d.r.IntN(len(d.n.sites)))
	d.n.sites[s].mirror = true
	d.log = append(d.log, logged{at: d.now, e: event.Event{Task: event.Task{Site: s}}, mirror: true})
	d.f.DiscountSite(s)
}

// list says what a sitemap file brought.
func (d *duel) list(e *event.Event) {
	e.Kind, e.Again, e.Due = event.Listed, false, 0
	switch d.r.IntN(6) {
	case 0:
		e.Class = event.Timeout
	case 1:
		e.Files = uint32(d.r.IntN(2))
	default:
		var pages []uint32
		for range d.r.IntN(5) {
			pages = append(pages, uint32(d.r.IntN(duelPages)))
		}
		links, sites := d.discover(pages)
		e.New = sites
		d.bar(e, links)
	}
}

// bar bars some of the new pages of an event, and admits some of the old ones.
func (d *duel) bar(e *event.Event, links []graph.Page) {
	first := d.f.Pages()
	for range e.New {
		b := event.NoBar
		if d.r.IntN(7) == 0 {
			b = []event.Bar{event.BarScope, event.BarDepth, event.MaxBar}[d.r.IntN(3)]
		}
		e.Bars = append(e.Bars, b)
	}
	for _, p := range links {
		if int(p) < first && d.r.IntN(4) == 0 {
			e.Admit = append(e.Admit, p)
		}
	}
}

// fill says how an attempt at page p ended.
func (d *duel) fill(e *event.Event, p graph.Page) {
	e.Kind, e.Site, e.Page, e.Keep = event.Done, 0, p, d.r.IntN(5) > 0
	switch {
	case e.Again || d.r.IntN(9) == 0:
		e.Class = event.Timeout
	case d.r.IntN(9) == 0:
		e.Class = event.TooLarge
	default:
		var to []uint32
		for q := range uint32(duelPages) {
			if h := policy.Hash(uint64(d.world[p]), uint64(q)); h%24 == 0 && q != d.world[p] {
				to = append(to, q)
			}
		}
		e.Links, e.New = d.discover(to)
		e.Near = d.r.IntN(4) == 0
		d.bar(e, e.Links)
		if d.handed[p] < 3 && d.r.IntN(5) == 0 {
			e.Due = d.now + time.Duration(1+d.r.IntN(20000))*time.Millisecond
		}
	}
	if d.r.IntN(10) == 0 {
		e.Retry = time.Duration(d.r.IntN(4)) * time.Second
	}
}
