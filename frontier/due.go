package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// yielding holds failed pages whose instant has come but which wait once more. While a
// site fails, its pages in the queues come first, since most of them were not tried yet.
// Then the failed ones return one by one, the one first that was tried the longest time
// ago.
type yielding struct {
	behind map[graph.Site]instants
	pages  int // in all of them
}

// wake lets all pages, sites and addresses continue whose instant has come. It reports
// whether that were any pages or sites.
func (x *pages) wake(now time.Duration) (any bool) {
	any = x.sites.wake(now)
	for x.due.first() <= now {
		if d := x.due.pop(); !x.yields(d) {
			x.comeBack(graph.Page(d.id))
			any = true
		}
	}
	x.sites.addresses.wake(now)
	return any
}

// comeBack puts a page that is due into the queues, unless it is there already or under
// way. On replay it may have been taken before its instant.
func (x *pages) comeBack(p graph.Page) {
	if s := x.stateOf(p); (s == Known || s == Fetched) && !x.orders.waits(p) {
		x.enter(p, x.orders.site(p))
	}
}

// yields puts a page behind the others of its site, and reports whether it had to.
func (x *pages) yields(d instant) bool {
	p := graph.Page(d.id)
	s := x.orders.site(p)
	if x.o.BackOff == 0 || x.o.Mode != Continuous || x.stateOf(p) != Known || x.sites.clocks.failures(s) == 0 || x.orders.len(s) == 0 {
		return false
	}
	list := x.yielding.behind[s]
	list.push(d.at, d.id)
	x.yielding.behind[s] = list
	x.yielding.pages++
	return true
}

// follow lets the pages of s that yielded come back: all of them if s answers or is
// closed, otherwise the first one if no other page of s waits.
func (x *pages) follow(s graph.Site) {
	list, ok := x.yielding.behind[s]
	if !ok {
		return
	}
	all := x.sites.clocks.failures(s) == 0 || x.sites.in(s, closed)
	for len(list) > 0 && (all || x.orders.len(s) == 0) {
		d := list.pop()
		x.yielding.pages--
		x.yielding.behind[s] = list
		x.comeBack(graph.Page(d.id))
	}
	if len(list) == 0 {
		delete(x.yielding.behind, s)
	}
}

// setDue replaces all pages that wait for an instant, those that yielded among them.
func (x *pages) setDue(due instants) {
	x.due = due
	clear(x.yielding.behind)
	x.yielding.pages = 0
}

// allDue returns the pages that wait for an instant, with those that yielded.
func (x *pages) allDue() instants {
	due := append(instants{}, x.due...)
	for _, list := range x.yielding.behind {
		for _, d := range list {
			due.push(d.at, d.id)
		}
	}
	return due
}

// hurry puts failed pages that wait for another try into the queues at once.
func (x *pages) hurry() {
	all := x.allDue()
	x.setDue(nil)
	for _, d := range all { // in any order: the heap and the queues have their own
		if p := graph.Page(d.id); x.stateOf(p) == Known {
			x.comeBack(p)
		} else {
			x.due.push(d.at, d.id)
		}
	}
}

// hopeful reports whether a page waits for an instant at a site that answers.
func (x *pages) hopeful() bool {
	for _, d := range x.due {
		if x.sites.clocks.failures(x.orders.site(graph.Page(d.id))) == 0 {
			return true
		}
	}
	return false
}
