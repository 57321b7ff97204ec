package disk

import (
	"errors"
	"syscall"
)

// ErrFull says whether err is about a disk or a quota without room: not damage, and
// over when somebody makes room.
func ErrFull(err error) bool {
	const handleDiskFull, diskFull, quota = syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)
	for _, full := range []error{handleDiskFull, diskFull, quota, syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, full) {
			return true
		}
	}
	return false
}
