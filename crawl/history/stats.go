package history

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
)

// Stats is what can be said of a crawl at one moment.
type Stats struct {
	Now       time.Duration // since the crawl began, stops included
	Ran       time.Duration // in all sessions, without the time between them
	State     string        // running, stopping, paused, finished
	Known     int64         // pages, of all states
	Queued    int64         // of these, waiting or under way
	Acquired  int64         // of these, under way
	Fetched   int64         // pages that came, redirects included
	Redirects int64         // of these
	Failed    int64
	Refused   int64
	Sites     int64
	Requests  int64
	Bytes     int64   // of all answers, as they came
	Rate      float64 // pages a second over the last ten seconds
	Links     int64   // found on pages that came, to pages of all states
	Gathered  float64 // share of them that lead to fetched pages
	Active    int     // fetchers at work
	Fetchers  int
	Counts    frontier.Counts // why the others wait
	Outcomes  [16]int64       // attempts, by event.Class
	FailedBy  [16]int64       // pages that failed, by event.Class
	Bars      [32]int64       // barred pages, by frontier.Bar
	Memory    int64           // bytes: the columns, what snapshots take besides, and the heap
	Columns   int64           // of these, outside of the Go heap
	MemoryMax int64           // 0: no ceiling
	Left      time.Duration   // until the limit in force, 0 unknown
	DNS       fetch.ResolverStats
	Down      int64 // sites that cannot be reached
	Commits   int64
	Archive   int64 // bytes written to WARC files
	Journal   int64 // bytes written to the journal
}

// Statistics fills in what the state alone can tell.
func Statistics(s *state.State, x *Stats) {
	x.Known, x.Sites = int64(s.Frontier.Pages()), int64(s.Frontier.Sites())
	n, bars, failed := s.Frontier.Census()
	x.Fetched, x.Failed, x.Refused, x.Bars = n[frontier.Fetched]+n[frontier.Reacquired], n[frontier.Failed], n[frontier.RefusedPage], bars
	x.Redirects, x.Links = s.Moved, s.Links
	x.Queued, x.Acquired = x.Known-x.Fetched-x.Failed-x.Refused, n[frontier.Acquired]
	x.Requests = 0
	for _, r := range s.Requests[event.Resolve+1:] {
		x.Requests += r
	}
	x.Outcomes, x.Bytes = s.Outcomes, s.Bytes
	copy(x.FailedBy[:], failed[:])
	if x.Gathered = 0; s.Links > 0 {
		x.Gathered = float64(s.Gathered) / float64(s.Links)
	}
	x.Now, x.Memory = s.Now, s.Memory()
	x.Down = s.Weather.CountDown()
}
