//go:build !unix

package disk

// Room does not know the free space on this system.
func Room(string) (bytes int64, ok bool) { return 0, false }
