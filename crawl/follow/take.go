package follow

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
)

// Take takes in the status of a crawl at an instant, for those who have no journal to read: a course
// has either records or statuses. What happened since the last status is spread over the steps
// between. A status that is not whole, because parts of the crawl do not tell how they are, says how
// fast pages are fetched and not how many there are.
func (c *Course) Take(at time.Duration, s *history.Status, whole bool) {
	first := c.Width == 0
	if first && !whole {
		return
	}
	if first {
		c.Width, c.fetched, c.failed = time.Second, s.Fetched, s.Failed
	}
	c.step(at)
	to := int(at / c.Width)
	from := min(to, int(c.last/c.Width)+1)
	if first {
		from = 0
	}
	fetched, failed := c.fetched, c.failed
	if whole {
		c.fetched, c.failed, c.part = s.Fetched, s.Failed, 0
	} else {
		c.part += s.Rate * (at - c.last).Seconds()
		n := int64(c.part)
		c.fetched += n
		c.part -= float64(n)
	}
	n := int64(to - from + 1)
	for i := from; i <= to; i++ {
		k := int64(i-from) + 1
		part := func(all int64) int64 { return max(0, all*k/n-all*(k-1)/n) }
		st := &c.Steps[i]
		st.Fetched += part(c.fetched - fetched)
		st.Failed += part(c.failed - failed)
		st.Total = fetched + (c.fetched-fetched)*k/n
		st.Active = float64(s.Active)
		if whole {
			st.Known, st.Waiting = s.Known, s.Waiting
			st.Sampled, st.Waits, st.Fetchers = true, WaitsOf(s), s.Fetchers
		}
	}
	c.last, c.known, c.waiting = at, c.Steps[to].Known, c.Steps[to].Waiting
}
