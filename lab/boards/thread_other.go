//go:build !linux

package boards

import "time"

// threadTime returns the processor time of this thread, which is not known here.
func threadTime() (t time.Duration, ok bool) { return 0, false }
