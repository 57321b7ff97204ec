package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// hops are the robots.txt that moved to another site and are still to be asked for
// there. Site a, whose robots.txt moved to site t, is in stage moved:
//
//	a: unruled --Ruled, Hop--> moved --Ruled at t for a--> open, closed, or moved on
//	                             |
//	                             +--Again, or t is closed--> unruled
//
// Meanwhile no page of a is offered. The request to t is one like any other: on the
// clock and at the address of t, when t is not acquired, and after the address of t was
// asked for; but t needs neither pages nor rules of its own. Hops that can be asked for
// go before everything else, in the order in which they came up. A site that is moved
// can itself be the target of others, so two that moved to each other do not wait in
// vain.
type hops struct {
	pending map[graph.Site][]hop      // by target, in order
	target  map[graph.Site]graph.Site // by site that moved
	number  int64                     // of the next hop
	open    instants                  // targets that are ready, by the number of their first hop; or were ready
	// shutOut are targets that were found in open when their address was busy, by address.
	shutOut map[uint32][]graph.Site
}

// A hop is that the robots.txt of a site is to be asked for elsewhere. Numbers ascend.
type hop struct {
	number int64
	of     graph.Site
}

func newHops() hops {
	return hops{pending: map[graph.Site][]hop{}, target: map[graph.Site]graph.Site{}, shutOut: map[uint32][]graph.Site{}}
}

// hopsAt is how many robots.txt of other sites are to be asked for at t.
func (f *Frontier) hopsAt(t graph.Site) int {
	if len(f.pending) == 0 {
		return 0
	}
	return len(f.pending[t])
}

// move sends the robots.txt of s to t, which may be new. A site that is closed has
// nothing to say.
func (f *Frontier) move(now time.Duration, s, t graph.Site) {
	if int(t) == f.Sites() {
		f.addSite()
	}
	if f.stage.At(int(s)) == closed {
		return // while it waited for this
	}
	f.setStage(s, moved)
	f.addHop(s, t)
	if f.stage.At(int(t)) == closed {
		f.returnHops(now, t)
	} else if f.place.At(int(t)) == ready {
		f.offerHops(t)
	}
}

func (f *Frontier) addHop(s, t graph.Site) {
	was := f.wanting(t)
	f.pending[t] = append(f.pending[t], hop{f.hops.number, s})
	f.target[s] = t
	f.hops.number++
	f.recount(t, was)
}

// endHop takes out the hop of s, if there is one.
func (f *Frontier) endHop(s graph.Site) {
	t, ok := f.target[s]
	if !ok {
		return
	}
	was := f.wanting(t)
	delete(f.target, s)
	list := slices.DeleteFunc(f.pending[t], func(h hop) bool { return h.of == s })
	if f.pending[t] = list; len(list) == 0 {
		delete(f.pending, t)
	}
	f.recount(t, was)
}

// offerHops lets the hops to t, which is ready, be handed out.
func (f *Frontier) offerHops(t graph.Site) {
	if f.hopsAt(t) > 0 {
		f.hops.open.push(time.Duration(f.pending[t][0].number), uint32(t))
	}
}

// returnHops sends the sites whose robots.txt moved to t back to the beginning. They
// count it as a failure of their own, and wait for the delay of one.
func (f *Frontier) returnHops(now time.Duration, t graph.Site) {
	for f.hopsAt(t) > 0 {
		f.returnHop(now, f.pending[t][0].of)
	}
}

// returnHop does it for one site.
func (f *Frontier) returnHop(now time.Duration, s graph.Site) {
	f.endHop(s)
	wait := max(f.size(s), f.backOff(s, &event.Event{Class: event.ConnectError}))
	f.unruledUntil(s, later(now, wait))
	f.reoffer(now, s)
}

// Hops gives every robots.txt that is asked for elsewhere or waits for it, in the order in
// which they came up: of which site, and at which.
func (f *Frontier) Hops(each func(of, at graph.Site)) {
	for _, v := range f.hopList() {
		each(graph.Site(v>>32), graph.Site(uint32(v)))
	}
}

// withdrawn takes back what was to be asked for at a site, or for it elsewhere.
func (f *Frontier) withdrawn(now time.Duration, e *event.Event) {
	f.addFiles(e.Site, -int(e.Files))
	if e.Hop {
		f.returnHop(now, e.Site)
	}
}

// nextHop is the work that the first hop needs which can be asked for now. What cannot
// is put aside, so that it is looked at once for each time that its site or its address
// becomes free.
func (f *Frontier) nextHop(now time.Duration) (w event.Task, ok bool) {
	for len(f.hops.open) > 0 {
		first := f.hops.open[0]
		t := graph.Site(first.id)
		a := f.of.At(int(t))
		switch {
		case f.hopsAt(t) == 0 || f.pending[t][0].number != int64(first.at) || f.place.At(int(t)) != ready:
			f.hops.open.pop()
		case f.limited && a != 0 && f.busy(now, a):
			f.hops.open.pop()
			f.shutOut[a] = append(f.shutOut[a], t)
		case f.unresolved(now, t):
			return event.Task{Kind: event.Resolve, Site: t}, true
		default:
			return event.Task{Kind: event.Robots, Site: t, For: f.pending[t][0].of}, true
		}
	}
	return event.Task{}, false
}

// openHops lets the hops to targets at address a be handed out, which is not busy.
func (f *Frontier) openHops(a uint32) {
	if len(f.shutOut) == 0 {
		return
	}
	for _, t := range f.shutOut[a] {
		f.offerHops(t)
	}
	delete(f.shutOut, a)
}

// hopList is all hops in their order, each as the site that moved and the target.
func (f *Frontier) hopList() []uint64 {
	type pair struct {
		hop
		to graph.Site
	}
	var all []pair
	for t, list := range f.pending {
		for _, h := range list {
			all = append(all, pair{h, t})
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return int(a.number - b.number) })
	var out []uint64
	for _, p := range all {
		out = append(out, uint64(p.of)<<32|uint64(p.to))
	}
	return out
}

// setHops replaces all hops by a list that was saved.
func (f *Frontier) setHops(list []uint64) {
	f.hops = newHops()
	for _, v := range list {
		s, t := graph.Site(v>>32), graph.Site(uint32(v))
		f.pending[t] = append(f.pending[t], hop{f.hops.number, s})
		f.target[s] = t
		f.hops.number++
	}
}

// rebuildHops forgets which targets are ready, before they are offered anew.
func (f *Frontier) rebuildHops() {
	f.hops.open = f.hops.open[:0]
	clear(f.shutOut)
}

// Closed reports whether a site is never asked again: its address or its robots.txt
// cannot be had. A driver that learns that a robots.txt moved there had better call it
// a failure than a hop, which would send the site back to the beginning for ever.
func (f *Frontier) Closed(s graph.Site) bool { return f.stage.At(int(s)) == closed }
