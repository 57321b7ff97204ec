//go:build !unix

package disk

// Room is not known here.
func Room(string) (bytes int64, ok bool) { return 0, false }
