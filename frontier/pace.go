package frontier

import (
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A pace is a delay learned from a site that answered "too often". The delay grows by half
// with each such answer that follows a good one, until they are rare. Then it stays. After
// many good answers the crawler tries a delay that is a tenth shorter. If that fails, the
// delay before it holds again, and the next try comes after twice as many good answers. Few
// sites have a pace.
//
// Not every such answer is about the pace: some pages always get it, and some servers
// send it now and then. So the delay does not grow beyond one that was enough before. If
// even that one was not enough, the delay falls back to where it began.
type pace struct {
	Delay  time.Duration
	Safe   time.Duration // the delay to return to if Delay, which is a try, proves too short; 0 if Delay is no try
	Since  time.Duration // instant of the last good answer
	Enough time.Duration // the shortest time from one good answer to the next with "too often" between them; 0 if there was none
	Good   uint64        // good answers since the delay changed
	Heat   uint64        // heatStep for each "too often" after a good answer, 1 less for each good one
	Tries  uint64        // tries that failed
	Streak uint64        // answers "too often" in a row, not counting those to robots.txt
}

// The constants of a pace. Answers "too often" mean nothing as long as they are rarer
// than one in heatStep.
const (
	heatStep  = 20
	heatLimit = 40
	paceGood  = 64 // good answers before the first try
	paceProof = 16 // good answers that prove a try
	paceTries = 6  // failed tries that double the number of good answers before the next
	paceMax   = 10 * time.Minute
)

// pace learns from an answer of s and returns the learned delay, or 0. usual is the
// delay without it.
func (c *clocks) pace(s graph.Site, e *event.Event, usual time.Duration) time.Duration {
	p, known := c.paces[s]
	switch {
	case e.Pushed && !e.Ours:
		p.slower(e.Start, usual, c.failures(s))
	case !known:
		return 0
	case !passing(e.Class) && (e.Kind != event.Ruled || p.Streak == 0):
		p.faster(e.Start, e.End, c.failures(s))
	}
	if p.Delay <= c.baseDelay(s) && p.Safe == 0 {
		delete(c.paces, s) // nothing is left to learn
		return 0
	}
	c.paces[s] = p
	return p.Delay
}

// slower learns from an answer "too often" to a request made at start, after some failures
// in a row. Only the first of them depends on the pace, because the others followed longer
// delays.
func (p *pace) slower(start, usual time.Duration, failures int) {
	if failures == 0 {
		before := max(p.Delay, usual, time.Millisecond)
		if p.Since == 0 {
			p.Since = start - before
		}
		p.slow(before)
		p.Good = 0
	}
	p.Streak++
}

// slow makes the delay longer after a delay of before was too short.
func (p *pace) slow(before time.Duration) {
	if p.Safe > 0 { // the try failed
		if p.Delay, p.Tries = p.Safe, min(p.Tries+1, paceTries); before < p.Safe/2 {
			p.Enough = 0 // it was no chance
		}
		p.Safe = 0
		return
	}
	p.Heat += heatStep
	if p.Delay > 0 && p.Heat <= heatLimit {
		return
	}
	p.Heat = 0
	if p.Enough > 0 && before >= p.Enough { // less was enough before, so this may be chance
		p.Delay, p.Safe = 0, before
		return
	}
	grown := min(before+before/2, paceMax)
	if p.Enough > 0 {
		grown = min(grown, p.Enough)
	}
	p.Delay = max(p.Delay, grown)
}

// faster learns from a good answer. An answer that ends several failures followed a long
// delay, half of which was not enough. Either the site needs such delays, or it turned
// everybody down for a while. The next request decides: it is made after the shorter delay,
// and if that fails the long one holds.
func (p *pace) faster(start, end time.Duration, failures int) {
	if waited := start - p.Since; p.Streak > 0 && (p.Enough == 0 || waited < p.Enough) {
		p.Enough = waited
	}
	p.Since = end
	if failures > 1 {
		p.Safe, p.Good = 0, 0
		if long := min(p.Enough/4*3, paceMax); long > p.Delay {
			p.Safe = long
		}
	}
	p.Good++
	p.Heat -= min(p.Heat, 1)
	p.Streak = 0
	switch {
	case p.Safe > 0 && p.Good >= paceProof:
		p.Safe = 0
	case p.Safe == 0 && p.Good >= paceGood<<p.Tries:
		p.Safe, p.Good = p.Delay, 0
		p.Delay -= p.Delay / 10
	}
}

// paceNumbers is the number of numbers in a saved pace.
const paceNumbers = 9

// paceList returns all paces in the order of their sites, as numbers.
func (c *clocks) paceList() (list []uint64) {
	for _, s := range slices.Sorted(maps.Keys(c.paces)) {
		p := c.paces[s]
		list = append(list, uint64(s), uint64(p.Delay), uint64(p.Safe), uint64(p.Since), uint64(p.Enough), p.Good, p.Heat, p.Tries, p.Streak)
	}
	return list
}

// setPaces replaces all paces by a saved list.
func (c *clocks) setPaces(list []uint64) {
	clear(c.paces)
	for v := range slices.Chunk(list, paceNumbers) {
		if len(v) == paceNumbers {
			c.paces[graph.Site(v[0])] = pace{time.Duration(v[1]), time.Duration(v[2]), time.Duration(v[3]), time.Duration(v[4]), v[5], v[6], v[7], v[8]}
		}
	}
}

// p95 estimates the time that 95 of 100 answers take at most. A longer answer raises it
// by 19 parts, a shorter one lowers it by one part, so it comes to rest where one answer
// in twenty takes longer.
type p95 time.Duration

// note adds the time of an answer, unless it failed.
func (x *p95) note(t time.Duration, c event.Class) {
	const parts = 1000
	switch {
	case c.Failed():
	case *x == 0:
		*x = p95(max(t, 1))
	case t > time.Duration(*x):
		*x += *x*19/parts + 1
	default:
		*x -= min(*x/parts, *x-1)
	}
}
