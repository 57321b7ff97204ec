package cluster

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

// machineClock reads the clocks of the machine.
func machineClock() roster.Instant {
	read := func(clock int32) time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(clock, &t); err != nil {
			panic(err) // every Linux has these clocks
		}
		return time.Duration(t.Nano())
	}
	return roster.Instant{Monotonic: read(unix.CLOCK_MONOTONIC), Boot: read(unix.CLOCK_BOOTTIME), Wall: read(unix.CLOCK_REALTIME)}
}
