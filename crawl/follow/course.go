package follow

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// steps is the largest number of steps of a course. When there would be more, they get twice as long.
const steps = 512

// A Course is what a crawl did over time, in steps of equal length. Its clock stops between
// sessions.
type Course struct {
	Width    time.Duration // of a step
	Steps    []Step
	Sessions []time.Duration // when each began

	last, stopped  time.Duration // instant of the last record; time between sessions so far
	known, waiting int64
	fetched        int64
	failed         int64              // see Take
	part           float64            // of a page that counts next: see Take
	closed         map[graph.Site]int // the step in which a site was given up
}

// A Step is what happened during a part of a crawl.
type Step struct {
	Fetched  int64   // pages, for the first time
	Total    int64   // of them, until the end
	Visits   int64   // of pages that were fetched before
	Failed   int64   // attempts
	Bytes    int64   // of answers
	Active   float64 // mean number of requests under way
	Known    int64   // at the end
	Waiting  int64
	Sampled  bool // Waits was measured
	Waits    Waits
	Fetchers int // 0: not known
}

// Reasons are the reasons why sites with pages are not requested, in the order of Waits: what
// decides their delay, and what else they wait for. See frontier.DelayBy and
// history.Status.WaitingSites.
var Reasons = []string{"delay", "crawl-delay", "retry-after", "too-often", "slow", "failures", "address", "twin", "robots-elsewhere", "commit", "better", "unreachable"}

// Waits counts sites that wait, by reason: see Reasons.
type Waits [12]int32

// WaitsOf counts the sites that wait according to a status.
func WaitsOf(s *history.Status) (w Waits) {
	for i, why := range Reasons {
		n := s.Delays[why]
		if i >= 6 {
			n = s.Waits[why]
		}
		w[i] = int32(n)
	}
	return w
}

// Ran returns an instant without the time between sessions before the last record.
func (c *Course) Ran(at time.Duration) time.Duration { return max(0, at-c.stopped) }

// begin takes in the time of a record.
func (c *Course) begin(r *journal.Record) {
	if c.Width == 0 {
		c.Width, c.closed = time.Second, map[graph.Site]int{}
	}
	if r.Event.Kind == event.Session {
		c.stopped += r.Now - c.last
		c.Sessions = append(c.Sessions, c.Ran(r.Now))
	}
	c.last = max(c.last, r.Now)
	s := c.step(c.Ran(r.Now))
	s.Known, s.Waiting = c.known, c.waiting
}

// step returns the step of an instant without the time between sessions.
func (c *Course) step(ran time.Duration) *Step {
	for int(ran/c.Width) >= steps {
		c.halve()
	}
	i := int(ran / c.Width)
	for len(c.Steps) <= i {
		next := Step{Known: c.known, Waiting: c.waiting, Total: c.fetched}
		if n := len(c.Steps); n > 0 {
			next.Known, next.Waiting = c.Steps[n-1].Known, c.Steps[n-1].Waiting
		}
		c.Steps = append(c.Steps, next)
	}
	return &c.Steps[i]
}

// halve makes one step of two.
func (c *Course) halve() {
	c.Width *= 2
	half := (len(c.Steps) + 1) / 2
	for i := range half {
		a := c.Steps[2*i]
		if 2*i+1 < len(c.Steps) {
			b := c.Steps[2*i+1]
			b.Fetched, b.Visits, b.Failed, b.Bytes = a.Fetched+b.Fetched, a.Visits+b.Visits, a.Failed+b.Failed, a.Bytes+b.Bytes
			b.Active = (a.Active + b.Active) / 2
			if !b.Sampled && a.Sampled {
				b.Sampled, b.Waits, b.Fetchers = true, a.Waits, a.Fetchers
			}
			a = b
		} else {
			a.Active /= 2
		}
		c.Steps[i] = a
	}
	c.Steps = c.Steps[:half]
	for site, i := range c.closed { // in any order
		c.closed[site] = i / 2
	}
}

// answer counts the time and the bytes of a request.
func (c *Course) answer(e *event.Event) {
	from, to := c.Ran(e.Start), c.Ran(e.End)
	c.step(to).Bytes += e.Bytes
	for from < to {
		end := min(to, (from/c.Width+1)*c.Width)
		c.step(from).Active += float64(end-from) / float64(c.Width)
		from = end
	}
}

// done counts the end of an attempt at a page. Known is whether it was fetched before.
func (c *Course) done(e *event.Event, known bool) {
	s := c.step(c.Ran(e.End))
	switch {
	case e.Class.Failed():
		s.Failed++
	case known:
		s.Visits++
	default:
		s.Fetched++
		c.fetched++
	}
	c.Steps[len(c.Steps)-1].Total = c.fetched
}

// close notes that a site was given up.
func (c *Course) close(site graph.Site) { c.closed[site] = len(c.Steps) - 1 }

// settle sets how many pages are known and wait now. lost has, by step, the pages that failed in it
// without a record of their own.
func (c *Course) settle(waiting, known int64, lost []int64) {
	gone := int64(0)
	for i := range lost {
		gone += lost[i]
		c.Steps[i].Waiting -= gone
	}
	clear(c.closed)
	c.known, c.waiting = known, waiting
	if n := len(c.Steps); n > 0 {
		c.Steps[n-1].Waiting, c.Steps[n-1].Known = waiting, known
	}
}

// sample notes what sites wait for at an instant, and the number of fetchers.
func (c *Course) sample(at time.Duration, w Waits, fetchers int) {
	s := c.step(c.Ran(at))
	s.Sampled, s.Waits, s.Fetchers = true, w, fetchers
}
