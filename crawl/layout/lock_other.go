//go:build !unix

package layout

import (
	"errors"
	"os"
)

// ErrLocked is returned by Lock when another process has the lock.
var ErrLocked = errors.New("locked")

// Lock on systems without flock: the file must not be there. One that a crash left
// behind has to be removed by hand.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, ErrLocked
	}
	return f, err
}

// Locked reports whether a process is at work in a crawl directory.
func Locked(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
