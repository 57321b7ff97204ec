//go:build !unix

package disk

// Room reports that the free space is unknown on this system.
func Room(string) (bytes int64, ok bool) { return 0, false }
