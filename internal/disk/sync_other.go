//go:build !linux

package disk

import "os"

// datasync is fsync; on Darwin with the flush of the drive's cache, as os has it.
func datasync(f *os.File) error { return f.Sync() }
