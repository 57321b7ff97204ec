package history_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
)

// A crawl that was killed before its journal had a header is begun again.
func TestReadConfigOfKilled(t *testing.T) {
	dir := t.TempDir()
	where := filepath.Join(dir, filepath.FromSlash(layout.JournalDir))
	if err := os.MkdirAll(where, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "WJNL"} {
		if _, found, err := history.ReadConfig(dir); found || err != nil {
			t.Errorf("found %t, %v", found, err)
		}
		if err := os.WriteFile(filepath.Join(where, "00000000.wj"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, found, err := history.ReadConfig(dir); found || err != nil {
		t.Errorf("found %t, %v", found, err)
	}
}
