//go:build !unix

package machine

// OpenFiles reports that the limit is unknown.
func OpenFiles() (most int, known bool) { return 0, false }
