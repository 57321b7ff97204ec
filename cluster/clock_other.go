//go:build !linux

package cluster

import (
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

// start is where the monotonic clock begins to count.
var start = time.Now()

// machineClock reads the clocks of the machine. The calendar is what counts suspended time here.
func machineClock() roster.Instant {
	now := time.Now()
	wall := time.Duration(now.UnixNano())
	return roster.Instant{Monotonic: now.Sub(start), Boot: wall, Wall: wall}
}
