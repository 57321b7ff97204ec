//go:build unix

package machine

import (
	"math"
	"syscall"
)

// OpenFiles returns how many files and sockets this process may have open. Package os has
// raised the soft limit to the hard one, so only the administrator can allow more.
func OpenFiles() (most int, known bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, false
	}
	return int(min(uint64(l.Cur), math.MaxInt32)), true
}
