package crawl

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// RunOptions say what to crawl, where, and who watches.
type RunOptions struct {
	Dir    string // of the crawl; made if it is not there
	Config config.Config
	// Seeds are normal forms of URLs, as ParseSeed gives them. A new crawl needs some;
	// when one is resumed those that it does not know yet are refused unless AddSeeds.
	Seeds    []string
	AddSeeds bool
	Version  string // of the program, for the record
	// MachineMemory is what the machine has, in bytes: half of it is the ceiling where
	// the configuration names none.
	MachineMemory int64
	Memory        int64        // the ceiling in force; Run sets it
	Log           *slog.Logger // nil: nobody listens
	// Progress, if not nil, is called about once a second by the owner, which waits for
	// it. The Stats are used again.
	Progress func(*Stats)
	Machine  Machine
	// Chance, if not nil, is given and nothing is asked for: the next run does.
	Chance *Chance
}

// Machine is what the crawler touches of the world around it. The zero value is the
// real thing; tests put their own in place.
type Machine struct {
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	Resolve func(ctx context.Context, host string) (fetch.Names, error)
	TLS     *tls.Config
	// Wall is the clock by which answers are dated; nil: time.Now. The crawl's own clock
	// never jumps, this one may.
	Wall func() time.Time
	// Read, if not nil, is called before an answer is parsed: tests let it take long, or
	// panic.
	Read func(url string)
	// Disk gives a directory of the crawl by its path below Dir; nil is the file system.
	Disk func(name string) (disk.Dir, error)
	// Heap measures the memory of the Go runtime; nil: what the crawl itself keeps there is
	// counted, and nothing else.
	Heap  func() Heap
	Sizes Sizes
}

// Sizes are when files end and snapshots are due. Small ones let a crawl of seconds go
// through what one of weeks goes through. 0 is the usual size.
type Sizes struct {
	Archive, Journal int64         // bytes of a file
	Replay           time.Duration // estimated time to replay what came since the last snapshot
	Copy             int64         // bytes of a state up to which the owner copies it
	URLs             int           // bytes of URLs that are written at once
}

// Stats is what can be said of a crawl at one moment.
type Stats struct {
	Now       time.Duration // since the crawl began, stops included
	Ran       time.Duration // in all sessions, without the time between them
	State     string        // running, stopping, paused, finished
	Known     int64         // pages, of all states
	Queued    int64         // of these, waiting
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

// Summary is how a run ended.
type Summary struct {
	Stats
	Why string // finished, unreachable, pages, duration, bytes, stopped, memory, disk
	// Unreachable are sites that could not be reached, those with most pages first.
	Unreachable []state.SiteDown
	Retried     int         // pages that got another chance, with RunOptions.Chance
	Caps        []state.Cap // limits that left something out
}

// An Error is one that a person can do something about.
type Error struct {
	Text string
	Hint string
	Err  error // may be nil
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Text + ": " + e.Err.Error()
	}
	return e.Text
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }
