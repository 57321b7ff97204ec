package trouble

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// An Outage finds out whether we are cut off. When several attempts in a row had no answer,
// it names a witness: a site that answered before. If the witness answers, the other sites
// are down. If it does not, we are cut off, and only witnesses are requested until one of them
// answers. The zero Outage is ready for use.
type Outage struct {
	failures  int             // in a row, over all sites
	witnesses [witnesses]seen // sites that answered last, the newest first
	pending   seen            // the witness that was requested, until its attempt ends
	on        bool            // we are cut off
	next      time.Duration   // when the next witness may be requested
	wait      time.Duration   // the last time between two witnesses
	turn      int             // number of the next witness
}

// seen is a site, or none if ok is not set.
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

// On reports whether we seem to be cut off. Then failures are ours, and only witnesses may
// be requested.
func (x *Outage) On() bool { return x.on }

// Note takes the end of an attempt at a site, and whether anything answered. It reports
// whether On has just become true.
func (x *Outage) Note(now time.Duration, s graph.Site, answered bool) (began bool) {
	mine := x.pending.ok && x.pending.site == s
	if mine {
		x.pending = seen{}
	}
	if answered {
		x.answered(now, s, mine)
		return false
	}
	x.failures++
	if !mine || x.on {
		return false
	}
	x.on, x.wait = true, outageWait
	x.next = now + x.wait
	return true
}

// answered notes an answer: we are not cut off. If a witness answered, the suspicion was
// wrong, and none is requested for a while: the last hosts of a crawl may all be dead.
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

// Witness returns the witness to request now, if any. may reports whether a site can be
// requested.
func (x *Outage) Witness(now time.Duration, may func(graph.Site) bool) (graph.Site, bool) {
	if x.pending.ok || now < x.Wake() {
		return 0, false
	}
	for range witnesses {
		w := x.witnesses[x.turn%witnesses]
		x.turn++
		if w.ok && may(w.site) {
			if x.pending = w; x.on {
				x.wait = min(2*x.wait, outageLimit)
				x.next = now + x.wait
			}
			return w.site, true
		}
	}
	x.next = now + outageWait // none can be requested now
	return 0, false
}

// Suspect allows a request to a witness at once, for a reason other than silence.
func (x *Outage) Suspect() { x.failures, x.next = max(x.failures, doubtAfter), 0 }

// Wake returns the instant at which Witness will return a witness, if nothing is noted before.
func (x *Outage) Wake() time.Duration {
	if x.pending.ok || !x.on && x.failures < doubtAfter || !x.witnesses[0].ok {
		return never
	}
	return x.next
}

// Pending reports whether Witness has returned a witness whose attempt has not ended.
func (x *Outage) Pending() bool { return x.pending.ok }

// Forget ends the wait for a witness that was not requested after all.
func (x *Outage) Forget() { x.pending = seen{} }
