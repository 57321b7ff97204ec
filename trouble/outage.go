package trouble

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// An Outage finds out whether it is we who are cut off. When nothing has answered for
// several attempts it asks a site that answered before: if that one answers, the others
// are down and we are not; if it does not, nothing but such sites is asked until one of
// them does. The zero Outage is ready for use.
type Outage struct {
	failures  int             // in a row, over all sites
	witnesses [witnesses]seen // sites that answered last, the newest first
	asked     seen            // the witness that was asked, until it is heard of
	on        bool            // it did not answer
	since     time.Duration   // of on
	next      time.Duration   // when the next witness is asked; before it none
	wait      time.Duration   // the time before that
	turn      int             // whose turn it is
}

// seen is a site, or none.
type seen struct {
	site graph.Site
	ok   bool
}

// The numbers of an Outage.
const (
	witnesses   = 3
	doubtAfter  = 5 // failures in a row
	doubtPause  = 5 * time.Minute
	outageWait  = 10 * time.Second
	outageLimit = 5 * time.Minute
	never       = time.Duration(math.MaxInt64)
)

// On reports whether we seem to be cut off: failures are ours then, and nothing but
// witnesses is to be asked.
func (x *Outage) On() bool { return x.on }

// Since returns when that was noticed.
func (x *Outage) Since() time.Duration { return x.since }

// Note takes the end of an attempt at a site: whether anything answered. It reports
// whether we have just been found to be cut off.
func (x *Outage) Note(now time.Duration, s graph.Site, answered bool) (began bool) {
	mine := x.asked.ok && x.asked.site == s
	if mine {
		x.asked = seen{}
	}
	if answered {
		x.answered(now, s, mine)
		return false
	}
	x.failures++
	if !mine || x.on {
		return false
	}
	x.on, x.since, x.wait = true, now, outageWait
	x.next = now + x.wait
	return true
}

// answered ends every doubt. After one that was unfounded there is none for a while: the
// last hosts of a crawl may all be dead.
func (x *Outage) answered(now time.Duration, s graph.Site, mine bool) {
	if mine && !x.on {
		x.next = now + doubtPause
	} else if x.on {
		x.next = 0
	}
	x.failures, x.on, x.wait = 0, false, 0
	w := &x.witnesses
	at := 0
	for at < witnesses-1 && w[at].ok && w[at].site != s {
		at++
	}
	copy(w[1:at+1], w[:at])
	w[0] = seen{s, true}
}

// Ask returns a site that answered before and is to be asked now, if one is. may tells
// which of them can be asked.
func (x *Outage) Ask(now time.Duration, may func(graph.Site) bool) (graph.Site, bool) {
	if x.asked.ok || now < x.Wake() {
		return 0, false
	}
	for range witnesses {
		w := x.witnesses[x.turn%witnesses]
		x.turn++
		if w.ok && may(w.site) {
			if x.asked = w; x.on {
				x.wait = min(2*x.wait, outageLimit)
				x.next = now + x.wait
			}
			return w.site, true
		}
	}
	x.next = now + outageWait // nobody can be asked: later, perhaps
	return 0, false
}

// Suspect raises a doubt at once, for a reason other than silence.
func (x *Outage) Suspect() { x.failures, x.next = max(x.failures, doubtAfter), 0 }

// Wake returns the instant from which on Ask has an answer, if nothing comes before.
func (x *Outage) Wake() time.Duration {
	if x.asked.ok || !x.on && x.failures < doubtAfter || !x.witnesses[0].ok {
		return never
	}
	return x.next
}

// Asked reports whether a site was named by Ask and is not heard of yet.
func (x *Outage) Asked() bool { return x.asked.ok }

// Forget ends the waiting for a witness that was not asked after all.
func (x *Outage) Forget() { x.asked = seen{} }
