package layout

import (
	"os"
	"path/filepath"
)

// The files of a crawl directory beside its parts.
const (
	LockFile   = "lock"
	ConfigFile = "winnow.toml"
	StatusFile = "status.json"
)

// IsCrawl reports whether a directory looks like that of a crawl.
func IsCrawl(path string) bool {
	for _, part := range []string{filepath.FromSlash(JournalDir), LockFile} {
		if _, err := os.Stat(filepath.Join(path, part)); err == nil {
			return true
		}
	}
	return false
}
