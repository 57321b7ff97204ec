package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// rule records the rules that were fetched for a site at e.Site.
func (x *sites) rule(e *event.Event) {
	s := e.For
	x.setStage(s, open)
	x.addFiles(s, int(e.Files))
	if s != e.Site { // its last request knew nothing of this Crawl-delay
		x.clocks.notBefore(s, addCapped(e.End, e.Delay))
	}
}

// retryRobots lets the robots.txt of s be requested again at an instant. A site that has
// rules uses them until then; another one waits.
func (x *sites) retryRobots(s graph.Site, at time.Duration) {
	stage := x.stage.At(int(s))
	switch {
	case stage == open, stage == moved && x.robotsExpiry.At(int(s)) > 0:
		x.setStage(s, open)
		x.robotsExpiry.Set(int(s), max(1, int64(at)))
		return
	case stage == moved:
		x.setStage(s, unruled)
	}
	x.clocks.notBefore(s, at)
}

// move notes that the robots.txt of s moved to t, which may be new.
func (x *sites) move(now time.Duration, s, t graph.Site) {
	if int(t) == x.len() {
		x.add()
	}
	if x.in(s, closed) {
		return // it was closed while it waited for this
	}
	x.setStage(s, moved)
	x.addHop(s, t)
	if x.in(t, closed) {
		x.returnHops(now, t)
	}
}

// addHop lets the robots.txt of s be fetched at t.
func (x *sites) addHop(s, t graph.Site) {
	was := x.wanting(t)
	x.hops.add(s, t)
	x.recount(t, was)
	if x.place.At(int(t)) == ready {
		x.hops.offer(t)
	}
}

// endHop removes the hop of s, if there is one.
func (x *sites) endHop(s graph.Site) {
	if t, ok := x.hops.target[s]; ok {
		was := x.wanting(t)
		x.hops.remove(s, t)
		x.recount(t, was)
	}
}

// returnHops makes the sites whose robots.txt moved to t start again with their own.
func (x *sites) returnHops(now time.Duration, t graph.Site) {
	for x.hops.at(t) > 0 {
		x.returnHop(now, x.hops.pending[t][0].of)
	}
}

// returnHop does so for one site. The site counts it as a failure of its own.
func (x *sites) returnHop(now time.Duration, s graph.Site) {
	x.endHop(s)
	wait := max(x.clocks.baseDelay(s), x.clocks.backOff(s, &event.Event{Class: event.ConnectError}))
	x.retryRobots(s, addCapped(now, wait))
	x.reoffer(now, s)
}

// nextHop returns the task that the first hop needs whose target can be requested now.
// Other targets are put aside until they, or their addresses, become free.
func (x *sites) nextHop(now time.Duration) (w event.Task, ok bool) {
	h := &x.hops
	for len(h.open) > 0 {
		first := h.open[0]
		t := graph.Site(first.id)
		a := x.addresses.address.At(int(t))
		switch {
		case x.exchange.foreign(t): // its partition is asked
			h.open.pop()
		case h.at(t) == 0 || h.pending[t][0].number != int64(first.at) || x.place.At(int(t)) != ready:
			h.open.pop()
		case x.addresses.limited && a != 0 && x.addresses.busy(now, a):
			h.putAside(a)
		case x.needsAddress(now, t):
			return event.Task{Kind: event.Resolve, Site: t}, true
		default:
			return event.Task{Kind: event.Robots, Site: t, For: h.pending[t][0].of}, true
		}
	}
	return event.Task{}, false
}

// probe lets the robots.txt of s be fetched out of turn, on the clock of s. It does
// nothing unless canProbe.
func (x *sites) probe(s graph.Site) {
	if x.canProbe(s) {
		x.addHop(s, s)
	}
}

// canProbe reports whether s is open and its robots.txt is not under way already.
func (x *sites) canProbe(s graph.Site) bool {
	_, pending := x.hops.target[s]
	return x.o.Robots && !pending && x.in(s, open)
}

// withdrawTasks cancels what was to be requested at a site, or for it elsewhere.
func (x *sites) withdrawTasks(now time.Duration, e *event.Event) {
	x.addFiles(e.Site, -int(e.Files))
	if e.Hop {
		x.returnHop(now, e.Site)
	}
}
