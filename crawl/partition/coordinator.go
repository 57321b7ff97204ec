package partition

import (
	"math"
	"slices"
	"sync"

	"github.com/winnow-crawler/winnow/crawl/port"
)

// A Coordinator decides for all partitions when they stop. Which of them may fetch how many pages of a
// common limit is decided by partition 0, in its journal: see state.Budget.
//
// The end is found by counters, as Mattern describes it: when all partitions are idle and as many
// messages were applied as were sent, all are asked once more. If the counters are the same then,
// no message is under way. All partitions are told to relent: to admit what gets its chance at the
// end. If that stirs nothing, the crawl has finished.
type Coordinator struct {
	mu       sync.Mutex
	pages    int64 // --pages; 0: no limit
	bytes    int64 // --bytes; 0: no limit
	parts    bool  // pages are fetched with their requisites
	decision port.Decision
	reports  []lastReport
	asked    counters // of the last round that was asked for
	calm     bool     // asked is that of a round in which all were idle
	work     uint64   // records of all partitions when they were last told to relent
	ends     int      // how often the end was declared
	cold     float64  // pages that were read since the last hot one: see count
	wake     func(self int)
}

// A lastReport is that of a partition.
type lastReport struct {
	report  port.Report
	present bool // it has reported
}

// counters are sums over all partitions.
type counters struct{ sent, applied, work uint64 }

const (
	whyFinished    = "finished"
	whyUnreachable = "unreachable"
	whyPages       = "pages"
	whyBytes       = "bytes"
)

// NewCoordinator returns a coordinator of so many partitions with common limits, 0 for none. It calls wake
// for partitions that are to hear its decision.
func NewCoordinator(partitions int, pages, bytes int64, wake func(int)) *Coordinator {
	return &Coordinator{pages: pages, bytes: bytes, reports: make([]lastReport, partitions), cold: math.Inf(1), wake: wake}
}

// Requisites tells that pages are fetched with what they need to be shown.
func (c *Coordinator) Requisites() { c.parts = true }

// Say takes the report of a partition. Numbers of a coordinator before this one continue.
func (c *Coordinator) Say(self int, r port.Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decision.Relent, c.decision.Round = max(c.decision.Relent, r.Heard.Relent), max(c.decision.Round, r.Heard.Round)
	c.count(c.reports[self], &r)
	c.reports[self] = lastReport{r, true}
	c.decide()
}

// Absent forgets that a partition has reported: nothing is decided before it does so again.
func (c *Coordinator) Absent(self int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reports[self].present, c.calm = false, false
}

// Decision returns what was decided.
func (c *Coordinator) Decision() port.Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.decision
}

// Sum returns what all partitions have, as they have reported.
func (c *Coordinator) Sum() (n port.Sum) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.reports {
		r := &c.reports[i].report
		n.Fetched, n.Known, n.Bytes = n.Fetched+r.Fetched, n.Known+r.Known, n.Bytes+r.Bytes
	}
	if n.SinceHot = math.NaN(); c.complete() {
		n.SinceHot = c.cold
	}
	return n
}

// count follows the pages that were read since the last hot one of any partition. When a run begins
// it is the least of their numbers, since nobody knows which of them had its hot page last.
func (c *Coordinator) count(was lastReport, now *port.Report) {
	switch {
	case !was.present:
		c.cold = min(c.cold, now.SinceHot)
	case now.SinceHot < was.report.SinceHot:
		c.cold = now.SinceHot
	default:
		c.cold += now.SinceHot - was.report.SinceHot
	}
}

// limit sets the limits of all partitions.
func (c *Coordinator) limit(pages, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages, c.bytes = pages, bytes
}

// stop stops all partitions.
func (c *Coordinator) stop(why string) {
	if c.decision.Stop == "" {
		c.decision.Stop = why
		c.callAll()
	}
}

func (c *Coordinator) callAll() {
	for i := range c.reports {
		c.wake(i)
	}
}

// decide looks at the reports.
func (c *Coordinator) decide() {
	if c.decision.Stop != "" {
		return
	}
	fetched, bytes := int64(0), int64(0)
	for i := range c.reports {
		r := &c.reports[i].report
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
func (c *Coordinator) complete() bool {
	return !slices.ContainsFunc(c.reports, func(s lastReport) bool { return !s.present })
}

// resting reports whether no partition has anything under way that does not count as a page, nor a
// message that asks for such.
func (c *Coordinator) resting() bool {
	sent, applied := uint64(0), uint64(0)
	for i := range c.reports {
		r := &c.reports[i].report
		sent, applied = sent+r.Sent, applied+r.Applied
	}
	return (sent == applied || !c.parts) && !slices.ContainsFunc(c.reports, func(s lastReport) bool { return s.report.Brings })
}

// lookForEnd asks all partitions once more when all are idle, and ends the crawl if nothing has
// changed then.
func (c *Coordinator) lookForEnd() {
	var now counters
	down := false
	for i := range c.reports {
		r := &c.reports[i].report
		if !r.Idle || r.Heard.Relent != c.decision.Relent {
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
		c.decision.Round++
		c.callAll()
	case slices.ContainsFunc(c.reports, func(s lastReport) bool { return s.report.Heard.Round != c.decision.Round }):
	case c.decision.Relent == 0 || now.work != c.work: // something has happened since all were told to
		c.calm, c.work = false, now.work
		c.decision.Relent++
		c.callAll()
	case down:
		c.unreachable()
	default:
		c.ends++
		c.stop(whyFinished)
	}
}

// unreachable ends the crawl if those partitions have lost their patience that have sites left.
func (c *Coordinator) unreachable() {
	if !slices.ContainsFunc(c.reports, func(s lastReport) bool { return s.report.Down && !s.report.Hopeless }) {
		c.stop(whyUnreachable)
	}
}

// A contact is the coordinator as one partition sees it.
type contact struct {
	coordinator *Coordinator
	self        int
}

func (v contact) Say(r port.Report)   { v.coordinator.Say(v.self, r) }
func (v contact) Hear() port.Decision { return v.coordinator.Decision() }
func (v contact) Sum() port.Sum       { return v.coordinator.Sum() }
