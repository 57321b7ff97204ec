package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Lines decides which connections stay open between two requests to a site: see
// Options.KeepAlive. It knows sites and instants, and no sockets. What is handed out does
// not depend on it, so it is no part of the state, and a session begins without
// connections.
//
// The driver calls Begin when a request is handed out and End when its answer is complete.
// After each it closes the connections of the sites that Closed returns, before it makes a
// new one. A site has at most one connection, and so has a host with its two schemes.
type Lines struct {
	f      *Frontier
	most   int // idle connections
	idle   map[graph.Site]line
	order  []idleSince             // oldest first; those that idle does not confirm are void
	at     map[uint32][]graph.Site // by address: sites with an idle connection, oldest first
	broken map[graph.Site]bool     // sites that Distrust names
	closed []graph.Site
}

// mostBroken is the largest number of sites that are distrusted at a time. Beyond it all of
// them are trusted again.
const mostBroken = 10_000

// A line is an idle connection.
type line struct {
	since   time.Duration
	address uint32
}

type idleSince struct {
	site  graph.Site
	since time.Duration
}

// NewLines returns a Lines for the sites of f, without a connection. most is the largest
// number of idle connections, at least 1.
func NewLines(f *Frontier, most int) *Lines {
	return &Lines{f: f, most: max(1, most), idle: map[graph.Site]line{}, at: map[uint32][]graph.Site{}, broken: map[graph.Site]bool{}}
}

// Begin begins a request to s, which was handed out at now. It reports whether the
// connection of s is open. Otherwise a new one is needed, for which there is room.
func (l *Lines) Begin(now time.Duration, s graph.Site) (open bool) {
	l.Expire(now)
	sites := l.f.sites
	a := sites.addresses.address.At(int(s))
	if x, ok := l.idle[s]; ok {
		l.forget(s)
		if open = x.address == a; !open { // its address has changed
			l.closed = append(l.closed, s)
		}
	}
	if t := sites.clocks.twinOf(s); t != graph.NoSite {
		l.close(t)
	}
	if limit := l.f.o.AddressCap; limit > 0 && a != 0 {
		for n := int(sites.addresses.active.At(int(a))); len(l.at[a]) > 0 && n+len(l.at[a]) > limit; {
			l.close(l.at[a][0])
		}
	}
	return open
}

// End ends a request to s, after its event was applied. rest is the time for which the
// server lets the connection stay open, 0 if it is closed. End reports whether it stays
// open: a site without a page to fetch, or whose next request is further away than rest or
// KeepAlive, needs none.
func (l *Lines) End(now time.Duration, s graph.Site, rest time.Duration) bool {
	l.Expire(now)
	if rest <= 0 || !l.needed(now, s, rest) {
		return false
	}
	a := l.f.sites.addresses.address.At(int(s))
	l.idle[s] = line{now, a}
	l.order = append(l.order, idleSince{s, now})
	l.at[a] = append(l.at[a], s)
	for len(l.idle) > l.most && l.f.sites.place.At(int(s)) != kept {
		l.closeOldest()
	}
	return true
}

// needed reports whether s will be requested within rest.
func (l *Lines) needed(now time.Duration, s graph.Site, rest time.Duration) bool {
	x, o := l.f.sites, l.f.o
	if x.place.At(int(s)) == kept { // by a fetcher that takes another page at once
		return true
	}
	return o.KeepAlive > 0 && !l.broken[s] && (x.orders.len(s) > 0 || x.requisites.wait(s)) && x.clocks.instant(s)-now <= min(o.KeepAlive, rest)
}

// Distrust reports that s dropped a kept connection instead of answering. From now on each
// request to s is to have a connection of its own.
func (l *Lines) Distrust(s graph.Site) {
	if len(l.broken) >= mostBroken {
		clear(l.broken)
	}
	l.broken[s] = true
}

// Trusts reports whether the connection of s may serve another request.
func (l *Lines) Trusts(s graph.Site) bool { return !l.broken[s] }

// Closed returns the sites whose connections are to be closed. The slice is valid until the
// next call of another method.
func (l *Lines) Closed() []graph.Site {
	all := l.closed
	l.closed = l.closed[:0]
	return all
}

// Expire closes the connections that have been idle for too long.
func (l *Lines) Expire(now time.Duration) {
	for len(l.order) > 0 && (now-l.order[0].since > l.f.o.KeepAlive || !l.valid(l.order[0])) {
		l.closeOldest()
	}
}

// valid reports whether an entry of order stands for an idle connection.
func (l *Lines) valid(x idleSince) bool {
	y, ok := l.idle[x.site]
	return ok && y.since == x.since
}

// closeOldest removes the first entry of order, and closes its connection if it has one.
func (l *Lines) closeOldest() {
	x := l.order[0]
	l.order = l.order[1:]
	if l.valid(x) {
		l.close(x.site)
	}
}

// close closes the connection of s, if it has an idle one.
func (l *Lines) close(s graph.Site) {
	if _, ok := l.idle[s]; ok {
		l.forget(s)
		l.closed = append(l.closed, s)
	}
}

// forget removes s from the idle ones.
func (l *Lines) forget(s graph.Site) {
	a := l.idle[s].address
	delete(l.idle, s)
	l.at[a] = slices.DeleteFunc(l.at[a], func(t graph.Site) bool { return t == s })
	if len(l.at[a]) == 0 {
		delete(l.at, a)
	}
}
