package frontier

import (
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// hops holds the robots.txt files that moved to another site and are still to be fetched
// there. Site a, whose robots.txt moved to site t, is in stage moved:
//
//	a: unruled --Ruled, Hop--> moved --Ruled at t for a--> open, closed, or moved on
//	                             |
//	                             +--Again, or t is closed--> unruled
//
// Meanwhile no page of a is offered. The request to t follows the clock and the address
// of t, and needs the address of t, but neither pages nor rules of t. Hops go before
// everything else, in the order of their numbers. A moved site can itself be the target
// of others, so two sites that moved to each other do not wait for ever.
//
// A hop of a site to itself is a probe: its robots.txt is fetched out of turn.
type hops struct {
	pending map[graph.Site][]hop      // by target, in order
	target  map[graph.Site]graph.Site // by site that moved
	number  int64                     // of the next hop
	open    instants                  // targets by the number of their first hop; those that are not ready any more are skipped
	shutOut map[uint32][]graph.Site   // targets taken from open while their address was busy, by address
}

// A hop is a robots.txt that is to be fetched at another site. Numbers ascend.
type hop struct {
	number int64
	of     graph.Site
}

func newHops() hops {
	return hops{pending: map[graph.Site][]hop{}, target: map[graph.Site]graph.Site{}, shutOut: map[uint32][]graph.Site{}}
}

// at returns the number of hops to t.
func (h *hops) at(t graph.Site) int {
	if len(h.pending) == 0 {
		return 0
	}
	return len(h.pending[t])
}

func (h *hops) add(s, t graph.Site) {
	h.pending[t] = append(h.pending[t], hop{h.number, s})
	h.target[s] = t
	h.number++
}

// remove removes the hop of s to t.
func (h *hops) remove(s, t graph.Site) {
	delete(h.target, s)
	list := slices.DeleteFunc(h.pending[t], func(h hop) bool { return h.of == s })
	if h.pending[t] = list; len(list) == 0 {
		delete(h.pending, t)
	}
}

// offer lets the hops to t, which is ready, be handed out.
func (h *hops) offer(t graph.Site) {
	if h.at(t) > 0 {
		h.open.push(time.Duration(h.pending[t][0].number), uint32(t))
	}
}

// putAside moves the first open target to those that wait for address a.
func (h *hops) putAside(a uint32) {
	h.shutOut[a] = append(h.shutOut[a], graph.Site(h.open.pop().id))
}

// reopen offers the hops to targets at address a, which is not busy any more.
func (h *hops) reopen(a uint32) {
	if len(h.shutOut) == 0 {
		return
	}
	for _, t := range h.shutOut[a] {
		h.offer(t)
	}
	delete(h.shutOut, a)
}

// list returns all hops in their order, each as the site that moved and the target.
func (h *hops) list() (list []uint64) {
	var all []hop
	for _, hops := range h.pending {
		all = append(all, hops...)
	}
	slices.SortFunc(all, func(a, b hop) int { return int(a.number - b.number) })
	for _, a := range all {
		list = append(list, uint64(a.of)<<32|uint64(h.target[a.of]))
	}
	return list
}

// set replaces all hops by a saved list.
func (h *hops) set(list []uint64) {
	*h = newHops()
	for _, v := range list {
		h.add(graph.Site(v>>32), graph.Site(uint32(v)))
	}
}

// withdrawAll forgets which targets are ready, before they are offered again.
func (h *hops) withdrawAll() {
	h.open = h.open[:0]
	clear(h.shutOut)
}
