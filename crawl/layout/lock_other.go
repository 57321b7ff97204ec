//go:build !unix

package layout

import (
	"errors"
	"os"
)

// ErrLocked is returned by Lock if another process has the lock.
var ErrLocked = errors.New("locked")

// Lock takes the lock of a directory by creating a file that must not exist: there is no
// flock. A file that a crash left behind has to be removed by hand.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, ErrLocked
	}
	return f, err
}

// Locked reports whether a process has the lock of a directory.
func Locked(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
