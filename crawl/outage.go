package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// outage notices that it is us who are cut off: when nothing has answered for many
// attempts at many sites. Then few works are handed out, to see whether it is over, and
// failures do not count as attempts, so that no page and no site is given up for it.
type outage struct {
	failures int // in a row, over all sites
	sites    map[graph.Site]bool
	since    time.Duration // when it was noticed
	until    time.Duration // nothing is handed out before
	wait     time.Duration
}

const (
	outageFailures = 20
	outageSites    = 5
	outageProbes   = 5 // works at a time while it lasts
	outageWait     = 10 * time.Second
	outageWaitMax  = 5 * time.Minute
	outageEnd      = 30 * time.Minute // then the crawl pauses
)

// on tells whether we seem to be cut off.
func (x *outage) on() bool { return x.wait > 0 }

// note takes an attempt at a site: whether anything answered.
func (x *outage) note(now time.Duration, s graph.Site, c policy.Class) (began bool) {
	switch c {
	case policy.DNSError, policy.ConnectError, policy.Timeout:
	default:
		*x = outage{}
		return false
	}
	x.failures++
	if x.sites == nil {
		x.sites = map[graph.Site]bool{}
	}
	if len(x.sites) < outageSites {
		x.sites[s] = true
	}
	if x.failures < outageFailures || len(x.sites) < outageSites {
		return false
	}
	if began = !x.on(); began {
		x.since = now
	}
	if now >= x.until {
		x.wait = min(max(2*x.wait, outageWait), outageWaitMax)
		x.until = now + x.wait
	}
	return began
}

// noteAnswer tells the outage of an attempt that ended.
func (o *owner) noteAnswer(now time.Duration, t *task) {
	class := t.class
	if t.answer != nil {
		if class = t.answer.Class; t.answer.Status != 0 {
			class = policy.OK // something answered
		}
	} else if !t.again {
		class = policy.OK // DNS answered that there is no such name
	}
	if o.outage.note(now, t.work.Site, class) {
		o.log.Warn("nothing can be reached any more; the crawl waits until something can")
	}
	if o.outage.on() && now-o.outage.since > outageEnd {
		o.stop(now, whyNetwork)
	}
}
