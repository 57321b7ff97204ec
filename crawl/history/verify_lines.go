package history

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// An addressWatch holds what the verifier knows about an IP address.
type addressWatch struct {
	due    time.Duration
	active int
	begun  []begun // within keep_alive, oldest first
}

// A begun is the begin of a request to an address. open is the number of connections that
// were certainly open then: in use, or idle and used again later. The journal does not tell
// when others were closed.
type begun struct {
	at     time.Duration
	record uint64
	open   int
}

// connected checks that the connection is new, or that of the last request to the site,
// which was answered, and not idle for too long. New ones have numbers that rise.
func (w *polite) connected(r *journal.Record, x *siteWatch) {
	e, c := &r.Event, r.Facts.Conn
	switch {
	case x.conn != c || c == 0:
		if c != 0 && c <= w.conns {
			w.v.found(FindConnection, e.Site, pageOf(e), "connection %d was made for another site or closed", c)
		}
		w.conns = max(w.conns, c)
	case !x.free && r.Now-x.since > w.conf.KeepAlive.Duration:
		w.v.found(FindConnection, e.Site, pageOf(e), "connection %d is used again after %v, %v are allowed", c, r.Now-x.since, w.conf.KeepAlive.Duration)
	case !x.free:
		w.idled(r, x)
	}
}

// idled counts a connection that was idle since the last answer, and is used again, towards
// the limit of its address.
func (w *polite) idled(r *journal.Record, x *siteWatch) {
	if x.address == 0 || w.conf.IPCap == 0 {
		return
	}
	list := w.at(x.address).begun
	for i := range list {
		b := &list[i]
		if b.record < x.record {
			continue
		}
		if b.open++; b.open == w.conf.IPCap+1 {
			w.v.found(FindAddress, r.Event.Site, pageOf(&r.Event), "address %d had more than %d connections at %v, idle ones included", x.address, w.conf.IPCap, b.at)
		}
	}
}

// inRow checks a request that follows the last at once.
func (w *polite) inRow(r *journal.Record, x *siteWatch) {
	e := &r.Event
	most := w.over.PerConnection(w.v.state.Table.Name(e.Site))
	switch {
	case e.Task.Kind != event.Fetch:
		w.v.found(FindConnection, e.Site, pageOf(e), "connection %d is used again, but a delay is in force", x.conn)
	case int(x.row) >= max(1, most):
		w.v.found(FindConnection, e.Site, pageOf(e), "%d requests in a row over connection %d, %d are allowed", x.row+1, x.conn, most)
	}
}

// enter checks the address.
func (w *polite) enter(r *journal.Record, x *siteWatch) {
	e := &r.Event
	if r.Facts.Address != x.address {
		w.v.found(FindAddress, e.Site, pageOf(e), "requested from address %d, but %d is known", r.Facts.Address, x.address)
	}
	if x.address == 0 {
		return
	}
	y := w.at(x.address)
	if r.Now < y.due {
		w.v.found(FindAddress, e.Site, pageOf(e), "the request to address %d is %v too soon", x.address, y.due-r.Now)
	}
	y.active++
	y.begin(r, w.conf.KeepAlive.Duration)
	if w.conf.IPCap > 0 && y.active > w.conf.IPCap {
		w.v.found(FindAddress, e.Site, pageOf(e), "address %d has requests of %d sites at a time, %d are allowed", x.address, y.active, w.conf.IPCap)
	}
}

// begin notes the begin of a request, and forgets those that no connection has been idle
// since.
func (y *addressWatch) begin(r *journal.Record, keepAlive time.Duration) {
	if keepAlive == 0 {
		return
	}
	old := 0
	for old < len(y.begun) && r.Now-y.begun[old].at > keepAlive {
		old++
	}
	y.begun = append(slices.Delete(y.begun, 0, old), begun{r.Now, r.Seq, y.active})
}

// leave ends the requests of a site to its address.
func (w *polite) leave(s graph.Site) {
	x := &w.sites[s]
	x.free = false
	if a := x.address; a != 0 {
		y := w.at(a)
		y.active = max(0, y.active-1)
		y.due = max(y.due, x.end+w.conf.IPDelay.Duration)
	}
}

// at returns an address by its number.
func (w *polite) at(a uint32) *addressWatch {
	for len(w.addrs) <= int(a) {
		w.addrs = append(w.addrs, addressWatch{})
	}
	return &w.addrs[a]
}
