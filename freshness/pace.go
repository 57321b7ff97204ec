package freshness

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A Pacer says when pages are visited again: it divides the hand-outs of a crawl between new
// pages and those that its plan chooses. The crawler and the simulator have the same one.
//
// Visits have a steady pace: in the time Options.Every as many as there are pages. While new
// pages wait the Division says what they have instead.
type Pacer struct {
	Plan *Plan
	Division

	credit float64       // visits that may be made now
	trial  float64       // of these, with Compete, those that may gain less than new pages
	at     time.Duration // of which instant
	taken  int64         // Traffic.Taken at that instant
	called int64         // visits so far
	out    stream
}

// A Division divides the hand-outs of a crawl while new pages wait. The zero value lets visits
// have their pace, and new pages what is left.
//
// With Compete each hand-out goes to what gains more. A page that was never fetched is a copy of
// infinite age, so it gains its weight by its rate in the marginal index: see Plan.newGain.
type Division struct {
	Shared  bool    // visits have a share of the hand-outs
	Share   float64 // the share; 0: there are no visits
	Compete bool    // new pages and visits compete
}

// A stream is when pages were handed out.
type stream struct {
	all, fresh int64         // pages, and new ones
	last       time.Duration // instant of the last hand-out
	gap        time.Duration // the longest time between two of late, about
	dry        bool          // no new page can be handed out: those that wait are on sites that cannot be reached
}

// look looks at the numbers of pages that were handed out. If there was none for long, new pages
// cannot be, until one is.
func (x *stream) look(now time.Duration, all, fresh int64) {
	switch {
	case all > x.all:
		x.gap = max(now-x.last, x.gap-x.gap/8)
		x.last, x.dry = now, x.dry && fresh <= x.fresh
	case now-x.last > max(paceDry, 4*x.gap):
		x.dry = true
	}
	x.all, x.fresh = all, fresh
}

// NewPacer returns a pacer for a crawl that has handed out a number of pages.
func NewPacer(plan *Plan, d Division, taken int64) Pacer {
	return Pacer{Plan: plan, Division: d, taken: taken, out: stream{all: taken, fresh: taken}}
}

// A Traffic is what the driver of a crawl knows of its pages.
type Traffic struct {
	Taken int64 // pages that were handed out so far, new ones and visits
	New   int   // pages that wait and were never fetched
	Again int   // pages that were called back and wait
}

// Numbers of a pacer.
const (
	paceSlice   = 20_000      // pages that the plan looks at in a turn
	pacePause   = time.Second // until a look that nothing else brings about, at least
	paceIdle    = time.Minute // until the next look if nothing is to be visited
	paceLongest = 24 * time.Hour
	paceDry     = 10 * time.Second // without a hand-out until new pages are taken to be out of reach, at least
	paceMost    = 1000             // pages that are called back and wait, at most
	paceCompete = 8                // credit of visits that compete, at most
	// Visits have this share of their pace even if they gain less than new pages: rates are not
	// known before. A share of the hand-outs would begin in the first minute, when nothing can
	// have changed.
	paceTrial = 0.05
)

// never is an instant that does not come.
const never = time.Duration(math.MaxInt64)

// Look returns the pages whose visits are due, and the instant of the next look. The driver
// calls them back. It looks whenever something has happened, and at that instant.
func (v *Pacer) Look(now time.Duration, t Traffic) (list []graph.Page, again time.Duration) {
	if v.Plan == nil || v.Plan.Pages() == 0 {
		return nil, never
	}
	if v.at == 0 {
		v.at, v.out.last = now, now
	}
	pace := float64(v.Plan.Pages()) / v.Plan.every() // visits a second
	v.out.look(now, t.Taken, t.Taken-v.called+int64(t.Again))
	v.earn(now, pace, t)
	if v.out.dry {
		t.New = 0
	}
	if v.Plan.Work(now, paceSlice) {
		return nil, now
	}
	list = v.choose(now, t)
	switch {
	case t.Again+len(list) >= paceMost: // something happens before others can be called
		return list, now + paceLongest
	case v.credit >= 1: // nothing is there to be visited
		return list, now + paceIdle
	}
	wait := (1 - v.credit) / pace * float64(time.Second)
	return list, now + max(pacePause, time.Duration(min(wait, float64(paceLongest))))
}

// earn adds to the credit what was earned since the last look: a share of the hand-outs while
// new pages wait, otherwise what the pace allows.
func (v *Pacer) earn(now time.Duration, pace float64, t Traffic) {
	earned, most := (now-v.at).Seconds()*pace, float64(paceMost)
	more := earned
	switch handed := float64(t.Taken - v.taken); {
	case t.New <= 0:
	case v.out.dry:
		more = max(more, v.Share*handed)
	case v.Compete:
		more, most = handed, paceCompete
		v.trial = min(v.trial+paceTrial*earned, 1)
	case v.Shared:
		more = v.Share * handed
	}
	v.credit = min(v.credit+more, most)
	v.at, v.taken = now, t.Taken
}

// choose returns the pages to be visited now.
func (v *Pacer) choose(now time.Duration, t Traffic) (list []graph.Page) {
	room := paceMost - t.Again
	for v.credit >= 1 && len(list) < room {
		gains := !v.Compete || t.New <= 0 || v.Plan.nextGain(now) > v.Plan.newGain()
		if !gains && v.trial < 1 {
			break
		}
		p, ok := v.Plan.Next(now)
		if !ok {
			break
		}
		if waits := v.Plan.o.Waits; waits == nil || !waits(p) {
			v.credit--
			v.called++
			if !gains {
				v.trial--
			}
			list = append(list, p)
		}
	}
	return list
}

// Weight returns what a page is worth to a crawl: its score, if pages are scored, and otherwise
// the number of links to it, and one.
func Weight(score float64, scored bool, links int64) float64 {
	if scored {
		return max(leastWeight, score)
	}
	return float64(1 + links)
}

// leastWeight is the weight of a page whose score is 0: it is visited again, too.
const leastWeight = 0.01

// newcomers holds what pages that were fetched for the first time gained of late.
type newcomers struct {
	mean float64
	n    float64 // that the mean is of, newcomersMost at most
}

// newcomersMost is the number of first visits that the mean is about of.
const newcomersMost = 64

// add counts a page with the gain of its first visit.
func (x *newcomers) add(gain float64) {
	x.n = min(x.n+1, newcomersMost)
	x.mean += (gain - x.mean) / x.n
}

// newGain returns what a new page gains by the index of marginal: weight by rate, which is
// the index of a copy of infinite age. It is the mean of the pages that were new of late, and
// infinite if none was.
func (p *Plan) newGain() float64 {
	if p.new.n == 0 {
		return math.Inf(1)
	}
	return float64(float32(p.new.mean)) // as the gain of a candidate
}

// nextGain returns what the page gains that Next returns now, 0 if there is none. A page that
// is visited within the round gains what the last of the round did.
func (p *Plan) nextGain(now time.Duration) (gain float64) {
	if h := p.soon.heap; len(h) > 0 && h[0].at <= second(now) {
		return p.bound
	}
	if l := p.signals.list; len(l) > 0 {
		return l[0].gain()
	}
	if r := &p.round; r.phase == ready && r.left > 0 {
		c, _ := r.stair.front()
		gain = c.gain()
	}
	return gain
}
