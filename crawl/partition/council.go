package partition

import (
	"slices"
	"sync"

	"github.com/winnow-crawler/winnow/crawl/port"
)

// A council decides for all partitions: when they stop, and which of them may fetch how many
// pages of a common limit.
//
// The end is found by counters, as Mattern describes it: when all partitions are idle and as many
// messages were applied as were sent, all are asked once more. If the counters are the same then,
// no message is under way. All partitions are told to relent: to admit what gets its chance at the
// end. If that stirs nothing, the crawl has finished.
type council struct {
	mu    sync.Mutex
	pages int64 // --pages; 0: no limit
	bytes int64 // --bytes; 0: no limit
	word  port.Word
	seats []chair
	asked counters // of the last round that was asked for
	calm  bool     // asked is that of a round in which all were idle
	work  uint64   // records of all partitions when they were last told to relent
	ends  int      // how often the end was declared
	wake  func(self int)
}

// A chair is what the council knows of a partition.
type chair struct {
	report  port.Report
	present bool  // it has reported
	allowed int64 // pages that it may have fetched in all; those of a partition with no report: 0
	starves bool  // it asked for more than there is
}

// counters are sums over all partitions.
type counters struct{ sent, applied, work uint64 }

const (
	whyFinished    = "finished"
	whyUnreachable = "unreachable"
	whyPages       = "pages"
	whyBytes       = "bytes"
)

func newCouncil(partitions int, pages, bytes int64, wake func(int)) *council {
	return &council{pages: pages, bytes: bytes, seats: make([]chair, partitions), wake: wake}
}

// say takes the report of a partition.
func (c *council) say(self int, r port.Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.seats[self]
	s.report = r
	if s.present = true; s.allowed < r.Fetched {
		s.allowed = r.Fetched
	}
	if r.Idle && s.allowed > r.Fetched { // what it does not need is for others
		s.allowed = r.Fetched
		c.feed()
	}
	c.decide()
}

func (c *council) hear() port.Word {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.word
}

// sum implements port.Council.
func (c *council) sum() (fetched, known, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.seats {
		r := &c.seats[i].report
		fetched, known, bytes = fetched+r.Fetched, known+r.Known, bytes+r.Bytes
	}
	return fetched, known, bytes
}

// stop stops all partitions.
func (c *council) stop(why string) {
	if c.word.Stop == "" {
		c.word.Stop = why
		c.callAll()
	}
}

func (c *council) callAll() {
	for i := range c.seats {
		c.wake(i)
	}
}

// decide looks at the reports.
func (c *council) decide() {
	if c.word.Stop != "" {
		return
	}
	fetched, bytes := int64(0), int64(0)
	for i := range c.seats {
		r := &c.seats[i].report
		if r.Stop != "" {
			c.stop(r.Stop)
			return
		}
		fetched, bytes = fetched+r.Fetched, bytes+r.Bytes
	}
	if !c.complete() {
		return
	}
	switch {
	case c.pages > 0 && fetched >= c.pages && c.resting():
		c.stop(whyPages)
	case c.bytes > 0 && bytes >= c.bytes:
		c.stop(whyBytes)
	default:
		c.lookForEnd()
	}
}

// complete reports whether all partitions have reported.
func (c *council) complete() bool {
	return !slices.ContainsFunc(c.seats, func(s chair) bool { return !s.present })
}

// resting reports whether no partition has anything under way that does not count as a page.
func (c *council) resting() bool {
	return !slices.ContainsFunc(c.seats, func(s chair) bool { return s.report.Brings })
}

// lookForEnd asks all partitions once more when all are idle, and ends the crawl if nothing has
// changed then.
func (c *council) lookForEnd() {
	var now counters
	down := false
	for i := range c.seats {
		r := &c.seats[i].report
		if !r.Idle || r.Heard.Relent != c.word.Relent {
			c.calm = false
			return
		}
		down = down || r.Down
		now.sent, now.applied, now.work = now.sent+r.Sent, now.applied+r.Applied, now.work+r.Work
	}
	switch {
	case now.sent != now.applied:
		c.calm = false
	case !c.calm || now != c.asked: // once more
		c.calm, c.asked = true, now
		c.word.Round++
		c.callAll()
	case slices.ContainsFunc(c.seats, func(s chair) bool { return s.report.Heard.Round != c.word.Round }):
	case c.word.Relent == 0 || now.work != c.work: // something has happened since all were told to
		c.calm, c.work = false, now.work
		c.word.Relent++
		c.callAll()
	case down:
		c.unreachable()
	default:
		c.ends++
		c.stop(whyFinished)
	}
}

// unreachable ends the crawl if those partitions have lost their patience that have sites left.
func (c *council) unreachable() {
	if !slices.ContainsFunc(c.seats, func(s chair) bool { return s.report.Down && !s.report.Hopeless }) {
		c.stop(whyUnreachable)
	}
}

// allow implements port.Council. Before all partitions have reported, what they have fetched is
// not known, and none may fetch.
func (c *council) allow(self int, used int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.seats[self]
	s.starves = false
	if used < s.allowed || !c.complete() {
		return s.allowed
	}
	left := c.left()
	if left <= 0 {
		s.starves = true
		return s.allowed
	}
	s.allowed += min(left, max(1, left/int64(2*len(c.seats))))
	return s.allowed
}

// left returns the pages that no partition may fetch yet.
func (c *council) left() int64 {
	left := c.pages
	for i := range c.seats {
		left -= c.seats[i].allowed
	}
	return left
}

// feed wakes those who asked for more pages than there were.
func (c *council) feed() {
	for i := range c.seats {
		if c.seats[i].starves && c.left() > 0 {
			c.wake(i)
		}
	}
}

// voice is the council as one partition sees it.
type voice struct {
	council *council
	self    int
}

func (v voice) Say(r port.Report)      { v.council.say(v.self, r) }
func (v voice) Hear() port.Word        { return v.council.hear() }
func (v voice) Allow(used int64) int64 { return v.council.allow(v.self, used) }

func (v voice) Sum() (fetched, known, bytes int64) { return v.council.sum() }
