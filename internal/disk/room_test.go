package disk

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestRoom(t *testing.T) {
	dir := t.TempDir()
	if n, ok := Room(dir); ok && n <= 0 || !ok && runtime.GOOS == "linux" {
		t.Errorf("room for %d bytes (known: %t) in a directory in which files can be made", n, ok)
	}
	if _, ok := Room(filepath.Join(dir, "none")); ok {
		t.Error("there is room in a directory that does not exist")
	}
}
