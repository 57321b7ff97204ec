package exchange

import "time"

// A Schedule says when a partition tells the others what it has gathered: whenever a share of the
// time has passed for which the crawl has run. At the start of a crawl an early link counts most,
// and later an interval of the same share loses as little. Times may be counted in anything, such
// as fetched pages.
type Schedule struct {
	Share       int64 // an interval is one of so many parts of the time so far
	Least, Most int64 // and no shorter or longer than these; 0: no longest one
	next        int64
}

// InTime returns the schedule of a crawl whose times are time.Duration: a hundredth, 0.2 to 10
// seconds.
func InTime() Schedule {
	return Schedule{Share: 100, Least: int64(200 * time.Millisecond), Most: int64(10 * time.Second)}
}

// InPages returns the schedule of a simulation without time: a hundredth of the pages so far.
func InPages() Schedule { return Schedule{Share: 100, Least: 1} }

// Full is the number of bytes at which a message is due before its time.
const Full = 32 << 10

// Due reports whether it is time, and if so sets the next time.
func (s *Schedule) Due(now int64) bool {
	if now < s.next {
		return false
	}
	every := max(s.Least, now/s.Share)
	if s.Most > 0 {
		every = min(every, s.Most)
	}
	s.next = now + every
	return true
}

// Next returns the next time.
func (s *Schedule) Next() int64 { return s.next }
