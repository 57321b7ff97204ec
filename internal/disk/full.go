package disk

import (
	"errors"
	"syscall"
)

// ErrFull says whether err is about a disk or a quota without room: not damage, and
// over when somebody makes room.
func ErrFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
