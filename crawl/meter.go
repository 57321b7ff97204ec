package crawl

import (
	"cmp"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
)

// A meter measures a crawl.
type meter struct {
	tick     time.Duration // instant of the next report
	marks    [10]mark      // one for each report: the rate is over the last ten
	n        int           // reports so far
	status   history.Status
	lull     time.Duration // between the last report and the next
	seen     uint64        // number of the next record at the last report
	full     bool          // it was logged that the policy takes no more pages
	statusAt time.Duration // when to write the status again
	fileAt   time.Duration // and when to that of a partition
}

type mark struct {
	at     time.Duration
	visits int64
}

const (
	everySecond = time.Second      // time between two reports of a running crawl
	mostLull    = 10 * time.Second // longest time between two reports
	// bigCrawl is the number of pages that make reports rarer by a second: they are counted
	// for each report, in one to three nanoseconds a page.
	bigCrawl = 2_000_000
	// statusEvery is the time after which a running crawl writes its status again, for
	// others to read.
	statusEvery = 2 * time.Second
	// fileEvery is that time for a partition: the status of all is written more often.
	fileEvery = 10 * time.Second
	// fetchingListed is the number of requests under way that a report lists.
	fetchingListed = 8
)

// report measures the crawl about once a second, and reports it to those who watch.
func (l *loop) report(now time.Duration) {
	m := &l.meter
	if now < m.tick {
		return
	}
	m.tick = now + m.rhythm(l.state, l.rarest())
	l.measure(now)
	m.marks[m.n%len(m.marks)] = mark{now, l.visits}
	m.n++
	if l.options.Progress != nil {
		l.options.Progress(&m.status)
	}
	if now >= m.statusAt {
		m.statusAt = now + cmp.Or(l.options.Machine.Sizes.Status, statusEvery)
		l.writeStatus(now, l.state.CapsOf(l.config))
	}
	l.limits.checkRoom(now)
	if !m.full && l.state.Full() {
		m.full = true
		l.log.Warn("the crawl knows as many pages as its policy takes; links to others are left out", "pages", l.state.Frontier.Pages())
	}
}

// rarest returns the least time between two reports that nobody watches.
func (l *loop) rarest() time.Duration {
	if l.options.Progress != nil {
		return 0
	}
	return l.options.Machine.Sizes.Report
}

// rhythm returns the time until the next report: a second, longer with very many pages,
// since counting them takes time, and longer while nothing happens. It is least at least.
func (m *meter) rhythm(s *state.State, least time.Duration) time.Duration {
	if m.lull = min(2*m.lull, mostLull); m.lull == 0 || s.Next != m.seen {
		m.lull = everySecond
	}
	m.lull = max(m.lull, least)
	m.seen = s.Next
	return m.lull * time.Duration(1+s.Frontier.Pages()/bigCrawl)
}

// measure fills in the status.
func (l *loop) measure(now time.Duration) {
	s := &l.meter.status
	s.Fill(l.state, now)
	s.State = "running"
	if l.limits.stopped() {
		s.State = "stopping"
	}
	s.Rate = l.meter.rate(now, l.visits)
	s.Active, s.Fetchers = l.crew.busy(), l.config.Fetchers
	s.Fetching, s.LastFailure = l.crew.fetching(fetchingListed), l.outcomes.failure
	s.MemoryMax = l.memory
	l.limits.ceiling.weigh(l.state, l.snapshots.Held(), s)
	s.Commits, s.Committed, s.Measured = l.commits, l.lastCommit, time.Now()
	s.Archive, s.Journal = l.archived, l.records
	s.Remote = l.options.uploads.Status()
	if r := l.crew.harvest.names; r != nil {
		s.DNS = r.Stats()
	}
	s.Left = l.limits.left(now, s.Rate)
}

// rate returns the pages a second since the first of the last marks.
func (m *meter) rate(now time.Duration, visits int64) float64 {
	from := m.marks[max(0, m.n-len(m.marks)+1)%len(m.marks)]
	if m.n == 0 || now <= from.at {
		return 0
	}
	return float64(visits-from.visits) / (now - from.at).Seconds()
}

// writeStatus writes the last measurement to the status file, with details of the state,
// and returns it.
func (l *loop) writeStatus(now time.Duration, caps []state.Cap) *history.Status {
	x := l.meter.status
	x.AddDetails(l.state)
	x.Caps = caps
	if m := &l.meter; l.port == nil || now >= m.fileAt {
		m.fileAt = now + fileEvery
		l.dir.writeStatus(&x, l.log)
	}
	l.port.Told(&x)
	return &x
}
