package crawl

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
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
	Progress func(*history.Status)
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

// Summary is how a run ended.
type Summary struct {
	history.Status
	Retried int // pages that got another chance, with RunOptions.Chance
}
