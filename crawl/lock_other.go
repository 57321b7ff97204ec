//go:build !unix

package crawl

import (
	"errors"
	"os"
)

var errLocked = errors.New("locked")

// lock on systems without flock: the file must not be there. One that a crash left
// behind has to be removed by hand.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, errLocked
	}
	return f, err
}

func locked(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
