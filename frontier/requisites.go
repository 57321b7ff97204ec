package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
)

// Requisites are what pages need to be shown: pictures, styles, scripts, fonts. They are no
// pages: policies do not know of them, and they have no value. As with sitemap files, the driver
// keeps the list of them, and the frontier only their number at each site.
//
// A requisite goes before the next page of its site, on the clock of the site. Its site is chosen
// by its pages, so requisites change the time at which pages are fetched, but not their order at
// the site. Sites whose pages do not offer them, such as hosts that have only pictures, wait in a
// queue of their own. They get a task when no page can be handed out, and at least one of
// requisiteShare: otherwise a crawl with more sites than fetchers would not request them before its
// end.

// requisiteShare is the number of pages after which a requisite goes first, if one can be
// requested.
const requisiteShare = 8

// requisites holds how many requisites wait, by site. Without any it takes no memory.
type requisites struct {
	o    *Options
	left *graph.Column[uint32] // by site; empty until there is one
	// line holds the sites with requisites, as its pages: page s is site s. The site that was
	// requested for one the longest time ago is the first.
	line   *queue.Queue
	joined bool // the line takes part where sites are offered
	total  int  // requisites that wait or are under way
	flying int  // under way
	since  int  // pages handed out since the last requisite
}

// newRequisites adds the columns to set.
func newRequisites(set *graph.Set, o *Options) requisites {
	x := requisites{o: o, line: queue.New("requisites", o.MaxSites, o.MaxSites)}
	x.left = graph.NewColumnIn[uint32](set, "site requisites", o.MaxSites)
	graph.AddTo(set, x.line)
	return x
}

// used reports whether there have been requisites.
func (x *requisites) used() bool { return x.left.Len() > 0 }

// at returns the number of requisites of s, including one that is under way.
func (x *requisites) at(s graph.Site) int {
	if int(s) >= x.left.Len() {
		return 0
	}
	return int(x.left.At(int(s)))
}

// wait reports whether s has requisites that may be requested.
func (x *requisites) wait(s graph.Site) bool { return x.o.Requisites && x.at(s) > 0 }

// first returns the site that is requested next for a requisite, or for what it needs before.
func (x *requisites) first() (graph.Site, bool) {
	if !x.o.Requisites || !x.used() {
		return 0, false
	}
	return x.line.Best()
}

// turn reports whether a requisite goes before the next page.
func (x *requisites) turn() bool { return x.since >= requisiteShare }

// took notes that a task was handed out.
func (x *requisites) took(now time.Duration, w event.Task) {
	switch {
	case w.Kind == event.Requisite:
		x.since = 0
		x.flying++
		if int(w.Site) < x.left.Len() {
			x.line.Set(graph.Page(w.Site), -now.Seconds())
		}
	case w.Kind == event.Fetch && x.total > 0:
		x.since = min(x.since+1, requisiteShare)
	}
}

// addSite makes the next site known.
func (x *requisites) addSite(s graph.Site) {
	x.left.Append(0)
	x.line.Site(s)
	x.line.Page(graph.Page(s), s)
}

// add changes the number of requisites of s by n.
func (x *requisites) add(s graph.Site, n int) {
	was := x.at(s)
	is := max(0, was+n)
	x.left.Set(int(s), uint32(is))
	x.total += is - was
	switch {
	case was == 0 && is > 0:
		x.line.Push(graph.Page(s))
	case was > 0 && is == 0:
		x.line.Remove(graph.Page(s))
	}
}

// useRequisites makes room for the first requisite: all sites join the line.
func (x *sites) useRequisites() {
	r := &x.requisites
	if r.used() {
		return
	}
	x.joinLine()
	for i := range x.len() {
		r.addSite(graph.Site(i))
	}
	for i := range x.addresses.active.Len() {
		x.addresses.shut(x.now, uint32(i))
	}
	for i, at := range x.place.Slice() {
		if s := graph.Site(i); at == ready && !x.in(s, moved) {
			r.line.Offer(s)
		}
	}
}

// joinLine lets the line take part wherever sites are offered. It must not have any yet.
func (x *sites) joinLine() {
	r := &x.requisites
	if r.joined {
		return
	}
	r.joined = true
	if x.addresses.limited {
		r.line.Grouped(x.addresses.address, x.o.MaxAddresses+1)
	}
	x.orders.offered = append(x.orders.offered, r.line)
}

// loadRequisites makes the line after the columns were loaded.
func (x *sites) loadRequisites() {
	r := &x.requisites
	if !r.used() {
		return
	}
	x.joinLine()
	r.line.Rebuild(x.len())
	r.total = 0
	for _, n := range r.left.Slice() {
		r.total += int(n)
	}
}

// addRequisites changes the number of requisites of s by n.
func (x *sites) addRequisites(s graph.Site, n int) {
	if n == 0 || n < 0 && x.requisites.at(s) == 0 {
		return
	}
	x.useRequisites()
	was := x.wanting(s)
	x.requisites.add(s, n)
	x.recount(s, was)
}

// need makes the requisites of an event known. A closed site is not requested. A site that is kept
// for another page is not any more: its requisites go first.
func (x *sites) need(now time.Duration, e *event.Event) {
	sites := x.len()
	for i, s := range e.Needs {
		if int(s) == x.len() {
			x.add()
		}
		if (len(e.Bars) == 0 || e.Bars[i] == event.NoBar) && !x.in(s, closed) {
			x.addRequisites(s, 1)
			if x.place.At(int(s)) == kept {
				x.release(now, s, now)
			}
		}
	}
	if e.Page == graph.NoPage && x.exchange != nil { // another partition asks for them
		x.told(now, sites)
	}
}

// brought ends a Requisite task.
func (f applier) brought(now time.Duration, e *event.Event) {
	f.tasks.flying--
	f.sites.requisites.flying--
	f.sites.unsettle(e.Site)
	if !e.Again {
		f.sites.addRequisites(e.Site, -1)
	}
	f.sites.postpone(now, e.Site, e)
	f.pages.follow(e.Site)
	f.sites.release(now, e.Site, e.End)
}

// requisite returns the next task of the line.
func (x *dispatcher) requisite(now time.Duration) (w event.Task, ok bool) {
	s, ok := x.sites.requisites.first()
	if !ok {
		return event.Task{}, false
	}
	return x.sites.needs(now, s), true
}

// onlyRequisites reports whether no page may be handed out any more, but requisites may.
func (x *dispatcher) onlyRequisites() bool {
	return x.o.Requisites && x.floor.left == 0 && !x.floor.all
}
