//go:build unix

package main

import (
	"math"
	"syscall"
)

// openFiles is how many files and sockets this process may have open. Programs in Go
// begin with the soft limit raised to the hard one (package os does it), so only who
// administers the system can allow more.
func openFiles() (most int, known bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, false
	}
	return int(min(uint64(l.Cur), math.MaxInt32)), true
}
