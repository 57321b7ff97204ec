package frontier

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// A pace is the delay that a site has taught us by saying that it is asked too often. It
// grows by half with each such answer that follows a good one, until they stop; then it
// stays, and is lowered by a tenth for a try after many good answers. When that was too
// much the delay before it holds again, and the next try comes after twice as many. Few
// sites have one.
type pace struct {
	Delay time.Duration
	Safe  time.Duration // the delay before a try; 0: none is under way
	Last  time.Duration // the delay before the request that was turned down last
	Good  uint64        // good answers since the delay changed
	Tries uint64        // tries that failed
	// Streak is how often in a row the site said that it is asked too often, robots.txt left
	// out.
	Streak uint64
}

// The numbers of a pace. A site that is never asked more often than it wants may be asked
// a little less: one in paceGood answers is a try, and fails at most.
const (
	paceGood  = 64 // good answers before the first try
	paceProof = 16 // good answers that prove a try
	paceTries = 6  // failed tries that double the number of good answers before the next
	paceMax   = 10 * time.Minute
)

// pace learns from an answer of s, and is the delay that s has taught. usual is the delay
// in force without it.
func (f *Frontier) pace(s graph.Site, e *Event, usual time.Duration) time.Duration {
	p, known := f.paces[s]
	switch {
	case e.Pushed && !e.Ours:
		p.slower(usual, f.failures(s))
	case !known:
		return 0
	case !passing(e.Class) && (e.Kind != Ruled || p.Streak == 0):
		p.faster(f.failures(s))
	}
	if p.Delay <= f.size(s) {
		delete(f.paces, s) // there is nothing left to learn
		return 0
	}
	if p.Last = p.Delay; e.Pushed {
		p.Last = max(p.Delay, e.Retry, doubled(f.o.BackOff, f.failures(s), f.o.BackOffMax))
	}
	f.paces[s] = p
	return p.Delay
}

// slower takes an answer that says "too often" after so many failures in a row. Only the
// first of them tells of the pace: those after it came after longer delays.
func (p *pace) slower(usual time.Duration, failures int) {
	switch {
	case failures > 0:
	case p.Safe > 0: // the try was too much
		p.Delay, p.Safe, p.Tries = p.Safe, 0, min(p.Tries+1, paceTries)
	default:
		before := max(p.Delay, usual, time.Millisecond)
		p.Delay = max(p.Delay, min(before+before/2, paceMax))
	}
	p.Good = 0
	p.Streak++
}

// faster takes a good answer. One that ends several failures came after a delay of which
// half was not enough.
func (p *pace) faster(failures int) {
	if failures > 1 {
		p.Delay, p.Safe, p.Good = max(p.Delay, min(p.Last/4*3, paceMax)), 0, 0
	}
	p.Good++
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
const paceNumbers = 7

// paceList is all paces by site, as numbers.
func (f *Frontier) paceList() (list []uint64) {
	for _, s := range slices.SortedFunc(maps.Keys(f.paces), func(a, b graph.Site) int { return cmp.Compare(a, b) }) {
		p := f.paces[s]
		list = append(list, uint64(s), uint64(p.Delay), uint64(p.Safe), uint64(p.Last), p.Good, p.Tries, p.Streak)
	}
	return list
}

// setPaces replaces all paces by a list that was saved.
func (f *Frontier) setPaces(list []uint64) {
	clear(f.paces)
	for ; len(list) >= paceNumbers; list = list[paceNumbers:] {
		f.paces[graph.Site(list[0])] = pace{time.Duration(list[1]), time.Duration(list[2]), time.Duration(list[3]), list[4], list[5], list[6]}
	}
}

// p95 is about the time that 95 of 100 answers take at most: it rises by 19 parts where it
// falls by one, so that it stays where one answer in twenty takes longer.
type p95 time.Duration

// note takes the time of an answer that came.
func (x *p95) note(t time.Duration, c policy.Class) {
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
