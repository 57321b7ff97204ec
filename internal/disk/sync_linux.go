package disk

import (
	"errors"
	"os"
	"syscall"
)

// datasync is fdatasync. A call that a signal interrupted has not failed.
func datasync(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var answer error
	err = c.Control(func(fd uintptr) {
		for {
			if answer = syscall.Fdatasync(int(fd)); !errors.Is(answer, syscall.EINTR) {
				return
			}
		}
	})
	if err == nil && answer != nil {
		err = &os.PathError{Op: "fdatasync", Path: f.Name(), Err: answer}
	}
	return err
}
