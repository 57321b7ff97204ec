package boards

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time of this thread; ok is false if it is not known.
func threadTime() (t time.Duration, ok bool) {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now) != nil {
		return 0, false
	}
	return time.Duration(now.Nano()), true
}
