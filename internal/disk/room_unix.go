//go:build unix

package disk

import "golang.org/x/sys/unix"

// Room returns how many bytes can be written below a path, by this user. ok is false if the
// system does not report it.
func Room(path string) (bytes int64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
