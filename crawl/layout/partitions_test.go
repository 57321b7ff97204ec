package layout

import (
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// A crawl whose partitions write other messages is refused, also if its file says nothing about that.
func TestPartitionsFormat(t *testing.T) {
	dir := disk.NewMemory()
	p := NewPartitions(4, "1")
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	b, err := disk.ReadFile(dir, PartitionsFile)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ReadPartitions(dir); err != nil || got.Crawl != p.Crawl {
		t.Errorf("read what was written: %+v, %v", got, err)
	}
	for _, other := range []string{"", `"format": 2,`} {
		text := strings.Replace(string(b), `"format": 1,`, other, 1)
		if text == string(b) {
			t.Fatalf("no format in %s", b)
		}
		if err := disk.Replace(dir, PartitionsFile, "tmp", true, func(f disk.File) error {
			_, err := f.WriteAt([]byte(text), 0)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPartitions(dir); err == nil || !strings.Contains(err.Error(), "another version") {
			t.Errorf("format %q: %v", other, err)
		}
	}
}
