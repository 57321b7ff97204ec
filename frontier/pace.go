package frontier

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A pace is the delay that a site has taught us by saying that it is asked too often. It
// grows by half with each such answer that follows a good one, until they are rare; then it
// stays, and is lowered by a tenth for a try after many good answers. When that was too
// much the delay before it holds again, and the next try comes after twice as many. Few
// sites have one.
//
// Not every such answer is about the pace: some pages have them always, and some servers now
// and then. So the delay does not grow beyond one that was enough before, and where even
// that one was not enough it falls back to where it began.
type pace struct {
	Delay  time.Duration
	Safe   time.Duration // the delay that holds if Delay, which is a try, proves too short; 0: it is none
	Since  time.Duration // instant of the last good answer
	Enough time.Duration // the shortest time from a good answer to the next, with "too often" between them; 0: there was none
	Good   uint64        // good answers since the delay changed
	Heat   uint64        // heatStep for each "too often" after a good answer, 1 less for each good one
	Tries  uint64        // tries that failed
	// Streak is how often in a row the site said that it is asked too often, robots.txt left
	// out.
	Streak uint64
}

// The numbers of a pace. A site that is never asked more often than it wants may be asked
// a little less: one in paceGood answers is a try, and fails at most.
const (
	heatStep  = 20 // as long as fewer answers than one in so many say "too often", they mean nothing
	heatLimit = 40
	paceGood  = 64 // good answers before the first try
	paceProof = 16 // good answers that prove a try
	paceTries = 6  // failed tries that double the number of good answers before the next
	paceMax   = 10 * time.Minute
)

// pace learns from an answer of s, and returns the delay that s has taught. usual is the
// delay in force without it.
func (f *Frontier) pace(s graph.Site, e *event.Event, usual time.Duration) time.Duration {
	p, known := f.paces[s]
	switch {
	case e.Pushed && !e.Ours:
		p.slower(e.Start, usual, f.failures(s))
	case !known:
		return 0
	case !passing(e.Class) && (e.Kind != event.Ruled || p.Streak == 0):
		p.faster(e.Start, e.End, f.failures(s))
	}
	if p.Delay <= f.size(s) && p.Safe == 0 {
		delete(f.paces, s) // there is nothing left to learn
		return 0
	}
	f.paces[s] = p
	return p.Delay
}

// slower takes an answer that says "too often", to a request of start, after so many
// failures in a row. Only the first of them tells of the pace: those after it came after
// longer delays.
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

// slow makes the delay longer after one of before was too short.
func (p *pace) slow(before time.Duration) {
	if p.Safe > 0 { // the try was too much
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
	if p.Enough > 0 && before >= p.Enough { // less was enough before: is it chance?
		p.Delay, p.Safe = 0, before
		return
	}
	grown := min(before+before/2, paceMax)
	if p.Enough > 0 {
		grown = min(grown, p.Enough)
	}
	p.Delay = max(p.Delay, grown)
}

// faster takes a good answer. One that ends several failures came after a long time, of
// which half was not enough: either the site wants such delays, or it turned everybody down
// for a while. The next request tells: it comes after the shorter delay, and if that is too
// short the long one holds.
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

// Pace is the delay that a site has taught us, 0 for none.
func (f *Frontier) Pace(s graph.Site) time.Duration { return f.paces[s].Delay }

// paceNumbers is how many numbers a pace is when it is saved.
const paceNumbers = 9

// paceList is all paces by site, as numbers.
func (f *Frontier) paceList() (list []uint64) {
	for _, s := range slices.SortedFunc(maps.Keys(f.paces), func(a, b graph.Site) int { return cmp.Compare(a, b) }) {
		p := f.paces[s]
		list = append(list, uint64(s), uint64(p.Delay), uint64(p.Safe), uint64(p.Since), uint64(p.Enough), p.Good, p.Heat, p.Tries, p.Streak)
	}
	return list
}

// setPaces replaces all paces by a list that was saved.
func (f *Frontier) setPaces(list []uint64) {
	clear(f.paces)
	for ; len(list) >= paceNumbers; list = list[paceNumbers:] {
		f.paces[graph.Site(list[0])] = pace{time.Duration(list[1]), time.Duration(list[2]), time.Duration(list[3]), time.Duration(list[4]), list[5], list[6], list[7], list[8]}
	}
}

// p95 is about the time that 95 of 100 answers take at most: it rises by 19 parts where it
// falls by one, so that it stays where one answer in twenty takes longer.
type p95 time.Duration

// note takes the time of an answer that came.
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
