package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// meter watches a crawl.
type meter struct {
	tick  time.Duration // instant of the next look
	marks [10]mark      // one a second: the rate is over the last ten
	n     int
	dns   func() fetch.ResolverStats
	stats history.Status
	lull  time.Duration // between the last look and the next
	seen  uint64        // number of the next record at the last look
	full  bool          // it was said that the policy takes no more pages
}

type mark struct {
	at     time.Duration
	visits int64
}

// everySecond is the rhythm of the meter.
const everySecond = time.Second

// bigCrawl is how many pages make the meter look once less often: it counts each of
// them, a nanosecond or three.
const bigCrawl = 2_000_000

// report tells the watcher how it goes, about once a second.
func (o *owner) report(now time.Duration) {
	if now < o.tick {
		return
	}
	o.tick = now + o.rhythm()
	o.measure(now)
	o.marks[o.n%len(o.marks)] = mark{now, o.visits}
	o.n++
	if o.o.Progress != nil {
		o.o.Progress(&o.stats)
	}
	o.saveStatus(now)
	o.checkRoom(now)
	if !o.full && o.s.Full() {
		o.full = true
		o.log.Warn("the crawl knows as many pages as its policy takes; links to others are left out", "pages", o.s.Frontier.Pages())
	}
}

// rhythm is the time until the next look: a second, longer where there are very many
// pages, since counting them takes time, and longer while nothing happens.
func (o *owner) rhythm() time.Duration {
	if o.lull = min(2*o.lull, mostLull); o.lull == 0 || o.s.Next != o.seen {
		o.lull = everySecond
	}
	o.seen = o.s.Next
	return o.lull * time.Duration(1+o.s.Frontier.Pages()/bigCrawl)
}

// mostLull is the longest time between two looks.
const mostLull = 10 * time.Second

// checkRoom stops the crawl while there still is room to stop in good order.
func (o *owner) checkRoom(now time.Duration) {
	if o.c.DiskReserve == 0 || o.dir.path == "" || o.stopping != "" {
		return
	}
	if n, ok := disk.Room(o.dir.path); ok && n < int64(o.c.DiskReserve) {
		o.log.Warn("the disk is nearly full: the crawl pauses", "room", n, "reserve", int64(o.c.DiskReserve))
		o.stop(now, whyDisk)
	}
}

// measure fills in the statistics.
func (o *owner) measure(now time.Duration) {
	s := &o.stats
	s.Fill(o.s, now)
	s.Ran = o.s.Active(now)
	s.State = "running"
	if o.stopping != "" {
		s.State = "stopping"
	}
	s.Rate = o.rate(now)
	s.Active, s.Fetchers = len(o.crew)-len(o.idle), o.c.Fetchers
	s.MemoryMax = o.o.Memory
	o.weigh(s)
	s.Commits = o.commits
	s.Archive, s.Journal = o.archived, o.records
	if o.dns != nil {
		s.DNS = o.dns()
	}
	s.Left = o.left(now)
}

// rate is the pages a second over the last marks.
func (o *owner) rate(now time.Duration) float64 {
	if o.n == 0 {
		return 0
	}
	from := o.marks[max(0, o.n-len(o.marks)+1)%len(o.marks)]
	if now <= from.at {
		return 0
	}
	return float64(o.visits-from.visits) / (now - from.at).Seconds()
}

// left is the time until a limit is reached, at the present rate: 0 if there is no
// limit, or no rate.
func (o *owner) left(now time.Duration) (d time.Duration) {
	if total := o.c.Duration.Duration; total > 0 {
		d = max(0, total-o.s.Active(now))
	}
	if r := o.stats.Rate; o.c.Pages > 0 && r > 0 {
		byPages := time.Duration(float64(o.c.Pages-o.fetched) / r * float64(time.Second))
		if d == 0 || byPages < d {
			d = max(0, byPages)
		}
	}
	return d
}

// statusEvery is how often a running crawl writes its status for others to read.
const statusEvery = 2 * time.Second

// saveStatus writes the status now and then.
func (o *owner) saveStatus(now time.Duration) {
	if now < o.statusAt {
		return
	}
	o.statusAt = now + statusEvery
	x := o.stats
	x.AddDetails(o.s)
	x.Caps = o.s.CapsOf(o.c)
	o.dir.writeStatus(&x, o.log)
}
