//go:build !linux

package disk

import "os"

// datasync calls fsync. On Darwin package os also flushes the cache of the drive.
func datasync(f *os.File) error { return f.Sync() }
