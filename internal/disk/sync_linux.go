package disk

import (
	"errors"
	"os"
	"syscall"
)

// datasync calls fdatasync. It repeats a call that a signal interrupted.
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
