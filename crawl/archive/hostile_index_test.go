package archive

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestIndexLink: a link under the temporary name of an index is not written through.
func TestIndexLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	file, victim := filepath.Join(dir, "a-20260131235959-00000.warc.gz"), filepath.Join(dir, "victim")
	for name, text := range map[string]string{file: string(sample(t)), victim: "needed"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(victim, IndexName(file)+".tmp"); err != nil {
		t.Fatal(err)
	}
	if err := WriteIndex(file); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "needed" {
		t.Errorf("%q was written through a link, %v", text, err)
	}
}
