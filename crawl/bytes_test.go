package crawl

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// A crawl with one partition writes the bytes that the last version without partitions wrote, b9213661:
// there this test printed the same sums. Only the version in the header of the journal differs, and
// the sum of that header. If another version of the compressor or a new key of the configuration
// changes the bytes, run the test on the commit before that change, and take the sums anew.
func TestBytes(t *testing.T) {
	want := map[string]string{
		layout.JournalDir: "1 6e4e57d2dc0787e206c2cc843bf209cd82d2055c03a201bbce865e778f85e331",
		layout.URLDir:     "1 d3996edaa5fec2e858185293e63a38d2842a81851cb86bd14f879f43abd56e20",
		layout.ArchiveDir: "2 99488ca830bbc6dd7485c4355bc47c3308b25412e799f421be5bf96da21f06e4",
	}
	cryptotest.SetGlobalRandom(t, 19)
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 60, 8, answer.Mixed())
		c := &w.o.Config
		c.Policy, c.Pages, c.Fetchers = "opic", 20, 1 // with one fetcher nothing happens at the same instant
		w.run(t)
		c.Pages = 0
		w.run(t)
		for name, sum := range want {
			if got := dirSum(t, w.disk, name); got != sum {
				t.Errorf("%s: %s, want %s", name, got, sum)
			}
		}
	})
}

// dirSum returns the sum of the names and bytes of a directory.
func dirSum(t *testing.T, d memoryDisk, name string) string {
	t.Helper()
	dir, err := d.open(name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := dir.List()
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, e := range list {
		f, err := dir.Open(e.Name, disk.Read)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, e.Size)
		if _, err := f.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if strings.HasSuffix(e.Name, ".wj") {
			clear(b[4:8])
			clear(b[44:48])
		}
		fmt.Fprintln(h, e.Name, e.Size)
		h.Write(b)
	}
	return fmt.Sprintf("%d %x", len(list), h.Sum(nil))
}
