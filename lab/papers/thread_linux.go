package papers

import (
	"syscall"
	"time"
)

// threadTime returns the processor time of this thread; ok is false if it is not known.
func threadTime() (t time.Duration, ok bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_THREAD, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
