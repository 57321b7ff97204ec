package frontier

import (
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// clocks holds the instant before which each site must not be requested again, and all
// that the delay after an answer depends on. All columns are by site.
//
// Twins are the two sites of one host, http and https. One server answers for both, so
// they share a clock: after an answer of either, both wait for the larger delay.
type clocks struct {
	o          *Options
	pages      *graph.Column[uint32]     // known pages
	next       *graph.Column[int64]      // instant before which the site is not requested
	fails      *graph.Column[uint8]      // failures in a row, and asksTime
	crawlDelay narrow                    // Crawl-delay of its own robots.txt, in milliseconds
	median     narrow                    // of the times that its pages took, in microseconds; see nearer
	slow       *graph.Column[uint8]      // slow answers in a row
	twin       *graph.Column[graph.Site] // see twinOf; empty without Options.Twin

	paces     map[graph.Site]pace
	times     p95 // of all answers
	slowSites int // sites for which isSlow is true
}

// add makes the next site known.
func (c *clocks) add(s graph.Site) {
	c.pages.Append(0)
	c.next.Append(0)
	c.fails.Append(0)
	c.crawlDelay.Append(0)
	c.median.Append(0)
	c.slow.Append(0)
	c.pair(s)
}

// pair finds the twin of s, the last site. If the driver knows the twin already and the
// frontier does not, the twin will find s when it is added.
func (c *clocks) pair(s graph.Site) {
	if c.o.Twin == nil {
		return
	}
	t := c.o.Twin(s)
	if t >= s || c.twin.At(int(t)) != graph.NoSite {
		c.twin.Append(graph.NoSite)
		return
	}
	c.twin.Append(t)
	c.twin.Set(int(t), s)
	c.next.Set(int(s), c.next.At(int(t)))
}

// twinOf returns the twin of s, or NoSite.
func (c *clocks) twinOf(s graph.Site) graph.Site {
	if c.o.Twin == nil {
		return graph.NoSite
	}
	return c.twin.At(int(s))
}

// instant returns the instant before which s must not be requested.
func (c *clocks) instant(s graph.Site) time.Duration { return time.Duration(c.next.At(int(s))) }

// notBefore moves the instant of s to at, if that is later.
func (c *clocks) notBefore(s graph.Site, at time.Duration) {
	c.next.Set(int(s), max(c.next.At(int(s)), int64(at)))
}

// baseDelay returns the delay of the options, which may depend on the size of the site.
func (c *clocks) baseDelay(s graph.Site) time.Duration {
	if c.o.SiteDelay != nil {
		if d, ok := c.o.SiteDelay(s); ok {
			return d
		}
	}
	if int(c.pages.At(int(s))) < c.o.SmallSite {
		return c.o.SmallDelay
	}
	return c.o.Delay
}

// robotsDelay returns the Crawl-delay that holds for s: the larger one of s and its twin.
func (c *clocks) robotsDelay(s graph.Site) time.Duration {
	d := c.crawlDelay.At(int(s))
	if t := c.twinOf(s); t != graph.NoSite {
		d = max(d, c.crawlDelay.At(int(t)))
	}
	return time.Duration(d)
}

// after learns from an answer of s and returns the instant of the next request: the end of
// the answer plus the largest of all delays. sent is a Crawl-delay that s has just sent but
// that is not in its column.
func (c *clocks) after(s graph.Site, e *event.Event, sent time.Duration) time.Duration {
	d := max(c.baseDelay(s), c.robotsDelay(s), sent)
	t := c.download(s, e)
	if c.o.Factor > 0 {
		most := limit(c.o.FactorMax)
		d = max(d, time.Duration(min(float64(most), c.o.Factor*float64(t)))) // beyond most it may overflow
	}
	d = max(d, c.pace(s, e, d), e.Retry, c.backOff(s, e), c.slowness(s, e))
	return addCapped(e.End, d)
}

// download returns the time that an answer took. A failure counts as at least the median
// of the pages of s, so that quick errors do not shorten the delay.
func (c *clocks) download(s graph.Site, e *event.Event) time.Duration {
	t := e.End - e.Start
	if e.Class.Failed() {
		return max(t, time.Duration(c.median.At(int(s))))
	}
	if e.Kind == event.Done {
		c.median.Set(int(s), int64(nearer(time.Duration(c.median.At(int(s))), t)))
	}
	return t
}

// nearer moves a running median m by a sixteenth towards t. It comes to rest where as
// many times lie above it as below. An outlier moves it no further than any other time.
// The first time is the median of itself.
func nearer(m, t time.Duration) time.Duration {
	step := m/16 + 1
	switch {
	case m == 0:
		return t
	case t > m:
		return min(t, m+step)
	}
	return max(t, m-step)
}

// slowness counts the slow answers of s in a row and returns the delay they cause. A
// quick failure neither counts nor ends the count.
func (c *clocks) slowness(s graph.Site, e *event.Event) time.Duration {
	if c.o.Slow == 0 {
		return 0
	}
	n, t := c.slow.At(int(s)), e.End-e.Start
	c.times.note(t, e.Class)
	switch {
	case t > c.slowLimit():
		n = min(n, math.MaxUint8-1) + 1
	case !e.Class.Failed():
		n = 0
	}
	c.countSlow(s, -1)
	c.slow.Set(int(s), n)
	c.countSlow(s, 1)
	return c.slowDelay(s)
}

// countSlow adds n to the number of slow sites if s is one.
func (c *clocks) countSlow(s graph.Site, n int) {
	if c.isSlow(s) {
		c.slowSites += n
	}
}

// slowLimit returns the time beyond which an answer is slow: Slow, or SlowFactor times
// what 95 of 100 answers take, whichever is longer.
func (c *clocks) slowLimit() time.Duration {
	return max(c.o.Slow, time.Duration(min(float64(event.Never/2), c.o.SlowFactor*float64(c.times))))
}

// isSlow reports whether s is requested rarely because it is slow.
func (c *clocks) isSlow(s graph.Site) bool {
	return c.o.Slow > 0 && int(c.slow.At(int(s))) >= c.o.SlowTimes
}

// slowDelay returns the delay of a slow site: SlowDelay, doubled with each slow answer
// after the first SlowTimes. It returns 0 for other sites.
func (c *clocks) slowDelay(s graph.Site) time.Duration {
	if !c.isSlow(s) {
		return 0
	}
	return doubled(c.o.SlowDelay, int(c.slow.At(int(s)))-c.o.SlowTimes, c.o.SlowMax)
}

// between returns roughly the present time between two requests to s, at most a day.
func (c *clocks) between(s graph.Site) time.Duration {
	d := max(c.baseDelay(s), c.robotsDelay(s), c.paces[s].Delay, c.slowDelay(s))
	if n := c.failures(s); n > 0 {
		d = max(d, doubled(c.o.BackOff, n, c.o.BackOffMax))
	}
	return min(d, 24*time.Hour)
}

// In the column of failures the lower bits are the number of failures in a row. The highest
// bit is set if the server demanded the present pause (Retry-After).
const (
	asksTime     = 1 << 7
	failuresMask = asksTime - 1
)

// failures returns the number of failures of s in a row.
func (c *clocks) failures(s graph.Site) int { return int(c.fails.At(int(s)) & failuresMask) }

// countFailure counts a failure of s, unless the trouble is ours.
func (c *clocks) countFailure(s graph.Site, e *event.Event) {
	if e.Ours {
		return
	}
	asks := c.fails.At(int(s)) & asksTime
	if e.Kind == event.Ruled || e.Kind == event.Listed || e.Kind == event.Done || e.Kind == event.Brought { // the server was requested
		if asks = 0; e.Retry > 0 {
			asks = asksTime
		}
	}
	c.fails.Set(int(s), uint8(min(c.failures(s)+1, failuresMask))|asks)
}

// backOff counts the failures of s in a row and returns the delay they cause. It doubles
// with each failure and is spread by up to a quarter, so that sites that failed together
// do not return together.
func (c *clocks) backOff(s graph.Site, e *event.Event) time.Duration {
	if !passing(e.Class) {
		c.answered(s, e)
		return 0
	}
	n := c.failures(s)
	c.countFailure(s, e)
	if c.o.BackOff == 0 {
		return 0
	}
	if e.Ours {
		n = 0
	}
	d := doubled(c.o.BackOff, n, c.o.BackOffMax)
	spread := policy.Hash(c.o.Random, uint64(s), uint64(n)) % 1024
	return d + time.Duration(float64(d)*float64(spread)/4096)
}

// answered notes a proper answer of s. Only a page or a sitemap ends the back-off: a server
// often has a robots.txt when it has nothing else. A robots.txt shows that the server is
// alive, so that s is tried more often, unless s reported too many requests.
func (c *clocks) answered(s graph.Site, e *event.Event) {
	switch n := c.failures(s); {
	case e.Kind != event.Ruled:
		c.fails.Set(int(s), 0)
	case n > aliveFailures && c.paces[s].Streak == 0:
		c.fails.Set(int(s), aliveFailures)
	}
}

// aliveFailures is the largest number of failures in a row that counts for a site whose
// robots.txt was just fetched.
const aliveFailures = 2

// passing reports whether a failure is of a kind that may pass.
func passing(c event.Class) bool { return c >= event.ServerError && c <= event.Timeout }

// restart makes s wait its full delay from now on, as a new session does.
func (c *clocks) restart(now time.Duration, s graph.Site) {
	c.forgive(now, s)
	c.notBefore(s, addCapped(now, max(c.baseDelay(s), c.robotsDelay(s))))
}

// forgive ends the back-off of s, so that a session soon retries what failed in the one
// before. The other delays still hold, and so does a pause that the server demanded.
func (c *clocks) forgive(now time.Duration, s graph.Site) {
	fails := c.fails.At(int(s))
	if fails == 0 {
		return
	}
	c.fails.Set(int(s), 0)
	if fails&asksTime != 0 || c.o.Factor > 0 && c.o.FactorMax == 0 {
		return
	}
	wait := max(c.baseDelay(s), c.robotsDelay(s))
	if c.o.Factor > 0 {
		wait = max(wait, c.o.FactorMax)
	}
	c.next.Set(int(s), min(c.next.At(int(s)), int64(addCapped(now, wait))))
}
